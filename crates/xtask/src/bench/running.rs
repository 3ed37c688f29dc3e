//! A subject that runs, connected and ready for its first program.

use super::client::{Client, PATIENCE};
use super::executor::Executor;
use super::hub::Hub;
use super::place::{Place, UPSTREAM};
use super::process;
use super::subjects::{DIRECT, HUB, Language, PEERS, Subject};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::Failure;

/// A subject with its processes.
pub struct Running {
    /// Which.
    pub subject: &'static Subject,
    /// As it stands in the tables; a subject can be reached in two ways.
    pub label: String,
    /// Connected.
    pub client: Client,
    /// From the first process started to the first answer that a real call gave.
    pub ready: Duration,
    host: Host,
}

/// What lives beside the client's own process.
enum Host {
    None,
    Hub(Hub),
    Executor(Executor),
}

/// How the hub is configured for the bench: nothing but what it comes with.
pub const CONFIG: &str = "";

/// Starts a subject.
pub fn start(subject: &'static Subject, place: &Place, binary: &Path) -> Result<Running, Failure> {
    let began = Instant::now();
    let (host, client) = if std::ptr::eq(subject, &HUB) || subject.name == HUB.name {
        let hub = Hub::start(binary, CONFIG)?;
        hub.add("everything", &place.upstream(), json!({ "echo": "read" }))?;
        hub.rule("everything.echo", "allow")?;
        let client = hub.connect()?;
        (Host::Hub(hub), client)
    } else if let Some(command) = subject.command(place) {
        (Host::None, Client::start(&command, &place.env())?)
    } else {
        let executor = Executor::start(place)?;
        executor.add_echo()?;
        let client = executor.connect()?;
        (Host::Executor(executor), client)
    };
    let label = subject.name.to_owned();
    let mut running = Running { subject, label, client, ready: Duration::ZERO, host };
    running.client.ask("tools/list", &json!({}), PATIENCE)?;
    running.run(&subject.one(), "pong")?;
    running.ready = began.elapsed();
    Ok(running)
}

/// The floor, this hub and all peers; a peer that does not start is named and left out.
pub fn start_all(place: &Place, binary: &Path) -> Result<Vec<Running>, Failure> {
    let mut all = vec![start(&DIRECT, place, binary)?, start(&HUB, place, binary)?];
    for peer in PEERS {
        match start(peer, place, binary) {
            Ok(running) => all.push(running),
            Err(failure) => println!("{} is left out: {failure}", peer.name),
        }
    }
    Ok(all)
}

impl Running {
    /// Runs a program (for the floor: one call) and checks that `wanted` is in the answer.
    pub fn run(&mut self, program: &str, wanted: &str) -> Result<Value, Failure> {
        let answer = self.ask(program, PATIENCE)?;
        let text = answer.to_string();
        if answer["isError"] == true || !text.contains(wanted) {
            let shown: String = text.chars().take(400).collect();
            return Err(Failure(format!("{}: not {wanted:?} but {shown}", self.label)));
        }
        Ok(answer)
    }

    /// The same without a check, within a time.
    pub fn ask(&mut self, program: &str, within: Duration) -> Result<Value, Failure> {
        let arguments = match self.subject.language {
            Language::Direct => json!({ "message": "pong" }),
            _ => json!({ "code": program }),
        };
        let params = json!({ "name": self.subject.tool, "arguments": arguments });
        self.client.ask("tools/call", &params, within)
    }

    /// The processes of the hub itself: no client, no source.
    pub fn processes(&self) -> Vec<u32> {
        match &self.host {
            Host::Hub(hub) => process::tree_without(&[hub.pid()], UPSTREAM),
            Host::Executor(executor) => process::tree_without(&[executor.pid()], UPSTREAM),
            Host::None => {
                let roots: Vec<u32> = self.client.pid().into_iter().collect();
                process::tree_without(&roots, UPSTREAM)
            }
        }
    }

    /// Ends it all.
    pub fn close(self) {
        self.client.close();
        drop(self.host);
    }
}
