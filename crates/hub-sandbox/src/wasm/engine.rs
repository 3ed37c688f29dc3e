//! The engine: its configuration, the two host functions, and the module made ready.

use super::cache::Cache;
use super::guest::State;
use super::image::{MEMORY_SLACK, WASM_STACK};
use crate::outbox::Taken;
use crate::ticker::Ticker;
use hub_core::limits;
use hub_core::ports::GuestFault;
use std::path::Path;
use wasmtime::{
    Caller, Config, Enabled, Engine, Error, InstanceAllocationStrategy, InstancePre, Linker,
    Memory, Module, PoolingAllocationConfig, Result,
};

/// Guests that may exist at once: live ones, and parked ones that are still warm.
const INSTANCES: u32 = 2 * limits::LIVE_RUNS as u32;
/// Entries of the guest's table of functions.
const TABLE_ENTRIES: usize = 20_000;
/// Bytes of a stack that its next guest finds in memory; what a deeper one used is given back.
const STACK_KEPT: usize = 16 << 10;

/// Bytes of a guest's memory that its place keeps for the next guest: what a short program writes.
const KEPT_MEMORY: usize = 320 << 10;
/// Bytes of its table of functions that are kept likewise.
const KEPT_TABLE: usize = 16 << 10;

/// Everything that guests start from.
pub struct Ready {
    /// The guest, compiled and linked.
    pub module: InstancePre<State>,
    /// Its heartbeat.
    pub ticker: Ticker,
}

/// Compiles the image, or loads what was compiled before.
pub fn prepare(image: &[u8], cache_dir: Option<&Path>) -> std::result::Result<Ready, String> {
    let failed = |error: Error| format!("{error:#}");
    // Where so much address space cannot be reserved, memory is mapped for each guest.
    let engine = match Engine::new(&config(true)) {
        Ok(engine) => engine,
        Err(error) => {
            tracing::info!(%error, "guests get their memory one by one");
            Engine::new(&config(false)).map_err(failed)?
        }
    };
    let module = module(&engine, image, cache_dir).map_err(failed)?;
    let module = linker(&engine).and_then(|l| l.instantiate_pre(&module)).map_err(failed)?;
    let ticker = Ticker::start(engine.weak()).map_err(|error| error.to_string())?;
    Ok(Ready { module, ticker })
}

pub(super) fn config(pooling: bool) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .cranelift_nan_canonicalization(true)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(2 * WASM_STACK)
        .async_stack_zeroing(true)
        .generate_address_map(false)
        .wasm_backtrace_max_frames(None)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false);
    if pooling {
        let mut pool = PoolingAllocationConfig::default();
        pool.total_core_instances(INSTANCES)
            .total_stacks(INSTANCES)
            .async_stack_keep_resident(STACK_KEPT)
            .total_memories(INSTANCES)
            .total_tables(INSTANCES)
            .table_elements(TABLE_ENTRIES)
            .max_memory_size(limits::HEAP_BYTES + MEMORY_SLACK);
        if PoolingAllocationConfig::is_pagemap_scan_available() {
            // The system tells which pages a guest wrote. They are written back as the image has
            // them; given back instead, each would be fetched again for the next guest.
            pool.pagemap_scan(Enabled::Yes)
                .linear_memory_keep_resident(KEPT_MEMORY)
                .table_keep_resident(KEPT_TABLE);
        }
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    }
    config
}

fn module(engine: &Engine, image: &[u8], cache_dir: Option<&Path>) -> Result<Module> {
    let Some(dir) = cache_dir else { return Module::new(engine, image) };
    let cache = Cache::new(dir, image, engine);
    if let Some(module) = cache.load(engine) {
        return Ok(module);
    }
    let module = Module::new(engine, image)?;
    let kept = module
        .serialize()
        .map_err(|e| e.to_string())
        .and_then(|code| cache.store(&code).map_err(|e| e.to_string()));
    if let Err(error) = kept {
        tracing::warn!(error, "compiled code is not kept; the next start compiles again");
    }
    // The compiler took many times what the code takes.
    crate::trim::trim();
    Ok(module)
}

fn linker(engine: &Engine) -> Result<Linker<State>> {
    let mut linker = Linker::new(engine);
    linker.func_wrap("hub", "send", send)?;
    linker.func_wrap("hub", "tools_len", |mut caller: Caller<'_, State>, index: u32| -> u32 {
        caller.data_mut().tools(index).len() as u32
    })?;
    linker.func_wrap("hub", "tools", tools)?;
    linker.func_wrap("hub", "out_of_memory", |mut caller: Caller<'_, State>| -> Result<()> {
        Err(caller.data_mut().out_of_memory())
    })?;
    // The engine asks for the time when it seeds its hash tables; the program never sees it.
    linker.func_wrap("env", "__rquickjs_host_now_us", || 0f64)?;
    Ok(linker)
}

fn memory(caller: &mut Caller<'_, State>) -> Result<Memory> {
    let memory = caller.get_export("memory").and_then(|export| export.into_memory());
    memory.ok_or_else(|| Error::msg("the guest has no memory"))
}

fn span(memory: &[u8], pointer: u32, length: u32) -> Result<&[u8]> {
    let from = pointer as usize;
    from.checked_add(length as usize)
        .and_then(|to| memory.get(from..to))
        .ok_or_else(|| Error::msg("the guest points outside its memory"))
}

fn send(
    mut caller: Caller<'_, State>,
    kind: u32,
    n: u32,
    head: u32,
    head_length: u32,
    body: u32,
    body_length: u32,
) -> Result<u32> {
    let memory = memory(&mut caller)?;
    let (bytes, state) = memory.data_and_store_mut(&mut caller);
    let head = std::str::from_utf8(span(bytes, head, head_length)?)?;
    let body = std::str::from_utf8(span(bytes, body, body_length)?)?;
    match state.outbox.take(kind, n, head, body) {
        Ok(taken) => Ok(u32::from(taken == Taken::Yes)),
        Err(fault) => Err(state.end(fault)),
    }
}

fn tools(mut caller: Caller<'_, State>, index: u32, to: u32, length: u32) -> Result<()> {
    let memory = memory(&mut caller)?;
    let (bytes, state) = memory.data_and_store_mut(&mut caller);
    let names = state.tools(index);
    let from = to as usize;
    let room = from
        .checked_add(length as usize)
        .and_then(|to| bytes.get_mut(from..to))
        .filter(|room| room.len() == names.len());
    match room {
        Some(room) => {
            room.copy_from_slice(&names);
            Ok(())
        }
        None => Err(state.end(GuestFault::Broken("the guest broke the protocol".into()))),
    }
}
