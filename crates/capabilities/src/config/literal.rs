//! Secrets written where only references may stand: found, refused, and never repeated.

use crate::error::CliError;
use hub_core::connection::SecretRef;
use hub_core::redact;
use serde_json::{Value, json};

/// Last words of a name that say here that its value is a secret, beyond those that say so
/// anywhere: who configures a server means a key that opens something.
const KEYS: &[&str] = &["key", "pat", "pwd", "pass", "auth"];
/// Words before `key` that make it no secret.
const HARMLESS: &[&str] = &["sort", "primary", "foreign", "public", "partition", "group", "order"];
/// Flags behind which name and password stand together.
const LOGINS: &[&str] = &["-u", "--user", "--auth", "--basic", "--basic-auth", "--login"];

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
    if first_secret(arguments).is_none() {
        return Ok(());
    }
    let message = "the command line holds what looks like a secret; anyone on this machine could \
                   read it";
    Err(with_the_right_way(CliError::usage(message))
        .hint("most servers read it from their environment: connection add SOURCE --env"))
}

/// Which argument is or holds a secret.
pub fn first_secret(arguments: &[String]) -> Option<usize> {
    let mut before = "";
    arguments.iter().position(|argument| {
        let flag = std::mem::replace(&mut before, argument);
        holds_secret(argument)
            || is_value_of(flag, argument) && is_secret(flag, argument)
            || LOGINS.contains(&flag) && is_login(argument)
    })
}

/// Whether `argument` is what the flag before it asked for.
fn is_value_of(flag: &str, argument: &str) -> bool {
    flag.starts_with('-') && !flag.contains('=') && !argument.starts_with('-')
}

/// `me:password`, and not `host:8080` or a URL.
fn is_login(value: &str) -> bool {
    let Some((name, password)) = value.split_once(':') else { return false };
    let is_port = password.bytes().all(|b| b.is_ascii_digit());
    !name.is_empty() && !is_port && !password.starts_with("//") && !is_reference(password)
}

/// Whether a piece of text is or holds a secret: a token of a known form, `NAME=VALUE`,
/// `Name: value`, a URL with a password or a key in it.
pub fn holds_secret(text: &str) -> bool {
    if is_hidden(&Value::String(text.to_owned())) {
        return true;
    }
    let named = |separator| {
        let (name, value) = text.split_once(separator)?;
        let name = name.trim_start_matches('-');
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        (!name.is_empty() && name.chars().all(is_name)).then_some((name, value))
    };
    let pair = named('=').or_else(|| named(':').filter(|(_, value)| value.starts_with(' ')));
    pair.is_some_and(|(name, value)| is_secret(name, value.trim())) || is_secret_url(text)
}

/// Refuses a URL with a password or a secret parameter in it.
pub fn refuse_in_url(url: &str) -> Result<(), CliError> {
    let parsed = url::Url::parse(url).map_err(|e| CliError::usage(format!("not a URL: {e}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(CliError::usage("a source's URL begins with https:// or http://"));
    }
    if is_secret_url(url) || is_hidden(&Value::String(url.to_owned())) {
        let message = "the URL holds what looks like a secret";
        return Err(with_the_right_way(CliError::usage(message)).hint(
            "a parameter of the URL: connection add SOURCE --query NAME=file:NAME; a password: \
             --header Authorization=file:NAME",
        ));
    }
    Ok(())
}

/// Whether a URL has a password in it, a user that is as long as a token, or a secret parameter.
fn is_secret_url(text: &str) -> bool {
    let Some(url) = text.contains("://").then(|| url::Url::parse(text).ok()).flatten() else {
        return false;
    };
    url.password().is_some_and(|password| !is_reference(password))
        || url.username().len() >= TOKEN_CHARS
        || url.query_pairs().any(|(name, value)| is_secret(&name, &value))
}

/// Characters from which the user part of a URL is taken for a token.
const TOKEN_CHARS: usize = 16;

/// Whether `value` is to be treated as a secret under this name.
pub fn is_secret(name: &str, value: &str) -> bool {
    let is_choice = is_plain_word(value) && last_word(name).as_deref() == Some("auth");
    if value.is_empty() || is_reference(value) || is_choice {
        return false;
    }
    is_hidden(&json!({ name.trim_start_matches('-'): value }))
        || is_key_name(name)
        || is_secret_url(value)
}

/// What every channel hides from a reader is a secret here too.
fn is_hidden(value: &Value) -> bool {
    !redact::preview(value, redact::Limits::PAGE).masked.is_empty()
}

fn last_word(name: &str) -> Option<String> {
    words(name).pop()
}

fn is_key_name(name: &str) -> bool {
    match words(name).as_slice() {
        [.., before, last] if HARMLESS.contains(&before.as_str()) && last == "key" => false,
        [.., last] => KEYS.contains(&last.as_str()),
        [] => false,
    }
}

fn words(name: &str) -> Vec<String> {
    let mut joined = String::new();
    for c in name.chars() {
        // `ApiKey` is two words too.
        if c.is_uppercase() && joined.ends_with(|c: char| c.is_lowercase()) {
            joined.push(' ');
        }
        joined.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    joined.split_whitespace().map(str::to_lowercase).collect()
}

/// `oauth`, `none`, `true`: a choice, no key.
fn is_plain_word(value: &str) -> bool {
    value.len() <= 8 && value.bytes().all(|b| b.is_ascii_lowercase())
}

/// `${NAME}`, `$NAME`, `<token>`: a place where one would stand.
fn is_reference(value: &str) -> bool {
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    value.starts_with('$') || value.starts_with('<') && value.ends_with('>')
}

fn with_the_right_way(error: CliError) -> CliError {
    error
        .hint("keep it in the hub's encrypted file: capabilities secret set NAME, then file:NAME")
        .hint("or name where it lies: env:NAME, command:COMMAND")
        .hint("and give it to the source: capabilities connection add SOURCE --env NAME=file:NAME")
}
