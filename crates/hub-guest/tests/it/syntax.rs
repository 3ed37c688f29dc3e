//! What cannot compile is refused with its place.

use crate::support::refused;
use hub_core::error::RunErrorCode;

/// Code, line, column, a part of message or hint.
pub const REFUSED: &[(&str, u32, u32, &str)] = &[
    ("const a = 1;\nconst b = {;\nreturn a;", 2, 12, "Unexpected token"),
    ("```js\nconst b = {;\n```", 2, 12, "Unexpected token"),
    ("text\n```js\n\nconst b = {;\n```", 4, 12, "Unexpected token"),
    ("import fs from 'fs'\nreturn 1", 1, 1, "imported"),
    ("\nconst m = await import('x')", 2, 17, "imported"),
    ("return import.meta.url", 1, 8, "import.meta"),
    ("export const a = 1", 1, 1, "export"),
    ("const a = 1;\nexport { a }", 2, 1, "export"),
    ("export default 1;\nexport default 2;", 2, 1, "already"),
    ("const a = 1;\nexport default a\nexport default a\nexport default a", 3, 1, "already"),
    ("export default () => 1;\nexport default function f() {}", 2, 1, "already"),
    ("export * from 'a'", 1, 1, "imported"),
    ("import fs = require('fs')", 1, 1, "imported"),
    ("@dec class A {}", 1, 1, "Decorators"),
    ("class A { accessor x = 1 }", 1, 11, "accessor"),
    ("using x = f()", 1, 1, "using"),
    ("with (a) {}", 1, 1, "with"),
    ("return 010", 1, 8, "octal"),
    ("function f(a, a) {}", 1, 15, "declared"),
    ("break foo", 1, 7, "label"),
    ("continue", 1, 1, "continue"),
    ("const a = 1; let a = 2", 1, 18, "declared"),
    ("function f() { await x }", 1, 16, "await"),
    ("return new.target", 1, 8, "new.target"),
    ("return super.x", 1, 8, "super"),
    ("class A { constructor() { super() } }", 1, 27, "super"),
    ("return /(/", 1, 9, "regular expression"),
    ("delete x", 1, 8, ""),
    ("let eval = 1", 1, 5, "eval"),
    ("const a", 1, 7, ""),
    ("a = b = 1 = 2", 1, 9, ""),
    ("class A { #a; #a }", 1, 15, ""),
    ("x.#a", 1, 3, ""),
    ("var a; let a;", 1, 12, "declared"),
    ("var a; function a() {} { let b; let b }", 1, 37, "declared"),
    ("yield 1", 1, 1, ""),
    ("{ label: const enum E { A = 1 } }", 1, 1, "declaration"),
];

#[test]
fn each_is_refused_at_its_place() {
    let mut wrong = Vec::new();
    for (code, line, column, part) in REFUSED {
        let error = refused(code);
        assert_eq!(error.code, RunErrorCode::SyntaxError);
        let text = format!("{} {}", error.message, error.hint.clone().unwrap_or_default());
        if (error.line, error.column) != (Some(*line), Some(*column))
            || !text.to_lowercase().contains(&part.to_lowercase())
        {
            wrong.push(format!("{code:?}: {error:?}"));
        }
        assert!(error.message.contains("SyntaxError"));
        assert!(error.message.contains(&format!("line {}", error.line.unwrap_or(0))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The parser tries type arguments behind a name, and takes the try back.
#[test]
fn a_slip_before_a_comparison_is_refused_too() {
    for slip in ["name\\", "1__0", "'\\u{110000}'", "\\u0020x", "0b2", "a#", "a\\u", "`\\u`"] {
        for rest in ["<b", "<<b<<c", "<<b<<c ", " < b > c", "<b+c", "<<T>(b)", "<b, c"] {
            assert_eq!(refused(&format!("{slip}{rest}")).line, Some(1), "{slip}{rest}");
        }
    }
}

#[test]
fn what_a_function_body_allows_is_allowed() {
    for code in [
        "return arguments.length",
        "function f() {} function f() {} return f",
        "function f() {} var f; return 1",
        "var a; var a; return a",
        "var a; function a() {} return a",
        "async function a() {} var a; function* a() {} return a",
        "function f() { return new.target } return f",
        "await 1; for await (const x of y) {} return 1",
        "return this",
        "\"use strict\"; return 1",
        "let let_ = 1; a: { break a } return 1",
        "return /(?<a>x)\\k<a>/v.test('x')",
    ] {
        crate::support::program(code);
    }
}

/// Text that is no program, and a word of the hint.
const OTHER: &[(&str, &str)] = &[
    ("ls -la /workspace", "shell"),
    ("ls", "shell"),
    ("git status", "shell"),
    ("$ npm install x", "shell"),
    ("#!/bin/bash\ncd x && ls", "shell"),
    ("curl https://example.com", "shell"),
    ("{ \"tool\": \"github.createIssue\", \"arguments\": { \"a\": 1 } }", "JSON"),
    ("{ a: 1, b: await f() }", "return {"),
    ("def main():\n    return 1", "Python"),
    ("import json\nprint(1)", "Python"),
    ("<html><body></body></html>", "markup"),
];

#[test]
fn other_languages_are_told_apart() {
    for (text, word) in OTHER {
        let error = refused(text);
        assert_eq!(error.code, RunErrorCode::SyntaxError);
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains(word), "{text}: {hint}");
    }
    for code in ["const pwd = 2; pwd - 1", "const ls = 1;\nls", "find(1)", "node.x - 1", "head"] {
        crate::support::program(code);
    }
}

#[test]
fn code_has_a_limit_in_characters() {
    let code = |chars: usize| format!("return '{}'", "😀".repeat(chars - 9));
    let most = hub_core::limits::CODE_CHARS;
    assert_eq!(crate::support::program(&code(most)).program, code(most));
    let error = refused(&code(most + 1));
    assert!(error.message.contains("65536") && error.hint.is_some(), "{error:?}");
    assert_eq!(error.line, None);
}
