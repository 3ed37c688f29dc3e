//! The trouble cases of kinds `guest-code` and `sandbox`, each with its whole kind, from code as
//! sent to what comes out. The case's id stands above its test.

use crate::support::{Ended, Play, each, each_its_own, sample};
use hub_core::ports::{GuestFault, GuestOp, Prepare, PrepareError};
use proving::targets::read::Tools;
use serde_json::{Value, json};

/// Reads and runs.
fn sent(play: &Play, code: &str) -> Result<(Ended, Vec<String>), PrepareError> {
    let read = hub_guest::Reader::new().prepare(code, &Tools)?;
    Ok((play.run(&read.program), read.notices))
}

/// Every code gives the value, and a notice where it was rewritten.
#[track_caller]
fn all(codes: &[&str], value: &Value, notices: bool) {
    each(|play| {
        for code in codes {
            let (ended, told) = sent(play, code).unwrap_or_else(|e| panic!("{code}\n{e:?}"));
            assert_eq!(ended.value(), *value, "{code}");
            assert_eq!(!told.is_empty(), notices, "{code}: {told:?}");
        }
    });
}

// G01
#[test]
fn a_program_in_a_fence_runs() {
    let body = "const r: { n: number } = await demo.echo({ n: 1 });\nreturn r.n;";
    let mut codes = Vec::new();
    for label in ["", "ts", "js", "typescript", "javascript", "TypeScript", "js title=\"x.js\""] {
        for fence in ["```", "~~~", "````"] {
            for end in ["\n", "\r\n"] {
                let code = format!("{fence}{label}\n{body}\n{fence}\n").replace('\n', end);
                codes.push(code.clone());
                codes.push(format!("\u{feff}{end}{code}{end}"));
            }
        }
    }
    codes.push(format!("```ts\n{body}"));
    let codes: Vec<&str> = codes.iter().map(String::as_str).collect();
    all(&codes, &json!(1), true);
}

// G02
#[test]
fn prose_and_further_blocks_around_the_first_are_ignored_with_a_notice() {
    let codes = [
        "Here is the code:\n```js\nreturn 1\n```\nand then\n```js\nreturn 2\n```\n",
        "First I list.\n\n```bash\nls\n```\n\n```ts\nreturn 1 as number\n```\nDone!",
        "```js\nreturn 1\n```\nThat's it.",
        "Sure! Let's go:\n~~~\nreturn 1\n~~~",
    ];
    all(&codes, &json!(1), true);
    each(|play| {
        for code in codes {
            let (_, told) = sent(play, code).unwrap();
            assert!(told[0].contains("ignored"), "{code}: {told:?}");
        }
    });
}

// G05
#[test]
fn export_default_is_unwrapped() {
    let code =
        "export default async () => {\n  const r = await demo.echo({ a: 1 });\n  return r;\n};";
    let fenced = format!("```typescript\n{code}\n```");
    let codes = [
        code,
        &fenced,
        "export default async function () { return demo.echo({ a: 1 }) }",
        "export default async function main(): Promise<unknown> { return demo.echo({ a: 1 }) }",
        "const main = async () => demo.echo({ a: 1 });\nexport default main;",
        "export default { a: 1 };",
        "module.exports = async () => demo.echo({ a: 1 });",
    ];
    all(&codes, &json!({ "a": 1 }), true);
}

// G06
#[test]
fn a_lone_function_is_called() {
    let codes = [
        "async () => {\n  return await demo.echo({ a: 2 });\n};",
        "async () => demo.echo({ a: 2 })",
        "(async () => demo.echo({ a: 2 }))",
        "() => { return demo.echo({ a: 2 }) }",
        "(async function () { return demo.echo({ a: 2 }) });",
        "// does it\nasync (): Promise<unknown> => demo.echo({ a: 2 }) // so",
        "/* a */ (async () => { return { a: 2 } }) /* b */;",
        "async ({ n = 2 } = {}) => ({ a: n })",
        "const run = async () => ({ a: 2 });",
    ];
    all(&codes, &json!({ "a": 2 }), true);
}

// G07
#[test]
fn a_named_function_that_nothing_calls_is_called() {
    let codes = [
        "async function main() {\n  const r = await demo.list({});\n  return r.items.length;\n}",
        "function count() { return 2 }",
        "function help() { return 2 }\nasync function main() { return help() }",
        "type N = number;\nasync function run(): Promise<N> { return 2 }",
    ];
    all(&codes, &json!(2), true);
}

// G08
#[test]
fn a_final_expression_is_returned() {
    let codes = [
        "let x = 1;\nx + 1",
        "let x = 1;\nx + 1;",
        "const x = await demo.echo({ n: 2 });\nx.n",
        "const x = 2\n;(x)",
        "`${2}` * 1",
        "[2][0] // the first",
        "const x: number = 2;\nx as number",
        "const x = { n: 2 } as any;\nx!.n!",
        "2;\nfunction later() {}",
    ];
    all(&codes, &json!(2), true);
    all(&["const x = 1;\n{ a: x }", "({ a: 1 })", "const a = 1;\n{ a }"], &json!({ "a": 1 }), true);
    all(
        &["let x = 1; x = 2", "const x = 1", "if (true) { 5 }", "console.log(1)"],
        &json!(null),
        false,
    );
}

// G10
#[test]
fn an_async_function_called_at_once_is_awaited() {
    let codes = [
        "(async () => {\n  const r = await demo.echo({ a: 4 });\n  return r.a;\n})()",
        "(async () => { return 4 })();",
        "(async function main() { return 4 })()",
        "(async function () { return 4 }())",
        "await (async () => 4)()",
        "void 0;\n(async () => 4)();",
        "async function main() { return 4 }\nmain()",
        "const main = async () => 4;\nmain();",
        "Promise.resolve(4)",
    ];
    all(&codes, &json!(4), true);
}

// G12
#[test]
fn generics_and_parentheses_in_types_are_stripped() {
    let codes = [
        "type Fn<T> = (x: (T | string)) => Promise<Array<T>>;\nconst f: Fn<number> = async (x: (number | string)) => [Number(x)];\nconst m = new Map<string, Array<{ id: number }>>();\nm.set('a', [{ id: 1 }]);\nreturn (await f('5'))[0] + m.get('a')![0]!.id;",
        "const f = <T,>(x: T): T => x; return f<number>(6)",
        "const f = async <T extends { n: (number) }>(x: T): Promise<T['n']> => x.n; return f({ n: 6 })",
        "const r: Record<string, (a: number) => (b: number) => number> = { f: (a) => (b) => a + b }; return r.f(2)(4)",
        "const x = new Set<Map<string, Set<number>>>(); return x.size + 6",
        "const g = ((x: number): x is 6 => x === 6); return g(6) ? 6 : 0",
        "function f(this: void, a?: number, ...r: (string | number)[]): asserts a is number {} f(); return 6",
    ];
    all(&codes, &json!(6), false);
}

// G13
#[test]
fn typescript_that_models_write_runs() {
    let whole = "interface Row { id: number; tag?: string }\nenum Level { Low = 1, High }\nconst enum E2 { A = 'a' }\ndeclare const nothing: string;\nabstract class Base { abstract go(): number; constructor(protected readonly n: number) {} }\nclass Sub extends Base { go() { return this.n; } }\nconst rows = ((await demo.list({})) as any).items satisfies Row[];\nconst kinds = ['a', 'b'] as const;\nreturn [rows.length, Level.High, E2.A, new Sub(7).go(), kinds[1], (<any>rows)[0].id];";
    all(&[whole], &json!([2, 2, "a", 7, "b", 1]), false);
    let codes = [
        "namespace N { export const x: number = 7 }\nreturn N.x",
        "namespace A.B { export function f() { return 7 } }\nreturn A.B.f()",
        "enum E { A = 1 << 1, B = A | 5, C = 'c'.length } return E.B",
        "enum E { X = 7 }\nreturn E[E[7] as 'X']",
        "class P { constructor(public a = 3, private readonly b: number = 4) {} sum() { return this.a + this.b } } return new P().sum()",
        "class P { x!: number; static readonly y?: string; declare z: string; #n: number = 7; get n(): number { return this.#n } } return new P().n",
        "class P<T> { constructor(readonly v: T) {} map<U>(f: (x: T) => U): P<U> { return new P(f(this.v)) } } return new P(3).map((x) => x + 4).v",
        "abstract class S { abstract area(): number; get twice() { return this.area() * 2 } } class C extends S { override area() { return 3.5 } } return new C().twice",
        "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\nreturn f(7)",
        "let x!: number; x = 7; return x!",
        "import type { Foo } from 'foo';\nimport { type Bar } from './bar';\nexport type Baz = Foo;\nreturn 7 as Baz",
        "type A = { [K in 'a' | 'b']?: K extends 'a' ? number : string }; const a: A = { a: 7 }; return a.a",
        "const o = { f<const T extends readonly unknown[]>(x: T): T['length'] { return x.length } }; return o.f([1]) + 6",
        "let v: unknown = 7; if (typeof v === 'number') { return v satisfies number }",
        "const f = (x?: number | null): number => x ?? 7; return f()",
        "declare global { interface Array<T> { last(): T } }\nreturn 7",
        "try { throw new Error('x') } catch (e: unknown) { return (e as Error).message.length + 6 }",
        "for (const [k, v] of Object.entries({ a: 7 }) as [string, number][]) { return v }",
        "const t: [a: number, b?: string, ...rest: boolean[]] = [7]; return t[0]",
        "type Getters<T> = { [K in keyof T as `get${Capitalize<string & K>}`]: () => T[K] };\nreturn 7",
        "const u: unique symbol = Symbol(); return [u].length + 6",
        "class A { accessor_ = 7; public async *g(): AsyncGenerator<number> { yield this.accessor_ } } for await (const x of new A().g()) return x",
        "export interface Out { n: number }\nenum K { A = 7 }\nreturn K.A",
        "return (async <T,>(x: T) => x)<number>(7)",
        "let f: (new () => object) | undefined; return f === undefined ? 7 : 0",
    ];
    all(&codes, &json!(7), false);
}

// G13: what is refused names the construct and its line.
#[test]
fn syntax_that_cannot_run_is_refused_by_name() {
    for (code, names, line) in [
        ("\n@log\nclass A {}", "Decorators", 2),
        ("class A {\n  accessor x = 1\n}", "accessor", 2),
        ("const x = 1;\nreturn <div>{x}</div>;", "JSX", 2),
        ("return <>a</>", "JSX", 1),
        ("const e = <Foo a={1} />;", "JSX", 1),
        ("import fs from 'fs';\nreturn 1", "imported", 1),
        ("const x = 1;\nexport { x };", "export", 2),
        ("const m = await import('x')", "imported", 1),
        ("let b = 1;\nreturn 5 <!--b", "comment", 2),
    ] {
        let error = hub_guest::Reader::new().prepare(code, &Tools).unwrap_err();
        let text = format!("{} {}", error.message, error.hint.clone().unwrap_or_default());
        assert!(text.contains(names), "{code}: {text}");
        assert_eq!(error.line, Some(line), "{code}: {error:?}");
        assert!(error.hint.is_some(), "{code}: {error:?}");
    }
}

// G14
#[test]
fn keywords_may_name_properties_and_methods() {
    all(
        &[
            "const api = { import() { return 42; }, require() { return 43; }, if: 1, default: 2, import_: { meta: 3 } };\nreturn [api.import(), api.require(), api.if, api.default];",
            "class A { import() { return 42 } static require() { return 43 } if = 1; default = 2 }\nconst a = new A();\nreturn [a.import(), A.require(), a.if, a.default]",
            "const { import: i, default: d, ...r } = { import: () => 42, default: 2, if: 1 };\nreturn [i(), 43, r.if, d]",
            "const o: { import?: number; export: number } = { import: 42, export: 43 };\nreturn [o.import, o.export, 1, 2]",
        ],
        &json!([42, 43, 1, 2]),
        false,
    );
}

// G15
#[test]
fn promises_in_a_result_are_awaited() {
    let codes = [
        "const ids = [1, 2];\nreturn { rows: ids.map((id) => demo.echo({ id })) };",
        "return { rows: [demo.echo({ id: 1 }), Promise.resolve({ id: 2 })] }",
        "return { rows: [1, 2].map(async (id) => ({ id: await Promise.resolve(id) })) }",
        "return Promise.resolve({ rows: [{ id: Promise.resolve(1) }, { id: demo.echo({ id: 2 }).then((r) => r.id) }] })",
    ];
    each(|play| {
        for code in codes {
            let (ended, _) = sent(play, code).unwrap();
            assert_eq!(ended.value(), json!({ "rows": [{ "id": 1 }, { "id": 2 }] }), "{code}");
            assert!(ended.notices()[0].contains("awaited"), "{code}");
        }
    });
}

// G18
#[test]
fn a_cycle_becomes_a_marker() {
    each(|play| {
        for (code, value) in [
            (
                "const x = { name: 'a' }; x.self = x; return x;",
                json!({"name": "a", "self": "[circular: $]"}),
            ),
            ("const x = ['a']; x.push(x); return x", json!(["a", "[circular: $]"])),
            (
                "const a = {}, b = { a }; a.b = b; return { a }",
                json!({"a": {"b": {"a": "[circular: $.a]"}}}),
            ),
            ("const m = new Map(); m.set('m', m); return m", json!({"m": "[circular: $]"})),
            (
                "const e = new Error('a'); e.e = e; return [e]",
                json!([{"name": "Error", "message": "a", "e": "[circular: $[0]]"}]),
            ),
            (
                "const p = { a: 1 }; p.p = Promise.resolve(p); return p",
                json!({"a": 1, "p": "[circular: $]"}),
            ),
            ("const s = { a: 1 }; return [s, s]", json!([{"a": 1}, {"a": 1}])),
        ] {
            let (ended, _) = sent(play, code).unwrap();
            assert_eq!(ended.value(), value, "{code}");
        }
    });
}

// G19
#[test]
fn one_odd_member_never_loses_the_others() {
    each(|play| {
        let code = "return { m: new Map([['k', 1]]), s: new Set([1, 2]), d: new Date(0), u: undefined, f: () => 1, y: Symbol('q'), e: new Error('boom'), r: /a+/g, b: new Uint8Array([1, 2]), z: -0, q: NaN, i: Infinity };";
        let (ended, _) = sent(play, code).unwrap();
        assert_eq!(
            ended.value(),
            json!({
                "m": {"k": 1}, "s": [1, 2], "d": "1970-01-01T00:00:00.000Z",
                "e": {"name": "Error", "message": "boom"}, "r": "/a+/g", "b": [1, 2], "z": 0,
                "q": null, "i": null
            })
        );
        let told = ended.notices().join("\n");
        for word in
            ["Map", "Set", "Date", "Error", "RegExp", "typed array", "NaN", "function", "symbol"]
        {
            assert!(told.contains(word), "{word}: {told}");
        }
    });
}

// G20
#[test]
fn console_lines_are_kept_in_order_with_their_level() {
    each(|play| {
        let code = "console.log('total', { a: 1 }, [1, 2]);\nconsole.error('careful');";
        let (ended, told) = sent(play, code).unwrap();
        let lines: Vec<_> =
            ended.logs.iter().map(|l| (l.level.as_str(), l.text.as_str())).collect();
        assert_eq!(lines, [("log", "total {a: 1} [1, 2]"), ("error", "careful")]);
        assert_eq!(ended.value(), json!(null));
        assert!(told.is_empty());
    });
}

// G21
#[test]
fn syntax_errors_have_their_message_and_place() {
    for (code, line, column) in [
        ("const a = 1;\nconst b = {;\nreturn a;", 2, 12),
        ("const a = 1;\r\nconst b = {;\r\nreturn a;", 2, 12),
        ("```js\nconst b = {;\n```", 2, 12),
        ("// é😀\nconst é = '😀', b = {;", 2, 21),
        ("return (1", 1, 10),
        ("const s = 'open\nreturn s", 1, 11),
        ("const a: = 1", 1, 10),
        ("if (a {", 1, 7),
        ("return `a${`", 1, 12),
        ("}", 1, 1),
    ] {
        let error = hub_guest::Reader::new().prepare(code, &Tools).unwrap_err();
        assert!(error.message.starts_with("SyntaxError: "), "{error:?}");
        assert_eq!(error.line, Some(line), "{code}: {error:?}");
        assert!(error.column.is_some_and(|c| c.abs_diff(column) <= 2), "{code}: {error:?}");
        let quoted = code.lines().nth(line as usize - 1).unwrap().trim();
        assert!(error.message.contains(quoted), "{code}: {error:?}");
    }
}

// G23
#[test]
fn text_that_is_no_program_is_told_apart() {
    for code in [
        "ls -la /workspace",
        "cat package.json | head -20",
        "git status",
        "curl -s https://example.com",
        "$ npm install left-pad",
        "cd /tmp && ls",
        "pip install requests",
        "#!/bin/bash\necho hi",
    ] {
        let error = hub_guest::Reader::new().prepare(code, &Tools).unwrap_err();
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains("JavaScript") && hint.contains("search"), "{code}: {hint}");
    }
    all(
        &["const pwd = 3;\nreturn pwd - 1", "const ls = { la: 2 };\nreturn ls.la"],
        &json!(2),
        false,
    );
}

// G25
#[test]
fn what_is_promised_is_there_and_answers_are_values() {
    each(|play| {
        let code = "const hits = await hub.search('echo', { limit: 5 });\nreturn [typeof hub.search, typeof hub.describe, typeof hits, typeof (await demo.list({})), Array.isArray((await demo.list({})).items)];";
        let (ended, _) = sent(play, code).unwrap();
        assert_eq!(ended.value(), json!(["function", "function", "object", "object", true]));
    });
}

// G26
#[test]
fn a_failed_call_that_nobody_awaits_is_a_notice() {
    each(|play| {
        for code in [
            "demo.fail({});\nreturn 'done';",
            "demo.fail({}).then(() => 1);\nreturn 'done'",
            "[1].forEach(async () => { await demo.fail({}) });\nreturn 'done'",
            "void (async () => { await null; await demo.fail({}) })();\nreturn 'done'",
            "setTimeout(() => {}, 1); demo.fail({}).finally(() => {});\nreturn 'done'",
        ] {
            let (ended, _) = sent(play, code).unwrap();
            assert_eq!(ended.value(), "done", "{code}");
            assert!(ended.notices()[0].contains("nobody awaited"), "{code}: {ended:?}");
        }
    });
}

// G27
#[test]
fn one_of_several_calls_may_fail() {
    each(|play| {
        let code = "const r = await Promise.allSettled([demo.echo({ a: 1 }), demo.fail({}), demo.echo({ a: 3 })]);\nreturn r.map((x) => x.status);";
        let mut before = Vec::new();
        let read = hub_guest::Reader::new().prepare(code, &Tools).unwrap();
        let ended = play.run_with(&read.program, |op| {
            before.push(op.clone());
            sample(op)
        });
        assert_eq!(ended.value(), json!(["fulfilled", "rejected", "fulfilled"]));
        // All three had left before the first was answered: one turn each for the answers.
        assert_eq!((before.len(), ended.turns), (3, 4));
    });
}

// G29
#[test]
fn nothing_is_cut_inside_a_character() {
    each(|play| {
        let mut play = play.clone();
        for room in 1_000..1_008 {
            play.limits.result_bytes = room;
            play.limits.log_bytes = room;
            let code = "console.log('😀'.repeat(2000)); console.error({ t: '😀'.repeat(2000) });
                console.log('x' + '😀'.repeat(2000)); return '😀'.repeat(200000)";
            let (ended, _) = sent(&play, code).unwrap();
            let kept = ended.json();
            assert!(kept.len() <= room && kept.len() + 4 > room, "{} of {room}", kept.len());
            for text in ended.logs.iter().map(|l| l.text.as_str()).chain([kept]) {
                assert!(!text.contains('\u{fffd}'), "{text}");
            }
        }
        for before in 0..2 {
            let code = format!("throw new Error('x'.repeat({before}) + '😀'.repeat(9000))");
            let (ended, _) = sent(&play, &code).unwrap();
            assert!(!ended.error().message.contains('\u{fffd}'));
        }
    });
}

/// A program ends at a limit of the given kind.
fn ends(play: &Play, code: &str, is: impl Fn(&GuestFault) -> bool) {
    let (ended, _) = sent(play, code).unwrap_or_else(|e| panic!("{code}: {e:?}"));
    assert!(ended.fault.as_ref().is_some_and(is), "{code}: {ended:?}");
}

fn limited(play: &Play) -> Play {
    let mut play = play.clone();
    play.limits.cpu_ms = 200;
    play
}

// X01
#[test]
fn an_endless_loop_ends_at_its_limit_and_others_go_on() {
    each(|play| {
        let play = limited(play);
        for code in [
            "while (true) {}",
            "for (;;);",
            "do {} while (1)",
            "label: for (;;) { for (;;) continue label }",
            "const f = function* () { for (;;) yield 1 }; for (const x of f());",
            "for (;;) await null",
            "await { then(r) { for (;;); } }",
            "async () => { while (true) {} }",
        ] {
            ends(&play, code, |fault| matches!(fault, GuestFault::Cpu(200)));
            assert_eq!(play.run("return 1").value(), 1);
        }
    });
    each(|play| {
        crate::support::block_on(async {
            let busy = play.clone();
            let looping =
                tokio::spawn(async move { busy.driver.start(busy.spec("for (;;);")).await.err() });
            for _ in 0..5 {
                let ended = play.play(play.spec("return await demo.echo({})"), sample).await;
                assert_eq!(ended.value(), json!({}));
            }
            assert!(!looping.is_finished(), "the loop has its ten seconds");
            looping.abort();
        });
    });
}

// X02
#[test]
fn native_loops_end_at_a_limit() {
    each_its_own("which limit comes first depends on the speed and the size of values", |play| {
        let play = limited(play);
        for code in [
            "return (new Array(1_000_000_000) + '').length;",
            "return new Array(4e9).join('x').length",
            "return Array.from({ length: 4e9 }).length",
            "return 'a'.repeat(5e8).replace(/a/g, 'bb').length",
            "return JSON.stringify(new Array(4e8)).length",
            "return new Array(4e9).fill(0).length",
            "return Object.keys({ ...'x'.repeat(3e8) }).length",
            "return /(x+x+)+y/.test('x'.repeat(60))",
            "return 'x'.repeat(2 ** 27).split('').length",
        ] {
            ends(&play, code, |f| matches!(f, GuestFault::Cpu(_) | GuestFault::Memory(_)));
        }
    });
}

// X04
#[test]
fn big_integers_end_at_a_limit() {
    each_its_own("which limit comes first depends on the speed and the size of values", |play| {
        let play = limited(play);
        for code in [
            "let n = 7n ** 200000n; for (let i = 0; i < 12; i++) n = n * n; return n.toString().length;",
            "let n = 3n; for (;;) n = n * n % (10n ** 20000n + 7n)",
            "return (1n << 8_000_000n).toString().length",
            "return BigInt('9'.repeat(3_000_000)).toString(3).length",
            "let n = 7n ** 300000n; for (;;) n / 3n",
        ] {
            let (ended, _) = sent(&play, code).unwrap();
            let held = matches!(ended.fault, Some(GuestFault::Cpu(_) | GuestFault::Memory(_)))
                || ended.error.as_ref().is_some_and(|e| e.name == "RangeError");
            assert!(held, "{code}: {ended:?}");
        }
    });
}

// X07
#[test]
fn constructors_lead_nowhere() {
    each(|play| {
        let code = "const out = [];
            const climb = (x) => { try { return typeof x.constructor.constructor('return this')().process } catch { return 'err' } };
            out.push(climb(demo.echo), climb(demo), climb(hub.search), climb(console.log), climb(globalThis.setTimeout));
            try { await demo.fail({}) } catch (e) { out.push(climb(e), climb(e.code), /node_modules|file:|\\/home\\/|\\.rs|wasm/.test(String(e.stack))) }
            const r = await demo.list({}); out.push(climb(r), climb(r.items));
            const p = demo.list({}); out.push(climb(p)); await p;
            return out";
        let (ended, _) = sent(play, code).unwrap();
        for found in ended.value().as_array().unwrap() {
            assert!(found == "err" || found == false, "{}", ended.json());
        }
    });
}

// X08
#[test]
fn only_the_documented_names_are_there() {
    each(|play| {
        let code = "return [typeof fetch, typeof XMLHttpRequest, typeof WebSocket, typeof setTimeout, typeof URL, typeof TextEncoder, typeof atob, typeof crypto, typeof Intl, typeof structuredClone];";
        let (ended, _) = sent(play, code).unwrap();
        let (no, function) = ("undefined", "function");
        assert_eq!(
            ended.value(),
            json!([no, no, no, function, no, function, function, "object", no, function])
        );
        // Every global is one of the language's or documented.
        let (ended, _) = sent(play, "return Object.getOwnPropertyNames(globalThis)").unwrap();
        let known = include_str!("globals.txt").split_whitespace().collect::<Vec<_>>();
        for name in ended.value().as_array().unwrap() {
            assert!(known.contains(&name.as_str().unwrap()), "{name} is not documented");
        }
        // A timer keeps no run alive.
        let (ended, _) = sent(play, "setTimeout(() => { for (;;); }, 30000); return 1").unwrap();
        assert_eq!(ended.value(), 1);
    });
}

// X09
#[test]
fn floods_are_bounded() {
    each_its_own("what is kept of refusals is larger where pointers are", |play| {
        let code = "for (let i = 0; i < 1e6; i++) console.log('x'.repeat(1000)); return 1;";
        let (ended, _) = sent(play, code).unwrap();
        assert_eq!(ended.value(), 1);
        let bytes: usize = ended.logs.iter().map(|line| line.text.len() + 1).sum();
        assert!(ended.logs_cut && bytes <= play.limits.log_bytes + 1, "{bytes}");
        for code in [
            "const all = []; for (let i = 0; i < 1e5; i++) all.push(demo.echo({ i }).catch((e) => e.code)); const r = await Promise.all(all); return r.filter((x) => x === 'limit_calls').length > 0",
            "for (let i = 0; i < 1e5; i++) demo.echo({ i }).catch(() => {}); return true",
            "for (let i = 0; i < 1e5; i++) hub.search('x').catch(() => {}); return true",
            "let n = 0; try { for (let i = 0; i < 1e5; i++) { setTimeout(() => {}, 1); n++ } } catch { return n < 1e5 }",
        ] {
            let (ended, _) = sent(play, code).unwrap();
            // What is kept of a hundred thousand refusals may be more than the heap.
            if ended.fault != Some(GuestFault::Memory(play.limits.heap_bytes)) {
                assert_eq!(ended.value(), true, "{code}");
            }
            assert!(ended.ops.len() <= play.limits.ops_per_turn, "{code}");
        }
    });
}

// X10
#[test]
fn poisoned_answers_are_plain_data() {
    let answer = r#"{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":1,"then":2,"toJSON":3,"valueOf":4}"#;
    each(|play| {
        for copy in [
            "Object.assign({}, r)",
            "({ ...r })",
            "structuredClone(r)",
            "JSON.parse(JSON.stringify(r))",
            "Object.fromEntries(Object.entries(r))",
            "Object.entries(r).reduce((o, [k, v]) => { o[k] = v; return o }, {})",
            "(() => { const o = {}; for (const k in r) o[k] = r[k]; return o })()",
            "(await demo.echo(r))",
            "new Proxy(r, {})",
        ] {
            let code = format!(
                "const r = await demo.list({{}}); const o = {copy};
                 return [({{}}).polluted, o.polluted, Object.keys(o), [].polluted, r.a]"
            );
            let read = hub_guest::Reader::new().prepare(&code, &Tools).unwrap();
            let ended = play.run_with(&read.program, |op| match op {
                GuestOp::Call { address, .. } if address == "demo.list" => {
                    Some(Ok(answer.to_owned()))
                }
                op => sample(op),
            });
            let keys = json!(["__proto__", "constructor", "a", "then", "toJSON", "valueOf"]);
            assert_eq!(ended.value(), json!([null, null, keys, null, 1]), "{copy}");
        }
    });
}
