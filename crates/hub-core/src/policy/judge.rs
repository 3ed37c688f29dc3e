//! The decision about one call.

use super::condition::{Holds, all_hold};
use super::{Rule, RuleOrigin, Verdict, pattern, words};
use crate::catalog::{Annotations, Effect};
use crate::digest::Digest;
use crate::id::{KeyId, RuleId};
use serde_json::Value;
use std::cmp::Ordering;

/// One call as policy sees it.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// `namespace.tool`.
    pub address: &'a str,
    /// The connection it resolved to.
    pub connection: Option<&'a str>,
    /// The client's key.
    pub client: &'a KeyId,
    /// The arguments; none where they are not known yet (the mark in search). Rules with
    /// conditions on arguments are left out then.
    pub arguments: Option<&'a Value>,
    /// Annotations as far as the source is trusted, the person's overrides applied.
    pub annotations: Annotations,
    /// What it does to the world, as the hub sees it.
    pub effect: Effect,
    /// Whether a parameter names a free destination.
    pub free_destination: bool,
    /// [`crate::run::scope_digest`] of the call, where known.
    pub scope: Option<Digest>,
}

/// What policy says of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// What happens to it.
    pub verdict: Verdict,
    /// The rule that decided; none where the defaults did.
    pub rule: Option<RuleId>,
    /// Which rule or default, in words. Holds no argument of the call.
    pub reason: String,
}

/// Whether the rule is bound to another definition or source than the call has.
pub fn is_asleep(rule: &Rule, scope: Option<Digest>) -> bool {
    rule.bound_to.is_some() && rule.bound_to != scope
}

/// Decides about a call. An organisation's deny comes first; then the more specific rule; then,
/// among equals, a person's "always" before the ask that led to it, else the stricter; last the
/// defaults. Where a value can be read in several ways, the strictest verdict of any reading.
pub fn judge(rules: &[Rule], call: &Call<'_>) -> Judgement {
    found(rules, call).judgement(call)
}

/// What [`judge`] decides, without the words: for the mark in search, asked of every match.
pub fn verdict(rules: &[Rule], call: &Call<'_>) -> Verdict {
    if rules.is_empty() {
        return default(call).0;
    }
    found(rules, call).verdict
}

fn found<'r>(rules: &'r [Rule], call: &Call<'_>) -> Found<'r> {
    let matched = matching(rules, call);
    let certain: Vec<&Rule> = matched.iter().filter(|m| m.1 == Holds::Yes).map(|m| m.0).collect();
    let mut found = Found::of(decide(&certain), call);
    for (rule, _) in matched.iter().filter(|m| m.1 == Holds::Unclear) {
        let mut world = certain.clone();
        world.push(rule);
        let other = Found::of(decide(&world), call);
        if other.verdict > found.verdict {
            found = Found { unclear: true, ..other };
        }
    }
    found
}

/// Whether `candidate`, once added, would decide about the call: "always" is offered only then.
pub fn would_hold(rules: &[Rule], candidate: &Rule, call: &Call<'_>) -> bool {
    let mut with: Vec<Rule> = rules.iter().filter(|r| r.id != candidate.id).cloned().collect();
    with.push(candidate.clone());
    let judgement = judge(&with, call);
    judgement.verdict == candidate.decision && judgement.rule.as_ref() == Some(&candidate.id)
}

struct Found<'a> {
    verdict: Verdict,
    rule: Option<&'a Rule>,
    unclear: bool,
}

impl<'a> Found<'a> {
    fn of(rule: Option<&'a Rule>, call: &Call<'_>) -> Self {
        let verdict = rule.map_or_else(|| default(call).0, |r| r.decision);
        Self { verdict, rule, unclear: false }
    }

    fn judgement(self, call: &Call<'_>) -> Judgement {
        let mut reason = match self.rule {
            Some(rule) => words::rule(rule),
            None => default(call).1.to_owned(),
        };
        if self.unclear {
            reason.push_str(" (an argument can be read in several ways; the strictest counts)");
        }
        Judgement { verdict: self.verdict, rule: self.rule.map(|r| r.id.clone()), reason }
    }
}

/// The rules that are about the call, awake, and whose conditions hold or may hold; the older
/// first, so that among rules that say the same the answer names the older and never wavers.
pub(super) fn matching<'r>(rules: &'r [Rule], call: &Call<'_>) -> Vec<(&'r Rule, Holds)> {
    let about = rules.iter().filter(|r| is_about(r, call) && !is_asleep(r, call.scope));
    let holding = about.map(|r| (r, conditions(r, call))).filter(|(_, h)| *h != Holds::No);
    let mut found: Vec<_> = holding.collect();
    found.sort_by(|a, b| older(a.0, b.0));
    found
}

/// Whether address, connection and client of the call are those of the rule.
pub fn is_about(rule: &Rule, call: &Call<'_>) -> bool {
    pattern::covers(&rule.pattern, call.address)
        && rule.connection.as_deref().is_none_or(|c| call.connection == Some(c))
        && rule.client.as_ref().is_none_or(|k| k == call.client)
}

pub(super) fn conditions(rule: &Rule, call: &Call<'_>) -> Holds {
    match call.arguments {
        Some(arguments) => all_hold(&rule.arguments, arguments),
        None => rule.arguments.is_empty().into(),
    }
}

/// The rule that decides among those that match; the first of equals.
fn decide<'r>(matched: &[&'r Rule]) -> Option<&'r Rule> {
    let veto = matched
        .iter()
        .find(|r| r.origin == RuleOrigin::Organisation && r.decision == Verdict::Deny);
    if let Some(veto) = veto {
        return Some(veto);
    }
    let most = matched.iter().map(|r| specificity(r)).max()?;
    let top: Vec<&Rule> = matched.iter().filter(|r| specificity(r) == most).copied().collect();
    let strictest = top.iter().map(|r| r.decision).max()?;
    let of = |verdict| top.iter().find(|r| r.decision == verdict).copied();
    let newest_ask = top.iter().filter(|r| r.decision == Verdict::Ask).map(|r| r.created_at).max();
    let always = top
        .iter()
        .find(|r| is_always(r) && newest_ask.is_some_and(|ask| ask <= r.created_at))
        .copied();
    always.filter(|_| strictest == Verdict::Ask).or_else(|| of(strictest))
}

/// Whether a person wrote the rule by choosing "always".
fn is_always(rule: &Rule) -> bool {
    rule.origin == RuleOrigin::Person && rule.bound_to.is_some() && rule.decision == Verdict::Allow
}

/// More is more specific: conditions on arguments, one single address, segments spelled out,
/// a connection, a client.
pub(super) fn specificity(rule: &Rule) -> (bool, bool, usize, bool, bool) {
    let (exact, literal) = pattern::closeness(&rule.pattern);
    (!rule.arguments.is_empty(), exact, literal, rule.connection.is_some(), rule.client.is_some())
}

fn older(a: &Rule, b: &Rule) -> Ordering {
    (a.created_at, &a.id).cmp(&(b.created_at, &b.id))
}

/// What holds where no rule matches.
pub(super) fn default(call: &Call<'_>) -> (Verdict, &'static str) {
    let closed = call.annotations.open_world_hint == Some(false);
    let harmless = call.annotations.destructive_hint == Some(false);
    match call.effect {
        Effect::Read if call.free_destination && !closed => {
            (Verdict::Ask, "no rule matches; it reads, but from a destination the program chooses")
        }
        Effect::Read => (Verdict::Allow, "no rule matches; it only reads"),
        Effect::Effect if harmless && closed => (
            Verdict::Allow,
            "no rule matches; it declares that it destroys nothing and stays in a closed world",
        ),
        Effect::Effect => (Verdict::Ask, "no rule matches; it may change something"),
    }
}

#[cfg(test)]
mod tests;
