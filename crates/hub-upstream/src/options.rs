//! What the binary hands in: this crate reads neither environment nor configuration.

use hub_core::id::SourceId;
use hub_core::limits;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Told that a source's list of tools may have changed.
pub type ListChanged = Arc<dyn Fn(SourceId) + Send + Sync>;

/// Settings of [`crate::McpUpstream`].
#[derive(Clone)]
pub struct Options {
    /// The hub's environment; of it only a small base (see [`Options::BASE_ENV`]) reaches
    /// children.
    pub environment: BTreeMap<String, String>,
    /// Command line of the reaper: this binary and the hidden command that calls
    /// [`crate::reaper_main`]. None: children are started directly (tests).
    pub reaper: Option<Vec<String>>,
    /// Whether servers may ask the person (`elicitation`). A legacy server that shares one
    /// connection for all calls is then called one at a time.
    pub elicitation: bool,
    /// Called, debounced, when a source says that its tools changed.
    pub on_list_changed: Option<ListChanged>,
    /// An HTTP proxy for everything but loopback.
    pub proxy: Option<String>,
    /// The hub's version, told to servers.
    pub version: String,
    /// Milliseconds for a start; see [`limits::SOURCE_START_MS`].
    pub start_ms: u64,
    /// Milliseconds for the modern hello; see [`limits::SOURCE_PROBE_MS`].
    pub probe_ms: u64,
    /// Milliseconds without a call before a session ends; see [`limits::SOURCE_IDLE_MS`].
    pub idle_ms: u64,
    /// Milliseconds a child gets to end by itself, once for its closed input and once for
    /// SIGTERM.
    pub grace_ms: u64,
}

impl Options {
    /// What children see of the hub's environment.
    pub const BASE_ENV: [&str; 12] = [
        "PATH",
        "HOME",
        "LANG",
        "LC_ALL",
        "TMPDIR",
        "USER",
        "LOGNAME",
        "SHELL",
        "SYSTEMROOT",
        "TEMP",
        "APPDATA",
        "USERPROFILE",
    ];

    /// Defaults with an empty environment.
    pub fn new(version: impl Into<String>) -> Self {
        Self {
            environment: BTreeMap::new(),
            reaper: None,
            elicitation: true,
            on_list_changed: None,
            proxy: None,
            version: version.into(),
            start_ms: limits::SOURCE_START_MS,
            probe_ms: limits::SOURCE_PROBE_MS,
            idle_ms: limits::SOURCE_IDLE_MS,
            grace_ms: 2_000,
        }
    }

    /// The base environment of a child.
    pub(crate) fn base_env(&self) -> BTreeMap<String, String> {
        let base = |name: &&str| {
            self.environment.get(*name).map(|value| ((*name).to_owned(), value.clone()))
        };
        Self::BASE_ENV.iter().filter_map(base).collect()
    }
}
