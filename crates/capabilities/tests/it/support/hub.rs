//! The hub as a process.

use super::Terminal;
use hub_core::catalog::Transport;
use hub_core::owner::ElicitationMode;
use hub_engine::{NewSource, Refreshed};
use hub_server::api::Call;
use hub_server::api::keys::issue::Issue;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A hub with its folder. Dropping it kills it.
pub struct TestHub {
    /// Its folder.
    pub home: PathBuf,
    /// The port it listens on.
    pub port: u16,
    child: Option<Child>,
    has_screen: bool,
    _folder: tempfile::TempDir,
}

/// What a command did.
pub struct Ran {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Ran {
    /// Standard output as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("{e}: {} {} {}", self.code, self.out, self.err))
    }
}

impl TestHub {
    /// The program under test.
    pub const BIN: &str = env!("CARGO_BIN_EXE_capabilities");

    /// A folder without a hub.
    pub fn stopped() -> Self {
        let folder = tempfile::Builder::new().prefix("hub").tempdir().unwrap();
        let home = folder.path().join("home");
        Self { home, port: 0, child: None, has_screen: false, _folder: folder }
    }

    /// A hub that listens.
    pub fn start() -> Self {
        let mut hub = Self::stopped();
        hub.restart();
        hub
    }

    /// A hub with the tracker, on a machine with a screen: what is opened there is written down.
    pub fn with_screen() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let mut hub = Self::with_tracker();
        assert_eq!(hub.stop(), 0);
        let opener = hub.home.join("bin/xdg-open");
        std::fs::create_dir(hub.home.join("bin")).unwrap();
        let script = format!("#!/bin/sh\necho \"$1\" >> {}\n", hub.home.join("opened").display());
        std::fs::write(&opener, script).unwrap();
        std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o700)).unwrap();
        hub.has_screen = true;
        hub.restart();
        hub
    }

    /// The files that were opened on the screen, waiting for the first.
    #[track_caller]
    pub fn opened(&self) -> Vec<PathBuf> {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let text = std::fs::read_to_string(self.home.join("opened")).unwrap_or_default();
            if !text.is_empty() {
                return text.lines().map(PathBuf::from).collect();
            }
            assert!(Instant::now() < end, "nothing was opened");
            std::thread::yield_now();
        }
    }

    /// A key of this mode, as a person would have allowed it.
    pub fn key_of(&self, client: &str, mode: ElicitationMode) -> String {
        let issue = Issue { client: client.to_owned(), mode, dedupe: true };
        self.api(&issue).unwrap().token
    }

    /// A hub with the sample tracker behind it, whose calls are counted.
    pub fn with_tracker() -> Self {
        let hub = Self::start();
        let (state, calls) = (hub.home.join("issues.json"), hub.calls_file());
        let args = [
            "sample-server",
            "--state",
            state.to_str().unwrap(),
            "--calls",
            calls.to_str().unwrap(),
        ];
        let added = hub.add("tracker", Self::BIN, &args);
        assert_eq!(added.view.problem, None);
        hub
    }

    /// Starts the hub in the foreground and waits until it listens.
    #[track_caller]
    pub fn restart(&mut self) {
        assert!(self.child.is_none(), "it runs");
        let mut child = self
            .start_command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(self.log())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line)
            .unwrap_or_else(|_| panic!("the hub did not start: {}", self.log_text()));
        let url = told["urls"][0].as_str().unwrap();
        self.port = url.rsplit(':').next().unwrap().trim_end_matches("/mcp").parse().unwrap();
        self.child = Some(child);
    }

    fn start_command(&self) -> Command {
        let args = ["--json", "hub", "start", "--port", "0"];
        if !self.has_screen {
            return self.command(&[&args[..], &["--no-browser"]].concat());
        }
        let mut command = self.command(&args);
        let path = format!("{}:/usr/bin:/bin", self.home.join("bin").display());
        command.env("DISPLAY", ":9").env("PATH", path);
        command
    }

    /// Ends it as a power cut would: without a word.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Ends it by `hub stop`, and returns its exit code.
    pub fn stop(&mut self) -> i32 {
        let ran = self.run(&["hub", "stop"]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        self.child.take().unwrap().wait().unwrap().code().unwrap()
    }

    /// The program with arguments, on this folder.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(Self::BIN);
        command.env("CAPABILITIES_HOME", &self.home).env("NO_COLOR", "1").args(args);
        command
    }

    /// Runs a command to its end, away from any terminal.
    pub fn run(&self, args: &[&str]) -> Ran {
        let mut detached = Command::new("setsid");
        detached.arg("-w").arg(Self::BIN).args(args);
        detached.env("CAPABILITIES_HOME", &self.home).env("NO_COLOR", "1");
        ran(detached.stdin(Stdio::null()).output().unwrap())
    }

    /// Runs a command with something on its standard input.
    pub fn run_with(&self, args: &[&str], input: &str) -> Ran {
        use std::io::Write;
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        ran(child.wait_with_output().unwrap())
    }

    /// Runs a command in a terminal of its own.
    pub fn terminal(&self, args: &[&str]) -> Terminal {
        Terminal::run(&self.home, args)
    }

    /// Calls the API as the command line does, without its gate.
    pub fn api<C: Call>(&self, request: &C) -> Result<C::Answer, hub_server::client::CallError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let socket = self.home.join("run").join(hub_server::HUB_SOCKET);
        runtime.block_on(hub_server::client::call(&socket, request))
    }

    /// Adds a stdio source.
    #[track_caller]
    pub fn add(&self, name: &str, command: &str, args: &[&str]) -> Refreshed {
        self.add_at(
            name,
            Transport::Stdio {
                command: command.to_owned(),
                args: args.iter().map(|a| (*a).to_owned()).collect(),
                env: Default::default(),
                cwd: None,
            },
        )
    }

    /// Adds a source.
    #[track_caller]
    pub fn add_at(&self, name: &str, transport: Transport) -> Refreshed {
        let source = NewSource {
            name: name.to_owned(),
            transport,
            trusted: true,
            effects: Default::default(),
            timeout_ms: None,
            concurrency: None,
            from_file: false,
        };
        self.api(&hub_server::api::sources::add::Add { source }).unwrap()
    }

    /// Names of the tracker's tools in the order they were called.
    pub fn calls(&self) -> Vec<String> {
        let calls = self.whole_calls();
        calls.iter().map(|call| call["tool"].as_str().unwrap().to_owned()).collect()
    }

    /// The tracker's calls with their arguments.
    pub fn whole_calls(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.calls_file()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn calls_file(&self) -> PathBuf {
        self.home.join("calls.jsonl")
    }

    /// The local server key.
    pub fn key(&self) -> String {
        std::fs::read_to_string(self.home.join("local.key")).unwrap().trim().to_owned()
    }

    fn log(&self) -> std::fs::File {
        let path = self.home.parent().unwrap().join("log");
        std::fs::File::options().append(true).create(true).open(path).unwrap()
    }

    /// What the hub wrote.
    pub fn log_text(&self) -> String {
        let path = self.home.parent().unwrap().join("log");
        std::fs::read_to_string(path).unwrap_or_default()
    }
}

impl Drop for TestHub {
    fn drop(&mut self) {
        if self.child.is_some() {
            self.kill();
        } else {
            stop_background(&self.home);
        }
    }
}

/// A hub that a command started in the background outlives the test unless it is told.
fn stop_background(home: &Path) {
    if home.join("run").join(hub_server::HUB_SOCKET).exists() {
        let mut stop = Command::new(TestHub::BIN);
        stop.env("CAPABILITIES_HOME", home).args(["hub", "stop"]).stdin(Stdio::null());
        // There may be none any more.
        let _ = stop.output();
    }
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}
