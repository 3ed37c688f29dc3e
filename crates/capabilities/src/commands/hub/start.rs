//! `hub start`: the hub itself, in the foreground, until it is told to stop.

use crate::config::settings::{PORT, Settings};
use crate::context::Context;
use crate::error::CliError;
use crate::folder::write_private;
use crate::local_key;
use crate::logs::{self, LogFormat};
use crate::screen::Browser;
use crate::wire::{self, Wired};
use hub_server::{Bound, ServeConfig, serve_with_pages};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Arguments of `hub start`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The port on both loopbacks; 0 takes a free one
    #[arg(long)]
    port: Option<u16>,
    /// How log lines are written
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
    /// Open no page and show no notice when a run waits for you
    #[arg(long)]
    no_browser: bool,
    /// Leave the terminal's session; whoever started it reads one line once it listens
    #[arg(long, hide = true)]
    background: bool,
}

/// Serves until a signal or `hub stop`.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    if args.background {
        // Fails where it leads a session already, which is as good.
        let _ = rustix::process::setsid();
    }
    let file = args.background.then(|| context.folder.log());
    logs::start(args.log_format, &context.environment, file);
    let settings = Settings::read(&context.folder)?;
    let browser = Browser::find(&context.environment, !args.no_browser)
        .telling(settings.desktop_notice != Some(false));
    let Wired { engine, pages } = wire::open(context, &settings, browser).await?;
    local_key::ensure(context, &engine).await?;
    let stop = CancellationToken::new();
    let (bound, is_bound) = oneshot::channel();
    let config = ServeConfig {
        port: args.port.or(settings.port).unwrap_or(PORT),
        sockets: context.folder.sockets(),
        stop: stop.clone(),
        bound: Some(bound),
    };
    let watch = async {
        if let Ok(bound) = is_bound.await {
            announce(context, &bound)?;
        }
        signalled().await?;
        stop.cancel();
        std::future::pending::<Result<(), CliError>>().await
    };
    tokio::select! {
        served = serve_with_pages(engine, config, pages) => served.map_err(refused)?,
        ended = watch => ended?,
    }
    // Gone already, if this hub never listened.
    let _ = std::fs::remove_file(context.folder.port());
    Ok(())
}

/// Says where it listens: to the gate by a file, to the one who waits by a line.
fn announce(context: &Context, bound: &Bound) -> Result<(), CliError> {
    write_private(&context.folder.port(), &bound.port.to_string())?;
    let urls: Vec<_> = bound.addresses.iter().map(|a| format!("http://{a}/mcp")).collect();
    context.out.answer(&serde_json::json!({ "urls": urls }), |_, _| {
        format!("listening at {}\nconnect a client: capabilities client connect NAME", urls[0])
    });
    Ok(())
}

async fn signalled() -> Result<(), CliError> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

fn refused(error: hub_server::ListenError) -> CliError {
    CliError::failed(error.to_string())
}
