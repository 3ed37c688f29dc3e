//! The local server key: made at the first start, for scripts and for pipes without a name.

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
    if !kept.is_empty() && engine.authenticate(kept).await.map_err(failed)?.is_some() {
        return Ok(());
    }
    let issued = engine.issue_key(CLIENT, ElicitationMode::Auto, true).await.map_err(failed)?;
    Ok(write_private(&path, &format!("{}\n", issued.token))?)
}
