//! Answers that are lost, at each byte and between any two parties: every effect happens once.

mod client;
mod source;
