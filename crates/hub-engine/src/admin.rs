//! What people do, a file for each noun.

mod approvals;
mod connections;
mod house;
mod keys;
mod policy;
mod reveal;
mod runs;
mod sources;
mod timeline;
