//! Keys of clients as files: a client's configuration names the client, never its key.

use crate::context::Context;
use crate::error::CliError;
use crate::folder::write_private;

/// The token of `client`, or the local server key.
pub fn key(context: &Context, client: Option<&str>) -> Result<String, CliError> {
    let path = match client {
        Some(client) => context.folder.client_key(&checked(client)?),
        None => context.folder.local_key(),
    };
    let text = std::fs::read_to_string(&path).map_err(|_| {
        let who = client.unwrap_or("the local server");
        CliError::not_found(format!("there is no key of {who} in {}", path.display()))
            .hint("`capabilities client connect NAME` makes one")
    })?;
    Ok(text.trim().to_owned())
}

/// Keeps the token of `client`.
pub fn keep(context: &Context, client: &str, token: &str) -> Result<(), CliError> {
    let path = context.folder.client_key(&checked(client)?);
    if let Some(folder) = path.parent() {
        crate::folder::make_private(folder)?;
    }
    Ok(write_private(&path, &format!("{token}\n"))?)
}

/// Forgets the token of `client`; it may never have been here.
pub fn forget(context: &Context, client: &str) {
    if let Ok(client) = checked(client) {
        // Where it cannot be removed it still opens nothing: the hub has revoked it.
        let _ = std::fs::remove_file(context.folder.client_key(&client));
    }
}

/// A name that is a file name too.
pub fn checked(client: &str) -> Result<String, CliError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = !client.is_empty() && client.len() <= 64 && !client.starts_with('.');
    if !is_name || !client.chars().all(fits) {
        return Err(CliError::usage("a client's name has 1 to 64 letters, digits, - _ and ."));
    }
    Ok(client.to_owned())
}
