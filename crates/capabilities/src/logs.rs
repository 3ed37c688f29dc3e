//! Where log lines go: standard error, as text or as JSON lines. Behind that of a hub in the
//! background is a file, which is put aside when it is full.

use crate::environment::Environment;
use hub_core::limits::LOG_FILE_BYTES;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
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
/// `file` is the one behind standard error, where there is one.
pub fn start(format: LogFormat, environment: &Environment, file: Option<PathBuf>) {
    let usual = Targets::new().with_default(LevelFilter::WARN).with_targets(
        ["capabilities", "hub_core", "hub_engine", "hub_server", "hub_store", "hub_upstream"]
            .map(|target| (target, LevelFilter::INFO)),
    );
    let chosen = environment.log.as_deref().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let lines = tracing_subscriber::fmt::layer().with_writer(Lines { file: file.map(Mutex::new) });
    let registry = tracing_subscriber::registry().with(chosen);
    // A second start in one process keeps the first writer.
    let _ = match format {
        LogFormat::Text => registry.with(lines.with_ansi(false)).try_init(),
        LogFormat::Json => registry.with(lines.json()).try_init(),
    };
}

/// Standard error, with a look at the size of the file behind it before each line.
struct Lines {
    file: Option<Mutex<PathBuf>>,
}

impl<'a> tracing_subscriber::fmt::MakeWriter<'a> for Lines {
    type Writer = std::io::Stderr;

    fn make_writer(&'a self) -> Self::Writer {
        // One turns it at a time.
        if let Some(Ok(file)) = self.file.as_ref().map(Mutex::lock)
            && let Ok(Some(fresh)) = turn(&file)
        {
            // Where that fails, lines go on into the file that was put aside.
            let _ = rustix::stdio::dup2_stderr(&fresh);
        }
        std::io::stderr()
    }
}

/// Puts a log that is full aside, over the one before it, and begins a new one.
pub fn turn(file: &Path) -> std::io::Result<Option<File>> {
    if !std::fs::metadata(file).is_ok_and(|meta| meta.len() >= LOG_FILE_BYTES) {
        return Ok(None);
    }
    std::fs::rename(file, file.with_extension("log.1"))?;
    File::options().append(true).create(true).mode(0o600).open(file).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_is_put_aside_and_at_most_two_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (log, older) = (folder.path().join("hub.log"), folder.path().join("hub.log.1"));
        assert!(turn(&log).unwrap().is_none());
        for filled in [LOG_FILE_BYTES - 1, LOG_FILE_BYTES, LOG_FILE_BYTES + 1] {
            File::create(&log).unwrap().set_len(filled).unwrap();
            let fresh = turn(&log).unwrap();
            assert_eq!(fresh.is_some(), filled >= LOG_FILE_BYTES, "{filled}");
        }
        assert_eq!(std::fs::metadata(&log).unwrap().len(), 0);
        assert_eq!(std::fs::metadata(&older).unwrap().len(), LOG_FILE_BYTES + 1);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
