//! Whether a rule that allows would take the place of a stricter one.
//!
//! The more specific rule decides, also where it is the milder. A person who writes such a rule
//! means it; "always" and "allow less" are chosen while looking at one call, and must not lift
//! a prohibition that was written for others.

use super::condition::exclude;
use super::judge::specificity;
use super::{Rule, RuleOrigin, Verdict, pattern};

/// A rule that confirms or denies, and that would no longer decide about some calls once `new`
/// is there (in the place of `old`, where that is given). Where it cannot be told, it would.
pub fn outdone<'r>(rules: &'r [Rule], new: &Rule, old: Option<&Rule>) -> Option<&'r Rule> {
    let others = || rules.iter().filter(|rule| rule.id != new.id);
    let mut stricter = others().filter(|rule| {
        let veto = rule.origin == RuleOrigin::Organisation && rule.decision == Verdict::Deny;
        rule.decision >= Verdict::Confirm && !veto && meets(rule, new)
    });
    stricter.find(|rule| {
        let was = old.is_some_and(|old| specificity(old) > specificity(rule));
        let milder = |other: &Rule| other.decision < Verdict::Confirm && has_all(other, new);
        // Where a milder one came first already, nothing changes.
        let mut before = others().filter(|other| specificity(other) > specificity(rule));
        specificity(new) > specificity(rule) && !was && !before.any(milder)
    })
}

/// Whether both may be about the same call.
fn meets(rule: &Rule, new: &Rule) -> bool {
    let both = |a: &Option<_>, b: &Option<_>| a.is_none() || b.is_none() || a == b;
    let differ = new.arguments.iter().any(|of_new| {
        let same_place = rule.arguments.iter().filter(|of_rule| of_rule.pointer == of_new.pointer);
        same_place.into_iter().any(|of_rule| exclude(&of_new.test, &of_rule.test))
    });
    pattern::meet(&rule.pattern, &new.pattern)
        && both(&rule.connection, &new.connection)
        && (rule.client.is_none() || new.client.is_none() || rule.client == new.client)
        && !differ
}

/// Whether `rule` is about every call that `new` is about.
fn has_all(rule: &Rule, new: &Rule) -> bool {
    pattern::includes(&rule.pattern, &new.pattern)
        && (rule.connection.is_none() || rule.connection == new.connection)
        && (rule.client.is_none() || rule.client == new.client)
        && (rule.bound_to.is_none() || rule.bound_to == new.bound_to)
        && rule.arguments.iter().all(|condition| new.arguments.contains(condition))
}
