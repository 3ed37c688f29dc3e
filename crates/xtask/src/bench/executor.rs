//! Executor as a subject: its daemon, one OpenAPI source that echoes, and a connection to it.

use super::client::Client;
use super::place::Place;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use xtask::Failure;

/// A daemon that runs, in a folder that goes away with it.
pub struct Executor {
    echo: Child,
    home: tempfile::TempDir,
    binary: String,
    port: u16,
    document: String,
    process: Option<Child>,
}

impl Executor {
    /// Starts one with nothing connected.
    pub fn start(place: &Place) -> Result<Self, Failure> {
        let mut echo = Command::new(place.node())
            .arg(place.adapter("echo-openapi.mjs"))
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(echo.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let document = line.trim().to_owned();
        // Its port is an argument: take a free one and hope that it stays so for a moment.
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let binary = place.npm("node_modules/executor-linux-x64/bin/executor");
        let home = tempfile::tempdir()?;
        let mut executor = Self { echo, home, binary, port, document, process: None };
        executor.begin()?;
        Ok(executor)
    }

    /// Starts the daemon (again) over the same folder and waits until it answers.
    pub fn begin(&mut self) -> Result<(), Failure> {
        let port = self.port.to_string();
        let mut command = Command::new(&self.binary);
        command.args(["daemon", "run", "--port", &port, "--hostname", "127.0.0.1", "--foreground"]);
        command.env("HOME", self.home.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(command.spawn()?);
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(60) {
            if self.connect().is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err("Executor did not come up".into())
    }

    /// Ends the daemon at once.
    pub fn kill(&mut self) -> Result<(), Failure> {
        if let Some(mut process) = self.process.take() {
            for pid in super::process::tree(process.id()).into_iter().rev() {
                super::end(pid);
            }
            process.wait()?;
        }
        Ok(())
    }

    /// Adds the source `echo`; its own approval is answered as a model can.
    pub fn add_echo(&self) -> Result<(), Failure> {
        let mut client = self.connect()?;
        let spec = json!({ "spec": { "kind": "url", "url": self.document }, "slug": "echo" });
        let code = format!("return await tools.executor.openapi.addSpec({spec})");
        let asked = client.call("execute", &json!({ "code": code }))?;
        let id = &asked["structuredContent"]["executionId"];
        client.call("resume", &json!({ "executionId": id, "action": "accept" }))?;
        let connection = json!({
            "owner": "org", "name": "main", "integration": "echo", "template": "none", "values": {}
        });
        let url = format!("http://127.0.0.1:{}/api/connections", self.port);
        let config = ureq::Agent::config_builder().build();
        let post = ureq::Agent::new_with_config(config).post(url);
        let post = post.header("content-type", "application/json");
        post.send(connection.to_string()).map_err(|error| error.to_string())?;
        Ok(())
    }

    /// A program that asks a person, and the id to go on with.
    pub fn park(&self) -> Result<Value, Failure> {
        let spec = json!({ "spec": { "kind": "url", "url": self.document }, "slug": "second" });
        let code = format!("return await tools.executor.openapi.addSpec({spec})");
        let asked = self.connect()?.call("execute", &json!({ "code": code }))?;
        Ok(asked["structuredContent"]["executionId"].clone())
    }

    /// Connects to its endpoint.
    pub fn connect(&self) -> Result<Client, Failure> {
        Client::connect(&format!("http://127.0.0.1:{}/mcp", self.port), "")
    }

    /// The daemon's process.
    pub fn pid(&self) -> u32 {
        self.process.as_ref().map_or(0, Child::id)
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        // Both may be gone already, which is what is wanted.
        let _gone = self.kill();
        let _gone = self.echo.kill();
        let _ended = self.echo.wait();
    }
}
