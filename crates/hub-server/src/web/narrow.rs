//! What an "always" can be narrowed to: typed conditions on the arguments, made by the hub from
//! the values that the calls really have. The form brings back only which of them were chosen.

use crate::web::ADDRESS;
use crate::web::html::Html;
use hub_core::id::RuleId;
use hub_core::policy::{self, ArgumentCondition, ArgumentTest, Rule, RuleOrigin, Verdict};
use hub_core::redact;
use hub_core::time::UnixMillis;
use hub_engine::EngineError;
use serde_json::Value;
use std::collections::HashMap;

/// Arguments that can be narrowed; further ones may be anything.
const ARGUMENTS: usize = 24;
/// Bytes of an argument's place; one with a longer name may be anything.
const POINTER: usize = 500;
/// Levels of objects that are looked into.
const LEVELS: usize = 3;
/// Different values that one condition names.
const VALUES: usize = 50;
/// Folders above a path that are offered.
const FOLDERS: usize = 3;

/// One condition that can be chosen.
struct Offer {
    key: String,
    words: String,
    test: ArgumentTest,
}

/// An argument with what it can be narrowed to.
struct Argument {
    pointer: String,
    /// What it is called, from the outside in.
    name: String,
    offers: Vec<Offer>,
}

/// A choice for each argument; `id` keeps the forms of one page apart.
pub fn show(main: &mut Html, id: &str, full: &[&str]) {
    let arguments = arguments(full);
    if arguments.is_empty() {
        return;
    }
    main.raw("<fieldset><legend>Only where (the narrower, the safer)</legend>");
    for (at, argument) in arguments.iter().enumerate() {
        let field = format!("narrow-{id}-{at}");
        main.raw("<div class=\"field\"><label for=\"").text(&field).raw("\"><code>");
        main.foreign(&argument.name, ADDRESS).raw("</code></label><select id=\"").text(&field);
        main.raw("\" name=\"narrow:").text(&argument.pointer).raw("\">");
        main.raw("<option value=\"any\">may be anything</option>");
        for offer in &argument.offers {
            main.raw("<option value=\"").text(&offer.key).raw("\">");
            main.text(&offer.words).raw("</option>");
        }
        main.raw("</select></div>");
    }
    main.raw("</fieldset>");
}

/// The chosen conditions. What cannot be found must not make the rule wider: it is refused.
pub fn chosen(
    full: &[&str],
    fields: &HashMap<String, String>,
) -> Result<Vec<ArgumentCondition>, EngineError> {
    let mut arguments = arguments(full);
    let mut conditions = Vec::new();
    for (field, key) in fields.iter().filter(|(_, key)| *key != "any") {
        let Some(pointer) = field.strip_prefix("narrow:") else { continue };
        let offers = arguments.iter_mut().find(|a| a.pointer == pointer).map(|a| &mut a.offers);
        let offer = offers.and_then(|offers| {
            let at = offers.iter().position(|offer| offer.key == *key)?;
            Some(offers.swap_remove(at))
        });
        let Some(offer) = offer else {
            let say = "an argument to narrow to was not found; nothing was decided";
            return Err(EngineError::Invalid(say.into()));
        };
        conditions.push(ArgumentCondition { pointer: pointer.to_owned(), test: offer.test });
    }
    conditions.sort_by(|a, b| a.pointer.cmp(&b.pointer));
    Ok(conditions)
}

/// Arguments that all calls have, with conditions that hold for all of them.
fn arguments(full: &[&str]) -> Vec<Argument> {
    let calls: Vec<Value> =
        full.iter().map(|json| serde_json::from_str(json).unwrap_or_default()).collect();
    let Some(first) = calls.first() else { return Vec::new() };
    let mut found = Vec::new();
    leaves(first, String::new(), String::new(), LEVELS, &mut found);
    let narrowed = found.into_iter().filter_map(|(pointer, name)| {
        let values: Option<Vec<&Value>> = calls.iter().map(|call| call.pointer(&pointer)).collect();
        let offers = offers(&pointer, &values?, &calls);
        (!offers.is_empty()).then_some(Argument { pointer, name, offers })
    });
    narrowed.collect()
}

fn leaves(
    value: &Value,
    pointer: String,
    name: String,
    levels: usize,
    found: &mut Vec<(String, String)>,
) {
    match value {
        Value::Object(map) if levels > 0 => {
            for (key, value) in map {
                let step = key.replace('~', "~0").replace('/', "~1");
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                leaves(value, format!("{pointer}/{step}"), name, levels - 1, found);
            }
        }
        _ if found.len() < ARGUMENTS && !pointer.is_empty() && pointer.len() <= POINTER => {
            found.push((pointer, name))
        }
        _ => {}
    }
}

fn offers(pointer: &str, values: &[&Value], calls: &[Value]) -> Vec<Offer> {
    let mut offers = vec![same(pointer, values)];
    if let Some(numbers) = values.iter().map(|v| v.as_f64()).collect::<Option<Vec<f64>>>() {
        bounds(&numbers, &mut offers);
    }
    if let Some(text) = values[0].as_str() {
        match host(text) {
            Some(host) => offers.push(Offer {
                key: "host".into(),
                words: format!("is a URL on {}", redact::plain(host, ADDRESS)),
                test: ArgumentTest::UrlHost(host.to_owned()),
            }),
            None => folders(text, &mut offers),
        }
    }
    offers.retain(|offer| holds(pointer, offer, calls));
    offers
}

fn same(pointer: &str, values: &[&Value]) -> Offer {
    let name = pointer.rsplit('/').next().unwrap_or_default();
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.contains(value) && distinct.len() < VALUES {
            distinct.push((*value).clone());
        }
    }
    let (words, test) = match distinct.as_slice() {
        [one] => {
            (format!("is exactly {}", redact::value(name, one)), ArgumentTest::Equals(one.clone()))
        }
        several => {
            let shown: Vec<String> = several.iter().map(|v| redact::value(name, v)).collect();
            let shown = redact::plain(&shown.join(", "), 120);
            (format!("is one of these {}: {shown}", several.len()), ArgumentTest::OneOf(distinct))
        }
    };
    Offer { key: "same".into(), words, test }
}

fn bounds(numbers: &[f64], offers: &mut Vec<Offer>) {
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    offers.push(Offer {
        key: "max".into(),
        words: format!("is at most {most}"),
        test: ArgumentTest::Range { min: None, max: Some(most) },
    });
    offers.push(Offer {
        key: "min".into(),
        words: format!("is at least {least}"),
        test: ArgumentTest::Range { min: Some(least), max: None },
    });
}

fn host(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty())
}

/// The folders above a path, the nearest first.
fn folders(text: &str, offers: &mut Vec<Offer>) {
    let mut path = text;
    for at in 0..FOLDERS {
        let Some((above, _)) = path.rsplit_once('/') else { return };
        if above.is_empty() || path.contains(char::is_whitespace) {
            return;
        }
        offers.push(Offer {
            key: format!("under:{at}"),
            words: format!("is a path under {}", redact::plain(above, ADDRESS)),
            test: ArgumentTest::PathUnder(above.to_owned()),
        });
        path = above;
    }
}

/// Whether a rule may have the condition, and all calls that wait would fall under it.
fn holds(pointer: &str, offer: &Offer, calls: &[Value]) -> bool {
    let condition = ArgumentCondition { pointer: pointer.to_owned(), test: offer.test.clone() };
    let rule = Rule {
        id: RuleId::new("offered"),
        pattern: "**".into(),
        connection: None,
        arguments: vec![condition.clone()],
        client: None,
        decision: Verdict::Allow,
        note: String::new(),
        origin: RuleOrigin::Person,
        bound_to: None,
        created_at: UnixMillis(0),
    };
    policy::check(&rule).is_ok() && calls.iter().all(|call| condition.holds(call))
}

#[cfg(test)]
mod tests;
