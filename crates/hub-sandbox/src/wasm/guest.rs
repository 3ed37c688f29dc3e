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
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use wasmtime::{
    Error, Instance, ResourceLimiter, Store, StoreContextMut, Trap, UpdateDeadline, WasmParams,
    WasmResults,
};

/// A stack pointer below this is an overrun: the stack lies at the bottom of memory.
const STACK_BOTTOM: i32 = 4096;

/// The host's side of one guest.
pub struct State {
    /// What it said.
    pub outbox: Outbox,
    spec: GuestSpec,
    tools: Vec<Option<Arc<[u8]>>>,
    lease: Lease,
    stop: Arc<AtomicBool>,
    clock: Stopwatch,
    late: Late,
    fault: Option<GuestFault>,
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

    fn call<P: WasmParams, R: WasmResults>(&mut self, name: &str, p: P) -> Result<R, GuestFault> {
        let entry = self.instance.get_typed_func::<P, R>(&mut self.store, name);
        let entry = entry.map_err(|error| GuestFault::Broken(error.to_string()))?;
        entry.call(&mut self.store, p).map_err(|error| self.fault(&error))
    }

    /// Why a call did not return.
    fn fault(&mut self, error: &Error) -> GuestFault {
        if let Some(fault) = self.store.data_mut().fault.take() {
            if let GuestFault::Cpu(limit) = fault {
                let used = self.store.data().clock.read();
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

    fn stack_pointer(&mut self) -> i32 {
        let global = self.instance.get_global(&mut self.store, "__stack_pointer");
        global.and_then(|global| global.get(&mut self.store).i32()).unwrap_or(i32::MAX)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(u32, u32), GuestFault> {
        let broken = |what: &str| GuestFault::Broken(what.to_owned());
        let length = u32::try_from(bytes.len()).map_err(|_| broken("too much for a guest"))?;
        let pointer = self.call::<u32, u32>("hub_alloc", length)?;
        let memory = self.instance.get_memory(&mut self.store, "memory");
        let memory = memory.ok_or_else(|| broken("the guest has no memory"))?;
        memory
            .write(&mut self.store, pointer as usize, bytes)
            .map_err(|_| broken("the guest gave room outside its memory"))?;
        Ok((pointer, length))
    }

    fn start(&mut self) -> Result<Turn, GuestFault> {
        let buffer = crate::start::buffer(&self.store.data().spec)?;
        let (pointer, length) = self.write(&buffer)?;
        self.call::<_, ()>("hub_start", (pointer, length))?;
        self.store.data_mut().outbox.take_turn()
    }

    fn deliver(&mut self, delivery: &Delivery) -> Result<Turn, GuestFault> {
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
                let (pointer, length) = self.write(json)?;
                self.call::<_, ()>("hub_settle", (*n, ok, at.0 as f64, pointer, length))?;
            }
            Delivery::Fire { timer, at } => {
                self.call::<_, ()>("hub_fire", (*timer, at.0 as f64))?;
            }
        }
        self.store.data_mut().outbox.take_turn()
    }

    fn finish(&mut self) -> Result<Finish, GuestFault> {
        self.call::<_, ()>("hub_finish", ())?;
        Ok(self.store.data_mut().outbox.take_finish())
    }
}

fn at_tick(mut store: StoreContextMut<'_, State>) -> wasmtime::Result<UpdateDeadline> {
    let state = store.data_mut();
    if state.stop.load(Ordering::Relaxed) {
        return Err(state.end(GuestFault::Broken("the program was dropped".into())));
    }
    let limit = state.limits().cpu_ms;
    if state.clock.read() >= Duration::from_millis(limit) {
        return Err(state.end(GuestFault::Cpu(limit)));
    }
    Ok(UpdateDeadline::Continue(1))
}

/// A guest as the engine of runs holds it.
pub struct WasmGuest {
    ready: Arc<Ready>,
    threads: Arc<Threads>,
    stop: Arc<AtomicBool>,
    late: Late,
    lease: Option<Lease>,
    machine: Option<Machine>,
}

impl WasmGuest {
    /// One that has not started.
    pub fn new(ready: Arc<Ready>, threads: Arc<Threads>, late: Late, budget: &Arc<Budget>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        Self { ready, threads, stop, late, lease: Some(budget.lease()), machine: None }
    }

    /// Starts the program.
    pub async fn start(&mut self, spec: GuestSpec) -> Result<Turn, GuestFault> {
        let Some(lease) = self.lease.take() else { return Err(gone()) };
        let tools = vec![None; spec.namespaces.len()];
        let (stop, late) = (Arc::clone(&self.stop), self.late.clone());
        let ready = Arc::clone(&self.ready);
        self.on_thread(move |_| {
            let state = State {
                outbox: Outbox::new(spec.limits),
                spec,
                tools,
                lease,
                stop,
                clock: Stopwatch::start(),
                late,
                fault: None,
            };
            let mut machine = Machine::new(&ready, state)?;
            let turn = machine.start()?;
            Ok((machine, turn))
        })
        .await
    }

    async fn enter<R: Send + 'static>(
        &mut self,
        act: impl FnOnce(&mut Machine) -> Result<R, GuestFault> + Send + 'static,
    ) -> Result<R, GuestFault> {
        self.on_thread(move |machine| {
            let mut machine = machine.ok_or_else(gone)?;
            machine.store.data_mut().clock = Stopwatch::start();
            machine.store.set_epoch_deadline(1);
            let out = act(&mut machine)?;
            Ok((machine, out))
        })
        .await
    }

    /// Runs `act` on a guest's thread. A guest that faults, or that nobody waits for any more, is
    /// not used again.
    async fn on_thread<R: Send + 'static>(
        &mut self,
        act: impl FnOnce(Option<Machine>) -> Result<(Machine, R), GuestFault> + Send + 'static,
    ) -> Result<R, GuestFault> {
        let (tell, told) = oneshot::channel();
        let machine = self.machine.take();
        let ready = Arc::clone(&self.ready);
        let job = move || {
            let _running = ready.ticker.running();
            let act = std::panic::AssertUnwindSafe(|| act(machine));
            let done = std::panic::catch_unwind(act);
            let done =
                done.unwrap_or_else(|_| Err(GuestFault::Broken("the driver panicked".into())));
            // Nobody listens when the run was dropped meanwhile; the guest then ends here.
            let _ = tell.send(done);
        };
        let waiting = StopOnDrop(Some(Arc::clone(&self.stop)));
        if self.threads.run(Box::new(job)).is_err() {
            return Err(GuestFault::Busy);
        }
        let done = told.await.map_err(|_| gone())?;
        waiting.disarm();
        let (machine, out) = done?;
        self.machine = Some(machine);
        Ok(out)
    }
}

fn gone() -> GuestFault {
    GuestFault::Broken("the program has ended already".into())
}

impl Drop for WasmGuest {
    /// Giving back a guest's memory takes a while, so it is done where guests run.
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take() {
            // Where no thread is to be had, the job is dropped, and the guest with it.
            let _ = self.threads.run(Box::new(move || drop(machine)));
        }
    }
}

/// Stops the guest when the wait for it is given up.
struct StopOnDrop(Option<Arc<AtomicBool>>);

impl StopOnDrop {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(stop) = &self.0 {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Guest for WasmGuest {
    fn deliver(&mut self, delivery: Delivery) -> BoxFuture<'_, Result<Turn, GuestFault>> {
        Box::pin(self.enter(move |machine| machine.deliver(&delivery)))
    }

    fn finish(&mut self) -> BoxFuture<'_, Result<Finish, GuestFault>> {
        Box::pin(self.enter(Machine::finish))
    }
}
