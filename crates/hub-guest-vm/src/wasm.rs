//! The image's imports and exports, and its allocator: a refused byte ends the guest at once, so
//! no program can catch that it is out of memory.
#![expect(unsafe_code, reason = "the interface between the image and its host is pointers")]

use crate::host::{self, Host};
use crate::start::Begin;
use crate::vm::Vm;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[link(wasm_import_module = "hub")]
unsafe extern "C" {
    /// Takes a message: 1 when taken, 0 when refused.
    fn send(
        kind: u32,
        n: u32,
        head: *const u8,
        head_len: usize,
        body: *const u8,
        len: usize,
    ) -> u32;
    /// Bytes of the tools of a namespace.
    fn tools_len(index: u32) -> usize;
    /// Writes them.
    fn tools(index: u32, to: *mut u8, len: usize);
    /// Ends the guest: out of memory.
    fn out_of_memory() -> !;
}

/// Counts what is taken.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

fn take(bytes: usize) {
    let used = USED.load(Relaxed).saturating_add(bytes);
    if used > LIMIT.load(Relaxed) {
        // SAFETY: never returns.
        unsafe { out_of_memory() }
    }
    USED.store(used, Relaxed);
}

fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        // SAFETY: never returns.
        unsafe { out_of_memory() }
    }
    pointer
}

// SAFETY: the system's allocator does the work; this one only counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.store(USED.load(Relaxed).saturating_sub(layout.size()), Relaxed);
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            take(size - layout.size());
        } else {
            USED.store(USED.load(Relaxed).saturating_sub(layout.size() - size), Relaxed);
        }
        // SAFETY: as the caller's.
        checked(unsafe { System.realloc(pointer, layout, size) })
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static VM: RefCell<Option<Vm>> = const { RefCell::new(None) };
    static RESULT_BYTES: Cell<usize> = const { Cell::new(0) };
}

fn host_send(kind: u32, n: u32, head: &[u8], body: &[u8]) -> bool {
    // SAFETY: the host reads what the slices span.
    unsafe { send(kind, n, head.as_ptr(), head.len(), body.as_ptr(), body.len()) != 0 }
}

fn host_tools(index: u32) -> Vec<u8> {
    // SAFETY: the host writes exactly the bytes it announced.
    unsafe {
        let mut out = vec![0; tools_len(index)];
        tools(index, out.as_mut_ptr(), out.len());
        out
    }
}

fn with_vm(act: impl FnOnce(&mut Vm)) {
    VM.with_borrow_mut(|vm| match vm {
        Some(vm) => act(vm),
        None => host::say(host::Say::Broken, 0, b"no guest"),
    });
}

/// SAFETY: `pointer` came from [`hub_alloc`] with this length.
unsafe fn taken(pointer: *mut u8, len: usize) -> Vec<u8> {
    // SAFETY: see above.
    unsafe { Vec::from_raw_parts(pointer, len, len) }
}

/// Room for the host to write into.
#[unsafe(no_mangle)]
pub extern "C" fn hub_alloc(len: usize) -> *mut u8 {
    let mut room = std::mem::ManuallyDrop::new(vec![0u8; len]);
    room.as_mut_ptr()
}

/// Build time: loads the prelude.
#[unsafe(no_mangle)]
pub extern "C" fn hub_init() {
    host::set(Host { send: host_send, tools: host_tools });
    match Vm::new() {
        Ok(vm) => VM.set(Some(vm)),
        Err(message) => host::say(host::Say::Broken, 0, message.as_bytes()),
    }
}

/// Starts a guest; the buffer is what [`Begin::read`] reads.
#[unsafe(no_mangle)]
pub extern "C" fn hub_start(pointer: *mut u8, len: usize) {
    // SAFETY: the host follows the protocol.
    let buffer = unsafe { taken(pointer, len) };
    let Some(begin) = Begin::read(&buffer) else {
        return host::say(host::Say::Broken, 0, b"malformed start");
    };
    LIMIT.store(begin.heap_bytes as usize, Relaxed);
    RESULT_BYTES.set(begin.result_bytes as usize);
    with_vm(|vm| vm.start(&begin.start));
}

/// Gives the answer of an operation.
#[unsafe(no_mangle)]
pub extern "C" fn hub_settle(n: u32, ok: u32, at: f64, pointer: *mut u8, len: usize) {
    // SAFETY: the host follows the protocol.
    let json = unsafe { taken(pointer, len) };
    with_vm(|vm| vm.settle(n, ok != 0, &json, at));
}

/// Fires a timer.
#[unsafe(no_mangle)]
pub extern "C" fn hub_fire(timer: u32, at: f64) {
    with_vm(|vm| vm.fire(timer, at));
}

/// Says what is left.
#[unsafe(no_mangle)]
pub extern "C" fn hub_finish() {
    with_vm(|vm| vm.finish(RESULT_BYTES.get()));
}
