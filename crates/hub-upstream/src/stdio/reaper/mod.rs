//! One small process that starts every child and ends all of them, with whatever they started,
//! when the hub is gone, however it went. It is this binary again, run with a hidden command.
//!
//! Hub and reaper talk over a socket pair that nobody else holds: its end is the hub's end.
//! Elsewhere than on Linux there is no reaper; children are started directly.

#[cfg(target_os = "linux")]
mod hub;
#[cfg(target_os = "linux")]
mod keeper;
#[cfg(not(target_os = "linux"))]
mod none;
#[cfg(target_os = "linux")]
mod spawn;
#[cfg(target_os = "linux")]
mod tree;
#[cfg(target_os = "linux")]
mod words;

#[cfg(target_os = "linux")]
pub(crate) use hub::{Reaped, Reaper};
#[cfg(target_os = "linux")]
pub use keeper::reaper_main;
#[cfg(not(target_os = "linux"))]
pub use none::reaper_main;
#[cfg(not(target_os = "linux"))]
pub(crate) use none::{Reaped, Reaper};
