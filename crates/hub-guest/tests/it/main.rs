//! What the reader makes of code, seen from outside.

mod nesting;
mod preflight;
mod shapes;
mod strip;
mod support;
mod syntax;
