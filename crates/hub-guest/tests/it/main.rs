//! What the reader makes of code, seen from outside.

mod preflight;
mod shapes;
mod strip;
mod support;
mod syntax;
