//! In which sandbox a run goes on: in the build it began in, for life.
//!
//! The build in which programs begin puts what opens it again into the store, pinned by its runs.
//! A later hub, with another build, opens the older one from there when such a run goes on. A
//! build that cannot be kept (a program of its own) goes on as long as it is the hub's.

use crate::engine::Engine;
use hub_core::digest::Digest;
use hub_core::limits;
use hub_core::ports::{Driver, GuestFault, StoreError};
use hub_core::run::engine_blobs;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Older builds that are open, and whether this hub's own is in the store.
#[derive(Default)]
pub(crate) struct Engines {
    /// Used longest ago first. Held while one is opened, so that two runs open it once.
    older: tokio::sync::Mutex<VecDeque<Arc<dyn Driver>>>,
    /// Set by the first run of this hub that brought the build along.
    kept: AtomicBool,
}

impl Engine {
    /// The sandbox of that build.
    pub(crate) async fn sandbox(&self, engine_id: &str) -> Result<Arc<dyn Driver>, GuestFault> {
        let own = self.drivers().find(|driver| driver.engine_id() == engine_id);
        if let Some(driver) = own {
            return Ok(driver.clone());
        }
        let mut older = self.inner.engines.older.lock().await;
        if let Some(at) = older.iter().position(|driver| driver.engine_id() == engine_id)
            && let Some(driver) = older.remove(at)
        {
            older.push_back(driver.clone());
            return Ok(driver);
        }
        let mismatch = |why: String| GuestFault::EngineMismatch(why);
        let opened = self.open_build(engine_id).await.map_err(|e| mismatch(e.to_string()))?;
        let driver = opened.ok_or_else(|| {
            let has = self.inner.deps.driver.engine_id();
            mismatch(format!("it began on {engine_id}, which is not kept; this hub has {has}"))
        })?;
        tracing::info!(engine = engine_id, "a run goes on in the build it began in");
        // Guests of the one that goes keep what they stand on.
        if older.len() >= limits::OLDER_ENGINES {
            older.pop_front();
        }
        older.push_back(driver.clone());
        Ok(driver)
    }

    async fn open_build(&self, engine_id: &str) -> Result<Option<Arc<dyn Driver>>, StoreError> {
        for digest in engine_blobs(engine_id) {
            let Some(image) = self.inner.deps.store.blob(digest).await? else { continue };
            if Digest::of(&image) != digest {
                return Err(StoreError::Failed("the build it began on was changed".into()));
            }
            let opened = self.drivers().find_map(|driver| driver.other_build(engine_id, &image));
            if opened.is_some() {
                return Ok(opened);
            }
        }
        Ok(None)
    }

    fn drivers(&self) -> impl Iterator<Item = &Arc<dyn Driver>> {
        std::iter::once(&self.inner.deps.driver).chain(&self.inner.deps.others)
    }

    /// What opens this hub's build again, for the first run to bring into the store unless it is
    /// there; none for those after it. Where the run was not added, [`Engine::build_not_kept`] is
    /// to be told.
    pub(crate) async fn build_to_keep(&self) -> Option<Vec<u8>> {
        self.inner.deps.driver.image()?;
        if self.inner.engines.kept.swap(true, Ordering::SeqCst) {
            return None;
        }
        // A sweep from here on puts it back. Nobody waits for the look any more: nothing is kept.
        let given_up = GivenUp(self);
        let there = self.has_build().await;
        std::mem::forget(given_up);
        if there { None } else { Some(self.inner.deps.driver.image()?.into_owned()) }
    }

    /// Whether the store has this hub's build. Its bytes are megabytes: they are not looked at.
    async fn has_build(&self) -> bool {
        for digest in engine_blobs(&self.inner.deps.driver.engine_id()) {
            if self.inner.deps.store.has_blob(digest).await.unwrap_or(false) {
                return true;
            }
        }
        false
    }

    pub(crate) fn build_not_kept(&self) {
        self.inner.engines.kept.store(false, Ordering::SeqCst);
    }

    /// A sweep took what no run needs: the build is put back, for the runs to come.
    pub(crate) async fn keep_build(&self) -> Result<(), StoreError> {
        if self.inner.engines.kept.load(Ordering::SeqCst)
            && !self.has_build().await
            && let Some(image) = self.inner.deps.driver.image()
        {
            self.inner.deps.store.put_blob(image.into_owned()).await?;
        }
        Ok(())
    }
}

/// Dropped where the look into the store was.
struct GivenUp<'a>(&'a Engine);

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        self.0.build_not_kept();
    }
}
