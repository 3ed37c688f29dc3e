//! `source set`: how much a source is asked at once, and how long one call may take.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_engine::NewSource;
use hub_server::api::sources::show::Show;
use hub_server::api::sources::update::Update;

/// Arguments of `source set`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Its name
    name: String,
    /// Seconds one call may take, or `default`
    #[arg(long, value_name = "SECONDS", value_parser = setting)]
    timeout: Option<Setting>,
    /// Calls on their way to it at once, or `default`. An older server over standard streams or
    /// HTTP+SSE takes one at a time unless this is 2 or more; it then cannot ask you anything
    #[arg(long, value_name = "CALLS", value_parser = setting)]
    concurrency: Option<Setting>,
}

/// A number, or back to the default.
#[derive(Clone, Copy, Debug)]
struct Setting(Option<u64>);

fn setting(text: &str) -> Result<Setting, String> {
    match text {
        "default" => Ok(Setting(None)),
        number => match number.parse() {
            Ok(number) => Ok(Setting(Some(number))),
            Err(_) => Err("takes a whole number or `default`".to_owned()),
        },
    }
}

/// Changes it.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    if args.timeout.is_none() && args.concurrency.is_none() {
        return Err(CliError::usage("nothing to set: give --timeout or --concurrency"));
    }
    let source = hub::call(context, &Show { name: args.name }).await?.view.source;
    if source.from_file {
        let message = format!("{} stands in hub.toml, which says how it is set", source.name);
        return Err(CliError::refused(message).hint("change it there and run `capabilities apply`"));
    }
    let timeout_ms = match args.timeout {
        Some(Setting(seconds)) => seconds.map(|seconds| seconds.saturating_mul(1_000)),
        None => source.timeout_ms,
    };
    let concurrency = match args.concurrency {
        Some(Setting(calls)) => calls.map(|calls| usize::try_from(calls).unwrap_or(usize::MAX)),
        None => source.concurrency,
    };
    let source = NewSource {
        name: source.name,
        transport: source.transport,
        trusted: source.trusted,
        effects: source.effects,
        timeout_ms,
        concurrency,
        from_file: false,
    };
    let refreshed = hub::call(context, &Update { source }).await?;
    context.out.answer(&refreshed, super::refresh::show);
    Ok(())
}
