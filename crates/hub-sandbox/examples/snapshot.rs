//! Makes the guest image: loads the prelude in a freshly built guest and freezes the result.
//! Called by `cargo xtask guest`: `snapshot <guest.wasm> <image.wasm>`.

use std::error::Error;
use std::task::{Context, Poll, Waker};
use wasmtime::{Caller, Config, Engine, Instance, Linker, Module, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let mut paths = std::env::args_os().skip(1);
    let (Some(from), Some(to)) = (paths.next(), paths.next()) else {
        return Err("usage: snapshot <guest.wasm> <image.wasm>".into());
    };
    std::fs::write(to, snapshot(&std::fs::read(from)?)?)?;
    Ok(())
}

fn snapshot(raw: &[u8]) -> Outcome<Vec<u8>> {
    let wizer = Wizer::new();
    let (context, instrumented) = wizer.instrument(raw)?;
    let engine = Engine::new(&Config::new())?;
    let module = Module::new(&engine, &instrumented)?;
    let mut linker = Linker::new(&engine);
    linker.func_wrap(
        "hub",
        "send",
        |mut caller: Caller<'_, String>, _: u32, _: u32, _: u32, _: u32, at: u32, length: u32| {
            let memory = caller.get_export("memory").and_then(|export| export.into_memory());
            let bytes = memory.map(|memory| memory.data(&caller).to_vec()).unwrap_or_default();
            let said = bytes.get(at as usize..).and_then(|rest| rest.get(..length as usize));
            *caller.data_mut() = String::from_utf8_lossy(said.unwrap_or_default()).into_owned();
            1u32
        },
    )?;
    linker.func_wrap("hub", "tools_len", |_: u32| 0u32)?;
    linker.func_wrap("hub", "tools", |_: u32, _: u32, _: u32| {})?;
    linker.func_wrap("hub", "out_of_memory", || -> wasmtime::Result<()> {
        Err(wasmtime::Error::msg("out of memory"))
    })?;
    linker.func_wrap("env", "__rquickjs_host_now_us", || 0f64)?;
    let mut store = Store::new(&engine, String::new());
    let instance = linker.instantiate(&mut store, &module)?;
    instance.get_typed_func::<(), ()>(&mut store, "hub_init")?.call(&mut store, ())?;
    if !store.data().is_empty() {
        return Err(format!("the guest did not start: {}", store.data()).into());
    }
    let mut frozen = Frozen { store, instance };
    Ok(ready(wizer.snapshot(&context, &mut frozen))?)
}

struct Frozen {
    store: Store<String>,
    instance: Instance,
}

impl InstanceState for Frozen {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        let global = self.instance.get_global(&mut self.store, name);
        match global.map(|global| global.get(&mut self.store)) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(value)) => SnapshotVal::F32(value),
            Some(Val::F64(value)) => SnapshotVal::F64(value),
            other => panic!("the guest has a global of another kind: {name}: {other:?}"),
        }
    }

    async fn memory_contents(&mut self, name: &str, read: impl FnOnce(&[u8]) + Send) {
        if let Some(memory) = self.instance.get_memory(&mut self.store, name) {
            read(memory.data(&self.store));
        }
    }
}

/// Nothing above ever waits, so one poll is the whole of it.
fn ready<F: Future>(future: F) -> F::Output {
    let mut future = std::pin::pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the snapshot waits for nothing"),
    }
}
