//! Secrets in command lines. Containers are handed their environment there, and `-e NAME` takes
//! the value from the environment of the one who starts them: so it becomes a credential. Any
//! other secret in a command line cannot be moved without knowing the server.

use super::{Given, given};
use hub_core::connection::Placement;

/// What to do about one that cannot be moved.
pub const INSTEAD: &str = "its command line holds what looks like a secret, which anyone on this \
                           machine could read; see how the server takes it from its environment, \
                           then: source add, and connection add --env";

/// The arguments, with values of `-e NAME=VALUE` that are secrets moved into `credentials`.
pub fn without_secrets(
    arguments: Vec<String>,
    credentials: &mut Vec<(Placement, Given)>,
) -> Vec<String> {
    let mut is_value = false;
    let take = |argument: String| {
        let was_value =
            std::mem::replace(&mut is_value, matches!(argument.as_str(), "-e" | "--env"));
        let flag = if was_value {
            Some("")
        } else {
            FLAGS.iter().copied().find(|f| argument.starts_with(f))
        };
        let Some(flag) = flag else { return argument };
        let Some((name, value)) = argument[flag.len()..].split_once('=') else { return argument };
        let Some(found) = given(name, value) else { return argument };
        credentials.push((Placement::Env(name.to_owned()), found));
        format!("{flag}{name}")
    };
    arguments.into_iter().map(take).collect()
}

/// Flags with the pair behind them in one word.
const FLAGS: &[&str] = &["--env=", "-e="];
