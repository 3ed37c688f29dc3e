//! Asking by form: sealed state out, answers in. Filled by the approvals.

use crate::api::{Caller, EngineError, Execute, ExecuteAnswer, FormReply, Wait};
use crate::engine::Engine;
use crate::run::registry::Rested;

impl Engine {
    pub(crate) async fn ask(
        &self,
        _caller: &Caller,
        _what: &Execute,
        rested: Rested,
        _wait: &Wait,
        _round: u32,
    ) -> Result<ExecuteAnswer, EngineError> {
        Ok(ExecuteAnswer::Envelope(rested.shown))
    }

    pub(crate) async fn answer_forms(
        &self,
        _caller: &Caller,
        _what: &Execute,
        _reply: FormReply,
        _wait: &Wait,
    ) -> Result<ExecuteAnswer, EngineError> {
        Err(EngineError::BadState)
    }
}
