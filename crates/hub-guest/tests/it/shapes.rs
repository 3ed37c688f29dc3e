//! Shapes that are forgiven, and bodies that are left alone.

use crate::support::program;
use hub_core::ports::Positions;

/// Code, the program it becomes (spaces squeezed), and a word of each notice.
pub const REWRITTEN: &[(&str, &str, &[&str])] = &[
    ("```ts\r\nconst r: number = 1;\r\nreturn r;\r\n```\r\n", "const r = 1; return r;", &["fence"]),
    ("Here:\n```js\nreturn 1\n```\nand\n```js\nreturn 2\n```\n", "return 1", &["first code block"]),
    ("~~~\nreturn 1\n~~~", "return 1", &["fence"]),
    ("```\nreturn 1", "return 1", &["fence"]),
    ("```bash\nls\n```\n```js\nreturn 1\n```", "return 1", &["first code block"]),
    ("  ```js\n  return 1\n  ```", "return 1", &["fence"]),
    (
        "```typescript\nexport default async () => {\n  return 1;\n};\n```",
        "return (async () => { return 1; })();",
        &["fence", "export default"],
    ),
    ("async () => { return 1 };", "return (async () => { return 1 })();", &["one function"]),
    ("(async () => 1)", "return ((async () => 1))()", &["one function"]),
    ("async function () { return 1 }", "", &[]),
    (
        "async function main() { return 1 }",
        "async function main() { return 1 };return main();",
        &["one function"],
    ),
    ("const main = async () => 1", "const main = async () => 1;return main();", &["one function"]),
    (
        "type A = string;\nasync function main(): Promise<A> { return 'x' }",
        "; async function main() { return 'x' };return main();",
        &["one function"],
    ),
    (
        "function help() { return 1 }\nasync function main() { return help() }",
        "function help() { return 1 } async function main() { return help() };return main();",
        &["one function"],
    ),
    ("let x = 1;\nx + 1", "let x = 1; return x + 1", &["last expression"]),
    ("await f()", "return await f()", &["last expression"]),
    ("({ a: 1 })", "return ({ a: 1 })", &["last expression"]),
    ("`a${1}`;", "return `a${1}`;", &["last expression"]),
    ("const a = 1;\n{ a: a + 1 }", "const a = 1; return ({ a: a + 1 })", &["last expression"]),
    ("const a = 1, b = 2; { a, b }", "const a = 1, b = 2; return ({ a, b })", &["last expression"]),
    ("const b = 2; { a: 1, b }", "const b = 2; return ({ a: 1, b })", &["last expression"]),
    ("'text'", "return 'text'", &["last expression"]),
    ("(async () => { return 4 })();", "return (async () => { return 4 })();", &["last expression"]),
    (
        "async function main() { return 1 }\nmain()",
        "async function main() { return 1 } return main()",
        &["last expression"],
    ),
    (
        "main();\nasync function main() { return 1 }",
        "return main(); async function main() { return 1 }",
        &["last expression"],
    ),
    (
        "const run = async () => 1; await run();",
        "const run = async () => 1; return await run();",
        &["last expression"],
    ),
    ("export default 5", "return 5", &["value was returned"]),
    (
        "export default async function main() { return 1 }\nfunction f() {}",
        "async function main() { return 1 } function f() {};return main();",
        &["export default"],
    ),
    (
        "export default async function () { return 1 }",
        "return (async function () { return 1 })();",
        &["export default"],
    ),
    (
        "async function main() { return 1 }\nexport default main;",
        "async function main() { return 1 } return (main)();",
        &["export default"],
    ),
    (
        "export default () => x;\nconst x = 1; // end",
        "const $main = () => x;; const x = 1;;return $main(); // end",
        &["export default"],
    ),
    (
        "async function main() { return 1 }\nawait main();\nexport default main;",
        "async function main() { return 1 } return await main();",
        &["calls its function already", "last expression"],
    ),
    (
        "export default async function main() { return 1 }\nmain();",
        "async function main() { return 1 } return main();",
        &["calls its function already", "last expression"],
    ),
    (
        "const main = async () => 1;\nconst a = await main();\nconsole.log(a);\nmodule.exports = main;",
        "const main = async () => 1; const a = await main(); console.log(a);",
        &["calls its function already"],
    ),
    (
        "export default async function main(n = 1) { return n ? main(n - 1) : 0 }",
        "async function main(n = 1) { return n ? main(n - 1) : 0 };return main();",
        &["export default"],
    ),
    ("module.exports = async () => 1;", "return (async () => 1)();", &["export default"]),
    (
        "globalThis.x = 1;\nmodule.exports = 1;\nexport default 2;",
        "globalThis.x = 1; module.exports = 1; return 2;",
        &["value was returned"],
    ),
];

/// Bodies that mean what they say.
pub const LEFT: &[&str] = &[
    "return 1",
    "{ a; }",
    "{ a: 1, 2 }",
    "{ a: b, c() }",
    "{ a: for (;;) break a }",
    "{ f(); g() }",
    "if (x) { a: 1 }",
    "",
    "// nothing",
    "const a = 1;\nif (a) return 2;\na + 1",
    "let x;\nx = 5",
    "let n = 0; n++",
    "console.log('total', { a: 1 });\nconsole.error('careful');",
    "const out = [];\nout.push(1)",
    "[1].forEach(f)",
    "if (a) { b() }",
    "try { a() } catch { b() }",
    "for (const a of b) { c(a) }",
    "function* gen() { yield 1 }",
    "class A {}",
    "const a = 1",
    "const api = { import() { return 42; }, if: 1, default: 2 };\nreturn [api.import(), api.if];",
    "/*\n```js\nreturn 1\n```\n*/\nreturn 2",
    "const module = {};\nmodule.exports = 1",
    "const f = function () { return 1 }, g = 2;",
    "#!/usr/bin/env node\nreturn 1",
    "with_ = 1",
    "'use strict'",
];

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn each_shape_is_rewritten_with_one_notice() {
    for (code, wanted, words) in REWRITTEN {
        if wanted.is_empty() {
            continue;
        }
        let read = program(code);
        assert_eq!(squeezed(&read.program), *wanted, "of {code}");
        assert_eq!(read.notices.len(), words.len(), "{:?} of {code}", read.notices);
        for (notice, word) in read.notices.iter().zip(*words) {
            assert!(notice.contains(word), "{notice} of {code}");
            assert!(notice.chars().count() <= hub_core::limits::NOTICE_CHARS);
        }
    }
}

#[test]
fn a_body_is_left_alone() {
    for code in LEFT {
        let read = program(code);
        let same = read.program == *code || code.starts_with("#!");
        assert!(same, "{code}\n-> {}", read.program);
        assert_eq!(read.notices, Vec::<String>::new(), "of {code}");
        assert_eq!(read.positions, Positions::Same);
    }
}

#[test]
fn places_are_those_of_the_code_as_sent() {
    for (code, _, _) in REWRITTEN {
        let Ok(read) = crate::support::read(code) else { continue };
        let find = |text: &str, word: &str| {
            let at = text.find(word)?;
            let before = &text[..at];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            Some((line as u32, column as u32))
        };
        for word in ["1", "=> x", "main()", "'text'", "5"] {
            let (Some(sent), Some(now)) = (find(code, word), find(&read.program, word)) else {
                continue;
            };
            assert_eq!(read.positions.original(now.0, now.1), sent, "{word} of {code}");
        }
    }
}
