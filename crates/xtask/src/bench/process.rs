//! What a tree of processes costs: CPU by the scheduler's clock, memory, descriptors.

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;
use std::fs;
use std::time::Duration;

/// A process and all that it started, as they are now; parents first.
pub fn tree(root: u32) -> Vec<u32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&pid) = found.get(next) {
        next += 1;
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { continue };
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children.split_whitespace().filter_map(|child| child.parse().ok());
            found.extend(children.collect::<Vec<u32>>());
        }
    }
    found
}

/// The same without the processes whose command line holds `marker`: the sources.
pub fn tree_without(roots: &[u32], marker: &str) -> Vec<u32> {
    let is_source = |pid: &u32| command_line(*pid).contains(marker);
    roots.iter().flat_map(|root| tree(*root)).filter(|pid| !is_source(pid)).collect()
}

/// CPU that these processes used so far, threads that ended included.
pub fn cpu(pids: &[u32]) -> Duration {
    pids.iter().filter_map(|pid| of_one(*pid)).sum()
}

fn of_one(pid: u32) -> Option<Duration> {
    let clock = clock_getcpuclockid(Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
    Some(Duration::from(clock.now().ok()?))
}

/// Resident memory in MiB; pages shared among processes are counted by their share.
pub fn memory(pids: &[u32]) -> f64 {
    let kib = |pid: &u32| -> f64 {
        let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:"));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").trim().parse().ok()).unwrap_or(0.0)
    };
    pids.iter().map(kib).sum::<f64>() / 1024.0
}

/// Open descriptors of one process.
pub fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

fn command_line(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ")
}
