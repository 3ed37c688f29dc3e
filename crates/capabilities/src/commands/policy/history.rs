//! `policy history`: who changed which rule when.

use super::list::{only, word};
use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_core::policy::{Rule, RuleChange};
use hub_server::api::policy::history::History;
use hub_server::utc;

/// Arguments of `policy history`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the changes, the newest first.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let changes = hub::call(context, &History {}).await?;
    context.out.answer(changes.as_slice(), show);
    Ok(())
}

fn show(out: &Out, changes: &[RuleChange]) -> String {
    let rows: Vec<_> = changes.iter().flat_map(rows).collect();
    out.table(&["WHEN", "CHANGE", "RULE", "ONLY FOR", "WHO"], &rows, "no rule was ever changed")
}

fn rows(change: &RuleChange) -> impl Iterator<Item = Vec<String>> {
    let row = |mark: &'static str| {
        move |rule: &Rule| {
            let what = format!("{mark} {} {}", word(&rule.decision), rule.pattern);
            vec![utc(change.at), what, rule.id.to_string(), only(rule), change.who.clone()]
        }
    };
    change.put.iter().map(row("+")).chain(change.removed.iter().map(row("-")))
}
