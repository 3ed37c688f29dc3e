//! Sources.

pub mod add;
pub mod keep;
pub mod list;
pub mod refresh;
pub mod remove;
pub mod show;
pub mod update;
