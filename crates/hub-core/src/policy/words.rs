//! Policy in words: which rule decided, and why not another.

use super::condition::Holds;
use super::judge::{self, is_about, is_asleep, matching, specificity};
use super::{ArgumentCondition, ArgumentTest, Call, Rule, RuleOrigin, Verdict};
use crate::redact::{plain, quote, value};

/// Characters of a rule's note that are shown.
const NOTE_CHARS: usize = 200;

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Confirm => "confirm",
        Verdict::Deny => "deny",
    }
}

fn origin(origin: RuleOrigin) -> &'static str {
    match origin {
        RuleOrigin::File => "from the configuration file",
        RuleOrigin::Person => "of a person",
        RuleOrigin::Organisation => "of the organisation",
    }
}

/// `rule rule_x of a person: deny mail.*, connection work ("note")`.
pub(super) fn rule(rule: &Rule) -> String {
    let mut text = format!(
        "rule {} {}: {} {}",
        rule.id,
        origin(rule.origin),
        verdict(rule.decision),
        rule.pattern
    );
    if let Some(connection) = &rule.connection {
        text.push_str(&format!(", connection {connection}"));
    }
    if let Some(client) = &rule.client {
        text.push_str(&format!(", client {client}"));
    }
    for condition in &rule.arguments {
        text.push_str(&format!(", {} {}", condition.pointer, test(&condition.test)));
    }
    if !rule.note.is_empty() {
        text.push_str(&format!(" ({})", quote(&rule.note, NOTE_CHARS)));
    }
    text
}

/// The conditions of a rule, one line each, for people.
pub fn conditions(rule: &Rule) -> Vec<String> {
    let line = |condition: &ArgumentCondition| {
        let name = condition.pointer.rsplit('/').next().unwrap_or_default();
        let said = match &condition.test {
            ArgumentTest::Equals(wanted) => format!("is {}", value(name, wanted)),
            ArgumentTest::OneOf(wanted) => {
                let wanted: Vec<String> = wanted.iter().map(|w| value(name, w)).collect();
                format!("is one of {}", wanted.join(", "))
            }
            other => test(other),
        };
        format!("{} {said}", plain(&condition.pointer, NOTE_CHARS))
    };
    rule.arguments.iter().map(line).collect()
}

fn test(test: &ArgumentTest) -> String {
    match test {
        ArgumentTest::Equals(value) => format!("is {}", quote(&value.to_string(), NOTE_CHARS)),
        ArgumentTest::OneOf(values) => format!("is one of {} values", values.len()),
        ArgumentTest::Range { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("from {min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => "is a number".to_owned(),
        },
        ArgumentTest::PathUnder(root) => format!("under {root}"),
        ArgumentTest::UrlHost(host) => format!("on host {host}"),
    }
}

/// Which rule decides about a call and why, for `policy explain`: the decision first, then
/// every rule about the address, the deciding one first, each with why it did or did not count.
pub fn explain(rules: &[Rule], call: &Call<'_>) -> String {
    let judgement = judge::judge(rules, call);
    let mut lines =
        vec![format!("{}: {}", call.address, verdict(judgement.verdict)), judgement.reason.clone()];
    let mut about: Vec<&Rule> = rules.iter().filter(|r| is_about(r, call)).collect();
    about.sort_by(|a, b| specificity(b).cmp(&specificity(a)).then(b.decision.cmp(&a.decision)));
    let deciding = |r: &&Rule| judgement.rule.as_ref() == Some(&r.id);
    for other in about.into_iter().filter(|r| !deciding(r)) {
        lines.push(format!("  {}: {}", rule(other), why_not(rules, other, call)));
    }
    lines.join("\n")
}

fn why_not(rules: &[Rule], rule: &Rule, call: &Call<'_>) -> &'static str {
    if is_asleep(rule, call.scope) {
        return "asleep, because the tool or its source changed since";
    }
    if call.arguments.is_none() && !rule.arguments.is_empty() {
        return "depends on the arguments";
    }
    match judge::conditions(rule, call) {
        Holds::No => "its conditions do not hold",
        Holds::Unclear => "its conditions may hold, depending on how the source reads them",
        Holds::Yes => {
            let more = |o: &Rule| specificity(o) > specificity(rule);
            if matching(rules, call).iter().any(|(o, h)| *h == Holds::Yes && more(o)) {
                "a more specific rule decides"
            } else {
                "a rule of the same rank decides"
            }
        }
    }
}
