//! `connection list`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_core::connection::{Connection, Credential, Placement};
use hub_server::api::connections::list::List;

/// Arguments of `connection list`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The source
    source: String,
}

/// Lists them with their references.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let connections = hub::call(context, &List { source: args.source }).await?;
    context.out.answer(connections.as_slice(), show);
    Ok(())
}

fn show(out: &Out, connections: &[Connection]) -> String {
    let row = |connection: &Connection| {
        let mark = if connection.is_default { "*" } else { "" };
        let credentials = connection.credentials.iter().map(told).collect::<Vec<_>>();
        vec![format!("{}{mark}", connection.name), credentials.join(", ")]
    };
    let rows: Vec<_> = connections.iter().map(row).collect();
    out.table(&["NAME", "CREDENTIALS"], &rows, "no connections")
}

/// Where it goes and where it lies.
pub fn told(credential: &Credential) -> String {
    let place = match &credential.placement {
        Placement::Bearer => "bearer".to_owned(),
        Placement::Header(name) => format!("header {name}"),
        Placement::Query(name) => format!("query {name}"),
        Placement::Env(name) => format!("env {name}"),
    };
    format!("{place} from {}", credential.value)
}
