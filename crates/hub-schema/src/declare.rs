//! Declarations of targets, within a budget of tokens (SPEC 2.2).
//!
//! `scope` settles which types an answer is about and what they are called; `member` writes a
//! tool; here plans are tried, the fullest first, until one fits.

mod budget;
mod member;
mod scope;
mod written;

use crate::print::Plan;
use budget::{Budget, CLOSING_WORDS};
use hub_core::ports::{DeclareRequest, Declared};
use scope::Scope;
use written::{Left, Written};

/// From everything written out to hardly anything.
const PLANS: [Plan; 19] = [
    FULL,
    Plan { fold: 3, ..FULL },
    Plan { fold: 2, ..FULL },
    Plan { fold: 1, ..FULL },
    Plan { fold: 1, doc_chars: 600, prop_chars: 400, values: 200, ..FULL },
    Plan { fold: 1, doc_chars: 240, prop_chars: 120, values: 60, ..FULL },
    Plan { fold: 1, doc_chars: 160, prop_chars: 60, values: 30, ..FULL },
    Plan { fold: 1, doc_chars: 160, prop_chars: 0, values: 30, ..FULL },
    BRIEF,
    Plan { fold: 1, doc_chars: 0, prop_chars: 0, values: 12, ..FULL },
    Plan { fold: 0, doc_chars: 160, prop_chars: 60, values: 12, ..FULL },
    Plan { fold: 0, doc_chars: 80, prop_chars: 0, values: 12, ..FULL },
    BARE,
    Plan { props: 200, ..BARE },
    Plan { props: 80, ..BARE },
    Plan { props: 30, ..BARE },
    Plan { props: 10, ..BARE },
    Plan { props: 3, ..BARE },
    Plan { props: 1, ..BARE },
];
/// Everything.
const FULL: Plan = Plan {
    fold: usize::MAX,
    doc_chars: usize::MAX,
    prop_chars: usize::MAX,
    values: usize::MAX,
    props: usize::MAX,
};
/// Parameters without descriptions; also what is tried when not every tool can be shown.
const BRIEF: Plan = Plan { fold: 1, doc_chars: 80, prop_chars: 0, values: 12, ..FULL };
/// Names only.
const BARE: Plan = Plan { fold: 0, doc_chars: 0, prop_chars: 0, values: 6, ..FULL };
/// Tokens that the shortest member takes; more members are not even tried.
const MEMBER_TOKENS: usize = 10;

const OPTIONS: &str = "interface CallOptions { connection?: string }\n";
const UNKNOWN: &str =
    "// Promise<unknown>: the source declares no shape; look at one result before using fields.\n";

pub fn declare(request: &DeclareRequest<'_>) -> Declared {
    let mut missing = Vec::new();
    let most = request.token_budget / MEMBER_TOKENS;
    let mut scopes: Vec<Scope<'_>> =
        request.blocks.iter().map(|block| Scope::read(block, most, &mut missing)).collect();
    let budget = Budget { tokens: request.token_budget, counter: request.tokens };
    let fitting = if scopes.iter().all(Scope::is_whole) {
        PLANS.iter().find_map(|plan| attempt(&scopes, *plan, &budget))
    } else {
        None
    };
    let (text, omitted) = fitting.unwrap_or_else(|| shortened(&mut scopes, &budget));
    Declared { text, omitted, missing }
}

/// The answer with as many tools as fit.
fn shortened(scopes: &mut [Scope<'_>], budget: &Budget<'_>) -> (String, Vec<String>) {
    let all: usize = scopes.iter().map(|scope| scope.shown).sum();
    let mut best = None;
    let (mut fits, mut too_many) = (0, all + 1);
    while fits + 1 < too_many {
        let tried = (fits + too_many) / 2;
        show(scopes, tried);
        match [BRIEF, BARE].iter().find_map(|plan| attempt(scopes, *plan, budget)) {
            Some(answer) => (best, fits) = (Some(answer), tried),
            None => too_many = tried,
        }
    }
    if let Some(best) = best {
        return best;
    }
    show(scopes, 0);
    if let Some(types) = PLANS.iter().find_map(|plan| attempt(scopes, *plan, budget)) {
        return types;
    }
    let omitted: Vec<String> = scopes.iter().flat_map(Scope::everything).collect();
    (budget::closing(&omitted, budget).0, omitted)
}

/// Shows `count` tools, the namespaces taking turns.
fn show(scopes: &mut [Scope<'_>], count: usize) {
    scopes.iter_mut().for_each(|scope| scope.shown = 0);
    let mut left = count;
    while left > 0 {
        let before = left;
        for scope in scopes.iter_mut().filter(|scope| scope.shown < scope.read) {
            if left > 0 {
                scope.shown += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
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
    let names: usize = written.iter().map(|block| block.names_cost(budget)).sum();
    let names = budget.closing().saturating_sub(CLOSING_WORDS).checked_sub(names)?;
    if !budget.fits(&base, room) {
        return None;
    }
    let mut left = Left { text: room - budget.cost(&base).min(room), names };
    let mut omitted = Vec::new();
    for block in &mut written {
        block.expand_within(plan, budget, &mut left);
        omitted.extend(block.pending_names());
    }
    let types = omitted.len();
    omitted.extend(tools_left_out);
    let (comment, listed) = budget::closing(&omitted, budget);
    let text = joined(scopes, &written) + &comment;
    (listed >= types && budget.fits(&text, budget.tokens)).then_some((text, omitted))
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
