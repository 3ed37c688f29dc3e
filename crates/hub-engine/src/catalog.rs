//! The catalogue: built from the last good listings in the store, rebuilt per source.

mod build;
mod refresh;
mod tools;

pub(crate) use build::addresses;
pub(crate) use tools::Tools;
