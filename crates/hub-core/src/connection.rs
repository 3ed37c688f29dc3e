//! Connections: named sets of credentials for a source. Values never stand here, only where
//! to find them.

use crate::digest::Digest;
use crate::id::SourceId;
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a secret lies: `env:NAME`, `file:NAME` (the hub's encrypted file) or `command:…`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SecretRef {
    /// An environment variable of the hub.
    Env(String),
    /// An entry of the hub's encrypted secrets file.
    File(String),
    /// The first line that a command prints.
    Command(String),
}

/// Why a text is no reference to a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a reference to a secret; write env:NAME, file:NAME or command:COMMAND \
     (a secret itself is never written here)"
)]
pub struct NotASecretRef;

impl SecretRef {
    /// Reads `env:NAME`, `file:NAME` or `command:COMMAND`. The text itself is never echoed in
    /// the error: it may be the secret.
    pub fn parse(text: &str) -> Result<Self, NotASecretRef> {
        let (kind, rest) = text.split_once(':').ok_or(NotASecretRef)?;
        if rest.trim().is_empty() {
            return Err(NotASecretRef);
        }
        match kind {
            "env" => Ok(Self::Env(rest.to_owned())),
            "file" => Ok(Self::File(rest.to_owned())),
            "command" => Ok(Self::Command(rest.to_owned())),
            _ => Err(NotASecretRef),
        }
    }
}

impl std::fmt::Display for SecretRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Env(name) => write!(f, "env:{name}"),
            Self::File(name) => write!(f, "file:{name}"),
            Self::Command(line) => write!(f, "command:{line}"),
        }
    }
}

impl TryFrom<String> for SecretRef {
    type Error = NotASecretRef;
    fn try_from(text: String) -> Result<Self, NotASecretRef> {
        Self::parse(&text)
    }
}

impl From<SecretRef> for String {
    fn from(reference: SecretRef) -> Self {
        reference.to_string()
    }
}

/// A value that must not be shown. `Debug` and `Display` hide it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a value.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// The value itself; only for the line that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[secret]")
    }
}

/// Where a credential goes in a request or a child's environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// `Authorization: Bearer …` (RFC 6750 §2.1).
    Bearer,
    /// A header of this name.
    Header(String),
    /// A query parameter of this name.
    Query(String),
    /// An environment variable of the child process (stdio sources only).
    Env(String),
}

/// One credential: where it goes and where its value lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credential {
    /// Where it goes.
    pub placement: Placement,
    /// Where its value lies.
    pub value: SecretRef,
}

/// A named set of credentials for a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connection {
    /// For which source.
    pub source: SourceId,
    /// Its name, such as `personal` or `work`.
    pub name: String,
    /// The credentials, all of which are used.
    pub credentials: Vec<Credential>,
    /// Public parameters that go with it (environment values that are no secrets).
    #[serde(default)]
    pub plain_env: BTreeMap<String, String>,
    /// Whether calls that name no connection use this one. One per source.
    pub is_default: bool,
    /// When it was made.
    pub created_at: UnixMillis,
    /// Raised whenever its credentials change: an approval for the old account does not hold.
    pub revision: u64,
}

impl Connection {
    /// The account as far as the hub knows it: source, name and revision of the credentials.
    pub fn account(&self) -> Digest {
        Digest::of_parts([
            self.source.as_str().as_bytes(),
            self.name.as_bytes(),
            &self.revision.to_be_bytes(),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_secret_is_refused_and_not_echoed() {
        let error = SecretRef::parse("ghp_abcdefghijklmnopqrstuvwxyz0123456789").unwrap_err();
        assert!(!error.to_string().contains("ghp_"));
        assert!(SecretRef::parse("env:").is_err());
        assert_eq!(SecretRef::parse("env:TOKEN").unwrap().to_string(), "env:TOKEN");
    }
}
