//! Time and CPU of the same programs in all subjects: blocks of runs, one subject after the other,
//! again and again, so that what disturbs the machine disturbs all alike.

use super::process;
use super::running::Running;
use super::subjects::{Language, Subject};
use std::time::{Duration, Instant};
use xtask::Failure;

/// Runs of one program in one subject before the next subject's turn.
const BLOCK: usize = 5;

/// What is asked of everybody, in this order.
pub const PROGRAMS: &[Program] = &[
    Program { name: "trivial", calls: 0, at_once: false },
    Program { name: "1 call", calls: 1, at_once: false },
    Program { name: "10 in a row", calls: 10, at_once: false },
    Program { name: "100 in a row", calls: 100, at_once: false },
    Program { name: "10 at once", calls: 10, at_once: true },
    Program { name: "100 at once", calls: 100, at_once: true },
];

/// One of them.
pub struct Program {
    /// As it stands in the tables.
    pub name: &'static str,
    calls: usize,
    at_once: bool,
}

/// What one program cost one subject.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    /// Wall time of each run, in order.
    pub wall: Vec<Duration>,
    /// CPU of the subject's processes in all runs, sources aside.
    pub cpu: Duration,
}

/// Costs by program (outer) and subject (inner); none where a subject cannot do it.
pub type Table = Vec<Vec<Option<Cost>>>;

/// Measures all programs in all subjects, `rounds` blocks of each.
pub fn measure(all: &mut [Running], rounds: usize) -> Result<Table, Failure> {
    let mut table = Vec::new();
    for program in PROGRAMS {
        println!("{} …", program.name);
        let mut row: Vec<Option<Cost>> = Vec::new();
        for running in all.iter() {
            row.push(program.text(running.subject).map(|_| Cost::default()));
        }
        for round in 0..=rounds {
            for (running, cell) in all.iter_mut().zip(&mut row) {
                let Some(cost) = cell else { continue };
                let block = one_block(running, program)?;
                // The first round only warms up.
                if round > 0 {
                    cost.wall.extend(block.wall);
                    cost.cpu += block.cpu;
                }
            }
        }
        table.push(row);
    }
    Ok(table)
}

fn one_block(running: &mut Running, program: &Program) -> Result<Cost, Failure> {
    let text = program.text(running.subject).unwrap_or_default();
    let wanted = if program.calls == 0 { "1" } else { "pong" };
    let is_direct = running.subject.language == Language::Direct;
    let repeat = if is_direct { program.calls } else { 1 };
    let processes = running.processes();
    let before = process::cpu(&processes);
    let mut wall = Vec::with_capacity(BLOCK);
    for _ in 0..BLOCK {
        let began = Instant::now();
        for _ in 0..repeat {
            running.run(&text, wanted)?;
        }
        wall.push(began.elapsed());
    }
    let cpu = process::cpu(&processes).saturating_sub(before);
    Ok(Cost { wall, cpu })
}

impl Program {
    /// In a subject's language; none where it cannot say it.
    pub fn text(&self, subject: &Subject) -> Option<String> {
        match (subject.language, self.calls, self.at_once) {
            (Language::Direct, 0, _) | (Language::Direct, _, true) => None,
            (Language::Direct, ..) => Some(String::new()),
            (_, 0, _) => Some(subject.trivial()),
            (_, 1, _) => Some(subject.one()),
            (_, n, false) => Some(subject.in_a_row(n)),
            (_, n, true) => subject.all_at_once(n),
        }
    }
}

impl Cost {
    /// The shortest, the median and the 95th percentile, in ms.
    pub fn walls(&self) -> (f64, f64, f64) {
        let mut sorted: Vec<f64> = self.wall.iter().map(|d| d.as_secs_f64() * 1e3).collect();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        let at = |share: f64| sorted.get((share * last as f64).round() as usize).copied();
        (at(0.0).unwrap_or(0.0), at(0.5).unwrap_or(0.0), at(0.95).unwrap_or(0.0))
    }

    /// CPU of one run, in ms.
    pub fn cpu_per_run(&self) -> f64 {
        self.cpu.as_secs_f64() * 1e3 / self.wall.len().max(1) as f64
    }
}
