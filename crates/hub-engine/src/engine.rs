//! The engine's state and its door.

use crate::admin::Keyring;
use crate::api::{Caller, Deps, EngineConfig, EngineError};
use crate::catalog::Tools;
use crate::run::{Engines, Names, Runs};
use hub_core::catalog::Catalog;
use hub_core::connection::Connection;
use hub_core::digest::Digest;
use hub_core::id::{KeyId, SourceId};
use hub_core::policy::Rule;
use hub_core::time::UnixMillis;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// The hub's engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) deps: Deps,
    pub(crate) config: EngineConfig,
    /// Written by the catalogue's writers (admin, refresh) only, read by everybody.
    known: RwLock<Arc<Known>>,
    pub(crate) tools: Tools,
    pub(crate) keyring: Keyring,
    pub(crate) runs: Runs,
    pub(crate) engines: Engines,
    /// When each client last asked anything; bounded by the number of keys.
    last_request: Mutex<HashMap<KeyId, LastAsked>>,
    /// Sources whose state is being noted at this moment, so that many calls are one note.
    pub(crate) noting: Mutex<HashSet<SourceId>>,
    /// Seals request states.
    pub(crate) seal_key: [u8; 32],
    /// Taken while the catalogue is rebuilt, so that two changes cannot overtake each other.
    pub(crate) rebuilding: tokio::sync::Mutex<()>,
}

/// Everything a call is judged by, at one moment.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) connections: HashMap<SourceId, Vec<Arc<Connection>>>,
    pub(crate) rules: Arc<Vec<Rule>>,
    pub(crate) rules_version: u64,
    pub(crate) sources_version: u64,
    /// Why a source could not be read last time, by source id.
    pub(crate) problems: HashMap<String, String>,
    /// What programs that begin now are pinned to; made by the first of them.
    pub(crate) names: OnceLock<Names>,
}

impl Engine {
    /// Opens the engine on a store: reads the catalogue as last known, starts no source.
    pub async fn open(deps: Deps, config: EngineConfig) -> Result<Self, EngineError> {
        let mut fresh = [0; 32];
        deps.random.fill(&mut fresh);
        let seal_key = deps.store.hub_key("request-state".into(), fresh).await?;
        let inner = Inner {
            deps,
            config,
            known: RwLock::default(),
            tools: Tools::default(),
            keyring: Keyring::default(),
            runs: Runs::default(),
            engines: Engines::default(),
            last_request: Mutex::default(),
            noting: Mutex::default(),
            seal_key,
            rebuilding: tokio::sync::Mutex::default(),
        };
        let engine = Self { inner: Arc::new(inner) };
        engine.rebuild_all().await?;
        engine.interrupt_orphans().await?;
        Ok(engine)
    }

    /// Refuses new runs, lets live ones come to their next rest, and returns.
    pub async fn shut_down(&self) {
        self.inner.runs.close();
        self.inner.runs.wait_until_idle().await;
    }

    pub(crate) fn known(&self) -> Arc<Known> {
        self.inner.known.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_known(&self, known: Known) {
        *self.inner.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(known);
    }

    pub(crate) fn now(&self) -> UnixMillis {
        self.inner.deps.clock.now()
    }

    /// 128 random bits for an identifier.
    pub(crate) fn bits(&self) -> [u8; 16] {
        let mut bits = [0; 16];
        self.inner.deps.random.fill(&mut bits);
        bits
    }

    /// Notes that a client asked something; returns when it last asked something else.
    pub(crate) fn asked(&self, caller: &Caller, what: Digest) -> Option<UnixMillis> {
        let mut last = self.inner.last_request.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.now();
        let fresh = LastAsked { what, at: now, before: None };
        let known = last.entry(caller.owner.key.clone()).or_insert(fresh);
        if known.what != what {
            *known = LastAsked { what, before: Some(known.at), ..fresh };
        }
        known.at = now;
        known.before
    }
}

/// What a client asked last. The same again, however often, is one question whose answer may
/// have been lost each time.
#[derive(Clone, Copy)]
struct LastAsked {
    what: Digest,
    at: UnixMillis,
    /// When it last asked something else.
    before: Option<UnixMillis>,
}
