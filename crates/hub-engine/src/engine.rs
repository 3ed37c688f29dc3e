//! The engine's door.

use crate::api::{
    Caller, Deps, EngineConfig, EngineError, Execute, ExecuteAnswer, FormReply, Wait,
};
use std::sync::Arc;

/// The hub's engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    #[expect(dead_code, reason = "first stand: the run machine comes next")]
    pub(crate) deps: Deps,
}

fn not_yet<T>() -> Result<T, EngineError> {
    Err(EngineError::Busy("not built yet".into()))
}

impl Engine {
    /// Opens the engine on a store: reads the catalogue as last known, starts nothing.
    pub async fn open(deps: Deps, _config: EngineConfig) -> Result<Self, EngineError> {
        Ok(Self { inner: Arc::new(Inner { deps }) })
    }

    /// The server instructions of MCP: what is connected, cut to fit.
    pub fn instructions(&self, _caller: &Caller) -> String {
        String::new()
    }

    /// `search`: plain text.
    pub async fn search(
        &self,
        _caller: &Caller,
        _query: &str,
        _namespace: Option<&str>,
    ) -> Result<String, EngineError> {
        not_yet()
    }

    /// `describe`: TypeScript.
    pub async fn describe(
        &self,
        _caller: &Caller,
        _targets: &[String],
    ) -> Result<String, EngineError> {
        not_yet()
    }

    /// `execute`. Dropping the future takes attendance away, nothing more.
    pub async fn execute(
        &self,
        _caller: &Caller,
        _what: Execute,
        _reply: FormReply,
        _wait: Wait,
    ) -> Result<ExecuteAnswer, EngineError> {
        not_yet()
    }

    /// Refuses new runs, lets live ones come to their next rest, and returns.
    pub async fn shut_down(&self) {
        let _ = &self.inner;
    }
}
