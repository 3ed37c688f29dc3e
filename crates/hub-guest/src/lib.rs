//! From what a model wrote to a program that can run.
//!
//! [`Reader`] forgives common shapes (`shape`), strips TypeScript (`strip`), refuses what the
//! sandbox could not compile (`refuse`) and looks for calls that cannot succeed (`preflight`).
//! This crate owns the parser; nothing here runs a program.

mod depth;
mod edit;
mod fault;
mod guess;
mod parse;
mod places;
mod preflight;
mod reader;
mod refuse;
mod scope;
mod shape;
mod stack;
mod strip;
mod text;

pub use reader::Reader;

/// What to do instead of a name that programs expect and the sandbox does not have.
pub fn hint_for(name: &str) -> Option<&'static str> {
    hub_core::hints::for_name(name)
}
