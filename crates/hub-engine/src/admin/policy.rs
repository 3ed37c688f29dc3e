//! Policy rules: who wrote which when, and why a call goes, asks or never goes.

use crate::api::{Caller, EngineError, Explained, NewRule, RuleView};
use crate::engine::{Engine, Known};
use hub_core::id::{KeyId, RuleId};
use hub_core::owner::Owner;
use hub_core::policy::{self, Rule, RuleChange, RuleOrigin};
use serde_json::Value;

/// Changes listed by `policy history`.
const HISTORY: usize = 200;

impl Engine {
    /// The rules.
    pub async fn rules(&self) -> Result<Vec<Rule>, EngineError> {
        Ok(self.inner.deps.store.rules().await?.1)
    }

    /// The rules, with those that are asleep marked.
    pub async fn rule_views(&self) -> Result<Vec<RuleView>, EngineError> {
        let rules = self.rules().await?;
        let known = self.known();
        let view = |rule: Rule| {
            let scope = known.catalog.tool(&rule.pattern).map(|(namespace, tool)| {
                let connection = rule.connection.as_deref();
                crate::lookup::scope_as(&known, namespace, tool, &rule.pattern, connection)
            });
            RuleView { asleep: policy::is_asleep(&rule, scope), rule }
        };
        Ok(rules.into_iter().map(view).collect())
    }

    /// Writes a rule.
    pub async fn put_rule(&self, new: NewRule, who: &str) -> Result<Rule, EngineError> {
        let rule = self.rule(new, RuleOrigin::Person).await?;
        self.change(vec![rule.clone()], Vec::new(), who).await?;
        Ok(rule)
    }

    /// Removes a rule.
    pub async fn remove_rule(&self, id: &str, who: &str) -> Result<(), EngineError> {
        if !self.rules().await?.iter().any(|r| r.id.as_str() == id) {
            return Err(EngineError::NotFound(format!("there is no rule {id}")));
        }
        self.change(Vec::new(), vec![RuleId::new(id)], who).await
    }

    /// Makes the rules of origin `file` exactly these; those that stay keep their identifier.
    pub async fn replace_file_rules(
        &self,
        rules: Vec<NewRule>,
        who: &str,
    ) -> Result<(), EngineError> {
        let mut old = self.rules().await?;
        old.retain(|r| r.origin == RuleOrigin::File);
        let mut put = Vec::new();
        for new in rules {
            let rule = self.rule(new, RuleOrigin::File).await?;
            let same = old.iter().position(|o| {
                Rule { id: rule.id.clone(), created_at: rule.created_at, ..o.clone() } == rule
            });
            match same {
                Some(at) => drop(old.swap_remove(at)),
                None => put.push(rule),
            }
        }
        if put.is_empty() && old.is_empty() {
            return Ok(());
        }
        self.change(put, old.into_iter().map(|r| r.id).collect(), who).await
    }

    /// Who changed which rule when, newest first.
    pub async fn rule_history(&self) -> Result<Vec<RuleChange>, EngineError> {
        Ok(self.inner.deps.store.rule_history(HISTORY).await?)
    }

    pub(crate) async fn change(
        &self,
        put: Vec<Rule>,
        remove: Vec<RuleId>,
        who: &str,
    ) -> Result<(), EngineError> {
        let store = &self.inner.deps.store;
        store.change_rules(put, remove, who.to_owned(), self.now()).await?;
        self.reload_rules().await
    }

    async fn rule(&self, new: NewRule, origin: RuleOrigin) -> Result<Rule, EngineError> {
        let client = match &new.client {
            Some(client) => Some(self.find_key(client).await?),
            None => None,
        };
        let rule = Rule {
            id: RuleId::fresh(self.bits()),
            pattern: new.pattern,
            connection: new.connection,
            arguments: new.arguments,
            client,
            decision: new.decision,
            note: new.note,
            origin,
            bound_to: None,
            created_at: self.now(),
        };
        policy::check(&rule).map_err(|e| EngineError::Invalid(e.to_string()))?;
        Ok(rule)
    }

    /// Which rule or default decides about calls of `address`.
    pub async fn explain(
        &self,
        caller: Option<&Caller>,
        address: &str,
        connection: Option<&str>,
        arguments: Option<&Value>,
    ) -> Result<Explained, EngineError> {
        let known = self.known();
        let Some((namespace, tool)) = known.catalog.tool(address) else {
            return Err(EngineError::NotFound(away(&known, address)));
        };
        let terminal = KeyId::new(Owner::TERMINAL_KEY);
        let address = namespace.address(tool);
        let connection = connection.or(namespace.connections.first().map(String::as_str));
        let call = policy::Call {
            address: &address,
            connection,
            client: caller.map_or(&terminal, |c| &c.owner.key),
            arguments,
            annotations: tool.annotations,
            effect: tool.effect,
            free_destination: tool.free_destination,
            scope: Some(crate::lookup::scope_as(&known, namespace, tool, &address, connection)),
        };
        let judgement = policy::judge(&known.rules, &call);
        let rule = known.rules.iter().find(|r| Some(&r.id) == judgement.rule.as_ref());
        let others = || {
            let about = known.rules.iter().filter(|r| policy::is_about(r, &call));
            about.filter(|r| Some(&r.id) != judgement.rule.as_ref())
        };
        let sleeps = |r: &&Rule| policy::is_asleep(r, call.scope);
        Ok(Explained {
            verdict: judgement.verdict,
            reason: judgement.reason,
            rule: rule.cloned(),
            others: others().filter(|r| !sleeps(r)).cloned().collect(),
            asleep: others().filter(sleeps).cloned().collect(),
            address: address.clone(),
        })
    }
}

/// There is no such tool: what is close, and the rules that sleep until it is back.
fn away(known: &Known, address: &str) -> String {
    let close = crate::lookup::closest(&known.catalog, address);
    let asleep = known.rules.iter().filter(|r| r.pattern == address).map(|r| {
        let decides = serde_json::to_value(r.decision).unwrap_or_default();
        format!("rule {} ({})", r.id, decides.as_str().unwrap_or_default())
    });
    let asleep: Vec<String> = asleep.collect();
    let mut told = format!("there is no tool {address}; closest: {}", close.join(", "));
    if !asleep.is_empty() {
        let names = asleep.join(", ");
        told.push_str(&format!("; asleep until its source is there with that tool: {names}"));
    }
    told
}
