//! What is fuzzed. A target takes any bytes and panics where a promise is broken.

pub mod answers;
pub mod frames;
pub mod protocol;
pub mod read;
pub mod results;
pub mod syntax;
pub mod workers;

/// A target.
pub struct Target {
    /// Its name: of its program, its corpus, and on the command line.
    pub name: &'static str,
    /// What it promises.
    pub promise: &'static str,
    /// Tries one input.
    pub check: fn(&[u8]),
}

/// All of them.
pub const ALL: &[Target] = &[
    Target {
        name: "read",
        promise: "any text is read or refused at its place, and means what it meant",
        check: read::check,
    },
    Target {
        name: "syntax",
        promise: "the same for programs of a grammar, and for each of its rules 64 KiB deep",
        check: syntax::check,
    },
    Target {
        name: "answers",
        promise: "JSON goes into a program and out of it as the same value",
        check: answers::check,
    },
    Target {
        name: "results",
        promise: "any value of a program becomes JSON within its limits, or is refused",
        check: results::check,
    },
    Target {
        name: "frames",
        promise: "whatever a guest says is taken, refused or ends the guest",
        check: frames::check,
    },
    Target {
        name: "workers",
        promise: "whatever a worker says to the hub, or is ordered by it, ends at most that worker",
        check: workers::check,
    },
];
