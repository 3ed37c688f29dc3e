//! The limits at their edges, and that code and text are told apart as the parser does.

use super::*;

/// Attempts to make the check take code for a string, which would hide what stands in it.
const BLINDING: &[&str] = &[
    "{}/\"/;",
    "a={}/\"/1+\"/1;",
    "({}/1/'/');{}/'/;",
    "let a: A\n/\"/;",
    "let a: (A)\n/\"/;",
    "let a: A[]\n/\"/;",
    "a\n++/\"/.x;",
    "a.if(1)/\"/1+\"/1;",
    "of/\"/1+\"/1;",
    "return\u{a0}/\"/;",
    "//\u{2028}/\"/;",
    "//\r/\"/;",
    "'\\\r\n\"';",
    "1./\"/1+\"/1;",
    "#!`\n",
    "\u{feff}#!`\n",
    "a!/\"/1+\"/1;",
    "x=a>b>/\"/;",
    "`${1}`/\"/1+\"/1;",
    "if(1)/\"/;",
    "do;while(1)/\"/;",
];

#[test]
fn nothing_hides_from_the_check() {
    for before in BLINDING {
        let text = format!("{before}{}", "(".repeat(NESTED_BRACKETS + 1));
        // Refused, or the parser never sees what may have been hidden.
        if let Ok(seen) = check(&text) {
            assert!(seen <= before.len() + 1, "{before:?}");
        }
    }
}

#[test]
fn the_limits_hold_at_their_edges() {
    let nested = |n: usize| format!("x={}{}", "[".repeat(n), "]".repeat(n));
    assert!(check(&nested(NESTED_BRACKETS)).is_ok());
    assert!(check(&nested(NESTED_BRACKETS + 1)).is_err());
    let chained = |n: usize| format!("x{}", "+1".repeat(n));
    assert!(check(&chained(CHAINED as usize)).is_ok());
    assert!(check(&chained(CHAINED as usize + 1)).is_err());
    let levels = READINGS.ilog2() as usize;
    let read = |n: usize| format!("x={}1{}", "(".repeat(n), ")".repeat(n));
    assert!(check(&read(levels)).is_ok());
    assert!(check(&read(levels + 1)).is_err());
    let groups = |n: usize| format!("x=/{}a{}/", "(".repeat(n), ")".repeat(n));
    assert!(check(&groups(NESTED_BRACKETS)).is_ok());
    assert!(check(&groups(NESTED_BRACKETS + 1)).is_err());
    let types = |n: usize| format!("let x: {}B{}", "A<".repeat(n), ">".repeat(n));
    assert!(check(&types(NESTED_BRACKETS)).is_ok());
    assert!(check(&types(NESTED_BRACKETS + 1)).is_err());
}

#[test]
fn long_programs_of_short_statements_pass() {
    for statement in [
        "const a = b + c * d;\n",
        "const a = b + c * d\n",
        "await f(a, { b: c })\n",
        "if (a) { b() } else { c() }\n",
        "x = (a + b) / (c + d)\n",
        "const s = `a ${b} c ${d}`\n",
        "items.map((x) => x.y < 3)\n",
        "function f(a: Map<string, number>) { return a }\n",
        "type A = { a: string }\n",
        "case_ = a / b / c\n",
        "s.replace(/[\"'`(]/g, '')\n",
        "const r = /a\\/(b/;\n",
    ] {
        let text = statement.repeat(60_000 / statement.len());
        assert_eq!(check(&text).ok(), Some(text.len()), "{statement}");
    }
    let list = format!("x = [{}]", "{ a: -1.5, b: [1, 2] },\n".repeat(2_500));
    assert_eq!(check(&list).ok(), Some(list.len()));
}

#[test]
fn a_slash_that_can_be_both_is_read_as_both() {
    for code in [
        "const a = f(x)\n  / g(y);",
        "const a = (x)\n  / 2 / 3;",
        "if (a) { b }\n/x/.test(y);",
        "of / 2;\n a++ / 2;\n a! / 2;\n ++a / b;",
        "const a = b[1]\n / c[2]",
    ] {
        assert_eq!(check(code).ok(), Some(code.len()), "{code}");
    }
    let hint = check("{ b }\n/[\"']/.test(y)").err().and_then(|f| f.hint);
    assert!(hint.is_some_and(|h| h.contains("parentheses")));
}

#[test]
fn a_bracket_that_closes_nothing_ends_what_the_parser_sees() {
    assert_eq!(check("a(]b").ok(), Some(3));
    assert_eq!(check("a)b").ok(), Some(2));
    assert_eq!(check("a('b\nc").ok(), Some(4));
}
