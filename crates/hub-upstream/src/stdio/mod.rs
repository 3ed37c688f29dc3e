//! Sources that are child processes: how they are started, spoken to, heard and ended.

mod child;
mod duplex;
mod lines;
mod pipe;
mod reaper;
mod tail;

pub(crate) use child::{Program, Starter};
pub(crate) use duplex::Duplex;
pub(crate) use pipe::Pipe;
pub use reaper::reaper_main;
pub(crate) use tail::Tail;
