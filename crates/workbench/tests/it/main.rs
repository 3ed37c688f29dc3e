//! The engine on its real store: what the two only hold together.
#![expect(clippy::unwrap_used, reason = "a test whose ground is missing stops")]

mod disk;
mod hub;
mod power;
mod trouble;
mod upgrade;
