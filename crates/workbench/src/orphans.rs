//! `cargo xtask orphans`: the real hub ended by SIGKILL at a random moment, with a source behind
//! it that resists: it ignores the end of its input and SIGTERM, and so do its children, one of
//! which has left its group. Nothing of it may outlive the hub.

use crate::hub_process::{Dice, Hub, number, processes_of, seed, this_program, wait_for};
use hub_server::api::sources::refresh::Refresh;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use xtask::Failure;

/// The hidden argument that makes this program the source.
const FLAG: &str = "--serve";
/// Kills where none are asked for.
const KILLS: usize = 20;
/// Hubs at once.
const LANES: usize = 4;
/// Milliseconds after the source was asked for, at most, at which the hub is ended.
const LATEST_MS: usize = 800;

/// `orphans [--kills N] [--lanes L] [--seed S] [--binary FILE]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    if let [flag, folder] = args
        && flag == FLAG
    {
        return serve(folder);
    }
    let (kills, lanes) = (number(args, "--kills", KILLS)?, number(args, "--lanes", LANES)?);
    let seed = seed(args)?;
    let folder = tempfile::tempdir()?;
    let hubs: Vec<Hub> = (0..lanes.max(1))
        .map(|lane| Hub::find(args, folder.path().join(format!("lane{lane}"))))
        .collect::<Result<_, _>>()?;
    let (next, orphans) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let with_children = AtomicUsize::new(0);
    let failed = std::thread::scope(|scope| {
        let tally = (&next, &orphans, &with_children);
        let start = |hub| scope.spawn(move || lane(hub, kills, seed, tally));
        let lanes: Vec<_> = hubs.iter().map(start).collect();
        lanes.into_iter().filter_map(|lane| lane.join().ok()?.err()).next()
    });
    let (orphans, with_children) = (orphans.into_inner(), with_children.into_inner());
    println!(
        "{kills} kills (seed {seed}), {with_children} with a source at work: {orphans} orphans"
    );
    match failed {
        Some(failure) => Err(failure),
        None if orphans > 0 => Err(Failure::from("something outlived its hub; see above")),
        None if with_children == 0 => Err(Failure::from("no source ever ran: nothing was shown")),
        None => Ok(()),
    }
}

/// The next kill, orphans, and kills with a source at work.
type Tally<'a> = (&'a AtomicUsize, &'a AtomicUsize, &'a AtomicUsize);

/// Kills until all kills are done.
fn lane(
    hub: &Hub,
    kills: usize,
    seed: u64,
    (next, orphans, with_children): Tally<'_>,
) -> Result<(), Failure> {
    std::fs::create_dir_all(&hub.home)?;
    let mut first = true;
    loop {
        let kill = next.fetch_add(1, Ordering::SeqCst);
        if kill >= kills {
            return Ok(());
        }
        let mut process = hub.start()?;
        if std::mem::take(&mut first) {
            let mark = hub.home.to_string_lossy().into_owned();
            hub.add("family", this_program(&["orphans", FLAG, &mark])?)?;
            process.kill()?;
            process.wait()?;
            settle(hub, kill, orphans);
            process = hub.start()?;
        }
        let ms = Dice::new(seed ^ kill as u64).roll(LATEST_MS);
        std::thread::scope(|scope| {
            scope.spawn(|| hub.call(&Refresh { name: "family".into() }).is_ok());
            std::thread::sleep(Duration::from_millis(ms as u64));
            // Hub, keeper and at least one of the family.
            let all = processes_of(&hub.home).len();
            with_children.fetch_add(usize::from(all > 2), Ordering::SeqCst);
            process.kill().and_then(|()| process.wait())
        })?;
        settle(hub, kill, orphans);
    }
}

/// Waits until nothing is left of a hub; what is left in the end is counted and ended.
fn settle(hub: &Hub, kill: usize, orphans: &AtomicUsize) {
    if wait_for(|| processes_of(&hub.home).is_empty()) {
        return;
    }
    for pid in processes_of(&hub.home) {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        println!("kill {kill}: left {pid} {}", String::from_utf8_lossy(&line).replace('\0', " "));
        orphans.fetch_add(1, Ordering::SeqCst);
        end(pid);
    }
}

fn end(pid: u32) {
    // By its number, and it was just seen to be ours.
    let _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
}

/// The source: starts its family, answers its list, and does not end by itself.
fn serve(folder: &str) -> Result<(), Failure> {
    // `$0` is the folder, by which all of them are found.
    let stays = "trap '' TERM HUP INT; while :; do sleep 5; done";
    let left = format!("setsid sh -c \"{stays}\" \"$0\" & {stays}");
    for script in [stays, &left] {
        let mut child = Command::new("sh");
        let child = child.args(["-c", script, folder]).stdin(Stdio::null()).stdout(Stdio::null());
        child.spawn()?;
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(asked) = serde_json::from_str::<Value>(&line) else { continue };
        let result = match asked["method"].as_str() {
            Some("server/discover") => json!({ "resultType": "complete", "ttlMs": 0,
                "supportedVersions": ["2026-07-28"], "cacheScope": "private",
                "capabilities": { "tools": {} } }),
            Some("tools/list") => json!({ "resultType": "complete", "tools": [] }),
            _ => continue,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{}", json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))?;
        out.flush()?;
    }
    // Its input has ended, and it stays.
    loop {
        std::thread::sleep(Duration::from_secs(600));
        if !Path::new(folder).exists() {
            return Ok(());
        }
    }
}
