//! One tool as a member of its namespace.

use super::scope::{Scope, TypeAt};
use crate::graph::Kind;
use crate::print::{Plan, Printer};
use crate::signature::UNUSABLE;
use crate::simplify::seen_through;
use crate::text::{push_doc, push_name, shortened};
use crate::tool::{is_optional, is_scalar};

/// `name(input: {…}, options?: CallOptions): Promise<T>;` and the types it refers to.
pub fn member(
    scope: &Scope<'_>,
    at: usize,
    plan: Plan,
    limit: usize,
) -> Option<(String, Vec<TypeAt>)> {
    let entry = &scope.entries[at];
    let types = &entry.types;
    let graph = &types.named.graph;
    let mut printer = Printer::new(&types.named, &entry.renamed, plan, &scope.qualifier, limit);
    push_doc(&mut printer.out, &doc(scope, at, plan), 1);
    printer.out.push('\t');
    push_name(&mut printer.out, entry.name);
    printer.out.push_str(if is_optional(graph, types.input) { "(input?: " } else { "(input: " });
    match graph.kind(seen_through(graph, types.input)) {
        Kind::Unknown => printer.out.push_str("Record<string, unknown>"),
        _ => printer.parameter(types.input).ok()?,
    }
    printer.out.push_str(", options?: CallOptions): Promise<");
    match types.output {
        Some(output) => printer.parameter(output).ok()?,
        None => printer.out.push_str("unknown"),
    }
    printer.out.push_str(">;\n");
    let used = printer.used.iter().map(|part| TypeAt { entry: at, part: *part }).collect();
    Some((printer.out, used))
}

fn doc(scope: &Scope<'_>, at: usize, plan: Plan) -> String {
    let entry = &scope.entries[at];
    let types = &entry.types;
    let graph = &types.named.graph;
    let said = entry.tool.description.as_deref().unwrap_or_default();
    let mut doc = match plan.doc_chars {
        0 => String::new(),
        chars => shortened(said, chars),
    };
    let mut add = |line: String| {
        doc.push_str(if doc.is_empty() { "" } else { "\n" });
        doc.push_str(&line);
    };
    if is_scalar(graph, types.input) {
        add(UNUSABLE.into());
    }
    let reasons = [("Input", Some(types.input)), ("Result", types.output)];
    for (what, id) in reasons {
        let reason = id.and_then(|id| {
            graph.get(id).reason.as_deref().or(graph.get(seen_through(graph, id)).reason.as_deref())
        });
        if let Some(reason) = reason {
            add(format!("{what} not read: {}.", shortened(reason, 200)));
        }
    }
    doc
}
