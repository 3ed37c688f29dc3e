//! Rules and their history.

use super::MemoryStore;
use hub_core::id::RuleId;
use hub_core::policy::{Rule, RuleChange};
use hub_core::ports::{PolicyStore, Stored};
use hub_core::time::UnixMillis;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct Policy {
    pub(super) version: u64,
    rules: Vec<Rule>,
    history: Vec<RuleChange>,
}

impl Policy {
    fn change(&mut self, put: Vec<Rule>, remove: &[RuleId], who: String, at: UnixMillis) -> u64 {
        let mut removed = Vec::new();
        for id in remove {
            if let Some(at) = self.rules.iter().position(|r| r.id == *id) {
                removed.push(self.rules.remove(at));
            }
        }
        let mut changed = Vec::new();
        for rule in put {
            match self.rules.iter_mut().find(|r| r.id == rule.id) {
                Some(old) if *old == rule => continue,
                Some(old) => *old = rule.clone(),
                None => self.rules.push(rule.clone()),
            }
            changed.push(rule);
        }
        let put = changed;
        if !(put.is_empty() && removed.is_empty()) {
            self.version += 1;
            self.history.push(RuleChange { version: self.version, put, removed, who, at });
        }
        self.version
    }
}

impl PolicyStore for MemoryStore {
    fn rules(&self) -> Stored<'_, (u64, Vec<Rule>)> {
        self.read(|s| Ok((s.policy.version, s.policy.rules.clone())))
    }

    fn change_rules(
        &self,
        put: Vec<Rule>,
        remove: Vec<RuleId>,
        who: String,
        at: UnixMillis,
    ) -> Stored<'_, u64> {
        self.write(|s| Ok(Arc::make_mut(&mut s.policy).change(put, &remove, who, at)))
    }

    fn rule_history(&self, limit: usize) -> Stored<'_, Vec<RuleChange>> {
        self.read(|s| Ok(s.policy.history.iter().rev().take(limit).cloned().collect()))
    }
}
