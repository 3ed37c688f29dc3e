//! Calls that cannot succeed are told before anything runs.

use crate::support::with_github;
use hub_core::error::RunErrorCode;

/// Code in which `§` stands for a call that names no tool and surely runs.
pub const SURE: &[&str] = &[
    "§",
    "await §;",
    "const a = await §; return a",
    "return §",
    "throw §",
    "const { a = 1 } = await §; return a",
    "if (§) {}",
    "if (a) { b() }\n§",
    "for (const x of await §) {}",
    "for (let i = §; i < 1;) {}",
    "for (; §;) {}",
    "while (§) {}",
    "switch (§) {}",
    "{ § }",
    "f(§, 1)",
    "new F(§)",
    "[...§]",
    "({ a: §, [b]: 1 })",
    "`${§}`",
    "§ && x",
    "§ ? 1 : 2",
    "x = §",
    "return await Promise.all([§, 1])",
    "§.then(x)",
    "§.items?.length",
    "(async () => { await § })()",
    "(async () => §)()",
    "(async function () { await § })()",
    "async () => { await § }",
    "async function main() { return § }",
    "export default async () => { § }",
    "export default async function main() { § }",
    "module.exports = async () => { § }",
    "const run = async () => { § }; await run()",
    "main(); async function main() { § }",
    "const a = () => b(); const b = () => §; return a()",
    "function f() { §; if (x) return 1 } f(); return 2",
    "function f() { if (x) return 1 } f(); §",
    "declare const github: any; §",
    "type github = string; §",
    "try { a() } finally { b() }\n§",
    "label: for (;;) { break label }\n§",
    "const f = (g: any) => g(§); return f(1)",
    "const { x } = y ?? {}; §; return x",
];

/// Where it may not run: one notice.
pub const UNSURE: &[&str] = &[
    "if (a) { § }",
    "if (a) b; else §",
    "for (const x of y) { § }",
    "for (const x in y) §",
    "for (;;) { §; break }",
    "while (a) { § }",
    "do { § } while (a)",
    "switch (a) { case 1: § }",
    "try { § } catch {}",
    "try { a() } catch { § }",
    "try { a() } finally { § }",
    "§.catch(() => 1)",
    "await §.then(a, b)",
    "await Promise.allSettled([§])",
    "await Promise.any([§])",
    "a && §",
    "a || §",
    "a ?? §",
    "a ??= §",
    "a ? § : 1",
    "a?.b(§)",
    "a?.b[§]",
    "const f = () => §; return 1",
    "const f = async () => { § }; f.x; return 1",
    "items.map(async (x) => §)",
    "function f() { § } return 1",
    "function* f() { § } f(); return 1",
    "let f = () => §; f = g; return f()",
    "class A { x = §; m() { § } } return 1",
    "if (a) return 1; §",
    "if (a) { for (;;) { throw b } } §",
    "return 1; §",
    "throw a; §",
    "try { if (a) return 1 } catch {} §",
    "switch (a) { case 1: return 2 } §",
    "function f() { if (a) throw b } f(); §",
    "const { a = § } = b; return a",
    "const f = (a = §) => 1; return f()",
    "main().catch(x); async function main() { § }",
    "label: { if (a) break label; § }",
];

const UNKNOWN: &str = "github.createIssu({})";

#[test]
fn a_call_that_surely_runs_is_an_error() {
    for code in SURE {
        let error = match with_github(&code.replace('§', UNKNOWN)) {
            Err(error) => error,
            Ok(read) => panic!("{code}: {:?}", read.notices),
        };
        assert_eq!(error.code, RunErrorCode::UnknownTool, "{code}: {error:?}");
        assert_eq!(error.address.as_deref(), Some("github.createIssu"));
        assert!(error.hint.is_some_and(|h| h.contains("github.createIssue")), "{code}");
        let at = code.find('§').unwrap();
        let line = code[..at].matches('\n').count() + 1;
        let column = code[..at].rsplit('\n').next().unwrap().len() + 1;
        assert_eq!((error.line, error.column), (Some(line as u32), Some(column as u32)), "{code}");
    }
}

#[test]
fn a_call_that_may_not_run_is_a_notice() {
    for code in UNSURE {
        let read = match with_github(&code.replace('§', UNKNOWN)) {
            Ok(read) => read,
            Err(error) => panic!("{code}: {error:?}"),
        };
        let about = |n: &&String| n.contains("github.createIssu`") && n.contains("line ");
        assert!(read.notices.iter().any(|n| about(&n)), "{code}: {:?}", read.notices);
    }
}

#[test]
fn what_is_not_a_call_of_a_tool_is_left_alone() {
    for code in [
        "const github = x; return github.createIssu({})",
        "function f(github) { return github.createIssu({}) } return f(x)",
        "return [1].map((github) => github.createIssu())",
        "return github.toString()",
        "return github.hasOwnProperty('x')",
        "return typeof github.createIssu",
        "return tools.github.createIssu({})",
        "return other.createIssu({})",
        "return github.ping()",
        "return github['ping']({ a: 1 })",
        "return (github as any).ping()",
        "globalThis.gi = x; return gi.create()",
        "return fetch('x')",
        "return Math.max(1)",
        "try { x() } catch (github) { github.createIssu() }",
        "return process.exit(1)",
    ] {
        let read = with_github(code).unwrap_or_else(|e| panic!("{code}: {e:?}"));
        assert_eq!(read.notices, Vec::<String>::new(), "{code}");
    }
}

#[test]
fn an_optional_call_and_every_form_of_member_is_seen() {
    for code in ["return github?.createIssu({})", "return github.createIssu?.({})"] {
        assert_eq!(with_github(code).unwrap().notices.len(), 1, "{code}");
    }
    for code in [
        "return github['createIssu']({})",
        "return github[`createIssu`]({})",
        "return (github).createIssu({})",
        "return (github as any).createIssu({})",
        "return github!.createIssu<T>({})",
        "return (github.createIssu)({})",
        "return gihub.createIssue({})",
    ] {
        assert_eq!(with_github(code).unwrap_err().code, RunErrorCode::UnknownTool, "{code}");
    }
}

/// Arguments of `github.createIssue`, and the paths that are wrong.
const ARGUMENTS: &[(&str, &[&str])] = &[
    ("{ owner: 'a', title: 'b' }", &[]),
    ("{ owner: 'a', title: `b` } as const", &[]),
    ("{ 'owner': 'a', ['title']: 'b', count: -1.5, labels: ['x'], either: null }", &[]),
    ("", &["input.owner", "input.title"]),
    ("{}", &["input.owner", "input.title"]),
    ("'text'", &["input"]),
    ("null", &["input"]),
    ("{ owner: 'a', title: undefined }", &["input.title"]),
    ("{ owner: 'a', titel: 'b' }", &["input.title", "input.titel"]),
    ("{ owner: 1, title: 'b', labels: ['x', 2] }", &["input.labels[1]", "input.owner"]),
    ("{ owner: 1, title: 'b', owner: 'a' }", &[]),
    ("x", &[]),
    ("...x", &[]),
    ("{ owner, title }", &[]),
    ("{ owner: f(), title: `a${b}`, count: x + 1, labels: [...l] }", &[]),
    ("{ owner }", &["input.title"]),
    ("{ owner, titel: x }", &["input.title", "input.titel"]),
    ("{ owner, title, labels: [x, 1] }", &["input.labels[1]"]),
    ("{ owner, title, meta: { b: x } }", &["input.meta.a", "input.meta.b"]),
    ("{ owner, title, meta: { ...b } }", &[]),
    ("{ ...x }", &[]),
    ("{ ...x, titel: 1 }", &["input.titel"]),
    ("{ titel: 1, owner: 2, ...x }", &["input.titel"]),
    ("{ owner: 2, ...x }", &[]),
    ("{ [k]: 1, owner: 2 }", &["input.owner"]),
    ("{ owner, title, get count() { return 'x' } }", &[]),
    ("{ owner, title, count() {} }", &[]),
    ("{ __proto__: x }", &[]),
    ("{ owner, title, either: 5 }", &["input.either"]),
    ("{ owner, title, either: x }", &[]),
    ("{ owner: 'a', title: 'b', count: 1n }", &[]),
    ("{ owner: 'a', title: 'b', count: 1e400 }", &[]),
    ("{ owner: 'a', title: 'b' }, { connection: 'work' }", &[]),
];

#[test]
fn literal_arguments_are_checked_as_far_as_they_are_known() {
    for (arguments, wrong) in ARGUMENTS {
        let code = format!("\n  return await github.createIssue({arguments})");
        match with_github(&code) {
            Ok(read) => {
                assert!(wrong.is_empty(), "{arguments}");
                assert_eq!(read.notices, Vec::<String>::new());
            }
            Err(error) => {
                assert_eq!(error.code, RunErrorCode::InvalidArguments);
                assert_eq!((error.line, error.column), (Some(2), Some(16)));
                assert_eq!(error.address.as_deref(), Some("github.createIssue"));
                for path in *wrong {
                    assert!(error.message.contains(&format!("{path}: ")), "{path}: {error:?}");
                }
                let count = error.message.matches("input").count();
                assert_eq!(count, wrong.len(), "{arguments}: {}", error.message);
            }
        }
    }
}

#[test]
fn every_sure_failure_is_told_at_once() {
    let code = "```js\nawait github.createIssu({});\nawait github.createIssue({});\n```";
    let error = with_github(code).unwrap_err();
    assert_eq!((error.line, error.column), (Some(2), Some(7)));
    let hint = error.hint.unwrap();
    assert!(hint.contains("line 3") && hint.contains("input.owner"), "{hint}");
}

#[test]
fn notices_are_few_and_short() {
    let long = "x".repeat(300);
    let code = format!("if (a) {{ {} }}", format!("github.{long}();").repeat(50));
    let read = with_github(&code).unwrap();
    assert_eq!(read.notices.len(), hub_core::limits::NOTICES);
    assert!(read.notices.iter().all(|n| n.chars().count() <= hub_core::limits::NOTICE_CHARS));
}
