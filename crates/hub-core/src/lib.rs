//! Words and pure decisions of the hub: no I/O, no async runtime, no clock.
//!
//! Time and randomness are arguments. Everything that touches the world stands behind a port
//! (see [`ports`]) and lives in another crate.
#![deny(missing_docs)]

pub mod canonical;
pub mod catalog;
pub mod connection;
pub mod digest;
pub mod envelope;
pub mod error;
pub mod hints;
pub mod id;
pub mod journal;
pub mod limits;
pub mod machine;
pub mod names;
pub mod owner;
pub mod pending;
pub mod policy;
pub mod ports;
pub mod question;
pub mod redact;
pub mod run;
pub mod search;
pub mod time;
