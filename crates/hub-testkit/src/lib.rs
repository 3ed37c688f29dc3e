//! What tests share: a clock that stands still, a store that can crash, a source that answers
//! from a script, and the suite that every store must pass.
//!
//! Depends on the core alone, so that every other crate may use it in its tests.

pub mod clock;
pub mod conformance;
pub mod fixtures;
pub mod guest;
pub mod memory;
pub mod program;
pub mod random;
pub mod tokens;
pub mod upstream;

pub use clock::FakeClock;
pub use guest::{Api, RustDriver};
pub use memory::{Fault, MemoryStore};
pub use program::{AnyObject, ByName};
pub use random::SeededRandom;
pub use tokens::CharTokens;
pub use upstream::{ScriptedUpstream, Step};
