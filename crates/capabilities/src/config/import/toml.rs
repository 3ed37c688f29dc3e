//! The TOML form: `[mcp_servers.NAME]`.

use super::Entry;
use crate::error::CliError;
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Raw {
    #[serde(default)]
    mcp_servers: BTreeMap<String, RawServer>,
}

#[derive(Deserialize)]
struct RawServer {
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    env_vars: Vec<String>,
    cwd: Option<String>,
    url: Option<String>,
    #[serde(default)]
    http_headers: BTreeMap<String, String>,
    #[serde(default)]
    env_http_headers: BTreeMap<String, String>,
    bearer_token_env_var: Option<String>,
    enabled: Option<bool>,
}

/// Every server in the file.
pub fn entries(text: &str) -> Result<Vec<Entry>, CliError> {
    let raw: Raw = ::toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(0, |at| text[..at.start].matches('\n').count() + 1);
        CliError::usage(format!("neither JSON nor TOML (line {line})"))
    })?;
    Ok(raw.mcp_servers.into_iter().map(|(name, server)| entry(name, server)).collect())
}

fn entry(name: String, raw: RawServer) -> Entry {
    let variable = |name: String| (name.clone(), format!("${{{name}}}"));
    let by_name = |(header, name): (String, String)| (header, format!("${{{name}}}"));
    Entry {
        name,
        command: raw.command,
        args: raw.args,
        env: raw.env.into_iter().chain(raw.env_vars.into_iter().map(variable)).collect(),
        cwd: raw.cwd,
        url: raw.url,
        headers: raw
            .http_headers
            .into_iter()
            .chain(raw.env_http_headers.into_iter().map(by_name))
            .collect(),
        bearer_env: raw.bearer_token_env_var,
        disabled: raw.enabled == Some(false),
    }
}
