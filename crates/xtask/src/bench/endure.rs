//! The hub alone: how quick it is up, how small it stays, what an effect costs.

use super::client::Client;
use super::context::with_tools;
use super::fixture;
use super::hub::Hub;
use super::process;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::Failure;

/// Tools of the hub whose start and memory are measured.
const TOOLS: usize = 1_000;

/// Starts that are measured; the best stands in the table with the median.
const STARTS: usize = 7;

/// What was seen.
pub struct Endurance {
    /// From the process to the first answer of a program, catalogue cached; each start.
    pub starts: Vec<Duration>,
    /// Resident memory right after that, in MiB.
    pub idle: f64,
    /// Runs made.
    pub runs: usize,
    /// On the way: after so many runs, memory in MiB and the CPU of one run since the last look.
    pub growth: Vec<(usize, f64, Duration)>,
    /// Descriptors before and after them.
    pub descriptors: (usize, usize),
    /// Wall and CPU of 100 effects in a row, safe from power loss and safe from a crash.
    pub durability: Vec<(&'static str, Duration, Duration)>,
    /// Bytes of the binary.
    pub binary: u64,
}

/// Measures it all with so many runs in the endurance part.
pub fn measure(binary: &Path, runs: usize) -> Result<Endurance, Failure> {
    println!("start, memory and {runs} runs …");
    let mut hub = with_tools(binary, TOOLS)?;
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        hub.api("/api/hub/stop", &json!({}))?;
        hub.wait()?;
        let began = Instant::now();
        hub.begin()?;
        let mut client = hub.connect()?;
        trivial(&mut client)?;
        starts.push(began.elapsed());
        client.close();
    }
    starts.sort();
    std::thread::sleep(Duration::from_secs(3));
    let idle = hub.memory(fixture::NAME);
    let mut client = hub.connect()?;
    let warm_up = runs.div_ceil(10);
    for _ in 0..warm_up {
        trivial(&mut client)?;
    }
    let before = process::descriptors(hub.pid());
    let growth = growth(&hub, &mut client, runs)?;
    let after = process::descriptors(hub.pid());
    Ok(Endurance {
        starts,
        idle,
        runs,
        growth,
        descriptors: (before, after),
        durability: vec![
            effects(binary, "power", "safe from power loss")?,
            effects(binary, "process", "safe from a crash of the hub")?,
        ],
        binary: std::fs::metadata(binary)?.len(),
    })
}

/// Looks after a tenth, a half and all of the runs. What grows with the runs that were made shows
/// in the memory or in the CPU of the last ones.
fn growth(
    hub: &Hub,
    client: &mut Client,
    runs: usize,
) -> Result<Vec<(usize, f64, Duration)>, Failure> {
    let mut seen = vec![(0, hub.memory(fixture::NAME), Duration::ZERO)];
    let mut done = 0;
    for look in [runs.div_ceil(10), runs.div_ceil(2), runs] {
        let processes = process::tree_without(&[hub.pid()], fixture::NAME);
        let before = process::cpu(&processes);
        let made = look - done;
        for _ in 0..made {
            trivial(client)?;
        }
        done = look;
        let cpu = process::cpu(&processes).saturating_sub(before);
        let each = cpu / u32::try_from(made.max(1)).unwrap_or(u32::MAX);
        let memory = hub.memory(fixture::NAME);
        println!("after {done} runs: {memory:.1} MiB, {each:.2?} of CPU per run");
        seen.push((done, memory, each));
    }
    Ok(seen)
}

fn trivial(client: &mut Client) -> Result<(), Failure> {
    let answer = client.call("execute", &json!({ "code": "return 1" }))?;
    let is_right = answer["structuredContent"]["result"] == 1;
    if is_right { Ok(()) } else { Err(Failure(format!("not 1 but {answer}"))) }
}

/// A hundred effects, one after the other, ten times.
fn effects(
    binary: &Path,
    setting: &str,
    meaning: &'static str,
) -> Result<(&'static str, Duration, Duration), Failure> {
    let hub = Hub::start(binary, &format!("durability = \"{setting}\"\n"))?;
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    hub.add("area", &[this, fixture::NAME.into()], json!({}))?;
    hub.rule("area.note", "allow")?;
    let mut client = hub.connect()?;
    let code = "for (let i = 0; i < 100; i++) await area.note({ message: 'kept' }); return 1";
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..10 {
        let processes = process::tree_without(&[hub.pid()], fixture::NAME);
        let (cpu, began) = (process::cpu(&processes), Instant::now());
        let answer = client.call("execute", &json!({ "code": code }))?;
        if answer["structuredContent"]["status"] != "completed" {
            return Err(Failure(format!("the effects did not complete: {answer}")));
        }
        let wall = began.elapsed();
        best = (best.0.min(wall), best.1.min(process::cpu(&processes).saturating_sub(cpu)));
    }
    Ok((meaning, best.0, best.1))
}
