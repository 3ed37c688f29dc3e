//! Connections: named sets of credentials of a source.

pub mod list;
pub mod make_default;
pub mod put;
pub mod remove;
