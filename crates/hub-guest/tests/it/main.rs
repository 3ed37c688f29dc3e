//! What the reader makes of code, seen from outside.

mod mutations;
mod nesting;
mod oracle;
mod places;
mod preflight;
mod same;
mod shapes;
mod strip;
mod support;
mod syntax;
