//! Declarations of targets, within a budget of tokens (SPEC 2.2).
//!
//! `scope` settles which types an answer is about and what they are called; `member` writes a
//! tool; here plans are tried, the fullest first, until one fits.

mod member;
mod scope;

use crate::print::{Plan, Printer};
use hub_core::ports::{DeclareRequest, Declared, TokenCount};
use scope::{Scope, TypeAt};
use std::collections::{HashSet, VecDeque};

/// From everything written out to hardly anything.
const PLANS: [Plan; 10] = [
    Plan { fold: usize::MAX, doc_chars: usize::MAX },
    Plan { fold: 3, doc_chars: usize::MAX },
    Plan { fold: 2, doc_chars: usize::MAX },
    Plan { fold: 1, doc_chars: usize::MAX },
    Plan { fold: 1, doc_chars: 400 },
    Plan { fold: 1, doc_chars: 160 },
    Plan { fold: 0, doc_chars: 400 },
    Plan { fold: 0, doc_chars: 160 },
    Plan { fold: 0, doc_chars: 80 },
    Plan { fold: 0, doc_chars: 0 },
];
/// Share of the budget that the closing comment may take.
const CLOSING_PERCENT: usize = 15;
/// Bytes per token of budget that are printed at most: text is never that dense.
const BYTES_PER_TOKEN: usize = 8;

const OPTIONS: &str = "interface CallOptions { connection?: string }\n";
const UNKNOWN: &str =
    "// Promise<unknown>: the source declares no shape; look at one result before using fields.\n";

pub fn declare(request: &DeclareRequest<'_>) -> Declared {
    let mut missing = Vec::new();
    let mut scopes: Vec<Scope<'_>> =
        request.blocks.iter().map(|block| Scope::read(block, &mut missing)).collect();
    let budget = Budget { tokens: request.token_budget, counter: request.tokens };
    loop {
        for plan in PLANS {
            if let Some((text, omitted)) = attempt(&scopes, plan, &budget) {
                return Declared { text, omitted, missing };
            }
        }
        // Not even bare names fit: fewer tools.
        let most = scopes.iter_mut().max_by_key(|scope| scope.shown);
        match most.filter(|scope| scope.shown > 0) {
            Some(scope) => scope.shown /= 2,
            None => break,
        }
    }
    let omitted: Vec<String> = scopes.iter().flat_map(Scope::everything).collect();
    let text = closing(&omitted, &budget).0;
    Declared { text, omitted, missing }
}

struct Budget<'a> {
    tokens: usize,
    counter: &'a dyn TokenCount,
}

impl Budget<'_> {
    /// Whether `text` fits in `tokens`. Short text is not counted: a token is a byte at least.
    fn fits(&self, text: &str, tokens: usize) -> bool {
        text.len() <= tokens || self.cost(text) <= tokens
    }

    fn cost(&self, text: &str) -> usize {
        self.counter.count(text)
    }

    fn closing(&self) -> usize {
        self.tokens * CLOSING_PERCENT / 100
    }

    fn bytes(&self) -> usize {
        self.tokens.saturating_mul(BYTES_PER_TOKEN)
    }
}

/// The answer under `plan`: its text and what it leaves out. `None` where it does not fit.
fn attempt(scopes: &[Scope<'_>], plan: Plan, budget: &Budget<'_>) -> Option<(String, Vec<String>)> {
    let mut written = Vec::new();
    for scope in scopes {
        written.push(Written::base(scope, plan, budget)?);
    }
    let tools_left_out: Vec<String> = scopes.iter().flat_map(Scope::left_out).collect();
    if tools_left_out.is_empty() {
        let mut full = written.clone();
        if full.iter_mut().all(|block| block.expand(plan, budget, budget.bytes())) {
            let text = joined(scopes, &full);
            if budget.fits(&text, budget.tokens) {
                return Some((text, Vec::new()));
            }
        }
    }
    let room = budget.tokens - budget.closing();
    let base = joined(scopes, &written);
    if !budget.fits(&base, room) {
        return None;
    }
    let mut left = room - budget.cost(&base).min(room);
    let mut omitted = Vec::new();
    for block in &mut written {
        block.expand_within(plan, budget, &mut left);
        omitted.extend(block.pending_names());
    }
    omitted.sort();
    omitted.dedup();
    let types = omitted.len();
    omitted.extend(tools_left_out);
    let (comment, listed) = closing(&omitted, budget);
    let text = joined(scopes, &written) + &comment;
    (listed >= types && budget.fits(&text, budget.tokens)).then_some((text, omitted))
}

/// One namespace's part of an answer.
#[derive(Clone)]
struct Written<'s, 'a> {
    scope: &'s Scope<'a>,
    members: String,
    interfaces: String,
    /// Names that are declared, or will not be.
    known: HashSet<&'s str>,
    pending: VecDeque<TypeAt>,
}

impl<'s, 'a> Written<'s, 'a> {
    /// Members, and the types that were asked for.
    fn base(scope: &'s Scope<'a>, plan: Plan, budget: &Budget<'_>) -> Option<Self> {
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
            block.refer(used);
        }
        for wanted in &scope.wanted {
            let name = scope.name(*wanted);
            if block.known.insert(name) {
                let (text, used) = block.interface(*wanted, plan, budget.bytes())?;
                block.interfaces.push_str(&text);
                block.refer(used);
            }
        }
        let known = &block.known;
        block.pending.retain(|at| !known.contains(scope.name(*at)));
        Some(block)
    }

    fn refer(&mut self, used: Vec<TypeAt>) {
        self.pending.extend(used);
    }

    fn interface(&self, at: TypeAt, plan: Plan, limit: usize) -> Option<(String, Vec<TypeAt>)> {
        let entry = &self.scope.entries[at.entry];
        let mut printer = Printer::new(&entry.types.named, &entry.renamed, plan, "", limit);
        printer.interface(at.node).ok()?;
        let used = printer.used.iter().map(|node| TypeAt { node: *node, ..at }).collect();
        Some((printer.out, used))
    }

    /// Declares everything that is referred to. Types that were asked for stand alone.
    fn expand(&mut self, plan: Plan, budget: &Budget<'_>, limit: usize) -> bool {
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

    /// Declares what fits, nearest first; the rest stays pending.
    fn expand_within(&mut self, plan: Plan, budget: &Budget<'_>, left: &mut usize) {
        if self.scope.shown == 0 {
            return;
        }
        let mut tried = HashSet::new();
        let mut rest = VecDeque::new();
        while let Some(at) = self.pending.pop_front() {
            let name = self.scope.name(at);
            if self.known.contains(name) || !tried.insert(name) {
                continue;
            }
            let limit = left.saturating_mul(BYTES_PER_TOKEN);
            match self.interface(at, plan, limit) {
                Some((text, used)) if budget.fits(&text, *left) => {
                    *left -= budget.cost(&text).min(*left);
                    self.known.insert(name);
                    self.interfaces.push_str(&text);
                    self.refer(used);
                }
                _ => rest.push_back(at),
            }
        }
        self.pending = rest;
    }

    fn pending_names(&self) -> impl Iterator<Item = String> {
        let scope = self.scope;
        self.pending.iter().map(move |at| format!("{}.{}", scope.namespace, scope.name(*at)))
    }
}

fn joined(scopes: &[Scope<'_>], written: &[Written<'_, '_>]) -> String {
    let mut out = String::new();
    if scopes.iter().any(|scope| scope.shown > 0) {
        out.push_str(OPTIONS);
    }
    if scopes.iter().any(Scope::has_unknown_results) {
        out.push_str(UNKNOWN);
    }
    for (scope, block) in scopes.iter().zip(written) {
        if scope.shown > 0 {
            out.push_str(&scope.connections_doc());
            out.push_str(&format!("declare const {}: {{\n{}}};\n", scope.namespace, block.members));
        }
        if !block.interfaces.is_empty() {
            let interfaces = &block.interfaces;
            out.push_str(&format!("declare namespace {} {{\n{interfaces}}}\n", scope.namespace));
        }
    }
    out
}

/// The comment that names what is left out, and how many names it holds.
fn closing(omitted: &[String], budget: &Budget<'_>) -> (String, usize) {
    let mut listed = omitted.len();
    loop {
        let text = closing_text(omitted, listed);
        if listed == 0 || budget.fits(&text, budget.closing()) {
            return (text, listed);
        }
        listed = listed * 7 / 8;
    }
}

fn closing_text(omitted: &[String], listed: usize) -> String {
    let more = match omitted.len() - listed {
        0 => String::new(),
        more if listed == 0 => format!("{more} names"),
        more => format!(", and {more} more"),
    };
    match omitted {
        [] => String::new(),
        _ => format!("// Not expanded, describe by name: {}{more}\n", omitted[..listed].join(", ")),
    }
}
