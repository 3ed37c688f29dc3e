//! `policy list`.

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use crate::output::Out;
use hub_core::policy::Rule;
use hub_engine::RuleView;
use hub_server::api::policy::list::List;

/// Arguments of `policy list`.
#[derive(clap::Args, Debug)]
pub struct Args {}

/// Lists the rules.
pub async fn run(_args: Args, context: &Context) -> Result<(), CliError> {
    let rules = hub::call(context, &List {}).await?;
    context.out.answer(rules.as_slice(), show);
    Ok(())
}

fn show(out: &Out, rules: &[RuleView]) -> String {
    let rows: Vec<_> = rules.iter().map(row).collect();
    let empty = "no rules: reads go, what may change something asks";
    out.table(&["RULE", "DECIDES", "ADDRESSES", "ONLY FOR", "FROM", "NOTE"], &rows, empty)
}

/// A rule as a row.
fn row(view: &RuleView) -> Vec<String> {
    let rule = &view.rule;
    let asleep = if view.asleep { " (asleep: the tool or its source changed)" } else { "" };
    vec![
        rule.id.to_string(),
        format!("{}{asleep}", word(&rule.decision)),
        rule.pattern.clone(),
        only(rule),
        word(&rule.origin),
        rule.note.clone(),
    ]
}

/// For what of its addresses a rule is.
pub fn only(rule: &Rule) -> String {
    let mut only = Vec::new();
    only.extend(rule.connection.as_ref().map(|c| format!("connection {c}")));
    only.extend(rule.client.as_ref().map(|c| format!("client {c}")));
    if !rule.arguments.is_empty() {
        only.push(serde_json::to_string(&rule.arguments).unwrap_or_default());
    }
    only.join(", ")
}

/// The word that stands for it in files.
pub fn word<T: serde::Serialize>(value: &T) -> String {
    let json = serde_json::to_value(value).unwrap_or_default();
    json.as_str().unwrap_or_default().to_owned()
}
