//! The hub's process: started, asked, killed.

use super::source::{Source, Transport};
use super::{Told, wait_for};
use hub_engine::NewSource;
use hub_server::api::Call;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::sources::add::Add;
use hub_server::api::tools::execute::Execute;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xtask::Failure;

/// Builds the hub in the profile this chore was built in; returns its path.
pub fn build() -> Result<PathBuf, Failure> {
    let here = std::env::current_exe()?;
    let folder = here.parent().ok_or("this program stands in no folder")?;
    let mut build = xtask::cargo();
    build.args(["build", "--quiet", "--package", "capabilities"]);
    if folder.ends_with("release") {
        build.arg("--release");
    }
    if !build.status()?.success() {
        return Err(Failure::from("the hub does not build"));
    }
    Ok(folder.join("capabilities"))
}

/// A hub that dies and is started again on the same folder.
pub struct Hub {
    binary: PathBuf,
    home: PathBuf,
    process: Mutex<Option<Child>>,
}

impl Hub {
    /// Not started yet.
    pub fn new(binary: PathBuf, home: PathBuf) -> Self {
        Self { binary, home, process: Mutex::new(None) }
    }

    fn process(&self) -> MutexGuard<'_, Option<Child>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder that its sources' sockets lie in too.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The file that changes with every step that was written.
    pub fn steps(&self) -> PathBuf {
        self.home.join("store/hub.db-shm")
    }

    /// Ends the process, if there is one, without a word.
    pub fn kill(&self) -> Result<(), Failure> {
        if let Some(mut process) = self.process().take() {
            process.kill()?;
            process.wait()?;
        }
        Ok(())
    }

    /// Whether a trap has killed it.
    pub fn is_dead(&self) -> bool {
        self.process().is_none()
    }

    /// Starts the hub unless it runs, and waits until it answers.
    pub fn start(&self) -> Result<(), Failure> {
        if self.process().is_some() {
            return Ok(());
        }
        let mut start = Command::new(&self.binary);
        start.arg("--home").arg(&self.home);
        start.args(["hub", "start", "--port", "0", "--no-browser"]);
        start.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        *self.process() = Some(start.spawn()?);
        if wait_for(|| self.call(&AskStatus {}).is_ok()) {
            return Ok(());
        }
        self.kill()?;
        Err(Failure::from("the hub did not come up"))
    }

    /// Calls the hub's API as its command line does.
    fn call<C: Call>(&self, request: &C) -> Result<C::Answer, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let socket = self.home.join("run").join(hub_server::HUB_SOCKET);
        let answer = runtime.block_on(hub_server::client::call(&socket, request));
        answer.map_err(|e| Failure(format!("{}: {e}", C::PATH)))
    }

    /// Runs a program to its end; an error where the hub died on the way.
    pub fn execute(&self, code: &str) -> Result<Told, Failure> {
        self.to_the_end(Execute::Code(code.to_owned()))
    }

    /// Goes on with the newest run to its end; none where there is no run at all.
    pub fn resume(&self) -> Result<Option<Told>, Failure> {
        match self.to_the_end(Execute::Resume("last".to_owned())) {
            Err(error) if error.0.contains("run_not_found") => Ok(None),
            told => told.map(Some),
        }
    }

    fn to_the_end(&self, first: Execute) -> Result<Told, Failure> {
        let mut ask = first;
        loop {
            let answer = self.call(&ask)?;
            let envelope: Value =
                serde_json::from_str(&answer.json).map_err(|e| Failure(e.to_string()))?;
            if envelope["status"] != "running" {
                let told = serde_json::from_value(envelope["result"].clone());
                return told.map_err(|_| Failure(format!("not completed: {}", answer.json)));
            }
            ask = Execute::Resume(envelope["runId"].as_str().unwrap_or("last").to_owned());
        }
    }

    /// Adds the source once for each way to reach it.
    pub fn add_sources(&self, source: &Source) -> Result<(), Failure> {
        for transport in [Transport::Http, Transport::Stdio] {
            let new = NewSource {
                name: transport.name().into(),
                transport: source.reached_by(transport)?,
                trusted: true,
                effects: Default::default(),
                timeout_ms: None,
                concurrency: None,
                from_file: false,
            };
            self.call(&Add { source: new })?;
        }
        Ok(())
    }
}
