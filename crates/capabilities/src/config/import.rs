//! Other clients' configurations: which servers they name, and what they carry with them.
//!
//! Known by their form, not by their file's name: `mcpServers` (Claude Code and Desktop, Cursor
//! and most others), `servers` (VS Code), `context_servers`, and `[mcp_servers.NAME]` in TOML
//! (Codex). To add a form: a place to look in [`json`] or [`toml`], and a test with a file of it.

mod arguments;
mod json;
mod jsonc;
mod toml;

use super::literal;
use crate::error::CliError;
use hub_core::catalog::Transport;
use hub_core::connection::{Placement, Secret, SecretRef};
use std::collections::BTreeMap;

/// Bytes of a configuration that are read. The largest in the wild carry a client's history.
pub const FILE_BYTES: u64 = 64 << 20;
/// Levels that are looked into.
const DEPTH: usize = 64;

/// A server that a file names.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Its name there.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// What it is given that is or may be secret.
    pub credentials: Vec<(Placement, Given)>,
    /// What cannot be taken over as it is, one line each.
    pub notes: Vec<String>,
    /// Why it cannot be taken over at all, and what to do instead.
    pub refused: Option<String>,
}

/// Where the file has a credential from.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// Elsewhere.
    Reference(SecretRef),
    /// The file itself, in clear. It is moved into the hub's encrypted file or left out.
    Literal(Secret),
    /// The client asks the person for it.
    Asked(String),
}

/// A server as the forms write it, before it is looked at.
#[derive(Clone, Debug, Default)]
struct Entry {
    name: String,
    command: Option<String>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    cwd: Option<String>,
    url: Option<String>,
    headers: Vec<(String, String)>,
    bearer_env: Option<String>,
    disabled: bool,
}

/// Reads a file of any known form.
pub fn parse(text: &str) -> Result<Vec<Found>, CliError> {
    let text = text.trim_start_matches('\u{feff}');
    let entries = match text.trim_start().starts_with('{') {
        true => json::entries(text)?,
        false => toml::entries(text)?,
    };
    if entries.is_empty() {
        return Err(CliError::usage("the file names no MCP servers").hint(
            "looked for mcpServers, servers and context_servers (JSON) and mcp_servers (TOML)",
        ));
    }
    Ok(entries.into_iter().filter_map(look).collect())
}

fn look(entry: Entry) -> Option<Found> {
    let mut notes = Vec::new();
    let mut credentials = Vec::new();
    if entry.disabled {
        notes.push("it is switched off in that file".to_owned());
    }
    let mut refused = None;
    let transport = match (entry.command, entry.url) {
        (Some(command), _) => {
            let mut env = BTreeMap::new();
            for (name, value) in entry.env {
                match given(&name, &value) {
                    Some(given) => credentials.push((Placement::Env(name), given)),
                    None => {
                        env.insert(name, value);
                    }
                }
            }
            if entry.args.iter().any(|a| a.contains("${")) {
                notes.push("an argument refers to a variable; the hub passes it as written".into());
            }
            let args = arguments::without_secrets(entry.args, &mut credentials);
            if literal::first_secret(&args).is_some() {
                refused = Some(arguments::INSTEAD.to_owned());
            }
            Transport::Stdio { command, args, env, cwd: entry.cwd }
        }
        (None, Some(url)) => {
            for (name, value) in entry.headers {
                credentials.push(header(name, &value));
            }
            let url = url_without_secrets(&url, &mut credentials);
            refused = literal::refuse_in_url(&url).err().map(|error| error.message);
            Transport::Http { url }
        }
        (None, None) => return None,
    };
    if let Some(name) = entry.bearer_env {
        credentials.push((Placement::Bearer, Given::Reference(SecretRef::Env(name))));
    }
    Some(Found { name: entry.name, transport, credentials, notes, refused })
}

/// Parameters that are secrets become credentials; the rest of the URL stays as it is written.
fn url_without_secrets(url: &str, credentials: &mut Vec<(Placement, Given)>) -> String {
    let Ok(mut parsed) = url::Url::parse(url) else { return url.to_owned() };
    let pairs = parsed.query_pairs().into_owned();
    let (secret, plain): (Vec<_>, Vec<_>) = pairs.partition(|(n, v)| literal::is_secret(n, v));
    if secret.is_empty() {
        return url.to_owned();
    }
    match plain.is_empty() {
        true => parsed.set_query(None),
        false => drop(parsed.query_pairs_mut().clear().extend_pairs(plain)),
    }
    credentials.extend(secret.into_iter().map(|(name, value)| {
        let given = Given::Literal(Secret::new(value));
        (Placement::Query(name), given)
    }));
    parsed.to_string()
}

/// Headers are credentials, whatever they are called: they go with an account.
fn header(name: String, value: &str) -> (Placement, Given) {
    let bearer =
        value.strip_prefix("Bearer ").filter(|_| name.eq_ignore_ascii_case("authorization"));
    let (placement, value) = match bearer {
        Some(token) => (Placement::Bearer, token),
        None => (Placement::Header(name), value),
    };
    let literal = || Given::Literal(Secret::new(value));
    (placement, reference(value).unwrap_or_else(literal))
}

/// None for a plain value.
fn given(name: &str, value: &str) -> Option<Given> {
    reference(value)
        .or_else(|| literal::is_secret(name, value).then(|| Given::Literal(Secret::new(value))))
}

/// `${NAME}`, `${env:NAME}`, `$NAME`, and `${input:NAME}`, which a client asks for.
fn reference(value: &str) -> Option<Given> {
    let inner = match value.strip_prefix("${") {
        Some(rest) => rest.strip_suffix('}')?,
        None => value.strip_prefix('$')?,
    };
    if let Some(input) = inner.strip_prefix("input:") {
        return Some(Given::Asked(input.to_owned()));
    }
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    let name = inner.split(":-").next().unwrap_or(inner);
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let fits = !name.is_empty() && name.chars().all(is_name);
    fits.then(|| Given::Reference(SecretRef::Env(name.to_owned())))
}
