//! What a hostile program does to each subject, one fresh hub per program, all bounded in time.

use super::client::PATIENCE;
use super::context;
use super::place::Place;
use super::process;
use super::running;
use super::subjects::{HUB, Language, PEERS, Subject};
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::Failure;

/// How long a subject may take to end a program before it counts as hung.
const LIMIT: Duration = Duration::from_secs(75);

/// A program, in both languages.
pub struct Probe {
    /// As it stands in the table.
    pub name: &'static str,
    javascript: &'static str,
    python: &'static str,
}

/// All of them.
pub const PROBES: &[Probe] = &[
    Probe { name: "busy loop", javascript: "while (true) {}", python: "while True:\n    pass" },
    Probe {
        name: "memory (800 MB)",
        javascript: "const a = []; for (let i = 0; i < 400; i++) \
                     a.push(new Array(250000).fill(i)); \
                     return a.length;",
        python: "a = []\nfor i in range(400):\n    a.append([i] * 250000)\nreturn len(a)",
    },
    Probe {
        name: "20 MB result",
        javascript: "return 'x'.repeat(20000000);",
        python: "return 'x' * 20000000",
    },
    Probe {
        name: "polluted prototypes",
        javascript: "Object.prototype.polluted = 1; Array.prototype.map = null; return 1;",
        python: "int.polluted = 1\nreturn 1",
    },
    Probe {
        name: "deep recursion",
        javascript: "const f = (n) => f(n + 1) + 1; return f(0);",
        python: "def f(n):\n    return f(n + 1) + 1\nreturn f(0)",
    },
    Probe {
        name: "reaching the host",
        javascript: "return String(({}).constructor.constructor('return typeof process')());",
        python: "import os\nreturn str(os.getpid())",
    },
];

/// What happened.
pub struct Finding {
    /// Time until the answer.
    pub wall: Duration,
    /// The start of the answer or why there is none.
    pub said: String,
    /// Bytes of the answer.
    pub bytes: usize,
    /// Memory of the hub's processes right after, in MiB.
    pub memory: f64,
    /// Whether the next program was answered.
    pub serves_on: bool,
}

/// Findings by subject and probe; none for a subject that did not start.
pub type Findings = Vec<(&'static str, Vec<Option<Finding>>)>;

/// Runs all probes against this hub and all peers.
pub fn probe(place: &Place, binary: &Path) -> Findings {
    let mut findings = Vec::new();
    for subject in std::iter::once(&HUB).chain(PEERS) {
        println!("containment of {} …", subject.name);
        let row = PROBES.iter().map(|probe| one(subject, probe, place, binary).ok()).collect();
        findings.push((subject.name, row));
    }
    findings
}

fn one(
    subject: &'static Subject,
    probe: &Probe,
    place: &Place,
    binary: &Path,
) -> Result<Finding, Failure> {
    let mut running = running::start(subject, place, binary)?;
    let is_python = subject.language == Language::Python;
    let body = if is_python { probe.python } else { probe.javascript };
    let began = Instant::now();
    let answer = running.ask(&subject.program(body), LIMIT);
    let wall = began.elapsed();
    let memory = process::memory(&running.processes());
    let bytes = if answer.is_ok() { running.client.last_bytes } else { 0 };
    let said = match &answer {
        Ok(answer) => context::text_of(answer),
        Err(failure) => failure.to_string(),
    };
    let said = said.chars().take(300).collect();
    let next = running.ask(&subject.trivial(), PATIENCE.min(Duration::from_secs(10)));
    let serves_on = next.is_ok_and(|answer| answer["isError"] != true);
    running.close();
    Ok(Finding { wall, said, bytes, memory, serves_on })
}
