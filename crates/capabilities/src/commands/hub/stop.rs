//! `hub stop`: ends the hub, and returns once it is gone.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::api::hub::stop::Stop;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::net::UnixStream;

/// How long the hub may take to let runs come to rest.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `hub stop`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Stops the hub; starts none.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    // A second connection, kept open: it ends when the hub does.
    let watch = UnixStream::connect(context.folder.hub_socket()).await;
    hub::call_running(context, &Stop {}).await?;
    if let Ok(mut watch) = watch {
        let mut nothing = [0];
        let ended = tokio::time::timeout(PATIENCE, watch.read(&mut nothing));
        if ended.await.is_err() {
            return Err(CliError::failed("the hub was told to stop, but is still at work"));
        }
    }
    context.out.note("the hub has stopped");
    Ok(())
}
