//! The real hub: its binary with an empty home, and a key for the suite.

use hub_core::owner::ElicitationMode;
use hub_server::api::Call;
use hub_server::api::hub::status::AskStatus;
use hub_server::api::hub::stop::Stop;
use hub_server::api::keys::issue::Issue;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::{Child, Command};
use xtask::Failure;

/// How long the hub may take to come up or to go.
const PATIENCE: Duration = Duration::from_secs(60);

/// A hub that listens.
pub struct Hub {
    process: Child,
    socket: PathBuf,
    /// Where.
    pub port: u16,
    /// The suite's key.
    pub token: String,
}

impl Hub {
    /// Builds and starts it, and makes the key. It ends when it is dropped.
    pub async fn start(scratch: &Path) -> Result<Self, Failure> {
        let binary = super::build(&["--package", "capabilities"])?.join("capabilities");
        let home = scratch.join("home");
        let process = Command::new(binary)
            .arg("--home")
            .arg(&home)
            .args(["hub", "start", "--port", "0", "--no-browser"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let socket = home.join("run").join(hub_server::HUB_SOCKET);
        let mut hub = Self { process, socket, port: 0, token: String::new() };
        let up = async {
            loop {
                match hub.call(&AskStatus {}).await {
                    Ok(status) => return status,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        };
        let status = tokio::time::timeout(PATIENCE, up).await;
        let status = status.map_err(|_| Failure::from("the hub did not come up"))?;
        let at = status.addresses.first().ok_or("the hub listens nowhere")?;
        hub.port = at.port();
        let issue = Issue { client: "suite".into(), mode: ElicitationMode::Auto, dedupe: true };
        hub.token = hub.call(&issue).await?.token;
        Ok(hub)
    }

    async fn call<C: Call>(&self, request: &C) -> Result<C::Answer, Failure> {
        let answer = hub_server::client::call(&self.socket, request).await;
        answer.map_err(|error| Failure(format!("{}: {error}", C::PATH)))
    }

    /// Ends it in order.
    pub async fn stop(mut self) -> Result<(), Failure> {
        self.call(&Stop {}).await?;
        match tokio::time::timeout(PATIENCE, self.process.wait()).await {
            Ok(status) => status.map(drop).map_err(Into::into),
            Err(_) => Err("the hub did not stop".into()),
        }
    }
}
