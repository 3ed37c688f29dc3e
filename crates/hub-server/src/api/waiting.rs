//! What waits for a person.

pub mod decide;
pub mod list;
