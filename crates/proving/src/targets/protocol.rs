//! What the sandbox's hub and its workers say to one another. These modules alone: without them a
//! fuzz build would compile WebAssembly, which it never runs.

#[path = "../../../hub-sandbox/src/outbox.rs"]
pub mod outbox;
#[path = "../../../hub-sandbox/src/start.rs"]
pub mod start;

#[path = "../../../hub-sandbox/src/worker/orders.rs"]
pub mod orders;
#[path = "../../../hub-sandbox/src/worker/talk.rs"]
pub mod talk;
#[path = "../../../hub-sandbox/src/worker/wire.rs"]
pub mod wire;
