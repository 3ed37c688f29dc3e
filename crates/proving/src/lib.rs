//! What proves the reader and the sandbox from outside: fuzz targets, generated programs, an
//! oracle for TypeScript. Nothing of the product depends on it.
//!
//! To add a target: a module in `targets` with `pub fn check(data: &[u8])`, a line in
//! [`targets::ALL`], a program in `src/bin`, a folder of small inputs in `corpus`.

pub mod choices;
pub mod grammar;
pub mod native;
pub mod oracle;
pub mod programs;
pub mod targets;
