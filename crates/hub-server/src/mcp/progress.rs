//! Progress of a run, told to a client that gave a token: the run's id at once, then counts.

use hub_engine::{CallProgress, RunProgress, Wait};
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

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

/// Tells the client until the answer is there. What is on its way then is sent to the end: the
/// SDK keeps no order between what it sends at once.
pub async fn tell(ticks: Option<Ticks<'_>>, peer: &Peer<RoleServer>, done: &CancellationToken) {
    if let Some(ticks) = ticks {
        ticks.tell(peer, done).await;
    }
}

impl Ticks<'_> {
    async fn tell(mut self, peer: &Peer<RoleServer>, done: &CancellationToken) {
        loop {
            tokio::select! {
                biased;
                () = done.cancelled() => return,
                moved = self.latest.changed() => if moved.is_err() { return },
            }
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
    let RunProgress { run, calls_done, calls_made, elapsed_ms, call } = progress;
    let s = elapsed_ms / 1_000;
    let mut text = format!("{run}: {calls_done} of {calls_made} calls answered, {s} s");
    if let Some(CallProgress { address, done, of, .. }) = call {
        text.push_str(&format!("; {address} {done}"));
        if let Some(of) = of {
            text.push_str(&format!(" of {of}"));
        }
    }
    text
}
