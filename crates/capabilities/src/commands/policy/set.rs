//! `policy set`: writes a rule. One that may loosen what asks passes the gate.

use crate::context::Context;
use crate::error::CliError;
use crate::gate::Gate;
use crate::hub;
use hub_core::id::{KeyId, RuleId};
use hub_core::owner::ClientKey;
use hub_core::policy::{self, ArgumentCondition, Rule, RuleOrigin, Verdict};
use hub_core::time::UnixMillis;
use hub_engine::NewRule;
use hub_server::api::keys;
use hub_server::api::policy::list::List;
use hub_server::api::policy::set::{Set, loosens};

/// Arguments of `policy set`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// allow, ask, confirm or deny
    #[arg(value_parser = verdict)]
    decision: Verdict,
    /// Addresses: `github.createIssue`, `github.*`, `github.**`
    pattern: String,
    /// Only for this connection
    #[arg(long)]
    connection: Option<String>,
    /// Only for this client
    #[arg(long)]
    client: Option<String>,
    /// Only for these arguments, as JSON: {"pointer":"/owner","equals":"me"}
    #[arg(long = "argument", value_name = "JSON", value_parser = condition)]
    arguments: Vec<ArgumentCondition>,
    /// Why
    #[arg(long, default_value = "")]
    note: String,
}

/// Reads a decision.
pub fn verdict(text: &str) -> Result<Verdict, String> {
    serde_json::from_value(text.into())
        .map_err(|_| "a decision is allow, ask, confirm or deny".to_owned())
}

fn condition(text: &str) -> Result<ArgumentCondition, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

fn allows(rule: &Rule) -> bool {
    rule.decision == Verdict::Allow
}

/// The rule as it will stand beside the others.
fn as_rule(new: &NewRule, keys: Vec<ClientKey>) -> Rule {
    let named =
        |name: &String| keys.iter().find(|key| key.client == *name || key.id.as_str() == name);
    let client = new
        .client
        .as_ref()
        .map(|name| named(name).map_or_else(|| KeyId::new(name.as_str()), |key| key.id.clone()));
    Rule {
        id: RuleId::new("new"),
        pattern: new.pattern.clone(),
        connection: new.connection.clone(),
        arguments: new.arguments.clone(),
        client,
        decision: new.decision,
        note: String::new(),
        origin: RuleOrigin::Person,
        bound_to: None,
        created_at: UnixMillis(0),
    }
}

/// Writes it.
pub async fn run(args: Args, context: &Context) -> Result<(), CliError> {
    let mut who = "terminal".to_owned();
    let rule = NewRule {
        pattern: args.pattern,
        connection: args.connection,
        arguments: args.arguments,
        client: args.client,
        decision: args.decision,
        note: args.note,
    };
    let rules = hub::call(context, &List {}).await?;
    let rules: Vec<Rule> = rules.into_iter().map(|view| view.rule).collect();
    if loosens(&rule, &rules) {
        let mut gate = Gate::open(context, "loosening what asks you").await?;
        let fact = match rule.decision {
            Verdict::Allow => format!("calls of {} will be sent without asking you", rule.pattern),
            _ => format!("a stricter rule may no longer decide about calls of {}", rule.pattern),
        };
        let mut facts = vec![fact];
        let new = as_rule(&rule, hub::call(context, &keys::list::List {}).await?);
        if let Some(stricter) = policy::outdone(&rules, &new, None).filter(|_| allows(&new)) {
            let decides = super::list::word(&stricter.decision);
            facts.push(format!(
                "it comes before the stricter rule {} ({decides} {})",
                stricter.id, stricter.pattern
            ));
        }
        gate.confirm(&facts, "write this rule?")?;
        who = gate.by;
    }
    let made = hub::call(context, &Set { rule, who }).await?;
    let own = std::slice::from_ref(&made);
    let milder = rules.iter().filter(|rule| allows(rule));
    for rule in milder.filter(|rule| policy::outdone(own, rule, None).is_some()) {
        context.out.note(&format!(
            "rule {} (allow {}) is more specific and still decides about its calls; take it back \
             with `capabilities policy unset {}`",
            rule.id, rule.pattern, rule.id
        ));
    }
    context.out.answer(&made, |_, made: &Rule| {
        format!("{}: {} {}", made.id, super::list::word(&made.decision), made.pattern)
    });
    Ok(())
}
