//! `policy unset`: removes a rule. Removing one that asks or denies passes the gate.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use hub_core::policy::Verdict;
use hub_server::api::policy::list::List;
use hub_server::api::policy::unset::Unset;

/// Arguments of `policy unset`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The rule's id
    rule: String,
}

/// Removes it.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let rules = hub::call(context, &List {}).await?;
    let rule =
        rules.iter().map(|view| &view.rule).find(|r| r.id.as_str() == args.rule).ok_or_else(
            || {
                CliError::not_found(format!("there is no rule {}", args.rule))
                    .hint("`capabilities policy list` shows them")
            },
        )?;
    let mut who = "terminal".to_owned();
    if rule.decision != Verdict::Allow {
        let mut gate = Gate::open(context, "removing a rule that asks or denies").await?;
        let decides = super::list::word(&rule.decision);
        let fact = format!("this rule goes: {decides} {} {}", rule.pattern, rule.note);
        gate.confirm(&[fact], "remove it?")?;
        who = gate.by;
    }
    let done = hub::call(context, &Unset { id: args.rule, who }).await?;
    context.out.answer(&done, |_, _| "the rule was removed".into());
    Ok(())
}
