//! The product on a bench: the real engine, store, sandbox and upstream client in a folder of
//! their own, with scripted sources behind it and an agent in front.

use super::server::{FLAG, Script};
use hub_core::catalog::Transport;
use hub_core::id::{KeyId, PrincipalId};
use hub_core::owner::{ElicitationMode, Owner};
use hub_core::pending::{Channel, Choice};
use hub_core::policy::Verdict;
use hub_core::ports::{BoxFuture, Clock, Driver, Random, SecretError, SecretSource};
use hub_core::time::UnixMillis;
use hub_engine::{
    Caller, Decide, Deps, Engine, EngineConfig, EngineError, Execute, ExecuteAnswer, FormReply,
    Forms, NewRule, NewSource, Refreshed, Screen, Wait,
};
use hub_upstream::McpUpstream;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xtask::Failure;

/// Milliseconds a scripted source has to start.
const START_MS: u64 = 3_000;
/// Times a run is approved and resumed.
const ROUNDS: usize = 20;

/// The product.
pub struct Bench {
    /// Its engine.
    pub engine: Engine,
    folder: tempfile::TempDir,
}

impl Bench {
    /// Opens it, empty.
    pub async fn open() -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let engine = engine(folder.path()).await?;
        Ok(Self { engine, folder })
    }

    /// Opens the same store again, as after a restart.
    pub async fn reopen(self) -> Result<Self, Failure> {
        self.engine.shut_down().await;
        let Self { engine: before, folder } = self;
        drop(before);
        let engine = engine(folder.path()).await?;
        Ok(Self { engine, folder })
    }

    /// Adds a source that says what `script` says.
    pub async fn add(&self, name: &str, script: &Script) -> Result<Refreshed, Failure> {
        let number = std::fs::read_dir(self.folder.path())?.count();
        let path = self.folder.path().join(format!("script-{number}.json"));
        std::fs::write(&path, serde_json::to_string(script)?)?;
        let this = std::env::current_exe()?;
        let args = ["case".into(), FLAG.into(), text(&path), text(&self.calls_file())];
        let command = text(&this);
        let transport =
            Transport::Stdio { command, args: args.to_vec(), env: Default::default(), cwd: None };
        self.add_at(name, transport).await
    }

    /// Adds a source that is reached so.
    pub async fn add_at(&self, name: &str, transport: Transport) -> Result<Refreshed, Failure> {
        let source = NewSource {
            name: name.to_owned(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        self.engine.add_source(source).await.map_err(failure)
    }

    /// Writes a rule.
    pub async fn rule(&self, pattern: &str, decision: Verdict) -> Result<(), Failure> {
        let rule = NewRule {
            pattern: pattern.to_owned(),
            connection: None,
            arguments: vec![],
            client: None,
            decision,
            note: String::new(),
        };
        self.engine.put_rule(rule, "case").await.map_err(failure)?;
        Ok(())
    }

    /// What an agent would read.
    pub async fn search(&self, query: &str, namespace: Option<&str>) -> String {
        let answer = self.engine.search(&agent(), query, namespace).await;
        answer.unwrap_or_else(|error| format!("error: {error}"))
    }

    /// What an agent would read.
    pub async fn describe(&self, targets: &[String]) -> String {
        let answer = self.engine.describe(&agent(), targets).await;
        answer.unwrap_or_else(|error| format!("error: {error}"))
    }

    /// Runs a program to its end: whatever waits is allowed once, as a person would. Every
    /// envelope on the way is told.
    pub async fn execute(&self, code: &str) -> Result<Value, Failure> {
        let mut envelopes = Vec::new();
        let mut what = Execute::Code(code.to_owned());
        for _ in 0..ROUNDS {
            let answer =
                self.engine.execute(&agent(), what, FormReply::default(), Wait::default()).await;
            let shown = match answer {
                Ok(ExecuteAnswer::Envelope(shown)) => shown,
                Ok(ExecuteAnswer::AskForms { .. }) => return Err("forms were asked".into()),
                Err(error) => return Ok(json!({ "refused": error.to_string() })),
            };
            let envelope: Value = serde_json::from_str(&shown.json)?;
            let run = envelope["runId"].as_str().unwrap_or_default().to_owned();
            let waits = envelope["status"].as_str().is_some_and(|s| s.starts_with("awaiting"));
            envelopes.push(envelope);
            if !waits {
                break;
            }
            self.allow_all(&run).await?;
            what = Execute::Resume(run);
        }
        Ok(json!({ "envelopes": envelopes, "requests": self.requests()? }))
    }

    async fn allow_all(&self, run: &str) -> Result<(), Failure> {
        for view in self.engine.waiting(Some(run)).await.map_err(failure)? {
            let decide = Decide {
                pending: view.pending.id,
                choice: Choice::AllowOnce,
                channel: Channel::Terminal,
                by: "case".to_owned(),
                narrow: vec![],
            };
            self.engine.decide(decide).await.map_err(failure)?;
        }
        Ok(())
    }

    /// The calls that reached the scripted sources, in order.
    pub fn requests(&self) -> Result<Vec<Value>, Failure> {
        let text = std::fs::read_to_string(self.calls_file()).unwrap_or_default();
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }

    fn calls_file(&self) -> PathBuf {
        self.folder.path().join("calls.jsonl")
    }
}

async fn engine(folder: &Path) -> Result<Engine, Failure> {
    let told = |error: &dyn std::fmt::Display| Failure(error.to_string());
    let store = hub_store::SqliteStore::open(&folder.join("store"), Default::default())
        .map_err(|e| told(&e))?;
    let clock: Arc<dyn Clock> = Arc::new(WallClock(Instant::now()));
    let mut options = hub_upstream::Options::new("0");
    options.start_ms = START_MS;
    let upstream = McpUpstream::new(Arc::new(NoSecrets), clock.clone(), options);
    let deps = Deps {
        store,
        upstream: Arc::new(upstream),
        driver: driver()?,
        others: Vec::new(),
        prepare: Arc::new(hub_guest::Reader::new()),
        types: Arc::new(hub_schema::Schemas::new()),
        tokens: Arc::new(hub_tokens::Tokens::new()),
        clock,
        random: Arc::new(SystemRandom),
        screen: Arc::new(NoScreen),
    };
    Engine::open(deps, EngineConfig::default()).await.map_err(failure)
}

/// One sandbox serves every case: making it ready is the dear part.
fn driver() -> Result<Arc<dyn Driver>, Failure> {
    static READY: Mutex<Option<Arc<dyn Driver>>> = Mutex::new(None);
    let mut ready = READY.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(driver) = &*ready {
        return Ok(driver.clone());
    }
    let options = hub_sandbox::WasmOptions { cache_dir: Some(cache()?), ..Default::default() };
    let driver = hub_sandbox::WasmDriver::open(options).map_err(|e| Failure(e.to_string()))?;
    *ready = Some(driver.clone());
    Ok(driver)
}

/// Compiled guests are kept beside the other build results.
fn cache() -> Result<PathBuf, Failure> {
    use std::os::unix::fs::DirBuilderExt;
    let this = std::env::current_exe()?;
    let folder = this.parent().unwrap_or(Path::new(".")).join("xtask-guests");
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    Ok(folder)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn agent() -> Caller {
    Caller {
        owner: Owner {
            principal: PrincipalId::new(Owner::LOCAL_PRINCIPAL),
            key: KeyId::new("case"),
            profile: Owner::DEFAULT_PROFILE.to_owned(),
        },
        client: "case".to_owned(),
        mode: ElicitationMode::Browser,
        dedupe: false,
        forms: Forms::None,
    }
}

/// The engine's refusal as this chore's.
pub fn failure(error: EngineError) -> Failure {
    Failure(error.to_string())
}

struct WallClock(Instant);

impl Clock for WallClock {
    #[expect(clippy::disallowed_methods, reason = "a bench is an edge: it hands the time in")]
    fn now(&self) -> UnixMillis {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        UnixMillis(since.unwrap_or_default().as_millis() as i64)
    }

    fn monotonic_ms(&self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}

struct SystemRandom;

impl Random for SystemRandom {
    fn fill(&self, out: &mut [u8]) {
        getrandom::fill(out).expect("the system has randomness");
    }
}

struct NoSecrets;

impl SecretSource for NoSecrets {
    fn resolve<'a>(
        &'a self,
        at: &'a hub_core::connection::SecretRef,
    ) -> BoxFuture<'a, Result<hub_core::connection::Secret, SecretError>> {
        let reason = "a bench has no secrets".to_owned();
        Box::pin(async move { Err(SecretError { reference: at.to_string(), reason }) })
    }
}

struct NoScreen;

impl Screen for NoScreen {
    fn open(&self, _run: &hub_core::id::RunId) -> bool {
        false
    }
}
