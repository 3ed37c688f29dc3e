//! Keys of clients.

pub mod issue;
pub mod list;
pub mod revoke;
