//! Kills servers at random, by their number, while the soak goes on.

use super::{pause, server};
use crate::hub_process::{Dice, wait_for};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use xtask::Failure;

/// Milliseconds between two kills, at most.
const BETWEEN_MS: usize = 2_000;

/// A server on the web; started again on the same port where it was killed.
pub struct Web {
    /// Its port.
    pub port: u16,
    args: Vec<String>,
    child: Child,
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Web {
    /// Starts one on a free port.
    pub fn start(era: &str, name: &str, folder: &str) -> Result<Self, Failure> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let port_text = port.to_string();
        let args = ["soak", server::FLAG, "http", era, name, folder, &port_text];
        let args: Vec<String> = args.map(str::to_owned).to_vec();
        Ok(Self { port, child: spawn(&args, port)?, args })
    }

    fn kill_and_start(&mut self) -> Result<(), Failure> {
        self.child.kill()?;
        self.child.wait()?;
        self.child = spawn(&self.args, self.port)?;
        Ok(())
    }
}

fn spawn(args: &[String], port: u16) -> Result<Child, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let child = command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
    wait_for(|| TcpStream::connect(("127.0.0.1", port)).is_ok());
    Ok(child)
}

/// Kills until it is over; how many.
pub fn run(folder: &Path, web: &mut [Web], over: &AtomicBool, mut dice: Dice) -> usize {
    let mut kills = 0;
    while !over.load(Ordering::SeqCst) {
        pause(over, dice.roll(BETWEEN_MS));
        let pipes = on_pipes(folder);
        let killed = match dice.roll(2) {
            0 if !pipes.is_empty() => kill(pipes[dice.roll(pipes.len())]),
            _ => {
                let at = dice.roll(web.len());
                web.get_mut(at).is_some_and(|web| web.kill_and_start().is_ok())
            }
        };
        kills += usize::from(killed);
    }
    kills
}

fn kill(pid: u32) -> bool {
    Command::new("kill").args(["-9", &pid.to_string()]).status().is_ok_and(|done| done.success())
}

/// Numbers of the servers on standard streams that live at this moment.
fn on_pipes(folder: &Path) -> Vec<u32> {
    let mark = format!("\0{}\0stdio\0", server::FLAG);
    let folder = folder.to_string_lossy().into_owned();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains(&mark) && line.contains(&folder)
        })
        .collect()
}
