//! What the hub does beside requests. Each task ends with the hub.

use hub_core::id::SourceId;
use hub_engine::Engine;
use hub_upstream::McpUpstream;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Sources that said that their tools changed and were not read again yet. Whoever speaks to
/// sources adds, [`refresh_changed`] takes; one source counts once, so it stays small.
#[derive(Clone, Default)]
pub struct Changed(Arc<(Mutex<BTreeSet<SourceId>>, Notify)>);

impl Changed {
    /// Notes one.
    pub fn tell(&self, source: SourceId) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).insert(source);
        self.0.1.notify_one();
    }

    /// All that were noted, once there are any.
    async fn take(&self) -> BTreeSet<SourceId> {
        loop {
            let noted =
                std::mem::take(&mut *self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
            if !noted.is_empty() {
                return noted;
            }
            self.0.1.notified().await;
        }
    }
}

/// Reads the tools of each source that changed: each on its own, so that a slow one delays no
/// other, and never twice at once.
pub fn refresh_changed(engine: Engine, changed: Changed) {
    tokio::spawn(async move {
        let (mut reading, mut busy) = (JoinSet::new(), BTreeSet::new());
        let mut again = BTreeSet::new();
        loop {
            tokio::select! {
                noted = changed.take() => {
                    for id in noted {
                        if !busy.insert(id.clone()) {
                            again.insert(id);
                            continue;
                        }
                        let engine = engine.clone();
                        reading.spawn(async move {
                            engine.list_changed(&id).await;
                            id
                        });
                    }
                }
                Some(read) = reading.join_next() => match read {
                    Ok(id) => {
                        busy.remove(&id);
                        if again.remove(&id) {
                            changed.tell(id);
                        }
                    }
                    // A panic does not say whose it was.
                    Err(_) => busy.clear(),
                },
            }
        }
    });
}

/// Tells how each source was spoken to the last time, so that no older one is probed anew.
pub fn remember_eras(engine: Engine, upstream: Arc<McpUpstream>) {
    tokio::spawn(async move {
        for view in engine.sources().await.unwrap_or_default() {
            upstream.remember(&view.source.id, &view.protocol_version);
        }
    });
}

/// How often it is looked whether a source that could not be read is due again.
const LOOK_AGAIN: Duration = Duration::from_secs(60);
/// Looks between two attempts at most.
const MOST_LOOKS: u32 = 64;

/// Reads sources again that could not be read, ever less often: one that was away when it was
/// added, or still starting, gets its tools without anybody asking.
pub fn try_again(engine: Engine, changed: Changed) {
    tokio::spawn(async move {
        let mut waits: HashMap<SourceId, Wait> = HashMap::new();
        let mut looks = tokio::time::interval(LOOK_AGAIN);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        looks.tick().await;
        loop {
            looks.tick().await;
            let away = engine.troubled();
            waits.retain(|id, _| away.contains(id));
            for id in away {
                if waits.entry(id.clone()).or_default().is_due() {
                    changed.tell(id);
                }
            }
        }
    });
}

/// Looks until the next attempt at one source; doubles with each.
#[derive(Default)]
struct Wait {
    left: u32,
    last: u32,
}

impl Wait {
    fn is_due(&mut self) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return false;
        }
        self.last = (self.last * 2).clamp(1, MOST_LOOKS);
        self.left = self.last - 1;
        true
    }
}

/// How often the house is kept.
const HOUSEKEEPING: Duration = Duration::from_secs(3_600);

/// Ends what nobody comes back for and removes what ended long ago, at the start and every hour.
pub fn keep_house(engine: Engine) {
    tokio::spawn(async move {
        let mut hours = tokio::time::interval(HOUSEKEEPING);
        loop {
            hours.tick().await;
            if let Err(error) = engine.keep_house().await {
                tracing::warn!(%error, "the house was not kept");
            }
        }
    });
}

/// How often memory that is free goes back to the system.
const GIVE_BACK: Duration = Duration::from_secs(60);
/// When it does first: what the start itself took is free by then.
const SETTLED: Duration = Duration::from_secs(2);

/// Gives memory back that an import, a search or a large answer took for a while: the allocator
/// alone would keep most of it for good.
pub fn give_back_memory() {
    tokio::spawn(async move {
        let first = tokio::time::Instant::now() + SETTLED;
        let mut minutes = tokio::time::interval_at(first, GIVE_BACK);
        minutes.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            minutes.tick().await;
            // Nothing hangs on it; where the runtime ends, so does this.
            let _ = tokio::task::spawn_blocking(hub_sandbox::trim).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_grow_rare() {
        let mut wait = Wait::default();
        let due: Vec<usize> = (0..200).filter(|_| wait.is_due()).collect();
        assert_eq!(due, [0, 1, 3, 7, 15, 31, 63, 127, 191]);
    }
}
