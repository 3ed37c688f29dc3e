//! What was seen, as `docs/benchmarks.md` with its curves.

mod targets;

use super::contain::{Findings, PROBES};
use super::context::{Static, Task};
use super::endure::Endurance;
use super::place::Place;
use super::plot::{Curve, draw};
use super::running::Running;
use super::speed::{PROGRAMS, Table};
use std::fmt::Write;
use std::time::Duration;
use xtask::Failure;

/// Everything that one run of the bench saw.
pub struct Seen {
    /// Load of the machine at the start.
    pub load: String,
    /// Blocks of five per program and subject.
    pub rounds: usize,
    /// Who was measured.
    pub subjects: Vec<Row>,
    /// Tokens of definitions and instructions, by label.
    pub definitions: Vec<(String, usize)>,
    /// MiB before the first measured program.
    pub idle: Vec<f64>,
    /// MiB after the last.
    pub after: Vec<f64>,
    /// Times and CPU.
    pub speed: Table,
    /// Context by the size of the catalogue.
    pub by_catalogue: Vec<Static>,
    /// Context by the items of a task.
    pub by_items: Vec<Task>,
    /// The hub alone.
    pub endurance: Endurance,
    /// Kill and resume.
    pub resumed: Vec<(&'static str, String)>,
    /// Hostile programs.
    pub contained: Findings,
}

/// A subject in the tables.
pub struct Row {
    label: String,
    version: &'static str,
    ready: Duration,
}

impl Row {
    /// Of a subject that runs.
    pub fn of(running: &Running) -> Self {
        let version = running.subject.version;
        Self { label: running.label.clone(), version, ready: running.ready }
    }
}

/// The load of the last minutes.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(", ")
}

/// Writes the page and its curves.
pub fn write(place: &Place, seen: &Seen) -> Result<(), Failure> {
    let docs = place.root().join("docs");
    let mut page = String::from(HEAD);
    let parts =
        [machine, targets::section, speed, hub_alone, context, crossover, containment, resumed];
    for part in parts {
        part(&mut page, seen).map_err(|error| error.to_string())?;
    }
    std::fs::write(docs.join("benchmarks.md"), &page)?;
    std::fs::write(docs.join("context-by-tools.svg"), catalogue_curve(seen))?;
    std::fs::write(docs.join("context-by-items.svg"), items_curve(seen))?;
    println!("{page}");
    Ok(())
}

const HEAD: &str = "# Benchmarks

Written by `cargo xtask bench peers`; do not edit. All subjects run in one go on one machine, block
by block in turn, over the same reference server (Executor over an OpenAPI document that echoes: a
stdio source costs it a process per call). CPU is that of the subject's own processes, sources
aside. Compare within this page only: on a busy machine trust the minimum and the CPU.
";

fn machine(page: &mut String, seen: &Seen) -> std::fmt::Result {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("");
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let model = model.trim_start_matches([' ', '\t', ':']);
    writeln!(page, "\nMachine: {cores} cores, {model}; load at the start: {}.", seen.load)?;
    writeln!(page, "Runs per cell: {}.", seen.rounds * 5)
}

fn speed(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(page, "\n## Programs\n\nWall in ms (min / median / p95), then CPU in ms per run.\n")?;
    write!(page, "| subject |")?;
    PROGRAMS.iter().try_for_each(|program| write!(page, " {} | CPU |", program.name))?;
    write!(page, "\n|---|")?;
    PROGRAMS.iter().try_for_each(|_| write!(page, "---|---:|"))?;
    for (at, row) in seen.subjects.iter().enumerate() {
        write!(page, "\n| {} {} |", row.label, row.version)?;
        for program in &seen.speed {
            match &program[at] {
                Some(cost) => {
                    let (min, median, p95) = cost.walls();
                    let cpu = cost.cpu_per_run();
                    write!(page, " {min:.2} / {median:.2} / {p95:.2} | {cpu:.2} |")?;
                }
                None => write!(page, " – | – |")?,
            }
        }
    }
    writeln!(page, "\n\n| subject | first start to first call | idle MiB | MiB after | tokens |")?;
    writeln!(page, "|---|---:|---:|---:|---:|")?;
    for (at, row) in seen.subjects.iter().enumerate() {
        let (idle, after, tokens) = (seen.idle[at], seen.after[at], seen.definitions[at].1);
        let ready = row.ready.as_secs_f64() * 1e3;
        let (idle, after) = match row.version {
            "" => ("–".to_owned(), "–".to_owned()),
            _ => (format!("{idle:.0}"), format!("{after:.0}")),
        };
        writeln!(page, "| {} | {ready:.0} ms | {idle} | {after} | {tokens} |", row.label)?;
    }
    let direct = "tokens: what `tools/list` and the instructions put into a model's context.";
    writeln!(page, "\n{direct} The adapters of libraries that are no servers define one tool only.")
}

fn hub_alone(page: &mut String, seen: &Seen) -> std::fmt::Result {
    let hub = &seen.endurance;
    let ms = |duration: &Duration| duration.as_secs_f64() * 1e3;
    let starts = &hub.starts;
    writeln!(page, "\n## The hub alone\n\n| what | figure |\n|---|---:|")?;
    writeln!(
        page,
        "| start to first answer, 1,000 tools cached (min / median) | {:.0} / {:.0} ms |",
        starts.first().map_or(0.0, ms),
        starts.get(starts.len() / 2).map_or(0.0, ms)
    )?;
    writeln!(page, "| idle with 1,000 tools | {:.1} MiB |", hub.idle)?;
    writeln!(page, "| binary | {:.1} MB |", hub.binary as f64 / 1e6)?;
    for (runs, memory, cpu) in &hub.growth {
        let cpu = match runs {
            0 => String::new(),
            _ => format!(", {:.2} ms CPU per run up to there", ms(cpu)),
        };
        writeln!(page, "| after {runs} more runs | {memory:.1} MiB{cpu} |")?;
    }
    let (before, after) = hub.descriptors;
    writeln!(page, "| descriptors over {} runs | {before} → {after} |", hub.runs)?;
    for (meaning, wall, cpu) in &hub.durability {
        let (wall, cpu) = (ms(wall), ms(cpu));
        writeln!(page, "| 100 effects in a row, {meaning} | {wall:.1} ms, {cpu:.1} ms CPU |")?;
    }
    Ok(())
}

fn context(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(page, "\n## Context by the size of the catalogue\n\n![](context-by-tools.svg)\n")?;
    writeln!(page, "| tools | direct | hub | + one search | + one describe | search ms |")?;
    writeln!(page, "|---:|---:|---:|---:|---:|---:|")?;
    for Static { tools, direct, hub, search, describe, search_ms } in &seen.by_catalogue {
        writeln!(page, "| {tools} | {direct} | {hub} | {search} | {describe} | {search_ms:.2} |")?;
    }
    Ok(())
}

fn crossover(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(
        page,
        "\n## The same task, call by call and in programs\n\n![](context-by-items.svg)\n\n\
         An agent that makes no mistakes reads one message per item and counts those that match. \
         Definitions are left out on both sides (see above); a model's own time per call is not \
         counted, which favours direct calls.\n\n\
         | items | direct tokens | code tokens | direct ms | code ms |\n|---:|---:|---:|---:|---:|"
    )?;
    for task in &seen.by_items {
        writeln!(
            page,
            "| {} | {} | {} | {:.1} | {:.1} |",
            task.items,
            task.direct,
            task.code,
            task.direct_wall.as_secs_f64() * 1e3,
            task.code_wall.as_secs_f64() * 1e3
        )?;
    }
    let wins: Vec<String> =
        seen.by_items.iter().filter(|t| t.direct < t.code).map(|t| t.items.to_string()).collect();
    match wins.is_empty() {
        true => writeln!(page, "\nDirect calls take fewer tokens nowhere on this curve."),
        false => writeln!(
            page,
            "\nDirect calls take fewer tokens at {} items: finding and reading a tool's type costs \
             more than calling a tool that is known.",
            wins.join(", ")
        ),
    }
}

fn containment(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(
        page,
        "\n## Hostile programs\n\nTime to the answer, its size, the hub's memory after; **gone** \
         where the next program got no answer. Below, how the answers begin.\n"
    )?;
    write!(page, "| subject |")?;
    PROBES.iter().try_for_each(|probe| write!(page, " {} |", probe.name))?;
    write!(page, "\n|---|")?;
    PROBES.iter().try_for_each(|_| write!(page, "---|"))?;
    for (name, row) in &seen.contained {
        write!(page, "\n| {name} |")?;
        for finding in row {
            let Some(finding) = finding else {
                write!(page, " did not start |")?;
                continue;
            };
            let then = if finding.serves_on { "" } else { ", **gone**" };
            write!(
                page,
                " {:.1} s, {}, {:.0} MiB{then} |",
                finding.wall.as_secs_f64(),
                size(finding.bytes),
                finding.memory
            )?;
        }
    }
    writeln!(page, "\n")?;
    for (at, probe) in PROBES.iter().enumerate() {
        writeln!(page, "- {}", probe.name)?;
        for (name, row) in &seen.contained {
            if let Some(Some(finding)) = row.get(at) {
                writeln!(page, "  - {name}: {}", in_a_line(&finding.said))?;
            }
        }
    }
    Ok(())
}

fn size(bytes: usize) -> String {
    match bytes {
        0 => "no answer".to_owned(),
        1..10_000 => format!("{bytes} B"),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Short, and harmless inside a list.
fn in_a_line(said: &str) -> String {
    let text: String = said.chars().take(90).collect();
    format!("`{}`", text.replace(['`', '\n'], " "))
}

fn resumed(page: &mut String, seen: &Seen) -> std::fmt::Result {
    writeln!(
        page,
        "\n## Killed while a program waits for a person\n\n| subject | after start and yes |\n|---|---|"
    )?;
    seen.resumed.iter().try_for_each(|(name, said)| {
        writeln!(page, "| {name} | {} |", said.replace(['|', '\n'], " "))
    })
}

fn catalogue_curve(seen: &Seen) -> String {
    let curve = |value: fn(&Static) -> usize| {
        seen.by_catalogue.iter().map(|s| (s.tools as f64, value(s) as f64)).collect()
    };
    let hub = curve(|s| s.hub);
    let used = curve(|s| s.hub + s.search + s.describe);
    draw(
        "Tokens before the first call",
        "tools connected",
        "tokens",
        &[
            Curve { name: "direct", points: curve(|s| s.direct) },
            Curve { name: "hub + search + describe", points: used },
            Curve { name: "hub", points: hub },
        ],
    )
}

fn items_curve(seen: &Seen) -> String {
    let curve = |value: fn(&Task) -> usize| {
        seen.by_items.iter().map(|t| (t.items as f64, value(t) as f64)).collect()
    };
    let points = [
        Curve { name: "direct calls", points: curve(|t| t.direct) },
        Curve { name: "programs", points: curve(|t| t.code) },
    ];
    draw("Tokens of one task", "items", "tokens", &points)
}
