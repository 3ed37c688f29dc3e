//! A hub that dies and is started again on the same folder.

use super::Told;
use super::source::{Source, Transport};
use crate::hub_process;
use hub_server::api::tools::execute::Execute;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xtask::Failure;

/// The hub, and its process while it lives.
pub struct Hub {
    hub: hub_process::Hub,
    process: Mutex<Option<Child>>,
}

impl Hub {
    /// Not started yet.
    pub fn new(hub: hub_process::Hub) -> Self {
        Self { hub, process: Mutex::new(None) }
    }

    fn process(&self) -> MutexGuard<'_, Option<Child>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder that its sources' sockets lie in too.
    pub fn home(&self) -> &Path {
        &self.hub.home
    }

    /// The file that changes with every step that was written.
    pub fn steps(&self) -> PathBuf {
        self.hub.home.join("store/hub.db-shm")
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
        let mut process = self.process();
        if process.is_none() {
            *process = Some(self.hub.start()?);
        }
        Ok(())
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
            let answer = self.hub.call(&ask)?;
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
            self.hub.add(transport.name(), source.reached_by(transport)?)?;
        }
        Ok(())
    }
}
