//! Takes credentials out of what a server says, before anyone sees it.

use hub_core::connection::Secret;
use std::borrow::Cow;

/// Shorter secrets are not looked for in errors and logs: they would hit ordinary words.
const SHORTEST_IN_WORDS: usize = 4;
/// Shorter secrets are not looked for in values: a result must not be changed by accident.
const SHORTEST_IN_VALUES: usize = 12;
const MARK: &str = "[secret]";

/// A secret as it is, as it stands inside JSON, and as it stands in a URL.
fn forms(secret: &str) -> Vec<String> {
    let json = serde_json::Value::from(secret).to_string();
    let in_json = json[1..json.len() - 1].to_owned();
    let in_url = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let mut forms = vec![secret.to_owned(), in_json, in_url];
    forms.dedup();
    forms
}

/// The secrets a session was opened with.
#[derive(Clone, Default)]
pub(crate) struct Scrub {
    secrets: Vec<Secret>,
}

impl Scrub {
    /// Looks for these.
    pub fn new(given: Vec<Secret>) -> Self {
        let mut secrets: Vec<Secret> = Vec::new();
        for secret in given {
            for form in forms(secret.expose()) {
                secrets.push(Secret::new(form));
            }
        }
        // A secret may hold another one: the longer goes first.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self { secrets }
    }

    /// Words for people: errors, logs.
    pub fn words<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.clean(text, SHORTEST_IN_WORDS)
    }

    /// A tool's result as JSON text.
    pub fn value<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.clean(text, SHORTEST_IN_VALUES)
    }

    fn clean<'a>(&self, text: &'a str, shortest: usize) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for secret in &self.secrets {
            let secret = secret.expose();
            if secret.len() >= shortest && text.contains(secret) {
                text = Cow::Owned(text.replace(secret, MARK));
            }
        }
        text
    }
}

#[cfg(test)]
#[path = "scrub_tests.rs"]
mod tests;
