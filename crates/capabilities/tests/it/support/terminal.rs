//! A command in a terminal of its own: a pseudo-terminal that is its controlling one.

use super::hub::TestHub;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

/// How long anything may take to be said. Reaching it fails the test.
const PATIENCE: Duration = Duration::from_secs(60);

/// The command and the person's side of its terminal.
pub struct Terminal {
    child: Child,
    hand: File,
    said: Receiver<String>,
    seen: String,
}

impl Terminal {
    /// Starts the program with `args` on the hub in `home`.
    pub fn run(home: &Path, args: &[&str]) -> Self {
        let mut command = Command::new("setsid");
        command.args(["-c", "-w", TestHub::BIN]).args(args);
        command.env("CAPABILITIES_HOME", home).env("NO_COLOR", "1");
        Self::start(command)
    }

    /// Starts any command whose first word makes the terminal its own.
    pub fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
        let slave = File::options().read(true).write(true).open(name).unwrap();
        let child = command
            .stdin(Stdio::from(slave.try_clone().unwrap()))
            .stdout(Stdio::from(slave.try_clone().unwrap()))
            .stderr(Stdio::from(slave))
            .spawn()
            .unwrap();
        drop(command);
        let hand = File::from(master);
        let mut eye = hand.try_clone().unwrap();
        let (tell, said) = sync_channel(1_024);
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            // An error is how a terminal says that everyone has left it.
            while let Ok(n @ 1..) = eye.read(&mut bytes) {
                if tell.send(String::from_utf8_lossy(&bytes[..n]).into_owned()).is_err() {
                    break;
                }
            }
        });
        Self { child, hand, said, seen: String::new() }
    }

    /// Waits until `text` is said; what was said before it is forgotten.
    #[track_caller]
    pub fn expect(&mut self, text: &str) {
        while !self.seen.contains(text) {
            match self.said.recv_timeout(PATIENCE) {
                Ok(more) => self.seen.push_str(&more),
                Err(_) => panic!("{text:?} was not said, but {:?}", self.seen),
            }
        }
        let end = self.seen.find(text).unwrap() + text.len();
        self.seen.drain(..end);
    }

    /// Types a line.
    pub fn answer(&mut self, line: &str) {
        writeln!(self.hand, "{line}").unwrap();
    }

    /// Waits for the end: exit code, and everything said since the last thing expected.
    pub fn end(mut self) -> (i32, String) {
        let status = self.child.wait().unwrap();
        while let Ok(more) = self.said.recv_timeout(Duration::from_secs(1)) {
            self.seen.push_str(&more);
        }
        (status.code().unwrap_or(-1), self.seen.replace("\r\n", "\n"))
    }
}
