//! Texts from a grammar that is itself a text: a rule's name with a colon on a line of its own,
//! its alternatives indented below, `<name>` for another rule, `\n` for a line end. The first
//! alternative of a rule must end by itself; it is taken where nothing is left to decide with.

use crate::choices::Choices;
use std::collections::HashMap;

/// Rules inside one another.
const DEPTH: usize = 24;
/// Steps of a walk that looks for a way back to its rule.
const CYCLE: usize = 5;

enum Part {
    Text(String),
    Rule(usize),
}

/// A grammar.
pub struct Grammar {
    names: HashMap<String, usize>,
    rules: Vec<Vec<Vec<Part>>>,
}

impl Grammar {
    /// Reads one.
    pub fn read(text: &str) -> Self {
        let lines = || text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#'));
        let heads = lines().filter(|l| !l.starts_with(' '));
        let names: HashMap<String, usize> =
            heads.enumerate().map(|(i, l)| (l.trim_end_matches(':').to_owned(), i)).collect();
        let mut rules: Vec<Vec<Vec<Part>>> = Vec::new();
        for line in lines() {
            match line.strip_prefix("  ") {
                None => rules.push(Vec::new()),
                Some(alternative) => {
                    if let Some(rule) = rules.last_mut() {
                        rule.push(parts(alternative, &names));
                    }
                }
            }
        }
        Self { names, rules }
    }

    /// A text of the rule `name`, at most about `bytes` long.
    pub fn text(&self, name: &str, choices: &mut Choices<'_>, bytes: usize) -> String {
        let mut out = String::new();
        self.expand(self.names[name], choices, DEPTH, bytes, &mut out);
        out
    }

    fn expand(
        &self,
        rule: usize,
        c: &mut Choices<'_>,
        depth: usize,
        most: usize,
        out: &mut String,
    ) {
        let alternatives = &self.rules[rule];
        let ends = depth == 0 || c.is_empty() || out.len() > most;
        let chosen = if ends { 0 } else { c.below(alternatives.len()) };
        for part in &alternatives[chosen] {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Rule(inner) => self.expand(*inner, c, depth.saturating_sub(1), most, out),
            }
        }
    }

    /// A text in which something that may hold itself holds itself, as often as `bytes` allow.
    pub fn deep(&self, name: &str, choices: &mut Choices<'_>, bytes: usize) -> String {
        let from = choices.below(self.rules.len());
        let Some((open, close)) = self.cycle(from, choices) else {
            return self.text(name, choices, bytes);
        };
        let times = match choices.below(4) {
            0 => 1 + choices.below(300),
            _ => bytes / (open.len() + close.len()).max(1),
        };
        let mut inner = String::new();
        self.expand(from, choices, 2, bytes, &mut inner);
        let middle = format!("{}{inner}{}", open.repeat(times), close.repeat(times));
        // Half of them never close: the reader must not care.
        match choices.below(4) {
            0 => open.repeat(times),
            1 => middle,
            _ => self.around(name, from, &middle, choices).unwrap_or(middle),
        }
    }

    /// What stands before and after a rule inside itself.
    fn cycle(&self, from: usize, c: &mut Choices<'_>) -> Option<(String, String)> {
        let (mut open, mut close) = (String::new(), String::new());
        let mut at = from;
        for _ in 0..CYCLE {
            let alternatives: Vec<&Vec<Part>> = self.rules[at]
                .iter()
                .filter(|parts| parts.iter().any(|p| matches!(p, Part::Rule(_))))
                .collect();
            if alternatives.is_empty() {
                return None;
            }
            let parts = alternatives[c.below(alternatives.len())];
            let holes: Vec<usize> = parts
                .iter()
                .enumerate()
                .filter_map(|(i, p)| matches!(p, Part::Rule(_)).then_some(i))
                .collect();
            let back = holes.iter().find(|i| matches!(parts[**i], Part::Rule(r) if r == from));
            let hole = *back.unwrap_or(&holes[c.below(holes.len())]);
            let (before, after) = self.sides(parts, hole, c);
            open.push_str(&before);
            close.insert_str(0, &after);
            let Part::Rule(next) = parts[hole] else { return None };
            if next == from {
                return (!open.is_empty() || !close.is_empty()).then_some((open, close));
            }
            at = next;
        }
        None
    }

    fn sides(&self, parts: &[Part], hole: usize, c: &mut Choices<'_>) -> (String, String) {
        let (mut before, mut after) = (String::new(), String::new());
        for (i, part) in parts.iter().enumerate() {
            let side = if i < hole { &mut before } else { &mut after };
            match part {
                _ if i == hole => {}
                Part::Text(text) => side.push_str(text),
                Part::Rule(rule) => self.expand(*rule, c, 1, usize::MAX, side),
            }
        }
        (before, after)
    }

    /// A text of `name` with `middle` where `rule` stands in it.
    fn around(&self, name: &str, rule: usize, middle: &str, c: &mut Choices<'_>) -> Option<String> {
        let start = self.names[name];
        let mut at = start;
        let (mut open, mut close) = (String::new(), String::new());
        for _ in 0..CYCLE {
            if at == rule {
                return Some(format!("{open}{middle}{close}"));
            }
            let alternatives = &self.rules[at];
            let parts = &alternatives[c.below(alternatives.len())];
            let hole = parts.iter().position(|p| matches!(p, Part::Rule(_)))?;
            let (before, after) = self.sides(parts, hole, c);
            open.push_str(&before);
            close.insert_str(0, &after);
            let Part::Rule(next) = parts[hole] else { return None };
            at = next;
        }
        None
    }
}

fn parts(alternative: &str, names: &HashMap<String, usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    let mut rest = alternative;
    while let Some(c) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|r| r.split_once('>'));
        if let Some((name, after)) = named
            && let Some(rule) = names.get(name)
        {
            if !text.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut text)));
            }
            parts.push(Part::Rule(*rule));
            rest = after;
        } else if let Some(after) = rest.strip_prefix("\\n") {
            text.push('\n');
            rest = after;
        } else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    parts
}
