//! What people do, a file for each noun.

mod approvals;
mod connections;
mod house;
mod keyring;
mod keys;
mod listed_rules;
mod places;
mod policy;
mod reveal;
mod runs;
mod sources;
mod timeline;

pub(crate) use keyring::Keyring;
