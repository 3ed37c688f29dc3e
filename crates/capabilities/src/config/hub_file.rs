//! `hub.toml`: sources with their connections, rules, limits.
//!
//! ```toml
//! sandbox = "wasm"
//!
//! [limits]
//! calls_per_run = 50
//!
//! [sources.github]
//! command = "npx"
//! args = ["-y", "some-server"]
//! effects = { list_issues = "read" }
//!
//! [sources.github.connections.work]
//! env = { TOKEN = "file:github-work" }
//! default = true
//!
//! [[policy]]
//! pattern = "github.delete*"
//! decision = "deny"
//! note = "never from here"
//! ```
//!
//! Relative paths of commands and working directories begin at the file's own folder.

use super::literal;
use super::settings::{Sandbox, Settings};
use crate::error::CliError;
use hub_core::catalog::{Effect, Transport};
use hub_core::connection::{Credential, Placement};
use hub_engine::{NewConnection, NewRule, NewSource};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The file, checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HubFile {
    /// Sources, by name.
    pub sources: Vec<NewSource>,
    /// Their connections.
    pub connections: Vec<NewConnection>,
    /// Rules, in the file's order.
    pub rules: Vec<NewRule>,
    /// Limits; none where the file does not speak of them.
    pub settings: Option<Settings>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    sandbox: Option<Sandbox>,
    limits: Option<Settings>,
    #[serde(default)]
    sources: BTreeMap<String, RawSource>,
    #[serde(default)]
    policy: Vec<NewRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSource {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<String>,
    url: Option<String>,
    #[serde(default = "yes")]
    trusted: bool,
    #[serde(default)]
    effects: BTreeMap<String, Effect>,
    timeout_seconds: Option<u64>,
    concurrency: Option<usize>,
    #[serde(default)]
    connections: BTreeMap<String, RawConnection>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConnection {
    bearer: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    query: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    plain_env: BTreeMap<String, String>,
    #[serde(default)]
    default: bool,
}

fn yes() -> bool {
    true
}

impl HubFile {
    /// Reads and checks the text of a `hub.toml` in `folder`, from where its paths are meant.
    /// Values are never repeated in errors.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, CliError> {
        let raw: Raw = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|at| text[..at.start].matches('\n').count() + 1);
            let at = line.map_or(String::new(), |line| format!("line {line}: "));
            CliError::usage(format!("{at}{}", error.message()))
        })?;
        let mut file = Self { rules: raw.policy, settings: raw.limits, ..Self::default() };
        if let Some(sandbox) = raw.sandbox {
            file.settings.get_or_insert_default().sandbox = Some(sandbox);
        }
        if let Some(settings) = &file.settings {
            settings.check()?;
        }
        for (name, source) in raw.sources {
            file.connections.extend(
                source
                    .connections
                    .iter()
                    .map(|(c, raw)| connection(&name, c, raw))
                    .collect::<Result<Vec<_>, _>>()?,
            );
            file.sources.push(convert(name, source, folder)?);
        }
        Ok(file)
    }
}

fn convert(name: String, raw: RawSource, folder: &Path) -> Result<NewSource, CliError> {
    let from_here = |path: String| folder.join(path).to_string_lossy().into_owned();
    let transport = match (raw.command, raw.url) {
        (Some(command), None) => {
            literal::refuse_in_arguments(&raw.args)?;
            for (key, value) in &raw.env {
                literal::refuse_value(key, value)?;
            }
            // A bare name is looked up by the hub.
            let command = if command.contains('/') { from_here(command) } else { command };
            let cwd = raw.cwd.map(from_here);
            Transport::Stdio { command, args: raw.args, env: raw.env, cwd }
        }
        (None, Some(url)) => {
            literal::refuse_in_url(&url)?;
            Transport::Http { url }
        }
        _ => {
            return Err(CliError::usage(format!(
                "source {name} needs a command or a url, not both"
            )));
        }
    };
    Ok(NewSource {
        name,
        transport,
        trusted: raw.trusted,
        effects: raw.effects,
        timeout_ms: raw.timeout_seconds.map(|s| s.saturating_mul(1_000)),
        concurrency: raw.concurrency,
        from_file: true,
    })
}

fn connection(source: &str, name: &str, raw: &RawConnection) -> Result<NewConnection, CliError> {
    let mut credentials = Vec::new();
    if let Some(bearer) = &raw.bearer {
        credentials.push((Placement::Bearer, bearer));
    }
    let named = |place: fn(String) -> Placement| {
        move |(name, value): (&String, _)| (place(name.clone()), value)
    };
    credentials.extend(raw.headers.iter().map(named(Placement::Header)));
    credentials.extend(raw.query.iter().map(named(Placement::Query)));
    credentials.extend(raw.env.iter().map(named(Placement::Env)));
    let credential = |(placement, text): (Placement, &String)| {
        Ok(Credential { placement, value: literal::reference(text)? })
    };
    for (key, value) in &raw.plain_env {
        literal::refuse_value(key, value)?;
    }
    Ok(NewConnection {
        source: source.to_owned(),
        name: name.to_owned(),
        credentials: credentials.into_iter().map(credential).collect::<Result<_, CliError>>()?,
        plain_env: raw.plain_env.clone(),
        make_default: raw.default,
    })
}
