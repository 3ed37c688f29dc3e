//! Everything of a call that waits, for the person who decides about it and nobody else.

use crate::api::EngineError;
use crate::engine::Engine;
use hub_core::id::PendingId;

impl Engine {
    /// The arguments of a pending as JSON text, in full.
    pub async fn pending_arguments(&self, id: &str) -> Result<String, EngineError> {
        let pending = self.inner.deps.store.pending(PendingId::new(id)).await?;
        let pending =
            pending.ok_or_else(|| EngineError::NotFound(format!("nothing waits as {id}")))?;
        Ok(pending.arguments)
    }
}
