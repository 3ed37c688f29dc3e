//! The hub's secrets: what references resolve to, and the encrypted file that `secret set` and
//! `import` write.

use crate::context::Context;
use crate::environment::Environment;
use crate::error::CliError;
use hub_core::connection::Secret;
use hub_core::ports::{SecretError, SecretKeeper};
use hub_secrets::Secrets;

/// The secrets of the hub in the context's folder.
pub fn open(context: &Context) -> Result<Secrets, CliError> {
    context.folder.create()?;
    crate::folder::make_private(&context.folder.secrets())?;
    Ok(Secrets::new(&context.folder.secrets(), Environment::all()))
}

/// The names of those in the encrypted file.
pub async fn names(context: &Context) -> Result<Vec<String>, CliError> {
    open(context)?.names().await.map_err(|error| CliError::failed(error.to_string()))
}

/// Removes one; whether there was one.
pub async fn remove(context: &Context, name: &str) -> Result<bool, CliError> {
    open(context)?.remove(name).await.map_err(|error| CliError::failed(error.to_string()))
}

/// Keeps a value, encrypted.
pub async fn set(context: &Context, name: &str, value: Secret) -> Result<(), CliError> {
    let failed = |error: SecretError| CliError::failed(error.to_string());
    open(context)?.put(name, value).await.map_err(failed)?;
    Ok(())
}
