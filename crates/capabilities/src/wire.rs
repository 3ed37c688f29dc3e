//! Puts the parts together: every port gets its implementation here and nowhere else.

use crate::config::settings::Settings;
use crate::context::Context;
use crate::environment::Environment;
use crate::error::CliError;
use crate::folder::make_private;
use crate::screen::Browser;
use crate::system::{SystemClock, SystemRandom};
use crate::{sandbox, secrets, tasks};
use hub_core::ports::{Clock, Random, SecretSource};
use hub_engine::{Deps, Engine};
use hub_guest::Reader;
use hub_schema::Schemas;
use hub_server::{Pages, PagesConfig};
use hub_store::{Durability, SqliteStore};
use hub_tokens::Tokens;
use hub_upstream::McpUpstream;
use std::path::Path;
use std::sync::Arc;

/// A hub's engine, and its pages.
pub struct Wired {
    /// The engine.
    pub engine: Engine,
    /// The pages, which are the person's screen.
    pub pages: Pages,
}

/// A hub on the folder's store. Starts no source.
pub async fn open(
    context: &Context,
    settings: &Settings,
    browser: Browser,
) -> Result<Wired, CliError> {
    context.folder.create()?;
    make_private(&context.folder.cache())?;
    let store = open_store(context, settings)?;
    let restored = store.clone();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let random: Arc<dyn Random> = Arc::new(SystemRandom);
    let keeper = Arc::new(secrets::open(context)?);
    let secrets: Arc<dyn SecretSource> = keeper.clone();
    let changed = tasks::Changed::default();
    let options = upstream_options(changed.clone())?;
    let upstream = Arc::new(McpUpstream::new(secrets, clock.clone(), options));
    let (driver, others) = sandbox::open(settings, context.folder.cache()).await?;
    make_private(&context.folder.pages())?;
    let pages = Pages::new(PagesConfig {
        folder: context.folder.pages(),
        clock: clock.clone(),
        random: random.clone(),
        keeper: Some(keeper),
        browser: Box::new(move |file: &Path| browser.open(file)),
    });
    let deps = Deps {
        store,
        upstream: upstream.clone(),
        driver,
        others,
        prepare: Arc::new(Reader::new()),
        types: Arc::new(Schemas::new()),
        tokens: Arc::new(Tokens::new()),
        clock,
        random,
        screen: Arc::new(pages.clone()),
    };
    let engine = Engine::open(deps, settings.engine())
        .await
        .map_err(|e| CliError::failed(format!("the hub does not start: {e}")))?;
    if restored.restored().is_some() {
        settle_restored(&engine, &restored).await?;
    }
    tasks::remember_eras(engine.clone(), upstream);
    tasks::refresh_changed(engine.clone(), changed.clone());
    tasks::try_again(engine.clone(), changed);
    tasks::keep_house(engine.clone());
    tasks::give_back_memory();
    Ok(Wired { engine, pages })
}

/// The store was put back from a backup: its open runs end, and nothing of them is sent again.
async fn settle_restored(engine: &Engine, store: &SqliteStore) -> Result<(), CliError> {
    let failed = |e: &dyn std::fmt::Display| CliError::failed(format!("the store: {e}"));
    let ended = engine.end_restored_runs().await.map_err(|e| failed(&e))?;
    store.settle_restored().await.map_err(|e| failed(&e))?;
    tracing::warn!(ended, "the store is older than it was: its open runs were ended");
    Ok(())
}

fn open_store(context: &Context, settings: &Settings) -> Result<Arc<SqliteStore>, CliError> {
    let survives = settings.survives_power_cut();
    let durability = if survives { Durability::Power } else { Durability::Process };
    let options = hub_store::Options { durability, ..hub_store::Options::default() };
    let store = SqliteStore::open(&context.folder.store(), options)
        .map_err(|e| CliError::failed(e.to_string()))?;
    Ok(store)
}

fn upstream_options(changed: tasks::Changed) -> Result<hub_upstream::Options, CliError> {
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    let mut options = hub_upstream::Options::new(env!("CARGO_PKG_VERSION"));
    options.environment = Environment::only(&hub_upstream::Options::BASE_ENV);
    options.proxy = Environment::lookup("HTTPS_PROXY").filter(|proxy| !proxy.is_empty());
    options.reaper = Some(vec![this, "reaper".to_owned()]);
    options.on_list_changed = Some(Arc::new(move |source| changed.tell(source)));
    Ok(options)
}
