//! Housekeeping: what nobody comes back for ends, and what ended long ago goes.

use crate::api::EngineError;
use crate::engine::Engine;
use crate::run::{expired, forgotten};
use hub_core::envelope::Status;
use hub_core::limits;
use hub_core::pending::Choice;
use hub_core::ports::RunFilter;

impl Engine {
    /// Ends parked runs with a pending that nobody decided in time, and removes runs that ended
    /// longer ago than they are kept. To be called every hour.
    pub async fn keep_house(&self) -> Result<(), EngineError> {
        let store = &self.inner.deps.store;
        let now = self.now();
        for pending in store.overdue_pendings(now).await? {
            if self.inner.runs.get(&pending.run).is_some() {
                continue;
            }
            let run = store.run(pending.run.clone()).await?;
            match run.filter(|r| !r.status.is_ended()) {
                Some(record) => expired(self, &record).await?,
                None => drop(store.decide(pending.id, self.by_hub(Choice::Expired)).await?),
            }
        }
        self.end_forgotten().await?;
        let removed = store.sweep(now.plus(-limits::ENDED_RUN_KEPT_MS)).await?;
        if removed > 0 {
            tracing::info!(removed, "runs that ended long ago were removed");
        }
        self.keep_build().await?;
        Ok(())
    }

    /// Ends runs that were interrupted, or decided, and that nobody came back for: else they
    /// would stand for ever, and at last fill the place of all others.
    async fn end_forgotten(&self) -> Result<(), EngineError> {
        let filter = RunFilter {
            status: Status::OPEN.to_vec(),
            changed_before: Some(self.now().plus(-limits::FORGOTTEN_RUN_MS)),
            ..RunFilter::default()
        };
        for record in self.inner.deps.store.runs(filter).await? {
            if self.inner.runs.get(&record.id).is_none() {
                forgotten(self, &record).await?;
            }
        }
        Ok(())
    }
}
