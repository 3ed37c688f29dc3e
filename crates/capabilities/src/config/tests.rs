//! Files as people write them.

mod hub_file;
mod import;
mod literal;
