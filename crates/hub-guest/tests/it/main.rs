//! What the reader makes of code, seen from outside.

mod shapes;
mod strip;
mod support;
mod syntax;
