//! The hub itself.

pub mod gate;
pub mod open;
pub mod status;
pub mod stop;
