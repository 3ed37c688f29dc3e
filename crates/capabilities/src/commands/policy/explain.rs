//! `policy explain`: which rule decides, and why.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::{Out, Style};
use hub_engine::Explained;
use hub_server::api::policy::explain::Explain;
use serde_json::Value;

/// Arguments of `policy explain`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The tool, such as `github.createIssue`
    address: String,
    /// Through this connection
    #[arg(long)]
    connection: Option<String>,
    /// For this client
    #[arg(long)]
    client: Option<String>,
    /// With these arguments, as JSON
    #[arg(long, value_parser = json)]
    arguments: Option<Value>,
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

/// Explains.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let Args { address, connection, client, arguments } = args;
    let request = Explain { address, connection, arguments, client };
    let explained = hub::call(context, &request).await?;
    context.out.answer(&explained, show);
    Ok(())
}

fn show(out: &Out, explained: &Explained) -> String {
    let verdict = out.paint(Style::Bold, &super::list::word(&explained.verdict));
    let mut lines = vec![format!("{}: {verdict}", explained.address), explained.reason.clone()];
    for other in &explained.others {
        let decides = super::list::word(&other.decision);
        lines.push(
            out.paint(Style::Dim, &format!("  weaker: {decides} {} ({})", other.pattern, other.id)),
        );
    }
    for rule in &explained.asleep {
        let decides = super::list::word(&rule.decision);
        let line = format!("  asleep: {decides} {} ({})", rule.pattern, rule.id);
        lines.push(out.paint(Style::Dim, &line));
        lines
            .push(out.paint(Style::Dim, "    the tool or its source changed since it was written"));
    }
    lines.join("\n")
}
