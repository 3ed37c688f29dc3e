//! Shapes that models write around or instead of a function body, and what is made of them.
//!
//! Every rewrite is one notice line. What already is a body is never touched.

mod default;
pub mod fence;
mod last;
mod lone;

use crate::edit::Edits;
use crate::guess;
use crate::strip::is_erased;
use oxc_ast::ast::*;
use oxc_semantic::{ScopeId, Scoping, SymbolId};
use oxc_span::GetSpan;
use std::cell::Cell;

/// What a program's shape asks for.
#[derive(Default)]
pub struct Shaped {
    pub edits: Edits,
    pub notices: Vec<&'static str>,
    /// Start of the function that is called now, for preflight.
    pub called: Option<u32>,
}

/// Decides on at most one rewrite.
pub fn shape(program: &Program<'_>, text: &str, scoping: &Scoping) -> Shaped {
    let top = Top::new(program, text, scoping);
    top.default_export().or_else(|| top.lone()).or_else(|| top.last()).unwrap_or_default()
}

/// Word, place and hint of a program that is a shell command.
pub fn command<'a>(
    program: &Program<'a>,
    text: &str,
    scoping: &Scoping,
) -> Option<(&'a str, u32, &'static str)> {
    let top = Top::new(program, text, scoping);
    guess::command(&top.live, |it| top.is_global(it))
}

/// The top level of a program.
struct Top<'p, 'a> {
    program: &'p Program<'a>,
    text: &'p str,
    scoping: &'p Scoping,
    /// Statements of which something stays.
    live: Vec<&'p Statement<'a>>,
}

impl<'p, 'a> Top<'p, 'a> {
    fn new(program: &'p Program<'a>, text: &'p str, scoping: &'p Scoping) -> Self {
        let live = program.body.iter().filter(|s| !is_erased(s)).collect();
        Self { program, text, scoping, live }
    }

    /// Whether a name is bound nowhere in the code.
    fn is_global(&self, it: &IdentifierReference<'_>) -> bool {
        it.reference_id.get().is_none_or(|id| self.scoping.get_reference(id).symbol_id().is_none())
    }

    /// The function that a top-level name stands for, if it can be called.
    fn function_named(&self, name: &str) -> Option<Target> {
        self.live.iter().find_map(|s| match s {
            Statement::FunctionDeclaration(f) => {
                let id = f.id.as_ref().filter(|id| id.name == name && !f.generator)?;
                Some(Target { symbol: id.symbol_id.get(), ..Target::of(f.span.start, &f.scope_id) })
            }
            Statement::VariableDeclaration(v) => v.declarations.iter().find_map(|d| {
                let id = d.id.get_binding_identifier().filter(|id| id.name == name)?;
                Some(Target { symbol: id.symbol_id.get(), ..callable(d.init.as_ref()?)? })
            }),
            _ => None,
        })
    }

    /// Whether the code names a function outside of itself, beside so many exports.
    fn is_used(&self, target: &Target, exports: usize) -> bool {
        let (Some(symbol), Some(scope)) = (target.symbol, target.scope) else { return false };
        let outside = self.scoping.get_resolved_references(symbol).filter(|reference| {
            let from = reference.scope_id();
            from != scope && !self.scoping.scope_is_descendant_of(from, scope)
        });
        outside.count() > exports
    }

    /// A name that the code does not use.
    fn fresh(&self) -> String {
        let mut name = String::from("$main");
        while self.text.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Byte after the last statement.
    fn end(&self) -> u32 {
        self.program.body.last().map_or(0, |s| s.span().end)
    }
}

/// A function that can be called.
#[derive(Clone, Copy)]
struct Target {
    start: u32,
    scope: Option<ScopeId>,
    symbol: Option<SymbolId>,
}

impl Target {
    fn of(start: u32, scope: &Cell<Option<ScopeId>>) -> Self {
        Self { start, scope: scope.get(), symbol: None }
    }
}

/// A function expression that can be called, through parentheses.
fn callable(it: &Expression<'_>) -> Option<Target> {
    match it.get_inner_expression() {
        Expression::ArrowFunctionExpression(f) => Some(Target::of(f.span.start, &f.scope_id)),
        Expression::FunctionExpression(f) if !f.generator => {
            Some(Target::of(f.span.start, &f.scope_id))
        }
        _ => None,
    }
}
