//! The environment, read once at the start. Nothing else in the product reads it, except for
//! the values behind `env:` references, which pass through [`Environment::lookup`].
#![expect(clippy::disallowed_methods, reason = "this is the one module that may read it")]

use std::path::PathBuf;

/// What the process was started with.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// `CAPABILITIES_HOME`: the hub's folder, over everything else but `--home`.
    pub capabilities_home: Option<PathBuf>,
    /// `XDG_DATA_HOME`.
    pub data_home: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `NO_COLOR` is set to anything.
    pub no_color: bool,
    /// `CAPABILITIES_LOG`: which log lines to write, such as `info` or `hub_engine=debug`.
    pub log: Option<String>,
}

impl Environment {
    /// Reads it.
    pub fn read() -> Self {
        let path = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        Self {
            capabilities_home: path("CAPABILITIES_HOME"),
            data_home: path("XDG_DATA_HOME"),
            home: path("HOME"),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()),
            log: std::env::var("CAPABILITIES_LOG").ok(),
        }
    }

    /// The value of a variable, for an `env:` reference.
    pub fn lookup(name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
