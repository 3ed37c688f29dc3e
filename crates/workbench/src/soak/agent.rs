//! One agent: sends programs, loses some answers on purpose, and sends the same again until it
//! is told how the program ended.

use super::pause;
use crate::hub_process::Dice;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The revision it speaks.
const VERSION: &str = "2026-07-28";
/// Milliseconds between two programs, at most.
const BETWEEN_MS: usize = 3_000;
/// One answer in so many is lost on purpose.
const LOSES: usize = 6;
/// Effects of one program at most.
const EFFECTS: usize = 6;
/// Attempts to learn how one program ended.
const ATTEMPTS: usize = 60;

/// An agent with a key of its own.
pub struct Agent {
    /// Which one.
    pub n: usize,
    /// Where the hub listens.
    pub port: u16,
    /// Its key.
    pub token: String,
    /// How many sources there are.
    pub sources: usize,
}

/// What it was told about one program.
#[derive(Default)]
pub struct Told {
    /// Effects by their id, and how the program saw each end.
    pub outcomes: Vec<(String, String)>,
    /// Answers that were lost.
    pub answers_lost: usize,
    /// The program did not end as it must.
    pub failure: Option<String>,
}

impl Agent {
    /// Works until it is over.
    pub fn work(&self, over: &AtomicBool, seed: u64) -> Vec<Told> {
        let mut dice = Dice::new(seed ^ (self.n as u64 + 1) << 20);
        let mut told = Vec::new();
        while !over.load(Ordering::SeqCst) {
            pause(over, dice.roll(BETWEEN_MS));
            let code = self.program(told.len(), &mut dice);
            told.push(self.run(&code, &mut dice));
        }
        told
    }

    /// Effects and reads on random sources: half of the programs all at once, half in a row.
    fn program(&self, turn: usize, dice: &mut Dice) -> String {
        let mut calls = Vec::new();
        for call in 0..=dice.roll(EFFECTS) {
            let id = format!("a{}-p{turn}-c{call}", self.n);
            let (add, get) = (dice.roll(self.sources), dice.roll(self.sources));
            let ms = dice.roll(40);
            calls.push(format!("() => one('{id}', s{add}.add({{ id: '{id}', ms: {ms} }}))"));
            calls.push(format!("() => s{get}.get({{ id: '-', ms: 1 }}).catch(() => null)"));
        }
        let how = match dice.roll(2) {
            0 => "await Promise.all(calls.map((call) => call()))",
            _ => "await calls.reduce(async (all, call) => [...await all, await call()], [])",
        };
        format!(
            "const one = (id, call) => call.then(() => [id, 'ok'], (e) => [id, e.code]);\n\
             const calls = [{}];\nreturn ({how}).filter((told) => told?.length === 2);",
            calls.join(", ")
        )
    }

    fn run(&self, code: &str, dice: &mut Dice) -> Told {
        let mut told = Told::default();
        for _ in 0..ATTEMPTS {
            let lost = dice.roll(LOSES) == 0;
            let wait = if lost { Some(dice.roll(300) as u64) } else { None };
            let Some(envelope) = self.execute(code, wait) else {
                told.answers_lost += usize::from(lost);
                std::thread::sleep(Duration::from_millis(dice.roll(200) as u64));
                continue;
            };
            match envelope["status"].as_str() {
                Some("completed") => {
                    let outcomes = serde_json::from_value(envelope["result"].clone());
                    match outcomes {
                        Ok(outcomes) => told.outcomes = outcomes,
                        Err(_) => told.failure = Some(envelope.to_string()),
                    }
                    return told;
                }
                Some("running" | "interrupted") => {}
                _ => {
                    told.failure = Some(envelope.to_string());
                    return told;
                }
            }
        }
        told.failure = Some(format!("never ended: {code}"));
        told
    }

    /// The envelope; none where the answer was lost, the hub busy or gone. `lose`: hang up after
    /// so many milliseconds.
    fn execute(&self, code: &str, lose: Option<u64>) -> Option<Value> {
        let params = json!({ "name": "execute", "arguments": { "code": code }, "_meta": {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "soak", "version": "1" } } });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{}\r\nconnection: close\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: {VERSION}\r\n\
             mcp-method: tools/call\r\nmcp-name: execute\r\ncontent-length: {}\r\n\r\n{body}",
            self.port,
            self.token,
            body.len()
        )
        .ok()?;
        if let Some(ms) = lose {
            std::thread::sleep(Duration::from_millis(ms));
            return None;
        }
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).ok()?;
        envelope(&String::from_utf8_lossy(&bytes))
    }
}

/// The structured content of the answer, which may be a stream and come in chunks. None where the
/// hub has no place for one more program: whoever was told so asks again.
fn envelope(answer: &str) -> Option<Value> {
    let (_, body) = answer.split_once("\r\n\r\n")?;
    let from = body.find("{\"jsonrpc\"").or_else(|| body.find('{'))?;
    // What follows is the end of a chunk or of an event.
    let mut messages = serde_json::Deserializer::from_str(&body[from..]).into_iter::<Value>();
    let message = messages.next()?.ok()?;
    let content = &message["result"]["structuredContent"];
    let is_refused = content["error"]["code"] == "busy";
    (content.is_object() && !is_refused).then(|| content.clone())
}
