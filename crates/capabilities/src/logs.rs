//! Where log lines go: standard error, as text or as JSON lines.

use crate::environment::Environment;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How a line is written.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// Begins to write. `CAPABILITIES_LOG` says which: `debug`, or `hub_engine=debug,info`.
pub fn start(format: LogFormat, environment: &Environment) {
    let usual = Targets::new().with_default(LevelFilter::WARN).with_targets(
        ["capabilities", "hub_core", "hub_engine", "hub_server", "hub_store", "hub_upstream"]
            .map(|target| (target, LevelFilter::INFO)),
    );
    let chosen = environment.log.as_deref().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry().with(chosen);
    // A second start in one process keeps the first writer.
    let _ = match format {
        LogFormat::Text => registry.with(lines.with_ansi(false)).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
}
