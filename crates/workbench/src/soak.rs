//! `cargo xtask soak`: many agents on one real hub with many sources, which are killed at random
//! while answers are lost at random. Every source writes its effects down; in the end each effect
//! happened as often as its agent was told, and nothing has leaked.

mod agent;
mod kill;
mod server;
mod watch;

use crate::hub_process::{Dice, Hub, number, processes_of, seed, this_program, wait_for};
use agent::{Agent, Told};
use hub_core::catalog::Transport;
use hub_core::owner::ElicitationMode;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::hub::stop::Stop;
use hub_server::api::keys::issue::Issue;
use std::collections::HashMap;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use watch::Watch;
use xtask::Failure;

/// Agents, sources and seconds where none are asked for.
const DEFAULTS: [usize; 3] = [100, 20, 300];

/// `soak [--agents N] [--sources N] [--seconds S] [--seed S] [--binary FILE]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    if let [flag, rest @ ..] = args
        && flag == server::FLAG
    {
        return server::run(rest);
    }
    let agents = number(args, "--agents", DEFAULTS[0])?;
    let sources = number(args, "--sources", DEFAULTS[1])?.max(2);
    let seconds = number(args, "--seconds", DEFAULTS[2])?;
    let seed = seed(args)?;
    let folder = tempfile::tempdir()?;
    let hub = Hub::find(args, folder.path().join("hub"))?;
    let mut process = hub.start()?;
    let soaked = soak(&hub, &process, folder.path(), &[agents, sources, seconds], seed);
    let stopped = hub.call(&Stop {});
    if stopped.is_err() {
        process.kill()?;
    }
    process.wait()?;
    let mut found = soaked?;
    // The web sources have ended with the soak, the others and the keeper end with the hub.
    wait_for(|| processes_of(folder.path()).is_empty());
    found.processes = processes_of(folder.path()).len();
    println!("{}", found.line(&[agents, sources, seconds], seed));
    match found.faults() {
        0 => Ok(()),
        _ => Err(Failure::from("a call was lost or doubled, or something leaked; see above")),
    }
}

/// What came of it.
#[derive(Default)]
struct Found {
    programs: usize,
    effects: usize,
    unknown: usize,
    answers_lost: usize,
    kills: usize,
    doubled: usize,
    lost: usize,
    failed: usize,
    processes: usize,
    descriptors: (usize, usize),
    kilobytes: (usize, usize),
}

impl Found {
    fn leaked_descriptors(&self) -> usize {
        self.descriptors.1.saturating_sub(self.descriptors.0 + watch::SPARE_DESCRIPTORS)
    }

    /// Whether the hub holds clearly more at the end than once it was warm.
    fn grows(&self) -> bool {
        self.kilobytes.1 > self.kilobytes.0 + self.kilobytes.0 / 4 + watch::SPARE_KILOBYTES
    }

    fn faults(&self) -> usize {
        let leaks = self.processes + self.leaked_descriptors() + usize::from(self.grows());
        self.doubled + self.lost + self.failed + leaks
    }

    fn line(&self, [agents, sources, seconds]: &[usize; 3], seed: u64) -> String {
        let ((d0, d1), (k0, k1)) = (self.descriptors, self.kilobytes);
        format!(
            "{seconds} s, {agents} agents, {sources} sources (seed {seed}): {} programs, {} effects \
             ({} of unknown outcome), {} answers lost, {} servers killed: {} doubled, {} lost, \
             {} failed, {} processes left, descriptors {d0} -> {d1}, memory {} -> {} MiB",
            self.programs,
            self.effects,
            self.unknown,
            self.answers_lost,
            self.kills,
            self.doubled,
            self.lost,
            self.failed,
            self.processes,
            k0 / 1024,
            k1 / 1024,
        )
    }
}

fn soak(
    hub: &Hub,
    process: &Child,
    folder: &Path,
    [agents, sources, seconds]: &[usize; 3],
    seed: u64,
) -> Result<Found, Failure> {
    hub.allow_all()?;
    let mut web = add_sources(hub, folder, *sources)?;
    let status = hub.call(&AskStatus {})?;
    let port = status.addresses.first().ok_or("the hub listens nowhere")?.port();
    let agents: Vec<Agent> = (0..*agents)
        .map(|n| {
            let (client, mode) = (format!("agent{n}"), ElicitationMode::Browser);
            let issued = hub.call(&Issue { client, mode, dedupe: true })?;
            Ok(Agent { n, port, token: issued.token, sources: *sources })
        })
        .collect::<Result<_, Failure>>()?;
    let over = AtomicBool::new(false);
    let watch = Watch::new(process.id());
    let mut found = Found::default();
    let mut told = Vec::new();
    std::thread::scope(|scope| {
        let over = &over;
        let web = &mut web;
        let killing = scope.spawn(move || kill::run(folder, web, over, Dice::new(seed)));
        let asking: Vec<_> =
            agents.iter().map(|agent| scope.spawn(|| agent.work(over, seed))).collect();
        found.kilobytes = watch.through(Duration::from_secs(*seconds as u64));
        over.store(true, Ordering::SeqCst);
        for agent in asking {
            match agent.join() {
                Ok(mut of_one) => told.append(&mut of_one),
                Err(_) => found.failed += 1,
            }
        }
        found.kills = killing.join().unwrap_or_default();
    });
    found.descriptors = watch.settled();
    count(folder, *sources, &told, &mut found)?;
    Ok(found)
}

/// Half of them on standard streams, half of them on the web; both eras of each.
fn add_sources(hub: &Hub, folder: &Path, sources: usize) -> Result<Vec<kill::Web>, Failure> {
    let mut web = Vec::new();
    let folder = folder.to_string_lossy().into_owned();
    for n in 0..sources {
        let (name, era) = (format!("s{n}"), if n % 4 < 2 { "modern" } else { "legacy" });
        let transport = match n % 2 {
            0 => this_program(&["soak", server::FLAG, "stdio", era, &name, &folder])?,
            _ => {
                let server = kill::Web::start(era, &name, &folder)?;
                let url = format!("http://127.0.0.1:{}/mcp", server.port);
                web.push(server);
                Transport::Http { url }
            }
        };
        hub.add(&name, transport)?;
    }
    Ok(web)
}

/// Compares what the sources wrote down with what the agents were told.
fn count(folder: &Path, sources: usize, told: &[Told], found: &mut Found) -> Result<(), Failure> {
    let mut done: HashMap<String, usize> = HashMap::new();
    for n in 0..sources {
        let book = std::fs::read_to_string(server::book(folder, &format!("s{n}")));
        for id in book.unwrap_or_default().lines() {
            *done.entry(id.to_owned()).or_default() += 1;
        }
    }
    found.effects = done.values().sum();
    for told in told {
        found.programs += 1;
        found.answers_lost += told.answers_lost;
        if let Some(failure) = &told.failure {
            println!("failed: {failure}");
            found.failed += 1;
        }
        for (id, outcome) in &told.outcomes {
            let times = done.remove(id).unwrap_or(0);
            let fits = match outcome.as_str() {
                "ok" => times == 1,
                "outcome_unknown" => {
                    found.unknown += 1;
                    times <= 1
                }
                // Never sent.
                _ => times == 0,
            };
            if times > 1 {
                println!("doubled: {id} happened {times} times; told: {outcome}");
                found.doubled += 1;
            } else if !fits {
                println!("lost: {id} happened {times} times; told: {outcome}");
                found.lost += 1;
            }
        }
    }
    for (id, times) in done.into_iter().filter(|(_, times)| *times > 1) {
        println!("doubled: {id} happened {times} times and nobody was told");
        found.doubled += 1;
    }
    Ok(())
}

/// Whether it is time to end, looked at often enough while waiting.
fn pause(over: &AtomicBool, ms: usize) {
    let until = Instant::now() + Duration::from_millis(ms as u64);
    while !over.load(Ordering::SeqCst) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
}
