//! What agents do, from the terminal, through the same engine.

pub mod describe;
pub mod execute;
pub mod search;
