//! The rules as a page lists them, and making one narrower.

use super::approvals::outdoes;
use crate::api::{EngineError, ListedRule};
use crate::engine::{Engine, Known};
use hub_core::policy::{self, ArgumentCondition, Rule, RuleOrigin, Verdict};
use hub_core::run::{CallIdentity, scope_digest};

impl Engine {
    /// The rules with who wrote them last, for whom they hold, and whether they are asleep.
    pub async fn listed_rules(&self) -> Result<Vec<ListedRule>, EngineError> {
        let (history, keys) = (self.rule_history().await?, self.keys().await?);
        let known = self.known();
        let listed = self.rules().await?.into_iter().map(|rule| {
            // The newest change comes first.
            let change = history.iter().find(|c| c.put.iter().any(|put| put.id == rule.id));
            let key = keys.iter().find(|key| Some(&key.id) == rule.client.as_ref());
            ListedRule {
                who: change.map(|change| change.who.clone()),
                changed_at: change.map_or(rule.created_at, |change| change.at),
                client: key.map(|key| key.client.clone()),
                asleep: is_asleep(&known, &rule),
                rule,
            }
        });
        Ok(listed.collect())
    }

    /// Adds conditions to a person's allowing rule: it then allows less than before.
    pub async fn narrow_rule(
        &self,
        id: &str,
        more: Vec<ArgumentCondition>,
        who: &str,
    ) -> Result<Rule, EngineError> {
        let rules = self.rules().await?;
        let Some(rule) = rules.into_iter().find(|rule| rule.id.as_str() == id) else {
            return Err(EngineError::NotFound(format!("there is no rule {id}")));
        };
        if rule.origin != RuleOrigin::Person || rule.decision != Verdict::Allow {
            let say = "only a person's rule that allows can be made narrower here";
            return Err(EngineError::Invalid(say.into()));
        }
        let old = rule.clone();
        let mut rule = rule;
        rule.arguments.extend(more);
        policy::check(&rule).map_err(|error| EngineError::Invalid(error.to_string()))?;
        // With a condition it comes before rules that it came after.
        if let Some(stricter) = policy::outdone(&self.known().rules, &rule, Some(&old)) {
            return Err(outdoes(stricter));
        }
        self.change(vec![rule.clone()], Vec::new(), who).await?;
        Ok(rule)
    }
}

/// Whether the tool or source that the rule was written for is gone or has changed since.
fn is_asleep(known: &Known, rule: &Rule) -> bool {
    let Some(bound) = rule.bound_to else { return false };
    let Some((namespace, tool)) = known.catalog.tool(&rule.pattern) else { return true };
    let address = namespace.address(tool);
    let connections = known.connections.get(&namespace.source.id);
    let connection = rule
        .connection
        .as_ref()
        .and_then(|name| connections.and_then(|all| all.iter().find(|c| c.name == *name)));
    let scope = scope_digest(&CallIdentity {
        address: &address,
        source: namespace.source.identity(),
        connection: connection.map(|c| c.name.as_str()),
        account: connection.map(|c| c.account()),
        definition: tool.digest,
    });
    bound != scope
}
