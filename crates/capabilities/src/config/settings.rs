//! What a host decides about its hub: read at the start from `limits.toml` in the hub's folder.

use crate::error::CliError;
use crate::folder::{Folder, write_private};
use hub_core::limits;
use hub_engine::EngineConfig;
use serde::{Deserialize, Serialize};

/// The port of the hub unless another is set.
pub const PORT: u16 = 4312;

/// Settings of the hub. Limits can be lowered, never raised.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The port on both loopbacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// What an effect's intent survives: `power` (a power cut) or `process` (the hub's end).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// What programs run in: `wasm` (inside the hub, everywhere) or `worker` (a locked process of
    /// their own, faster at computing, on Linux).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Sandbox>,
    /// Runs at work at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub live_runs: Option<usize>,
    /// Calls of one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_per_run: Option<u32>,
    /// Seconds a run may be active.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_seconds: Option<u64>,
    /// Whether the desktop tells that something waits; it does unless this is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub desktop_notice: Option<bool>,
}

/// What programs run in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// WebAssembly inside the hub.
    #[default]
    Wasm,
    /// A locked process.
    Worker,
}

/// What a durable step survives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// A power cut.
    Power,
    /// The end of the process.
    Process,
}

impl Settings {
    /// What the folder holds; nothing set where there is no file.
    pub fn read(folder: &Folder) -> Result<Self, CliError> {
        let path = folder.limits();
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                let settings: Self = toml::from_str(&text)
                    .map_err(|e| CliError::usage(format!("{}: {}", path.display(), e.message())))?;
                settings.check()?;
                Ok(settings)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(CliError::failed(format!("{}: {error}", path.display()))),
        }
    }

    /// Keeps them for the next start.
    pub fn write(&self, folder: &Folder) -> Result<(), CliError> {
        let text = toml::to_string(self).map_err(|e| CliError::internal(e.to_string()))?;
        folder.create()?;
        Ok(write_private(&folder.limits(), &text)?)
    }

    /// Refuses what lies above a ceiling.
    pub fn check(&self) -> Result<(), CliError> {
        let ceilings = [
            ("live_runs", self.live_runs.map(|n| n as u64), limits::LIVE_RUNS as u64),
            ("calls_per_run", self.calls_per_run.map(u64::from), limits::CALLS_PER_RUN.into()),
            ("active_seconds", self.active_seconds, limits::ACTIVE_MS / 1_000),
        ];
        for (name, value, ceiling) in ceilings {
            if value.is_some_and(|v| v == 0 || v > ceiling) {
                let message = format!("{name} is from 1 to {ceiling}");
                return Err(CliError::usage(message).hint("limits can be lowered, never raised"));
            }
        }
        Ok(())
    }

    /// Whether they allow more than `before`, or promise less.
    pub fn loosens(&self, before: &Self) -> bool {
        let (new, old) = (self.engine(), before.engine());
        new.live_runs > old.live_runs
            || new.calls_per_run > old.calls_per_run
            || new.active_ms > old.active_ms
            || old.survive_power_cut && !new.survive_power_cut
    }

    /// For the engine.
    pub fn engine(&self) -> EngineConfig {
        let usual = EngineConfig::default();
        EngineConfig {
            survive_power_cut: self.survives_power_cut(),
            live_runs: self.live_runs.unwrap_or(usual.live_runs),
            calls_per_run: self.calls_per_run.unwrap_or(usual.calls_per_run),
            active_ms: self.active_seconds.map_or(usual.active_ms, |s| s * 1_000),
            ..usual
        }
    }

    /// Whether a durable step survives a power cut.
    pub fn survives_power_cut(&self) -> bool {
        self.durability != Some(Durability::Process)
    }
}
