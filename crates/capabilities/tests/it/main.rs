//! The program as people, agents and scripts meet it: started as a process, spoken to over its
//! sockets, its standard streams and a terminal.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;
mod walls;

mod approval;
mod cases;
mod commands;
mod demo;
mod forms;
mod gate;
mod lost;
mod names;
mod nested;
mod pipes;
mod real;
mod refusals;
mod results;
mod schemas;
