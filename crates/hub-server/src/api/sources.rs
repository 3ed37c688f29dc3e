//! Sources.

pub mod add;
pub mod list;
pub mod refresh;
pub mod remove;
pub mod show;
pub mod update;
