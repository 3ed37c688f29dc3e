//! The hub under measure: the release binary with a folder of its own.

use super::client::Client;
use super::process;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::Failure;

/// How long a hub may take to come up.
const PATIENCE: Duration = Duration::from_secs(60);

/// A hub that runs, in a folder that goes away with it.
pub struct Hub {
    binary: PathBuf,
    home: tempfile::TempDir,
    process: Option<Child>,
}

impl Hub {
    /// Starts one that knows no sources.
    pub fn start(binary: &Path, config: &str) -> Result<Self, Failure> {
        let home = tempfile::tempdir()?;
        std::fs::write(home.path().join("limits.toml"), config)?;
        let mut hub = Self { binary: binary.to_owned(), home, process: None };
        hub.begin()?;
        Ok(hub)
    }

    /// Starts the process again over the same folder.
    pub fn begin(&mut self) -> Result<(), Failure> {
        let mut command = self.command();
        command.args(["hub", "start", "--port", "0", "--no-browser"]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn()?);
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if self.api("/api/hub/status", &json!({})).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Err("the hub did not come up".into())
    }

    /// Waits for the process to end by itself.
    pub fn wait(&mut self) -> Result<(), Failure> {
        if let Some(mut process) = self.process.take() {
            process.wait()?;
        }
        Ok(())
    }

    /// Ends the process at once, as a crash does.
    pub fn kill(&mut self) -> Result<(), Failure> {
        if let Some(mut process) = self.process.take() {
            process.kill()?;
            process.wait()?;
        }
        Ok(())
    }

    /// A command of the binary over this folder.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.arg("--home").arg(self.home.path());
        command
    }

    /// The hub's process.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }

    /// Memory of the hub, its reaper and its workers in MiB, the sources aside.
    pub fn memory(&self, marker: &str) -> f64 {
        process::memory(&process::tree_without(&[self.pid()], marker))
    }

    /// Adds a source that is reached by a command.
    pub fn add(&self, name: &str, command: &[String], effects: Value) -> Result<(), Failure> {
        let transport = json!({ "kind": "stdio", "command": command[0], "args": command[1..] });
        let source =
            json!({ "name": name, "transport": transport, "trusted": true, "effects": effects });
        self.api("/api/sources/add", &json!({ "source": source })).map(|_| ())
    }

    /// Lets everything through that `pattern` names, or asks.
    pub fn rule(&self, pattern: &str, decision: &str) -> Result<(), Failure> {
        let rule = json!({ "pattern": pattern, "decision": decision });
        self.api("/api/policy/set", &json!({ "rule": rule, "who": "bench" })).map(|_| ())
    }

    /// Connects over HTTP with a key of its own; identical programs run anew.
    pub fn connect(&self) -> Result<Client, Failure> {
        let wish = json!({ "client": "bench", "mode": "browser", "dedupe": false });
        let issued = self.api("/api/keys/issue", &wish)?;
        let status = self.api("/api/hub/status", &json!({}))?;
        let address = status["addresses"][0].as_str().ok_or("the hub listens nowhere")?;
        let token = issued["token"].as_str().ok_or("no token")?;
        Client::connect(&format!("http://{address}/mcp"), token)
    }

    /// Posts to the hub's socket, as its command line does.
    pub fn api(&self, path: &str, request: &Value) -> Result<Value, Failure> {
        let mut stream = UnixStream::connect(self.home.path().join("run/hub.sock"))?;
        let body = request.to_string();
        write!(
            stream,
            "POST {path} HTTP/1.0\r\nhost: hub\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or("the hub did not answer")?;
        if !head.split(' ').nth(1).is_some_and(|status| status.starts_with('2')) {
            return Err(Failure(format!("{path}: {body}")));
        }
        Ok(serde_json::from_str(body)?)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        if self.api("/api/hub/stop", &json!({})).is_err() {
            // It may be gone already, which is what is wanted.
            let _gone = process.kill();
        }
        let _ended = process.wait();
    }
}
