//! Sources over HTTP: the streamable transport of both eras, and the older HTTP+SSE.

mod client;
mod legacy;
mod sse;
mod streamable;

pub(crate) use client::{Client, Credentials, shared};
pub(crate) use legacy::LegacySse;
pub(crate) use streamable::Streamable;
