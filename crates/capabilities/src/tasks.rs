//! What the hub does beside requests. Each task ends with the hub.

use hub_core::id::SourceId;
use hub_engine::Engine;
use tokio::sync::mpsc;

/// Sources that said that their tools changed and were not read again yet; more are dropped,
/// since the next one reads what is there.
const CHANGED_SOURCES: usize = 256;

/// Tells which sources changed.
pub type Changed = mpsc::Sender<SourceId>;

/// A channel for sources that changed.
pub fn changed_sources() -> (Changed, mpsc::Receiver<SourceId>) {
    mpsc::channel(CHANGED_SOURCES)
}

/// Reads the tools of each source that changed. Ends when `changed` has no sender any more.
pub fn refresh_changed(engine: Engine, mut changed: mpsc::Receiver<SourceId>) {
    tokio::spawn(async move {
        while let Some(id) = changed.recv().await {
            let sources = engine.sources().await.unwrap_or_default();
            let named = sources.into_iter().find(|view| view.source.id == id);
            if let Some(view) = named
                && let Err(error) = engine.refresh(&view.source.name).await
            {
                tracing::warn!(source = view.source.name, %error, "its tools were not read again");
            }
        }
    });
}

/// How often the house is kept.
const HOUSEKEEPING: std::time::Duration = std::time::Duration::from_secs(3_600);

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
