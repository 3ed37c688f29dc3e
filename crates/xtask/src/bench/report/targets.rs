//! What the hub must keep and what it aims at, beside what was seen.

use super::Seen;
use std::fmt::Write;

/// A figure with its bounds; less is better.
struct Target {
    what: String,
    seen: f64,
    unit: &'static str,
    must: f64,
    goal: Option<f64>,
}

/// The section of the page.
pub fn section(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(page, "\n## Targets\n\n| what | seen | must | goal | |\n|---|---:|---:|---:|---|")?;
    for Target { what, seen, unit, must, goal } in targets(seen) {
        let bound = |bound: f64| format!("{} {unit}", (bound * 100.0).round() / 100.0);
        let (aim, must_be) = (goal.map_or("–".to_owned(), bound), bound(must));
        let verdict = match goal {
            _ if !seen.is_finite() => "not seen",
            Some(goal) if seen <= goal => "goal met",
            None if seen <= must => "met",
            _ if seen <= must => "must met",
            _ => "**missed**",
        };
        writeln!(page, "| {what} | {seen:.2} {unit} | {must_be} | {aim} | {verdict} |")?;
    }
    writeln!(page, "\nCosts of the journal and of replay stand in [runs.md](runs.md).")
}

fn targets(seen: &Seen) -> Vec<Target> {
    let target = |what: &str, seen, unit, must, goal| Target {
        what: what.to_owned(),
        seen,
        unit,
        must,
        goal,
    };
    let (hub, direct) = (at(seen, "capabilities"), at(seen, "direct"));
    let cpu = |program: usize, subject: Option<usize>| {
        let cost = subject.and_then(|at| seen.speed.get(program)?.get(at)?.as_ref());
        cost.map_or(f64::NAN, super::super::speed::Cost::cpu_per_run)
    };
    let wall = |program: usize, subject: Option<usize>| {
        let cost = subject.and_then(|at| seen.speed.get(program)?.get(at)?.as_ref());
        cost.map_or((f64::NAN, f64::NAN), |cost| (cost.walls().0, cost.walls().1))
    };
    let peers = (0..seen.subjects.len()).filter(|at| Some(*at) != hub && Some(*at) != direct);
    let best = peers.map(|at| cpu(0, Some(at))).fold(f64::NAN, f64::min);
    let alone = &seen.endurance;
    let start = alone.starts.get(alone.starts.len() / 2);
    let start = start.map_or(f64::NAN, |start| start.as_secs_f64() * 1e3);
    let memory = |at: Option<&(usize, f64, std::time::Duration)>| at.map_or(f64::NAN, |g| g.1);
    let grown = memory(alone.growth.last()) / memory(alone.growth.first());
    let search = seen.by_catalogue.last().map_or(f64::NAN, |curve| curve.search_ms);
    let (ours, floor) = (wall(IN_A_ROW, hub), wall(IN_A_ROW, direct));
    vec![
        target("trivial program, CPU beside the best peer's", cpu(0, hub) / best, "×", 0.2, None),
        target("trivial program, CPU", cpu(0, hub), "ms", best / 5.0, Some(0.4)),
        target("CPU per further call", (cpu(IN_A_ROW, hub) - cpu(1, hub)) / 99.0, "ms", 0.1, None),
        target("100 calls in a row beside direct, minima", ours.0 / floor.0, "×", 1.3, Some(1.1)),
        target("100 calls in a row beside direct, medians", ours.1 / floor.1, "×", 1.3, Some(1.1)),
        target("start to first answer, 1,000 tools, median", start, "ms", 150.0, Some(50.0)),
        target("idle, 1,000 tools", alone.idle * 1.048_576, "MB", 40.0, Some(30.0)),
        target("binary", alone.binary as f64 / 1e6, "MB", 40.0, None),
        target("memory after all runs beside before", grown, "×", 1.1, None),
        target("search among 10,000 tools, request to answer", search, "ms", 1.0, None),
    ]
}

/// Place of the program that makes 100 calls in a row.
const IN_A_ROW: usize = 3;

fn at(seen: &Seen, label: &str) -> Option<usize> {
    seen.subjects.iter().position(|row| row.label == label)
}
