//! Driver A: the guest image in wasmtime.

mod cache;
mod engine;
#[cfg(test)]
mod engine_tests;
mod guest;
mod image;

use crate::budget::Budget;
use crate::late::{Late, Overrun};
use crate::threads::Threads;
use engine::Ready;
use guest::WasmGuest;
use hub_core::ports::BoxFuture;
use hub_core::ports::{Driver, Guest, GuestFault, GuestSpec, Turn};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// Bytes of the stack on which machine code is made.
const COMPILER_STACK: usize = 8 << 20;

/// How a driver is opened.
#[derive(Debug, Default)]
pub struct WasmOptions {
    /// Where machine code is kept: a folder that only this account can enter. None compiles at
    /// every start.
    pub cache_dir: Option<PathBuf>,
    /// The image of an older build, for runs that began with it; this build's own unless set.
    pub image: Option<Vec<u8>>,
    /// Memory of all guests together; a quarter of the machine's unless set.
    pub memory_budget: Option<Arc<Budget>>,
}

/// Why a driver cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system gives no thread.
    #[error("no thread for the sandbox: {0}")]
    Thread(#[from] std::io::Error),
}

type State = Option<Result<Arc<Ready>, String>>;

/// The WebAssembly driver. One serves all runs.
pub struct WasmDriver {
    engine_id: OnceLock<String>,
    ready: watch::Sender<State>,
    /// Whether machine code is made, or was.
    begun: AtomicBool,
    threads: Arc<Threads>,
    budget: Arc<Budget>,
    late: Late,
    image: Cow<'static, [u8]>,
    cache_dir: Option<PathBuf>,
}

impl WasmDriver {
    /// Opens the driver; machine code is made or loaded in the background, once, and the first
    /// guests wait for it.
    pub fn open(options: WasmOptions) -> Result<Arc<Self>, OpenError> {
        let driver = Self::later(options);
        driver.begin()?;
        Ok(driver)
    }

    /// A driver for runs that may never come: nothing is made or loaded before one does.
    pub fn later(options: WasmOptions) -> Arc<Self> {
        let image = options.image.map_or(Cow::Borrowed(image::IMAGE), Cow::Owned);
        let budget = options.memory_budget.unwrap_or_else(Budget::of_machine);
        Self::with(image, options.cache_dir, Arc::default(), budget)
    }

    fn with(
        image: Cow<'static, [u8]>,
        cache_dir: Option<PathBuf>,
        threads: Arc<Threads>,
        budget: Arc<Budget>,
    ) -> Arc<Self> {
        Arc::new(Self {
            engine_id: OnceLock::new(),
            ready: watch::channel(None).0,
            begun: AtomicBool::new(false),
            threads,
            budget,
            late: Late::default(),
            image,
            cache_dir,
        })
    }

    /// Makes or loads the machine code on a thread of its own, unless that was begun before.
    fn begin(&self) -> std::io::Result<()> {
        if self.begun.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        let (code, cache) = (self.image.clone(), self.cache_dir.clone());
        let tell = self.ready.clone();
        let made = std::thread::Builder::new()
            .name("guest-compile".into())
            .stack_size(COMPILER_STACK)
            .spawn(move || {
                let made = std::panic::catch_unwind(|| engine::prepare(&code, cache.as_deref()));
                let made = made.unwrap_or_else(|_| Err("the compiler panicked".into()));
                if let Err(error) = &made {
                    tracing::error!(%error, "the sandbox cannot run programs");
                }
                tell.send_replace(Some(made.map(Arc::new)));
            });
        if made.is_err() {
            // The next program tries again.
            self.begun.store(false, Ordering::SeqCst);
        }
        made.map(drop)
    }

    /// How far guests get beyond their CPU limit.
    pub fn overruns(&self) -> watch::Receiver<Overrun> {
        self.late.seen()
    }

    /// The image that this hub was built with.
    pub fn built_in_image() -> &'static [u8] {
        image::IMAGE
    }

    /// Whether the machine code is there, so that a guest starts at once.
    pub fn is_ready(&self) -> bool {
        self.ready.borrow().is_some()
    }

    /// Waits until the machine code is there.
    pub async fn prepared(&self) -> Result<(), GuestFault> {
        self.engine().await.map(drop)
    }

    /// Bytes that guests hold now.
    pub fn memory_used(&self) -> usize {
        self.budget.used()
    }

    /// Guests that compute at this moment.
    pub fn running(&self) -> usize {
        match &*self.ready.borrow() {
            Some(Ok(ready)) => ready.ticker.count(),
            _ => 0,
        }
    }

    async fn engine(&self) -> Result<Arc<Ready>, GuestFault> {
        let no_thread = |error: std::io::Error| {
            tracing::warn!(%error, "no thread to make machine code on");
            GuestFault::Busy
        };
        self.begin().map_err(no_thread)?;
        let mut ready = self.ready.subscribe();
        let gone = || GuestFault::Broken("the compiler ended without an answer".into());
        let state = ready.wait_for(Option::is_some).await.map_err(|_| gone())?;
        match state.as_ref() {
            Some(Ok(ready)) => Ok(Arc::clone(ready)),
            Some(Err(error)) => Err(GuestFault::Broken(error.clone())),
            None => Err(gone()),
        }
    }
}

impl Driver for WasmDriver {
    fn engine_id(&self) -> String {
        self.engine_id.get_or_init(|| image::engine_id(&self.image)).clone()
    }

    fn image(&self) -> Option<Cow<'_, [u8]>> {
        Some(Cow::Borrowed(&self.image))
    }

    /// Guests of all builds share threads and memory budget.
    fn other_build(&self, engine_id: &str, image: &[u8]) -> Option<Arc<dyn Driver>> {
        if image::engine_id(image) != engine_id {
            return None;
        }
        let (threads, budget) = (Arc::clone(&self.threads), Arc::clone(&self.budget));
        Some(Self::with(image.to_vec().into(), self.cache_dir.clone(), threads, budget))
    }

    fn start(&self, spec: GuestSpec) -> BoxFuture<'_, Result<(Box<dyn Guest>, Turn), GuestFault>> {
        Box::pin(async move {
            let ready = self.engine().await?;
            let mut guest =
                WasmGuest::new(ready, Arc::clone(&self.threads), self.late.clone(), &self.budget);
            let turn = guest.start(spec).await?;
            Ok((Box::new(guest) as Box<dyn Guest>, turn))
        })
    }
}
