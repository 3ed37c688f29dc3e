//! TypeScript as the transformer prints it, to compare with what the reader makes of it.

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};
use std::path::Path;

fn options() -> ParseOptions {
    ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() }
}

/// The program as the transformer prints it; none where the code does not parse.
pub fn transformed(code: &str) -> Option<String> {
    let arena = Allocator::default();
    let kind = SourceType::ts().with_module(true);
    let parsed = Parser::new(&arena, code, kind).with_options(options()).parse();
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut program = parsed.program;
    program.hashbang = None;
    let built = SemanticBuilder::new().with_enum_eval(true).build(&program);
    let scoping = built.semantic.into_scoping();
    let mut options = TransformOptions::default();
    options.typescript.only_remove_type_imports = true;
    Transformer::new(&arena, Path::new("a.ts"), &options).build_with_scoping(scoping, &mut program);
    Some(print(&program))
}

/// The program as it is printed when it is JavaScript; none where it is not.
pub fn printed(code: &str) -> Option<String> {
    let arena = Allocator::default();
    let parsed = Parser::new(&arena, code, SourceType::mjs()).with_options(options()).parse();
    parsed.diagnostics.is_empty().then(|| print(&parsed.program))
}

fn print(program: &oxc_ast::ast::Program<'_>) -> String {
    let comments = CommentOptions::disabled();
    let options = CodegenOptions { comments, ..CodegenOptions::default() };
    tidy(&Codegen::new().with_options(options).build(program).code)
}

/// Without what only one of the two leaves behind.
fn tidy(code: &str) -> String {
    let lines: Vec<String> = code
        .lines()
        .map(str::trim)
        .filter(|line| {
            let import = line.starts_with("import \"") && line.ends_with("\";");
            !import && !matches!(*line, ";" | "export {};" | "")
        })
        .map(value)
        .collect();
    // An empty block and an empty statement are one where a statement is wanted.
    squeezed(&lines.join("\n")).replace("{}", ";").replace(":;", ":")
}

/// A text alone, without the parentheses that the printer gives it where it would be a directive:
/// whether it would depends on the empty statements before it.
fn value(line: &str) -> String {
    let text = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(");"));
    let alone = text.filter(|text| {
        let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        inner.is_some_and(|inner| !inner.contains('"'))
    });
    alone.map_or_else(|| line.to_owned(), |text| format!("{text};"))
}

/// Without blanks that only lay the code out: how deep a statement is indented depends on the
/// empty blocks around it. Blanks inside of texts count, and those that keep words apart.
fn squeezed(code: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '\\');
    let mut out = String::with_capacity(code.len());
    let mut text = None;
    let mut chars = code.chars();
    let mut blank = false;
    while let Some(c) = chars.next() {
        if let Some(quote) = text {
            out.push(c);
            if c == '\\' {
                out.extend(chars.next());
            } else if c == quote || (c == '\n' && quote != '`') {
                // A quote in a pattern ends with its line at the latest.
                text = None;
            }
            continue;
        }
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        let apart = |last: char| (is_word(last) && is_word(c)) || (last == c && "+-/".contains(c));
        if std::mem::take(&mut blank) && out.chars().next_back().is_some_and(apart) {
            out.push(' ');
        }
        if matches!(c, '"' | '\'' | '`') {
            text = Some(c);
        }
        out.push(c);
    }
    out
}
