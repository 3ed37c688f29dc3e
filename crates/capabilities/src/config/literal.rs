//! Secrets written where only references may stand: found, refused, and never repeated.

use crate::error::CliError;
use hub_core::connection::SecretRef;

/// Beginnings of tokens that services hand out. Public formats, as the services document them.
const TOKEN_STARTS: &[&str] = &[
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "sk-",
    "sk_live_",
    "rk_live_",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "pypi-",
    "hf_",
    "dop_v1_",
    "SG.",
    "shpat_",
    "lin_api_",
    "ntn_",
    "Bearer ",
    "Basic ",
];

/// Characters below which a value is no token, whatever it begins with.
const TOKEN_CHARS: usize = 16;

/// Words in a name that say that its value is a secret.
const SECRET_WORDS: &[&str] = &[
    "token",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
    "bearer",
];

/// Reads a reference; a literal is refused without being shown.
pub fn reference(text: &str) -> Result<SecretRef, CliError> {
    SecretRef::parse(text).map_err(|error| with_the_right_way(CliError::usage(error.to_string())))
}

/// `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(&str, &str), CliError> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name, value)),
        _ => Err(CliError::usage("write NAME=VALUE")),
    }
}

/// Refuses a value that is or may be a secret.
pub fn refuse_value(name: &str, value: &str) -> Result<(), CliError> {
    if is_secret(name, value) {
        let message = format!("the value of {name} looks like a secret and would be kept in clear");
        return Err(with_the_right_way(CliError::usage(message)));
    }
    Ok(())
}

/// Refuses a command line that carries a secret: other users of the machine could read it.
pub fn refuse_in_arguments(arguments: &[String]) -> Result<(), CliError> {
    let mut before = "";
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((before, argument));
        let is_flag_value = name.starts_with('-') && !value.starts_with('-');
        if looks_like_token(value) || is_flag_value && is_secret(name, value) {
            let message = "the command line holds what looks like a secret; anyone on this \
                           machine could read it";
            return Err(with_the_right_way(CliError::usage(message)));
        }
        before = argument;
    }
    Ok(())
}

/// Refuses a URL with a password or a secret parameter in it.
pub fn refuse_in_url(url: &str) -> Result<(), CliError> {
    let parsed = url::Url::parse(url).map_err(|e| CliError::usage(format!("not a URL: {e}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(CliError::usage("a source's URL begins with https:// or http://"));
    }
    let has_secret = parsed.query_pairs().any(|(name, value)| is_secret(&name, &value));
    if parsed.password().is_some() || has_secret {
        let message = "the URL holds what looks like a secret";
        return Err(with_the_right_way(CliError::usage(message)));
    }
    Ok(())
}

/// Whether `value` is to be treated as a secret under this name.
pub fn is_secret(name: &str, value: &str) -> bool {
    !value.is_empty() && (is_secret_name(name) || looks_like_token(value))
}

fn is_secret_name(name: &str) -> bool {
    let lower: String = name.to_lowercase();
    let joined: String = lower.chars().filter(char::is_ascii_alphanumeric).collect();
    let mut parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    SECRET_WORDS.iter().any(|word| joined.contains(word))
        || parts.any(|part| matches!(part, "key" | "pat" | "pwd"))
}

/// Whether it has the form of a token.
pub fn looks_like_token(value: &str) -> bool {
    let is_long = value.chars().count() >= TOKEN_CHARS;
    let is_jwt = value.starts_with("eyJ") && value.matches('.').count() == 2;
    is_long && (is_jwt || TOKEN_STARTS.iter().any(|start| value.starts_with(start)))
}

fn with_the_right_way(error: CliError) -> CliError {
    error
        .hint("keep it in the hub's encrypted file: capabilities secret set NAME, then file:NAME")
        .hint("or name where it lies: env:NAME, command:COMMAND")
        .hint("and give it to the source: capabilities connection add SOURCE --env NAME=file:NAME")
}
