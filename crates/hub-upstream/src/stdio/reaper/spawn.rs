//! Starting one child of the reaper.
#![expect(unsafe_code, reason = "only code between fork and exec can ask to die with the parent")]

use rustix::fd::OwnedFd;
use rustix::process::{Signal, set_parent_process_death_signal};
use std::collections::BTreeMap;
use std::io::Result;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Marks every process that came of a child, even one that left its group and its parents.
pub(super) const MARK: &str = "CAPABILITIES_CHILD";

/// Starts a child in its own group; it dies with the reaper's one thread. Returns its pid; the
/// keeper waits for it.
pub(super) fn spawn(
    command: &str,
    args: &[String],
    env: &BTreeMap<String, String>,
    cwd: Option<&str>,
    mark: &str,
    [stdin, stdout, stderr]: [OwnedFd; 3],
) -> Result<u32> {
    let mut child = Command::new(command);
    child.args(args).env_clear().envs(env).env(MARK, mark).process_group(0);
    child.stdin(stdin).stdout(stdout).stderr(stderr);
    if let Some(cwd) = cwd {
        child.current_dir(cwd);
    }
    let die_with_parent = || Ok(set_parent_process_death_signal(Some(Signal::KILL))?);
    // SAFETY: the closure makes one system call and touches no memory of the parent.
    unsafe { child.pre_exec(die_with_parent) };
    Ok(child.spawn()?.id())
}
