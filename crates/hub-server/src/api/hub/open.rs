//! Opens the way to the hub's pages: a file that forwards a browser there, once, within a
//! minute. The command line hands the file to the browser; the code in it is shown nowhere.

use crate::api::{Answer, Api, Call};
use crate::error::{ApiError, ErrorKind};
use hub_core::id::RunId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Open {
    /// The page of this run; else the inbox.
    #[serde(default)]
    pub run: Option<String>,
}

impl Call for Open {
    const PATH: &'static str = "/api/hub/open";
    type Answer = PathBuf;
}

pub(crate) async fn open(api: Api, request: Open) -> Answer<Open> {
    api.gate("opening the hub's page").await?;
    let run = match request.run {
        Some(run) => Some(api.engine.run(&run).await?.record.id),
        None => None,
    };
    let run: Option<&RunId> = run.as_ref();
    match api.pages.as_ref().map(|pages| pages.file(run)) {
        Some(Ok(Some(file))) => Ok(file),
        Some(Err(error)) => {
            tracing::error!(%error, "the forwarding file cannot be written");
            Err(ApiError::new(ErrorKind::Internal, "the forwarding file cannot be written"))
        }
        Some(Ok(None)) | None => Err(ApiError::new(ErrorKind::NotFound, "this hub has no pages")),
    }
}
