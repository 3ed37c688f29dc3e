//! Blanked TypeScript means what the transformer makes of it.
//!
//! Both are printed by the same printer and must print the same.

use crate::strip::{ERASED, TRANSFORMED};
use crate::support::read;
use hub_core::ports::Positions;
use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};
use std::path::Path;

/// Starts of a line that may join the line before.
const STARTS: &[&str] = &[
    "(b)",
    "[b].c",
    "`b`",
    "/b/.c",
    "+b",
    "-b",
    "++b",
    "--b",
    "!b",
    "b",
    ".c",
    "?.c",
    "* b",
    "in b",
    "<T>b",
    "as T",
    "=> b",
    "{ b }",
    "async (b)",
    "function f() {}",
    "class B {}",
    "= b",
    ", b",
    "? b : c",
    "instanceof b",
    "type Z = b",
    "!",
    ";b",
    "!.c",
    "! / b",
    "/ b / c",
    "// c",
];

/// Ends of a line after which a type was.
const ENDS: &[&str] = &[
    "let a: T",
    "a as T",
    "a satisfies T",
    "a!",
    "<T>a",
    "let a = <T>b",
    "let a = b as T",
    "type A = T",
    "type A = T[]",
    "interface A {}",
    "declare const a: T",
    "declare function a(): T",
    "f<T>(a)",
    "f<T>",
    "new F<T>",
    "new F<T>()",
    "let a = (b: T): T => b",
    "let a = (b: T): T => {}",
    "let a = b as T[]",
    "let a = b as const",
    "let a = b!",
    "a = b as any",
    "return a as T",
    "throw a as T",
    "let a = function (): T {}",
    "function g(a: T): void",
    "let a!: T",
    "const c = class { a: T }",
    "abstract class A {}",
    "import type { A } from 'a'",
    "export {}",
    "for (const a of b as T[])",
    "if (a as T)",
    "label: a as T",
    "let a = async (b: T): Promise<T> => b",
    "let a = b ? c as T : d as T",
    "let a = [b as T]",
    "let a = `${b as T}`",
    "a++ as T",
    "await a as T",
    "let a = b.c as T",
    "let a = b.c!.d as T",
    "let a = b as T, c = d as T",
    "do a as T",
];

/// The program as the transformer prints it; none where the code does not parse.
fn transformed(code: &str) -> Option<String> {
    let arena = Allocator::default();
    let kind = SourceType::ts().with_module(true);
    let options = ParseOptions { allow_return_outside_function: true, ..Default::default() };
    let parsed = Parser::new(&arena, code, kind).with_options(options).parse();
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut program = parsed.program;
    let scoping =
        SemanticBuilder::new().with_enum_eval(true).build(&program).semantic.into_scoping();
    let mut options = TransformOptions::default();
    options.typescript.only_remove_type_imports = true;
    Transformer::new(&arena, Path::new("a.ts"), &options).build_with_scoping(scoping, &mut program);
    Some(print(&program))
}

fn printed(code: &str) -> String {
    let arena = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..Default::default() };
    let parsed = Parser::new(&arena, code, SourceType::mjs()).with_options(options).parse();
    assert!(parsed.diagnostics.is_empty(), "{code}\n{:?}", parsed.diagnostics);
    print(&parsed.program)
}

fn print(program: &oxc_ast::ast::Program<'_>) -> String {
    let comments = CommentOptions::disabled();
    let options = CodegenOptions { comments, ..CodegenOptions::default() };
    tidy(&Codegen::new().with_options(options).build(program).code)
}

/// Without what only one of the two leaves behind.
fn tidy(code: &str) -> String {
    code.lines()
        .map(str::trim)
        .filter(|line| !matches!(*line, ";" | "export {};" | "" | "import \"b\";"))
        .collect::<Vec<_>>()
        .join("")
}

/// Compares where the reader takes the code without changing its shape.
fn compare(code: &str) -> bool {
    let (Some(wanted), Ok(read)) = (transformed(code), read(code)) else { return false };
    if !read.notices.is_empty() || read.positions != Positions::Same {
        return false;
    }
    assert_eq!(printed(&read.program), wanted, "of {code}\n-> {}", read.program);
    true
}

#[test]
fn each_piece_means_what_the_transformer_says() {
    for code in ERASED {
        assert!(compare(&format!("{code}\nreturn 0;")), "{code}");
    }
}

#[test]
fn lines_join_as_before() {
    let mut compared = 0;
    for end in ENDS.iter().chain(ERASED) {
        for start in STARTS {
            for between in ["\n", " ", " // c\n", " /*\n*/ ", "\r", "\u{2028}", " /*\u{2029}*/ "] {
                let code = format!("{end}{between}{start}\nreturn 0;");
                compared += usize::from(compare(&code));
                if end.contains("port ") {
                    continue;
                }
                let code = format!("function w() {{ {end}{between}{start} }} return 0;");
                compared += usize::from(compare(&code));
            }
        }
    }
    assert!(compared > 2_000, "only {compared} were comparable");
}

#[test]
fn class_members_join_as_before() {
    let members = [
        "a: T",
        "a?: T",
        "a!: T",
        "get: T",
        "static: T",
        "a = b as T",
        "a: T = b",
        "private a",
        "private [a]: T",
        "readonly a = b",
        "public *m() {}",
        "m?(): void",
        "[k: string]: T",
        "abstract a: T",
        "declare a: T",
        "static a: T",
        "async: T",
        "m(): void",
        "m(): T {}",
        "set: T",
        "accessor_: T",
        "protected static readonly a: T = b",
        "override m() {}",
        "in: T",
        "private static async *g<T>(a?: T): any {}",
        "'a': T",
        "1: T",
        "#a: T",
        "get a(): T { return b }",
    ];
    let mut compared = 0;
    for first in members {
        for second in members.iter().chain(&[
            "*n() {}",
            "[b]() {}",
            "b",
            "(",
            "static {}",
            "in",
            "get c() {}",
        ]) {
            for between in ["\n", ";", " ", "\n;\n"] {
                let kind = if first.contains("abstract") { "abstract class" } else { "class" };
                let code = format!("{kind} A extends B {{ {first}{between}{second} }} return 0;");
                compared += usize::from(compare(&code));
            }
        }
    }
    assert!(compared > 1_000, "only {compared} were comparable");
}

#[test]
fn what_is_transformed_prints_like_the_transformer() {
    for (code, _) in TRANSFORMED {
        let code = format!("{code}\nreturn 0;");
        let read = read(&code).expect(&code);
        assert_eq!(Some(printed(&read.program)), transformed(&code), "{code}");
    }
}
