//! The environment. Nothing else in the product reads it: what others need of it is handed to
//! them.
#![expect(clippy::disallowed_methods, reason = "this is the one module that may read it")]

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
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
    /// Whether there is a screen: `DISPLAY` or `WAYLAND_DISPLAY` is set.
    pub has_display: bool,
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
            has_display: path("DISPLAY").or_else(|| path("WAYLAND_DISPLAY")).is_some(),
            no_color: std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()),
            log: std::env::var("CAPABILITIES_LOG").ok(),
        }
    }

    /// These variables, as far as they are set.
    pub fn only(names: &[&str]) -> BTreeMap<String, String> {
        let pair = |name: &&str| Some(((*name).to_owned(), Self::lookup(name)?));
        names.iter().filter_map(pair).collect()
    }

    /// Every variable that is text, for `env:` references and for commands that print a secret.
    pub fn all() -> HashMap<String, String> {
        let text = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        std::env::vars_os().filter_map(text).collect()
    }

    /// The value of a variable.
    pub fn lookup(name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}
