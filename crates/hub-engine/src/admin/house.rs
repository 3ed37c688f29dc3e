//! Housekeeping: what nobody comes back for ends, and what ended long ago goes.

use crate::api::EngineError;
use crate::engine::Engine;
use crate::run::expired;
use hub_core::limits;
use hub_core::pending::{Channel, Choice, Decision};

impl Engine {
    /// Ends parked runs with a pending that nobody decided in time, and removes runs that ended
    /// longer ago than they are kept. To be called every hour.
    pub async fn keep_house(&self) -> Result<(), EngineError> {
        let store = &self.inner.deps.store;
        let now = self.now();
        for pending in store.open_pendings().await? {
            if pending.expires_at > now || self.inner.runs.get(&pending.run).is_some() {
                continue;
            }
            let decision = Decision {
                choice: Choice::Expired,
                channel: Channel::Hub,
                by: "hub".into(),
                at: now,
            };
            store.decide(pending.id.clone(), decision).await?;
            let run = store.run(pending.run.clone()).await?;
            if let Some(record) = run.filter(|r| !r.status.is_ended()) {
                expired(self, &record).await?;
            }
        }
        let removed = store.sweep(now.plus(-limits::ENDED_RUN_KEPT_MS)).await?;
        if removed > 0 {
            tracing::info!(removed, "runs that ended long ago were removed");
        }
        Ok(())
    }
}
