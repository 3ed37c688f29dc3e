//! What needs a program of its own: allocations are counted by the allocator.

mod allocations;
mod big;
mod counting;
