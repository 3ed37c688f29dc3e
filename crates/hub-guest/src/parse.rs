//! One parse of a text as the body of an async function in strict mode.

use crate::fault::Fault;
use oxc_allocator::Allocator;
use oxc_ast::ast::Program;
use oxc_diagnostics::OxcDiagnostic;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

/// Parses TypeScript.
pub fn typescript<'a>(arena: &'a Allocator, text: &'a str) -> Result<Program<'a>, Fault> {
    parse(arena, text, SourceType::ts().with_module(true))
}

/// Parses JavaScript only.
pub fn javascript<'a>(arena: &'a Allocator, text: &'a str) -> Result<Program<'a>, Fault> {
    parse(arena, text, SourceType::mjs())
}

fn parse<'a>(arena: &'a Allocator, text: &'a str, kind: SourceType) -> Result<Program<'a>, Fault> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        parse_regular_expression: true,
        ..ParseOptions::default()
    };
    let read = Parser::new(arena, text, kind).with_options(options).parse();
    match read.diagnostics.errors().next() {
        None if !read.panicked => Ok(read.program),
        None => Err(Fault::new("The code cannot be parsed.")),
        Some(found) => Err(fault(found)),
    }
}

/// The parser's finding as ours.
pub fn fault(found: &OxcDiagnostic) -> Fault {
    // A name declared twice is labelled at both places; the second is the one to change.
    let twice = found.message.contains("already been declared");
    let label = if twice { found.labels.last() } else { found.labels.first() };
    let fault = Fault::new(found.message.to_string());
    let fault = match label {
        Some(label) => fault.at(label.offset()),
        None => fault,
    };
    match &found.help {
        Some(help) => fault.hint(help.to_string()),
        None => fault,
    }
}
