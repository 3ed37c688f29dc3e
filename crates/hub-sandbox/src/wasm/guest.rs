//! One guest: an instance, its state on the host's side, and how it is entered and ended.

use super::engine::Ready;
use super::image::MEMORY_SLACK;
use crate::budget::{Budget, Lease};
use crate::cpu::Stopwatch;
use crate::late::Late;
use crate::outbox::Outbox;
use crate::threads::Threads;
use hub_core::ports::BoxFuture;
use hub_core::ports::{Delivery, Finish, Guest, GuestFault, GuestLimits, GuestSpec, Turn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::oneshot;
use wasmtime::{
    Error, Instance, ResourceLimiter, Store, StoreContextMut, Trap, UpdateDeadline, WasmParams,
    WasmResults,
};

/// A stack pointer below this is an overrun: the stack lies at the bottom of memory.
const STACK_BOTTOM: i32 = 4096;
/// Ticks after which a turn leaves the thread of whoever waits for it.
const TICKS_HERE: u32 = 2;
/// A turn after which others that the caller's thread serves come first.
const LONG_TURN: Duration = Duration::from_micros(300);
/// Bytes of a guest's memory that are given back at once.
const DROPPED_HERE: usize = 8 << 20;

/// The host's side of one guest.
pub struct State {
    /// What it said.
    pub outbox: Outbox,
    spec: GuestSpec,
    tools: Vec<Option<Arc<[u8]>>>,
    lease: Lease,
    shared: Arc<Shared>,
    late: Late,
    fault: Option<GuestFault>,
    /// Ticks left before this turn leaves the caller's thread; none where it has.
    here: u32,
}

/// What the guest and who runs it share.
#[derive(Default)]
struct Shared {
    /// Nobody waits for it any more.
    stop: AtomicBool,
    /// CPU of its turn.
    cpu: Stopwatch,
}

impl State {
    fn limits(&self) -> &GuestLimits {
        &self.spec.limits
    }

    /// Names of the tools of a namespace, as JSON.
    pub fn tools(&mut self, index: u32) -> Arc<[u8]> {
        let index = index as usize;
        let Some(namespace) = self.spec.namespaces.get(index) else { return Arc::from(*b"[]") };
        let names = self.tools[index].get_or_insert_with(|| crate::start::tools(namespace).into());
        Arc::clone(names)
    }

    /// Ends the guest with `fault`, unless it has one already.
    pub fn end(&mut self, fault: GuestFault) -> Error {
        let text = fault.to_string();
        self.fault.get_or_insert(fault);
        Error::msg(text)
    }

    /// The guest's allocator refused a byte.
    pub fn out_of_memory(&mut self) -> Error {
        let bytes = self.limits().heap_bytes;
        self.end(GuestFault::Memory(bytes))
    }
}

impl ResourceLimiter for State {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.limits().heap_bytes.saturating_add(MEMORY_SLACK) {
            return Ok(false);
        }
        if !self.lease.raise(desired) {
            self.fault.get_or_insert(GuestFault::Busy);
            return Ok(false);
        }
        Ok(true)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        _desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        // The instance's own table is made by this; the guest never grows it.
        Ok(true)
    }
}

/// An instance at rest.
struct Machine {
    store: Store<State>,
    instance: Instance,
}

impl Machine {
    fn new(ready: &Ready, state: State) -> Result<Self, GuestFault> {
        let mut store = Store::new(ready.module.module().engine(), state);
        store.limiter(|state| state);
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(at_tick);
        match ready.module.instantiate(&mut store) {
            Ok(instance) => Ok(Self { store, instance }),
            Err(error) => {
                tracing::debug!(error = format!("{error:#}"), "no instance for a guest");
                Err(store.data_mut().fault.take().unwrap_or(GuestFault::Busy))
            }
        }
    }

    async fn call<P, R>(&mut self, name: &str, p: P) -> Result<R, GuestFault>
    where
        P: WasmParams + Sync,
        R: WasmResults + Sync,
    {
        let entry = self.instance.get_typed_func::<P, R>(&mut self.store, name);
        let entry = entry.map_err(|error| GuestFault::Broken(error.to_string()))?;
        let called = entry.call_async(&mut self.store, p).await;
        called.map_err(|error| self.fault(&error))
    }

    /// Why a call did not return.
    fn fault(&mut self, error: &Error) -> GuestFault {
        if let Some(fault) = self.store.data_mut().fault.take() {
            if let GuestFault::Cpu(limit) = fault {
                let used = self.store.data().shared.cpu.read();
                self.store.data().late.note(used.saturating_sub(Duration::from_millis(limit)));
            }
            return fault;
        }
        match error.downcast_ref::<Trap>() {
            Some(Trap::StackOverflow) => GuestFault::Stack,
            Some(Trap::MemoryOutOfBounds) if self.stack_pointer() < STACK_BOTTOM => {
                GuestFault::Stack
            }
            _ => GuestFault::Broken(format!("{error:#}")),
        }
    }

    /// Of its linear memory.
    fn bytes(&mut self) -> usize {
        let memory = self.instance.get_memory(&mut self.store, "memory");
        memory.map_or(0, |memory| memory.data_size(&self.store))
    }

    fn stack_pointer(&mut self) -> i32 {
        let global = self.instance.get_global(&mut self.store, "__stack_pointer");
        global.and_then(|global| global.get(&mut self.store).i32()).unwrap_or(i32::MAX)
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<(u32, u32), GuestFault> {
        let broken = |what: &str| GuestFault::Broken(what.to_owned());
        let length = u32::try_from(bytes.len()).map_err(|_| broken("too much for a guest"))?;
        let pointer = self.call::<u32, u32>("hub_alloc", length).await?;
        let memory = self.instance.get_memory(&mut self.store, "memory");
        let memory = memory.ok_or_else(|| broken("the guest has no memory"))?;
        memory
            .write(&mut self.store, pointer as usize, bytes)
            .map_err(|_| broken("the guest gave room outside its memory"))?;
        Ok((pointer, length))
    }

    async fn start(&mut self) -> Result<Turn, GuestFault> {
        let buffer = crate::start::buffer(&self.store.data().spec)?;
        let (pointer, length) = self.write(&buffer).await?;
        self.call::<_, ()>("hub_start", (pointer, length)).await?;
        self.store.data_mut().outbox.take_turn()
    }

    async fn deliver(&mut self, delivery: &Delivery) -> Result<Turn, GuestFault> {
        match delivery {
            Delivery::Settle { n, outcome, at } => {
                let failure;
                let (ok, json) = match outcome {
                    Ok(json) => (1u32, json.as_bytes()),
                    Err(error) => {
                        failure = serde_json::to_vec(error)
                            .map_err(|error| GuestFault::Broken(error.to_string()))?;
                        (0, failure.as_slice())
                    }
                };
                let (pointer, length) = self.write(json).await?;
                let settled = (*n, ok, at.0 as f64, pointer, length);
                self.call::<_, ()>("hub_settle", settled).await?;
            }
            Delivery::Fire { timer, at } => {
                self.call::<_, ()>("hub_fire", (*timer, at.0 as f64)).await?;
            }
        }
        self.store.data_mut().outbox.take_turn()
    }

    async fn finish(&mut self) -> Result<Finish, GuestFault> {
        self.call::<_, ()>("hub_finish", ()).await?;
        Ok(self.store.data_mut().outbox.take_finish())
    }
}

fn at_tick(mut store: StoreContextMut<'_, State>) -> wasmtime::Result<UpdateDeadline> {
    let state = store.data_mut();
    if state.shared.stop.load(Ordering::Relaxed) {
        return Err(state.end(GuestFault::Broken("the program was dropped".into())));
    }
    let limit = state.limits().cpu_ms;
    if state.shared.cpu.read() >= Duration::from_millis(limit) {
        return Err(state.end(GuestFault::Cpu(limit)));
    }
    match state.here {
        0 => Ok(UpdateDeadline::Continue(1)),
        left => {
            state.here = left - 1;
            Ok(if left > 1 { UpdateDeadline::Continue(1) } else { UpdateDeadline::Yield(1) })
        }
    }
}

/// A guest as the engine of runs holds it.
pub struct WasmGuest {
    ready: Arc<Ready>,
    threads: Arc<Threads>,
    shared: Arc<Shared>,
    late: Late,
    lease: Option<Lease>,
    machine: Option<Machine>,
}

/// A turn on its way; it gives the machine back. A machine that faults is not used again.
type Act<R> = Pin<Box<dyn Future<Output = Result<(Machine, R), GuestFault>> + Send>>;

impl WasmGuest {
    /// One that has not started.
    pub fn new(ready: Arc<Ready>, threads: Arc<Threads>, late: Late, budget: &Arc<Budget>) -> Self {
        let shared = Arc::default();
        Self { ready, threads, shared, late, lease: Some(budget.lease()), machine: None }
    }

    /// Starts the program.
    pub async fn start(&mut self, spec: GuestSpec) -> Result<Turn, GuestFault> {
        let Some(lease) = self.lease.take() else { return Err(gone()) };
        let state = State {
            outbox: Outbox::new(spec.limits),
            tools: vec![None; spec.namespaces.len()],
            spec,
            lease,
            shared: Arc::clone(&self.shared),
            late: self.late.clone(),
            fault: None,
            here: TICKS_HERE,
        };
        let ready = Arc::clone(&self.ready);
        let act = async move {
            let mut machine = Machine::new(&ready, state)?;
            let turn = machine.start().await?;
            Ok((machine, turn))
        };
        self.turn(Box::pin(act)).await
    }

    fn machine(&mut self) -> Result<Machine, GuestFault> {
        let mut machine = self.machine.take().ok_or_else(gone)?;
        machine.store.data_mut().here = TICKS_HERE;
        machine.store.set_epoch_deadline(1);
        Ok(machine)
    }

    /// Runs a turn: where the caller is for as long as [`TICKS_HERE`] say (most end there, and no
    /// thread waits for another), then on a thread of the guests. Each is entered from outside
    /// at its ticks, so neither can be kept.
    async fn turn<R: Send + 'static>(&mut self, mut act: Act<R>) -> Result<R, GuestFault> {
        self.shared.cpu.reset();
        let done = match advance(&self.ready, &self.shared, &mut act) {
            Poll::Ready(done) => {
                if self.shared.cpu.read() > LONG_TURN {
                    // A program may have many such turns, and its caller not rest between them.
                    tokio::task::yield_now().await;
                }
                done
            }
            Poll::Pending => self.on_thread(act).await,
        };
        let (machine, out) = done?;
        self.machine = Some(machine);
        Ok(out)
    }

    /// Goes on with a turn on a guest's thread; nobody waiting for it any more ends it.
    async fn on_thread<R: Send + 'static>(
        &self,
        mut act: Act<R>,
    ) -> Result<(Machine, R), GuestFault> {
        let (tell, told) = oneshot::channel();
        let (ready, shared) = (Arc::clone(&self.ready), Arc::clone(&self.shared));
        let job = move || {
            let done = loop {
                if let Poll::Ready(done) = advance(&ready, &shared, &mut act) {
                    break done;
                }
            };
            // Nobody listens when the run was dropped meanwhile; the guest then ends here.
            let _ = tell.send(done);
        };
        let waiting = StopOnDrop(Some(Arc::clone(&self.shared)));
        if self.threads.run(Box::new(job)).is_err() {
            return Err(GuestFault::Busy);
        }
        let done = told.await.map_err(|_| gone())?;
        waiting.disarm();
        done
    }
}

/// Runs a turn on this thread until it ends or asks for another.
fn advance<R>(
    ready: &Ready,
    shared: &Shared,
    act: &mut Act<R>,
) -> Poll<Result<(Machine, R), GuestFault>> {
    let _running = ready.ticker.running();
    shared.cpu.go_on();
    // It never waits for anything: it rests only to be polled elsewhere.
    let mut context = Context::from_waker(Waker::noop());
    let polled = std::panic::AssertUnwindSafe(|| act.as_mut().poll(&mut context));
    let polled = std::panic::catch_unwind(polled);
    shared.cpu.pause();
    polled.unwrap_or_else(|_| Poll::Ready(Err(GuestFault::Broken("the driver panicked".into()))))
}

fn gone() -> GuestFault {
    GuestFault::Broken("the program has ended already".into())
}

impl Drop for WasmGuest {
    /// Giving back much memory takes a while, and is done where guests run.
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take_if(|machine| machine.bytes() > DROPPED_HERE) {
            // Where no thread is to be had, the job is dropped, and the guest with it.
            let _ = self.threads.run(Box::new(move || drop(machine)));
        }
    }
}

/// Stops the guest when the wait for it is given up.
struct StopOnDrop(Option<Arc<Shared>>);

impl StopOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Guest for WasmGuest {
    fn deliver(&mut self, delivery: Delivery) -> BoxFuture<'_, Result<Turn, GuestFault>> {
        Box::pin(async move {
            let mut machine = self.machine()?;
            let act = async move {
                let turn = machine.deliver(&delivery).await?;
                Ok((machine, turn))
            };
            self.turn(Box::pin(act)).await
        })
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>> {
        Box::pin(async move {
            let mut machine = self.machine()?;
            let act = async move {
                let finish = machine.finish().await?;
                Ok((machine, finish))
            };
            self.turn(Box::pin(act)).await
        })
    }
}
