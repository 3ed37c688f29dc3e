//! `source list`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_engine::SourceView;
use hub_server::api::sources::list::List;

/// Arguments of `source list`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the sources.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let sources = hub::call(context, &List {}).await?;
    context.out.answer(sources.as_slice(), show);
    Ok(())
}

fn show(out: &Out, sources: &[SourceView]) -> String {
    let row = |view: &SourceView| {
        let names = view
            .connections
            .iter()
            .map(|c| if c.is_default { format!("{}*", c.name) } else { c.name.clone() });
        vec![
            view.source.name.clone(),
            view.source.namespace.clone(),
            view.tools.to_string(),
            state(view).to_owned(),
            names.collect::<Vec<_>>().join(", "),
            view.source.transport.origin(),
        ]
    };
    let rows: Vec<_> = sources.iter().map(row).collect();
    let empty = "no sources yet; add one: capabilities source add NAME -- COMMAND";
    out.table(&["NAME", "NAMESPACE", "TOOLS", "STATE", "CONNECTIONS", "ORIGIN"], &rows, empty)
}

/// In one word.
pub fn state(view: &SourceView) -> &'static str {
    if view.standing.as_deref() == Some("starting") {
        return "starting";
    }
    match (&view.problem, view.stale) {
        (Some(_), _) if view.tools == 0 => "away",
        (_, true) | (Some(_), _) => "stale",
        (None, false) => "ok",
    }
}
