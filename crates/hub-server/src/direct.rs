//! The direct surface (SPEC §4): each tool is an MCP tool, its result is what MCP says it is.
//!
//! No profile offers it yet. What is here is its wire, whole, so that it is proven by the
//! conformance suite before the engine stands behind it.

use crate::door::Door;
use hub_core::catalog::ToolDef;
use hub_core::ports::{BoxFuture, HandOn, ProgressFn};
use hub_engine::{Caller, FormReply};
use std::sync::Arc;
use tokio::sync::watch;

/// What the direct surface needs.
pub trait Direct: Door {
    /// The tools, under the names that agents see.
    fn tools(&self) -> Arc<[ToolDef]>;

    /// Moves whenever [`Direct::tools`] changes.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Calls a tool. Dropping the future tells the source that nobody waits.
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        call: DirectCall,
    ) -> BoxFuture<'a, Result<DirectAnswer, DirectRefusal>>;
}

/// One call.
pub struct DirectCall {
    /// Which tool.
    pub tool: String,
    /// Its arguments as JSON text.
    pub arguments: String,
    /// What the agent brings back for an earlier [`DirectAnswer::Asks`].
    pub reply: FormReply,
    /// Told of progress, where the agent wants to hear of it.
    pub progress: Option<ProgressFn>,
    /// How the answer is handed on.
    pub hand_on: HandOn,
}

/// What came of a call.
pub enum DirectAnswer {
    /// The result, as JSON text.
    Result(String),
    /// The source asks the person, and the agent can show it.
    Asks {
        /// `inputRequests`, as JSON text.
        requests: String,
        /// Sealed.
        state: String,
    },
}

/// A JSON-RPC error.
pub struct DirectRefusal {
    /// Its code.
    pub code: i64,
    /// In words.
    pub message: String,
    /// `data`, as JSON text.
    pub data: Option<String>,
}
