//! The demo's hub: an engine on a store in a folder of its own, with the sample tracker.

use crate::config::settings::Settings;
use crate::context::Context;
use crate::error::CliError;
use crate::folder::{Folder, make_private};
use crate::screen::Browser;
use crate::system::SystemRandom;
use crate::wire;
use hub_core::catalog::Transport;
use hub_core::envelope::ExecuteEnvelope;
use hub_core::id::{KeyId, PrincipalId, RunId};
use hub_core::owner::{ElicitationMode, Owner};
use hub_core::pending::{Channel, Choice};
use hub_core::ports::Random;
use hub_engine::{
    Caller, Decide, Engine, EngineError, Execute, ExecuteAnswer, FormReply, Forms, NewSource,
    PendingView, Wait,
};
use std::path::PathBuf;

/// The hub with its folder.
pub struct Stage {
    engine: Engine,
    folder: PathBuf,
}

impl Stage {
    /// Opens it and adds the tracker.
    pub async fn set(context: &Context) -> Result<Self, CliError> {
        let mut name = [0; 16];
        SystemRandom.fill(&mut name);
        let folder = std::env::temp_dir().join(format!("demo-{}", RunId::fresh(name)));
        make_private(&folder)?;
        let own = Context {
            folder: Folder::choose(Some(&folder), &context.environment)?,
            ..context.clone()
        };
        context.out.note("starting a hub of its own (the first time takes some seconds) …");
        let browser = Browser::find(&context.environment, false);
        let engine = wire::open(&own, &Settings::default(), browser).await?.engine;
        let stage = Self { engine, folder };
        let added = stage.add_tracker().await;
        if let Err(error) = added {
            stage.strike().await;
            return Err(error);
        }
        Ok(stage)
    }

    async fn add_tracker(&self) -> Result<(), CliError> {
        let command = std::env::current_exe()?.to_string_lossy().into_owned();
        let args = vec!["sample-server".to_owned()];
        let transport = Transport::Stdio { command, args, env: Default::default(), cwd: None };
        let source = NewSource {
            name: "tracker".to_owned(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        let refreshed = self.engine.add_source(source).await.map_err(failed)?;
        match refreshed.view.problem {
            Some(problem) => Err(CliError::failed(format!("the sample tracker: {problem}"))),
            None => Ok(()),
        }
    }

    /// What an agent would read.
    pub async fn search(&self, query: &str) -> Result<String, CliError> {
        self.engine.search(&agent(), query, None).await.map_err(failed)
    }

    /// What an agent would read.
    pub async fn describe(&self, targets: &[String]) -> Result<String, CliError> {
        self.engine.describe(&agent(), targets).await.map_err(failed)
    }

    /// Runs, or goes on.
    pub async fn execute(&self, what: Execute) -> Result<ExecuteEnvelope, CliError> {
        let answer =
            self.engine.execute(&agent(), what, FormReply::default(), Wait::default()).await;
        match answer.map_err(failed)? {
            ExecuteAnswer::Envelope(shown) => {
                shown.envelope().ok_or_else(|| CliError::internal("the envelope cannot be read"))
            }
            ExecuteAnswer::AskForms { .. } => {
                Err(CliError::internal("forms were asked of a caller that shows none"))
            }
        }
    }

    /// What waits in the run.
    pub async fn waiting(&self, run: &ExecuteEnvelope) -> Result<Vec<PendingView>, CliError> {
        self.engine.waiting(Some(run.run_id.as_str())).await.map_err(failed)
    }

    /// Decides, as the person at this terminal.
    pub async fn decide(&self, view: &PendingView, choice: Choice) -> Result<(), CliError> {
        let decide = Decide {
            pending: view.pending.id.clone(),
            choice,
            channel: Channel::Terminal,
            by: "demo".to_owned(),
            narrow: Vec::new(),
        };
        self.engine.decide(decide).await.map_err(failed)?;
        Ok(())
    }

    /// Ends the hub and removes its folder.
    pub async fn strike(self) {
        self.engine.shut_down().await;
        drop(self.engine);
        // Left to the system's own cleaning where it cannot be removed now.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn agent() -> Caller {
    Caller {
        owner: Owner {
            principal: PrincipalId::new(Owner::LOCAL_PRINCIPAL),
            key: KeyId::new("demo"),
            profile: Owner::DEFAULT_PROFILE.to_owned(),
        },
        client: "demo".to_owned(),
        mode: ElicitationMode::Browser,
        dedupe: false,
        forms: Forms::None,
    }
}

fn failed(error: EngineError) -> CliError {
    CliError::failed(error.to_string())
}
