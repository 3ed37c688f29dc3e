//! The local server key: made at the first start, for scripts and for pipes without a name.
//!
//! Nobody decided to trust whoever uses it with forms, so it asks on the page and in the
//! terminal only.

use crate::context::Context;
use crate::error::CliError;
use crate::folder::write_private;
use hub_core::owner::ElicitationMode;
use hub_engine::{Engine, EngineError};

/// The name of its client.
pub const CLIENT: &str = "local";

/// Keeps the key that is there, or makes one where there is none that opens anything.
pub async fn ensure(context: &Context, engine: &Engine) -> Result<(), CliError> {
    let failed = |error: EngineError| CliError::failed(error.to_string());
    let path = context.folder.local_key();
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    let kept = kept.trim();
    let found = match kept.is_empty() {
        true => None,
        false => engine.authenticate(kept).await.map_err(failed)?,
    };
    if found.as_ref().is_some_and(|key| key.mode == ElicitationMode::Browser) {
        return Ok(());
    }
    let issued = engine.issue_key(CLIENT, ElicitationMode::Browser, true).await.map_err(failed)?;
    write_private(&path, &format!("{}\n", issued.token))?;
    if let Some(older) = found {
        engine.revoke_key(older.id.as_str()).await.map_err(failed)?;
    }
    Ok(())
}
