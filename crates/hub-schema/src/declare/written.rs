//! One namespace's part of an answer, as it grows.

use super::budget::{BYTES_PER_TOKEN, Budget};
use super::member;
use super::scope::{Scope, TypeAt};
use crate::print::{Plan, Printer};
use std::collections::{HashSet, VecDeque};

/// Tokens that are left.
pub struct Left {
    /// For declarations.
    pub text: usize,
    /// For names in the closing comment.
    pub names: usize,
}

/// One namespace's part of an answer.
#[derive(Clone)]
pub struct Written<'s, 'a> {
    scope: &'s Scope<'a>,
    pub members: String,
    pub interfaces: String,
    /// Names that are declared, or will not be.
    known: HashSet<String>,
    pending: VecDeque<TypeAt>,
}

impl<'s, 'a> Written<'s, 'a> {
    /// Members, and the types that were asked for.
    pub fn base(scope: &'s Scope<'a>, plan: Plan, budget: &Budget<'_>) -> Option<Self> {
        let mut block = Self {
            scope,
            members: String::new(),
            interfaces: String::new(),
            known: HashSet::new(),
            pending: VecDeque::new(),
        };
        for at in 0..scope.shown {
            let (text, used) = member::member(scope, at, plan, budget.bytes())?;
            block.members.push_str(&text);
            if block.members.len() > budget.bytes() {
                return None;
            }
            block.refer(used);
        }
        for wanted in &scope.wanted {
            if block.known.insert(scope.name(*wanted)) {
                let (text, used) = block.interface(*wanted, plan, budget.bytes())?;
                block.interfaces.push_str(&text);
                block.refer(used);
            }
        }
        let known = &block.known;
        block.pending.retain(|at| !known.contains(&scope.name(*at)));
        Some(block)
    }

    fn refer(&mut self, used: Vec<TypeAt>) {
        self.pending.extend(used);
    }

    fn interface(&self, at: TypeAt, plan: Plan, limit: usize) -> Option<(String, Vec<TypeAt>)> {
        let entry = &self.scope.entries[at.entry];
        let mut printer = Printer::new(&entry.types.named, &entry.renamed, plan, "", limit);
        printer.interface(at.part).ok()?;
        let used = printer.used.iter().map(|part| TypeAt { part: *part, ..at }).collect();
        Some((printer.out, used))
    }

    /// Declares everything that is referred to. Types that were asked for stand alone.
    pub fn expand(&mut self, plan: Plan, budget: &Budget<'_>, limit: usize) -> bool {
        if self.scope.shown == 0 {
            return self.pending.is_empty();
        }
        while let Some(at) = self.pending.pop_front() {
            if !self.known.insert(self.scope.name(at)) {
                continue;
            }
            let Some((text, used)) = self.interface(at, plan, budget.bytes()) else { return false };
            self.interfaces.push_str(&text);
            self.refer(used);
            if self.interfaces.len() > limit {
                return false;
            }
        }
        true
    }

    /// Declares what fits, nearest first; the rest stays pending. What is declared may refer to
    /// more than can still be named: then it is not.
    pub fn expand_within(&mut self, plan: Plan, budget: &Budget<'_>, left: &mut Left) {
        if self.scope.shown == 0 {
            return;
        }
        let mut waiting: HashSet<String> =
            self.pending.iter().map(|at| self.scope.name(*at)).collect();
        let mut tried = HashSet::new();
        let mut rest = VecDeque::new();
        while let Some(at) = self.pending.pop_front() {
            let name = self.scope.name(at);
            if self.known.contains(&name) || !tried.insert(name.clone()) {
                continue;
            }
            let limit = left.text.saturating_mul(BYTES_PER_TOKEN);
            let written = self.interface(at, plan, limit).and_then(|(text, used)| {
                let new: HashSet<String> = used.iter().map(|at| self.scope.name(*at)).collect();
                let new = new.into_iter().filter(|new| {
                    *new != name && !self.known.contains(new) && !waiting.contains(new)
                });
                let new: Vec<String> = new.collect();
                let more = new.iter().map(|new| self.name_cost(new, budget)).sum::<usize>();
                let names = (left.names + self.name_cost(&name, budget)).checked_sub(more)?;
                budget.fits(&text, left.text).then_some((text, used, new, names))
            });
            let Some((text, used, new, names)) = written else {
                rest.push_back(at);
                continue;
            };
            left.text -= budget.cost(&text).min(left.text);
            left.names = names;
            waiting.remove(&name);
            waiting.extend(new);
            self.known.insert(name);
            self.interfaces.push_str(&text);
            self.refer(used);
        }
        self.pending = rest;
    }

    /// Tokens that naming everything pending takes.
    pub fn names_cost(&self, budget: &Budget<'_>) -> usize {
        let names: HashSet<String> = self.pending.iter().map(|at| self.scope.name(*at)).collect();
        names.iter().map(|name| self.name_cost(name, budget)).sum()
    }

    fn name_cost(&self, name: &str, budget: &Budget<'_>) -> usize {
        budget.cost(&format!(", {}.{name}", self.scope.namespace))
    }

    /// What is referred to and not declared, once each.
    pub fn pending_names(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let names = self.pending.iter().map(|at| self.scope.name(*at));
        let names = names.filter(|name| seen.insert(name.clone()));
        names.map(|name| format!("{}.{name}", self.scope.namespace)).collect()
    }
}
