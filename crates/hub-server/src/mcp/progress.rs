//! Progress of a run, told to a client that gave a token: the run's id at once, then counts.

use hub_engine::{RunProgress, Wait};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use tokio::sync::watch;

/// The request's end.
pub struct Ticks<'a> {
    token: ProgressToken,
    latest: watch::Receiver<Option<RunProgress>>,
    count: &'a mut u32,
}

/// How the request waits, and what it has to tell. Only the latest count matters: a client that
/// reads slowly is told fewer of them. `count` is how often this request was told already.
pub fn wait(token: Option<ProgressToken>, count: &mut u32) -> (Wait, Option<Ticks<'_>>) {
    let Some(token) = token else {
        return (Wait::default(), None);
    };
    let (sender, latest) = watch::channel(None);
    let tell = move |progress: RunProgress| {
        sender.send_replace(Some(progress));
    };
    (Wait { progress: Some(Arc::new(tell)) }, Some(Ticks { token, latest, count }))
}

impl Ticks<'_> {
    /// Tells the client until the engine's end is gone.
    pub async fn tell(mut self, peer: &Peer<RoleServer>) {
        while self.latest.changed().await.is_ok() {
            let Some(progress) = self.latest.borrow_and_update().clone() else {
                continue;
            };
            // The protocol wants a number that only grows; calls may stand still.
            *self.count += 1;
            let tick = ProgressNotificationParam::new(self.token.clone(), f64::from(*self.count))
                .with_message(message(&progress));
            if peer.notify_progress(tick).await.is_err() {
                return;
            }
        }
    }
}

fn message(progress: &RunProgress) -> String {
    let RunProgress { run, calls_done, calls_made, elapsed_ms } = progress;
    format!("{run}: {calls_done} of {calls_made} calls answered, {} s", elapsed_ms / 1_000)
}
