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
use oxc_semantic::Scoping;

/// What a program's shape asks for.
#[derive(Default)]
pub struct Shaped {
    pub edits: Edits,
    pub notice: Option<&'static str>,
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

    /// The function that a top-level name stands for, if it can be called once.
    fn function_named(&self, name: &str) -> Option<u32> {
        self.live.iter().find_map(|s| match s {
            Statement::FunctionDeclaration(f) => {
                let id = f.id.as_ref().filter(|id| id.name == name)?;
                (!f.generator && id.name == name).then_some(f.span.start)
            }
            Statement::VariableDeclaration(v) => v.declarations.iter().find_map(|d| {
                let id = d.id.get_binding_identifier().filter(|id| id.name == name)?;
                let _ = id;
                callable(d.init.as_ref()?)
            }),
            _ => None,
        })
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
        use oxc_span::GetSpan;
        self.program.body.last().map_or(0, |s| s.span().end)
    }
}

/// Start of a function expression that can be called, through parentheses.
fn callable(it: &Expression<'_>) -> Option<u32> {
    match it.get_inner_expression() {
        Expression::ArrowFunctionExpression(f) => Some(f.span.start),
        Expression::FunctionExpression(f) if !f.generator => Some(f.span.start),
        _ => None,
    }
}
