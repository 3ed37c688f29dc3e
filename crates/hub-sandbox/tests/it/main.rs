//! The contract of every driver, run on each of them: same programs, same expectations.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod calls;
mod clock;
mod determinism;
mod errors;
mod faults;
mod foreign_image;
mod globals;
mod image;
mod namespaces;
mod results;
mod support;
mod timers;
mod unequal;
mod values;
mod walls;
#[cfg(target_os = "linux")]
mod worker;
