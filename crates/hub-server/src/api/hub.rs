//! The hub itself.

pub mod status;
pub mod stop;
