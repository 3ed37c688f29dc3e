//! Executes. Answers `running` after a while as any client without progress is answered; the
//! command line then resumes.

use crate::api::{Answer, Api, Call};
use crate::error::{ApiError, ErrorKind};
use hub_engine::{Caller, ExecuteAnswer, FormReply, Shown, Wait};
use serde::{Deserialize, Serialize};

/// The request: exactly one of the two.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Execute {
    /// Run this.
    Code(String),
    /// Go on with this run.
    Resume(String),
}

/// An envelope as the terminal gets it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// JSON of the envelope, exactly as stored.
    pub json: String,
    /// The one line.
    pub line: String,
    /// Whether the run failed.
    pub is_error: bool,
}

impl From<Shown> for Told {
    fn from(shown: Shown) -> Self {
        let Shown { json, line, is_error } = shown;
        Self { json: json.to_string(), line: line.to_string(), is_error }
    }
}

impl Call for Execute {
    const PATH: &'static str = "/api/tools/execute";
    type Answer = Told;
}

pub(crate) async fn execute(api: Api, request: Execute) -> Answer<Execute> {
    let what = match request {
        Execute::Code(code) => hub_engine::Execute::Code(code),
        Execute::Resume(run) => hub_engine::Execute::Resume(run),
    };
    let caller = api.caller("running a program").await?;
    executed(&api, &caller, what).await
}

pub(crate) async fn executed(
    api: &Api,
    caller: &Caller,
    what: hub_engine::Execute,
) -> Answer<Execute> {
    let answer = api.engine.execute(caller, what, FormReply::default(), Wait::default());
    match answer.await? {
        ExecuteAnswer::Envelope(shown) => Ok(shown.into()),
        // The caller says that it shows no forms, so none are asked for.
        ExecuteAnswer::AskForms { .. } => {
            tracing::error!("forms were asked of the terminal");
            Err(ApiError::new(ErrorKind::Internal, "the hub asked in a way the terminal cannot"))
        }
    }
}
