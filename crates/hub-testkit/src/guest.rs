//! Guests written in Rust: the engine is tested without a JavaScript engine.
//!
//! A program is an async function over [`Api`]. Like a JavaScript promise, a call starts when it
//! is made, not when it is awaited; the same deliveries make the same program do the same.

use hub_core::digest::Digest;
use hub_core::error::ToolError;
use hub_core::ports::{
    BoxFuture, Delivery, Driver, Finish, Guest, GuestError, GuestFault, GuestOp, GuestSpec,
    LogLine, LookupKind, MainOutcome, Started, Turn,
};
use hub_core::time::UnixMillis;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// What a program returns: a value, or what it threw.
pub type Returned = Result<Value, GuestError>;
type Main = Pin<Box<dyn Future<Output = Returned> + Send>>;
type Program = Arc<dyn Fn(Api) -> Main + Send + Sync>;

/// Runs programs by name: the program's text is the name it was added under.
#[derive(Default)]
pub struct RustDriver {
    programs: Arc<Mutex<HashMap<String, Program>>>,
    fault: Mutex<Option<GuestFault>>,
    /// Deliveries that the next guest to start takes before it is lost.
    lose_after: Mutex<Option<usize>>,
    /// Name of the build, which is all that opens it again; none cannot be kept.
    build: Option<String>,
}

impl RustDriver {
    /// No programs yet, and a build that cannot be kept.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Another build with the same programs. One that was added as `build/name` is what `name`
    /// does in that build.
    pub fn build(&self, build: &str) -> Arc<Self> {
        let programs = self.programs.clone();
        Arc::new(Self { programs, build: Some(build.to_owned()), ..Self::default() })
    }

    /// Adds a program.
    pub fn program<F>(&self, name: &str, main: impl Fn(Api) -> F + Send + Sync + 'static)
    where
        F: Future<Output = Returned> + Send + 'static,
    {
        let program: Program = Arc::new(move |api| Box::pin(main(api)));
        lock(&self.programs).insert(name.to_owned(), program);
    }

    fn find(&self, name: &str) -> Option<Program> {
        let programs = lock(&self.programs);
        let own = self.build.as_ref().map(|build| format!("{build}/{name}"));
        own.and_then(|own| programs.get(&own)).or_else(|| programs.get(name)).cloned()
    }

    /// The next guest to start fails with this instead.
    pub fn fail_next(&self, fault: GuestFault) {
        *lock(&self.fault) = Some(fault);
    }

    /// The next guest to start is lost instead of taking a delivery after so many.
    pub fn lose_next_after(&self, deliveries: usize) {
        *lock(&self.lose_after) = Some(deliveries);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver for RustDriver {
    fn engine_id(&self) -> String {
        match &self.build {
            Some(build) => format!("rust:{}", Digest::of(build.as_bytes())),
            None => "rust:test".into(),
        }
    }

    fn image(&self) -> Option<Cow<'_, [u8]>> {
        self.build.as_ref().map(|build| Cow::Borrowed(build.as_bytes()))
    }

    fn other_build(&self, engine_id: &str, image: &[u8]) -> Option<Arc<dyn Driver>> {
        let other = self.build(std::str::from_utf8(image).ok()?);
        (other.engine_id() == engine_id).then_some(other as Arc<dyn Driver>)
    }

    fn start(&self, spec: GuestSpec) -> BoxFuture<'_, Started> {
        Box::pin(async move {
            if let Some(fault) = lock(&self.fault).take() {
                return Err(fault);
            }
            let program = self.find(spec.program.trim());
            let Some(program) = program else {
                let message = format!("no program {:?}", &*spec.program);
                return Err(GuestFault::Syntax { message, line: Some(1), column: Some(1) });
            };
            let api = Api(Arc::new(Mutex::new(State { at: spec.clock_start, ..State::default() })));
            let main = Some(program(api.clone()));
            let left = lock(&self.lose_after).take();
            let mut guest = RustGuest { api, main, returned: None, left };
            let turn = guest.run();
            Ok((Box::new(guest) as Box<dyn Guest>, turn))
        })
    }
}

/// What a program can do.
#[derive(Clone)]
pub struct Api(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    ops: Vec<GuestOp>,
    logs: Vec<LogLine>,
    next_op: u32,
    next_timer: u32,
    at: UnixMillis,
    settled: HashMap<u32, Result<String, ToolError>>,
    fired: HashMap<u32, ()>,
    wakers: Vec<Waker>,
}

impl Api {
    /// Calls a tool.
    pub fn call(&self, address: &str, arguments: Value) -> Call {
        self.call_as(address, arguments, None)
    }

    /// Calls a tool through a connection.
    pub fn call_as(&self, address: &str, arguments: Value, connection: Option<&str>) -> Call {
        let mut state = lock(&self.0);
        let n = state.next_op;
        state.next_op += 1;
        state.ops.push(GuestOp::Call {
            n,
            address: address.to_owned(),
            connection: connection.map(str::to_owned),
            arguments: arguments.to_string(),
        });
        Call { api: self.clone(), n }
    }

    /// `hub.search`.
    pub fn search(&self, query: &str) -> Call {
        let mut state = lock(&self.0);
        let n = state.next_op;
        state.next_op += 1;
        let arguments = serde_json::json!([query]).to_string();
        state.ops.push(GuestOp::Lookup { n, kind: LookupKind::Search, arguments });
        Call { api: self.clone(), n }
    }

    /// `setTimeout` as a promise.
    pub fn sleep(&self, ms: u32) -> Sleep {
        let mut state = lock(&self.0);
        let timer = state.next_timer;
        state.next_timer += 1;
        state.ops.push(GuestOp::Timer { timer, ms });
        Sleep { api: self.clone(), timer }
    }

    /// `console.log`.
    pub fn log(&self, text: &str) {
        lock(&self.0).logs.push(LogLine { level: "log".into(), text: text.to_owned() });
    }

    /// `Date.now()`.
    pub fn now(&self) -> i64 {
        lock(&self.0).at.0
    }
}

/// A call; settles with its value or a [`GuestError`] that holds the `ToolError`.
pub struct Call {
    api: Api,
    n: u32,
}

impl Future for Call {
    type Output = Returned;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Returned> {
        let mut state = lock(&self.api.0);
        match state.settled.get(&self.n) {
            Some(Ok(json)) => Poll::Ready(Ok(serde_json::from_str(json).unwrap_or(Value::Null))),
            Some(Err(tool)) => Poll::Ready(Err(GuestError {
                name: "ToolError".into(),
                message: tool.message.clone(),
                tool: Some(tool.clone()),
                ..GuestError::default()
            })),
            None => {
                state.wakers.push(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A timer.
pub struct Sleep {
    api: Api,
    timer: u32,
}

impl Future for Sleep {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = lock(&self.api.0);
        if state.fired.contains_key(&self.timer) {
            return Poll::Ready(());
        }
        state.wakers.push(cx.waker().clone());
        Poll::Pending
    }
}

struct RustGuest {
    api: Api,
    main: Option<Main>,
    returned: Option<Value>,
    /// Deliveries until it is lost.
    left: Option<usize>,
}

struct Flag;

impl Wake for Flag {
    fn wake(self: Arc<Self>) {}
}

impl RustGuest {
    fn lost(&mut self) -> Result<(), GuestFault> {
        if let Some(left) = &mut self.left {
            *left = left.checked_sub(1).ok_or(GuestFault::Lost)?;
        }
        Ok(())
    }

    fn run(&mut self) -> Turn {
        let waker = Waker::from(Arc::new(Flag));
        let mut outcome = None;
        if let Some(main) = &mut self.main
            && let Poll::Ready(returned) = main.as_mut().poll(&mut Context::from_waker(&waker))
        {
            self.main = None;
            outcome = Some(match returned {
                Ok(value) => {
                    self.returned = Some(value);
                    MainOutcome::Fulfilled
                }
                Err(error) => MainOutcome::Rejected(error),
            });
        }
        let mut state = lock(&self.api.0);
        Turn {
            ops: std::mem::take(&mut state.ops),
            logs: std::mem::take(&mut state.logs),
            logs_cut: false,
            main: outcome,
        }
    }
}

impl Guest for RustGuest {
    fn deliver(&mut self, delivery: Delivery) -> BoxFuture<'_, Result<Turn, GuestFault>> {
        Box::pin(async move {
            self.lost()?;
            let wakers = {
                let mut state = lock(&self.api.0);
                match delivery {
                    Delivery::Settle { n, outcome, at } => {
                        state.at = at;
                        state.settled.insert(n, outcome);
                    }
                    Delivery::Fire { timer, at } => {
                        state.at = at;
                        state.fired.insert(timer, ());
                    }
                }
                std::mem::take(&mut state.wakers)
            };
            wakers.into_iter().for_each(Waker::wake);
            Ok(self.run())
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>> {
        let result = self.returned.as_ref().map(Value::to_string);
        let result_size = result.as_ref().map_or(0, String::len);
        Box::pin(async move {
            self.lost()?;
            Ok(Finish { result, result_size, ..Finish::default() })
        })
    }
}
