//! Calls that can be seen, without running, to fail.
//!
//! [`find`] reads the tree: which calls of `name.member(…)` there are on names that the code does
//! not bind, whether each surely runs, and what is known of its argument. [`judge`] asks the tools.

mod argument;
mod calls;
mod exits;
mod functions;
mod globals;
mod judge;
mod walk;

pub use argument::{Argument, Known};
pub use judge::judge;
pub use walk::find;

/// A call of a member of something global.
#[derive(Debug)]
pub struct Call {
    /// The global: a namespace, perhaps.
    pub root: String,
    /// Its member: a tool, perhaps.
    pub member: String,
    /// Whether the call is reached whenever nothing throws before.
    pub sure: bool,
    /// Its first argument.
    pub argument: Argument,
    /// Its first byte in the text that was read.
    pub at: u32,
}
