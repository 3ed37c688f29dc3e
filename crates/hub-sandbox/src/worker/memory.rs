//! The allocator of a worker: counts what is taken, asks the hub for more in steps, and ends the
//! worker at the limit, so that no program can catch that it is out of memory. In every other
//! process it counts nothing.
#![expect(unsafe_code, reason = "an allocator is pointers")]

use super::wire::fault;
use super::{line, sys};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

/// Bytes asked for at once, beyond what is needed now.
const STEP: usize = 8 << 20;

/// Has to be the global allocator of a program that serves as worker.
#[derive(Debug)]
pub struct WorkerMemory;

static COUNTING: AtomicBool = AtomicBool::new(false);
static USED: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
static GRANTED: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Counts from here on; false where this is not the program's allocator.
pub fn count() -> bool {
    COUNTING.store(true, Relaxed);
    let before = USED.load(Relaxed);
    let probe = std::hint::black_box(Box::new([1u8; 64]));
    let counts = USED.load(Relaxed) > before;
    drop(probe);
    counts
}

/// The limit of the guest that begins, and what the hub has granted of it so far.
pub fn limit(bytes: usize, granted: usize) {
    GRANTED.store(granted, Relaxed);
    LIMIT.store(bytes, Relaxed);
}

/// An order of so many bytes comes in, which the hub has room for.
pub fn make_room(bytes: usize) {
    let needed = USED.load(Relaxed).saturating_add(bytes);
    GRANTED.fetch_max(needed, Relaxed);
}

/// What is taken now, in KiB.
pub fn used_kib() -> u32 {
    u32::try_from(USED.load(Relaxed).div_ceil(1024)).unwrap_or(u32::MAX)
}

#[inline]
fn take(bytes: usize) {
    if COUNTING.load(Relaxed) {
        counted(bytes);
    }
}

// One thread only ever counts, so a load and a store are enough.
#[cold]
fn counted(bytes: usize) {
    let used = USED.load(Relaxed).saturating_add(bytes);
    if used > LIMIT.load(Relaxed) {
        sys::end_by(fault::MEMORY);
    }
    if used > GRANTED.load(Relaxed) {
        let more = line::grow(used - GRANTED.load(Relaxed) + STEP);
        GRANTED.store(GRANTED.load(Relaxed).saturating_add(more), Relaxed);
    }
    USED.store(used, Relaxed);
}

#[inline]
fn give(bytes: usize) {
    if COUNTING.load(Relaxed) {
        USED.store(USED.load(Relaxed).saturating_sub(bytes), Relaxed);
    }
}

#[inline]
fn checked(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() && COUNTING.load(Relaxed) {
        sys::end_by(fault::MEMORY);
    }
    pointer
}

// Never inlined: copied to each of the hundred thousand places that free something, the counting
// made the hub's program 5 MB larger.
// SAFETY: the system's allocator does the work; this one only counts.
unsafe impl GlobalAlloc for WorkerMemory {
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc(layout) })
    }

    #[inline(never)]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: as the caller's.
        checked(unsafe { System.alloc_zeroed(layout) })
    }

    #[inline(never)]
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give(layout.size());
        // SAFETY: as the caller's.
        unsafe { System.dealloc(pointer, layout) }
    }

    #[inline(never)]
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() {
            take(size - layout.size());
        } else {
            give(layout.size() - size);
        }
        // SAFETY: as the caller's.
        checked(unsafe { System.realloc(pointer, layout, size) })
    }
}
