//! Policy rules. The gate of commands that widen rights stands before this, in the command line.

pub mod explain;
pub mod history;
pub mod list;
pub mod replace_file;
pub mod set;
pub mod unset;
