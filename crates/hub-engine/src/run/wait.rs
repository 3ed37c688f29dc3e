//! A request waits on its run: until it rests, a source asks, or it has waited long enough.

use crate::api::{Caller, EngineError, Execute, ExecuteAnswer, Wait};
use crate::engine::Engine;
use crate::run::attend::Attending;
use crate::run::registry::{Live, Rested};
use crate::run::resume::join_notice;
use hub_core::limits;

/// What a request waits on.
pub(crate) enum Target {
    /// It rests already.
    Rests(Rested),
    /// It is at work.
    Live {
        /// Held while waiting.
        attending: Attending,
        /// Whether the request was for code that an earlier run has.
        joined: bool,
    },
}

/// What a waiting request hears of its run.
enum Heard {
    /// The pass came to rest.
    Rested(Rested),
    /// The task is gone.
    Gone,
    /// A source asks the person something inside a live call.
    Asks,
    /// Nothing, for as long as it may wait in silence.
    Nothing,
}

impl Engine {
    /// Waits for the run to rest, tells progress, and asks by form where the client can.
    pub(crate) async fn wait_on(
        &self,
        caller: &Caller,
        what: &Execute,
        target: Target,
        wait: &Wait,
        round: u32,
    ) -> Result<ExecuteAnswer, EngineError> {
        let rested = match target {
            Target::Rests(rested) => rested,
            Target::Live { attending, joined } => {
                let mut rested = self.listen(&attending, wait).await;
                if joined {
                    rested = join_notice(rested);
                }
                rested
            }
        };
        if rested.asks {
            return self.ask(caller, what, rested, wait, round).await;
        }
        Ok(ExecuteAnswer::Envelope(rested.shown))
    }

    /// A client that learns of a run may come back for it, whatever happens to the hub.
    pub(crate) async fn keep(&self, live: &Live) {
        if let Err(error) = self.inner.deps.store.keep_run(live.run.clone()).await {
            // Nothing of it was sent; its first step will meet the same.
            tracing::warn!(run = %live.run, %error, "a run could not be kept");
        }
    }

    async fn listen(&self, attending: &Attending, wait: &Wait) -> Rested {
        let live = attending.live();
        let clock = &self.inner.deps.clock;
        let mut rested = live.rested.subscribe();
        let mut asking = live.asking.subscribe();
        let mut progress = live.progress.subscribe();
        let started = clock.monotonic_ms();
        if wait.progress.is_some() {
            self.keep(live).await;
        }
        loop {
            if let Some(tell) = &wait.progress {
                tell(progress.borrow_and_update().clone());
            }
            let moved = async {
                clock.sleep(limits::PROGRESS_GAP_MS).await;
                // The sender lives as long as the run, which is held here.
                let _ = progress.changed().await;
            };
            let ms = match wait.progress {
                Some(_) => limits::PROGRESS_EVERY_MS,
                None => {
                    let waited = clock.monotonic_ms() - started;
                    limits::ANSWER_RUNNING_MS.saturating_sub(waited)
                }
            };
            let heard = tokio::select! {
                biased;
                there = rested.wait_for(Option::is_some) => match there.as_deref() {
                    Ok(Some(rested)) => Heard::Rested(rested.clone()),
                    _ => Heard::Gone,
                },
                _ = asking.wait_for(|open| *open > 0) => Heard::Asks,
                () = moved, if wait.progress.is_some() => Heard::Nothing,
                () = clock.sleep(ms) => Heard::Nothing,
            };
            match heard {
                Heard::Rested(rested) => return rested,
                Heard::Gone => return self.running(live).await.rested,
                Heard::Asks => {
                    let stands = self.running(live).await;
                    if stands.asks_inside {
                        live.attendance.told_running(clock.monotonic_ms());
                        return stands.rested;
                    }
                    // Decided this moment: the run is about to hear of it.
                    tokio::select! {
                        biased;
                        _ = asking.changed() => {}
                        _ = rested.wait_for(Option::is_some) => {}
                    }
                }
                Heard::Nothing if wait.progress.is_some() => {}
                Heard::Nothing => {
                    live.attendance.told_running(clock.monotonic_ms());
                    return self.running(live).await.rested;
                }
            }
        }
    }
}
