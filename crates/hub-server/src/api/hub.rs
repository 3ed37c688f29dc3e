//! The hub itself.

pub mod open;
pub mod status;
pub mod stop;
