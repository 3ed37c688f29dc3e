//! Runs, of every client.

pub mod cancel;
pub mod list;
pub mod replay;
pub mod resume;
pub mod show;
