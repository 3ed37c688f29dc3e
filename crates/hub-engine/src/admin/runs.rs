//! Runs, for the person: list, show, end, go on.

use crate::api::{
    Caller, EngineError, Execute, ExecuteAnswer, FormReply, Forms, RunDetail, Shown, Wait,
};
use crate::engine::Engine;
use crate::run::{Report, cancelled};
use hub_core::id::RunId;
use hub_core::owner::ElicitationMode;
use hub_core::ports::RunFilter;
use hub_core::run::RunRecord;

impl Engine {
    /// Runs of every owner, newest first.
    pub async fn runs(&self, limit: usize) -> Result<Vec<RunRecord>, EngineError> {
        let filter = RunFilter { limit, ..RunFilter::default() };
        Ok(self.inner.deps.store.runs(filter).await?)
    }

    /// One run with its timeline.
    pub async fn run(&self, id: &str) -> Result<RunDetail, EngineError> {
        let record = self.record(id).await?;
        let store = &self.inner.deps.store;
        let pendings = store.pendings(record.id.clone()).await?;
        let lines = store.journal(record.id.clone()).await?;
        let timeline = super::timeline::read(&record, &lines, &pendings);
        let key = &record.owner.key;
        let views = pendings
            .into_iter()
            .map(|p| self.pending_view(p, key, hub_core::redact::Limits::PAGE))
            .map(|view| crate::api::PendingView { client: record.client.clone(), ..view })
            .collect();
        Ok(RunDetail { record, timeline, pendings: views })
    }

    /// Ends a run for good: a person's act.
    pub async fn cancel_run(&self, id: &str, by: &str) -> Result<(), EngineError> {
        let record = self.record(id).await?;
        if record.status.is_ended() {
            let status = record.status.as_str();
            return Err(EngineError::Conflict(format!("the run has ended already ({status})")));
        }
        match self.inner.runs.get(&record.id) {
            Some(live) => {
                let _ = live.reports.send(Report::Cancel).await;
                let mut rested = live.rested.subscribe();
                let _ = rested.wait_for(Option::is_some).await;
                // It may have come to rest before it heard.
                let record = self.record(record.id.as_str()).await?;
                match record.status.is_ended() {
                    true => Ok(()),
                    false => cancelled(self, &record, by).await,
                }
            }
            None => cancelled(self, &record, by).await,
        }
    }

    /// Goes on with a run for the person, as if its owner had asked.
    pub async fn resume_run(&self, id: &str) -> Result<Shown, EngineError> {
        let record = self.record(id).await?;
        let caller = Caller {
            owner: record.owner.clone(),
            client: record.client.clone(),
            mode: ElicitationMode::Browser,
            dedupe: false,
            forms: Forms::None,
        };
        let resume = Execute::Resume(record.id.to_string());
        match self.execute(&caller, resume, FormReply::default(), Wait::default()).await? {
            ExecuteAnswer::Envelope(shown) => Ok(shown),
            ExecuteAnswer::AskForms { .. } => {
                Err(EngineError::Conflict("the run asks by form".into()))
            }
        }
    }

    /// The same, without anybody who waits for how it ends.
    pub async fn resume_unheard(&self, id: &str) -> Result<RunId, EngineError> {
        let run = self.record(id).await?.id;
        let (engine, id) = (self.clone(), run.clone());
        // Ends by itself: a run that takes long answers that it is at work.
        crate::tasks::spawn(async move {
            if let Err(error) = engine.resume_run(id.as_str()).await {
                tracing::warn!(run = %id, %error, "a run could not go on");
            }
        });
        Ok(run)
    }

    /// Replays a run without sending anything, for debugging: what it would do next.
    pub async fn replay_run(&self, id: &str) -> Result<String, EngineError> {
        let record = self.record(id).await?;
        self.replay(&record).await
    }

    pub(crate) async fn record(&self, id: &str) -> Result<RunRecord, EngineError> {
        let store = &self.inner.deps.store;
        let found = match id {
            "last" => self.runs(1).await?.into_iter().next(),
            id => store.run(RunId::new(id)).await?,
        };
        found.ok_or_else(|| EngineError::NotFound(format!("there is no run {id}")))
    }
}
