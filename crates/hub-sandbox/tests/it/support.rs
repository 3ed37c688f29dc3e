//! Drivers to test, and a small engine that plays a program to its end.

use hub_core::digest::Digest;
use hub_core::error::{ToolError, ToolErrorCode};
use hub_core::ports::{
    Delivery, Driver, Finish, Guest, GuestError, GuestFault, GuestLimits, GuestNamespace, GuestOp,
    GuestSpec, GuestTool, LogLine, MainOutcome,
};
use hub_core::time::UnixMillis;
use hub_sandbox::{WasmDriver, WasmOptions};
#[cfg(target_os = "linux")]
use hub_sandbox::{WorkerDriver, WorkerOptions};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex};

/// Turns after which a program that only sets timers is left at rest.
const TURNS: usize = 10_000;
/// What `Date` says at the start: 2024-05-01T12:00:00Z.
pub const START: i64 = 1_714_564_800_000;

/// Compiled once for all tests, and kept between runs of the tests (examples have no such folder).
pub static WASM: LazyLock<Arc<WasmDriver>> = LazyLock::new(|| {
    let cache_dir =
        option_env!("CARGO_TARGET_TMPDIR").map(|dir| PathBuf::from(dir).join("guest-code"));
    WasmDriver::open(WasmOptions { cache_dir, ..WasmOptions::default() }).unwrap()
});

/// Set by a program that serves as its own worker.
#[cfg(target_os = "linux")]
pub static OWN_WORKER: AtomicBool = AtomicBool::new(false);

/// The program of a worker, with the argument that makes it one: the tests and benches of this
/// crate have one, some programs are their own, and tests of other crates use such an example of
/// theirs, which is built with them.
#[cfg(target_os = "linux")]
fn worker_program() -> Option<WorkerOptions> {
    if let Some(program) = option_env!("CARGO_BIN_EXE_sandbox-worker") {
        return Some(WorkerOptions::of([program]));
    }
    if OWN_WORKER.load(Relaxed) {
        return Some(WorkerOptions::this_program("sandbox-worker"));
    }
    let folder = std::env::current_exe().ok()?.parent()?.parent()?.join("examples");
    let program = folder.join("differential");
    let argument = "sandbox-worker".into();
    program.exists().then(|| WorkerOptions::of([program.into_os_string(), argument]))
}

/// Driver B, where a worker's program is at hand.
#[cfg(target_os = "linux")]
pub static WORKER: LazyLock<Option<Arc<WorkerDriver>>> = LazyLock::new(|| {
    let Some(options) = worker_program() else {
        eprintln!("SKIPPED driver worker: this program has no worker's program beside it");
        assert!(!tools_are_required(), "driver worker may not be skipped here");
        return None;
    };
    let driver = WorkerDriver::open(options);
    let found = block_on(driver.confinement()).unwrap();
    eprintln!("driver worker, weaker here: {:?}", found.weaker());
    Some(driver)
});

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "test code: `.ci/run` asks for all tools so")]
fn tools_are_required() -> bool {
    std::env::var_os("HUB_REQUIRE_TOOLS").is_some()
}

/// Every driver, by name.
pub fn drivers() -> Vec<(&'static str, Arc<dyn Driver>)> {
    let mut drivers: Vec<(&'static str, Arc<dyn Driver>)> = vec![("wasm", WASM.clone())];
    #[cfg(target_os = "linux")]
    if let Some(driver) = &*WORKER {
        drivers.push(("worker", driver.clone()));
    }
    drivers
}

/// Runs `check` on every driver, and compares what every program of it did on each: results,
/// errors, logs, operations, byte for byte.
pub fn each(check: impl Fn(&Play)) {
    let played = on_each(check);
    let Some(((first, expected), others)) = played.split_first() else { return };
    for (name, found) in others {
        assert_eq!(found.len(), expected.len(), "{first} and {name} ran other programs");
        for (left, right) in expected.iter().zip(found) {
            assert_eq!(left, right, "{first} (left) and {name} (right) differ");
        }
    }
}

/// Runs `check` on every driver where what the programs do cannot be the same on all; why is said
/// at each use. `unequal.rs` lists and pins what differs.
pub fn each_its_own(_why: &str, check: impl Fn(&Play)) {
    on_each(check);
}

type Played = Vec<(String, Ended)>;

fn on_each(check: impl Fn(&Play)) -> Vec<(&'static str, Played)> {
    drivers()
        .into_iter()
        .map(|(name, driver)| {
            eprintln!("driver {name}");
            let play = Play { driver, ..Play::default() };
            check(&play);
            let mut played = std::mem::take(&mut *play.played.lock().unwrap());
            // Programs that ran at once are told in any order.
            played.sort_by(|a, b| a.0.cmp(&b.0));
            (name, played)
        })
        .collect()
}

/// How programs are played.
#[derive(Clone)]
pub struct Play {
    pub driver: Arc<dyn Driver>,
    pub limits: GuestLimits,
    pub seed: [u8; 32],
    /// What was played, for the comparison of drivers.
    pub played: Arc<Mutex<Played>>,
}

impl Default for Play {
    fn default() -> Self {
        let limits = GuestLimits::default();
        Self { driver: WASM.clone(), limits, seed: [7; 32], played: Arc::default() }
    }
}

/// How a program ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ended {
    pub fault: Option<GuestFault>,
    pub error: Option<GuestError>,
    pub finish: Option<Finish>,
    pub logs: Vec<LogLine>,
    pub logs_cut: bool,
    pub ops: Vec<GuestOp>,
    /// Whether it rested with nothing on its way and main not settled.
    pub stalled: bool,
    /// Turns it took.
    pub turns: usize,
}

impl Ended {
    /// The result; panics where there is none.
    pub fn value(&self) -> Value {
        let finish = self.finish.as_ref().unwrap_or_else(|| panic!("no result: {self:?}"));
        let json = finish.result.as_ref().unwrap_or_else(|| panic!("no result: {self:?}"));
        serde_json::from_str(json).unwrap()
    }

    /// The result's text, byte for byte.
    pub fn json(&self) -> &str {
        self.finish.as_ref().unwrap().result.as_deref().unwrap()
    }

    pub fn notices(&self) -> &[String] {
        &self.finish.as_ref().unwrap_or_else(|| panic!("not finished: {self:?}")).notices
    }

    pub fn error(&self) -> &GuestError {
        self.error.as_ref().unwrap_or_else(|| panic!("no error: {self:?}"))
    }

    pub fn fault(&self) -> &GuestFault {
        self.fault.as_ref().unwrap_or_else(|| panic!("no fault: {self:?}"))
    }
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    static RUNTIME: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
    });
    RUNTIME.block_on(future)
}

/// The namespaces that programs see.
pub fn namespaces() -> Arc<[GuestNamespace]> {
    let tool = |name: &str, raw: &str| GuestTool {
        name: name.into(),
        raw: raw.into(),
        definition: Digest::of(b""),
    };
    Arc::from([
        GuestNamespace {
            name: "demo".into(),
            tools: vec![
                tool("createIssue", "create-issue"),
                tool("echo", "echo"),
                tool("fail", "fail"),
                tool("list", "demo_list"),
                tool("listIssues", "list-issues"),
            ],
        },
        GuestNamespace {
            name: "other".into(),
            tools: vec![tool("echo", "echo"), tool("ring", "__proto__"), tool("ring_2", "ring")],
        },
    ])
}

/// What the sample tools answer.
pub fn sample(op: &GuestOp) -> Option<Result<String, ToolError>> {
    match op {
        GuestOp::Call { address, arguments, .. } => Some(match address.as_str() {
            "demo.echo" | "other.echo" => Ok(arguments.clone()),
            "demo.list" => Ok(r#"{"items":[{"id":1},{"id":2}]}"#.into()),
            "demo.fail" => Err(ToolError::new(ToolErrorCode::ToolFailed, "no such repo")
                .at("demo.fail")
                .hint("look it up first")
                .status(404)),
            _ => Ok("null".into()),
        }),
        GuestOp::Lookup { arguments, .. } => Some(Ok(json!({ "asked": arguments }).to_string())),
        GuestOp::Timer { .. } | GuestOp::ClearTimer { .. } => None,
    }
}

impl Play {
    pub fn spec(&self, program: &str) -> GuestSpec {
        GuestSpec {
            program: program.into(),
            namespaces: namespaces(),
            seed: self.seed,
            clock_start: UnixMillis(START),
            limits: self.limits,
        }
    }

    /// Plays with the sample tools.
    pub fn run(&self, program: &str) -> Ended {
        self.run_with(program, sample)
    }

    /// Plays with answers of the test's own; no answer leaves the call open for ever.
    pub fn run_with(
        &self,
        program: &str,
        answer: impl FnMut(&GuestOp) -> Option<Result<String, ToolError>>,
    ) -> Ended {
        block_on(self.play(self.spec(program), answer))
    }

    /// Plays a spec to its end, and keeps what came of it for the comparison: where a limit ended
    /// it, that limit alone, since how far it had come by then is nobody's promise.
    pub async fn play(
        &self,
        spec: GuestSpec,
        answer: impl FnMut(&GuestOp) -> Option<Result<String, ToolError>>,
    ) -> Ended {
        let program = spec.program.to_string();
        let ended = self.play_out(spec, answer).await;
        let told = match &ended.fault {
            Some(fault) => Ended { fault: Some(fault.clone()), ..Ended::default() },
            None => ended.clone(),
        };
        self.played.lock().unwrap().push((program, told));
        ended
    }

    async fn play_out(
        &self,
        spec: GuestSpec,
        mut answer: impl FnMut(&GuestOp) -> Option<Result<String, ToolError>>,
    ) -> Ended {
        let mut ended = Ended::default();
        let mut now = spec.clock_start.0;
        let (mut guest, mut turn) = match self.driver.start(spec).await {
            Ok(started) => started,
            Err(fault) => return Ended { fault: Some(fault), ..ended },
        };
        let mut answers = VecDeque::new();
        let mut timers: Vec<(i64, u32)> = Vec::new();
        let mut settled = false;
        loop {
            ended.turns += 1;
            ended.logs.append(&mut turn.logs);
            ended.logs_cut |= turn.logs_cut;
            for op in turn.ops {
                match &op {
                    GuestOp::Timer { timer, ms } => timers.push((now + i64::from(*ms), *timer)),
                    GuestOp::ClearTimer { timer } => timers.retain(|(_, t)| t != timer),
                    GuestOp::Call { n, .. } | GuestOp::Lookup { n, .. } => {
                        answers.extend(answer(&op).map(|outcome| (*n, outcome)));
                    }
                }
                ended.ops.push(op);
            }
            match turn.main {
                Some(MainOutcome::Rejected(error)) => {
                    ended.error = Some(error);
                    answers.clear();
                    settled = true;
                }
                Some(MainOutcome::Fulfilled) => settled = true,
                None => {}
            }
            timers.sort();
            let delivery = if let Some((n, outcome)) = answers.pop_front() {
                now += 1;
                Delivery::Settle { n, outcome, at: UnixMillis(now) }
            } else if !settled && !timers.is_empty() && ended.turns < TURNS {
                let (due, timer) = timers.remove(0);
                now = now.max(due);
                Delivery::Fire { timer, at: UnixMillis(now) }
            } else {
                break;
            };
            turn = match guest.deliver(delivery).await {
                Ok(turn) => turn,
                Err(fault) => return Ended { fault: Some(fault), ..ended },
            };
        }
        ended.stalled = !settled;
        if settled {
            match finish(guest.as_mut()).await {
                Ok(finish) => ended.finish = Some(finish),
                Err(fault) => ended.fault = Some(fault),
            }
        }
        ended
    }
}

async fn finish(guest: &mut dyn Guest) -> Result<Finish, GuestFault> {
    guest.finish().await
}
