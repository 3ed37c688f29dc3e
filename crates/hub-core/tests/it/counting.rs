//! An allocator that counts what each thread asks of it.
#![expect(unsafe_code, reason = "an allocator is unsafe to write; this one only counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static MEMORY: Counting = Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// Allocations that `act` makes on this thread.
pub fn allocations<R>(act: impl FnOnce() -> R) -> (usize, R) {
    let before = COUNT.get();
    let out = act();
    (COUNT.get() - before, out)
}

// SAFETY: everything is the system's allocator; counting touches a plain number of the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.set(COUNT.get() + 1);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
