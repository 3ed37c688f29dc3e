//! TypeScript that is only types turns into spaces; the rest is transformed.

use crate::support;
use hub_core::ports::Positions;

/// Reads a piece in a program that needs no other rewriting.
fn program(code: &str) -> hub_core::ports::Prepared {
    support::program(&format!("{code}\nreturn 0;"))
}

/// Pieces of TypeScript that spaces can replace.
pub const ERASED: &[&str] = &[
    "let a// one\r: number; let b// two\u{2028}: string = '';",
    "const a: number = 1; let b: string, c!: string; let d: { a: string } | undefined;",
    "type A = string\ninterface B { a: A }\ndeclare const x: number\ndeclare function f(): void",
    "let a = 1\ntype T = string\n(a)",
    "const f = (a?: number, ...r: string[]): Promise<void> => {}",
    "const f = (a: number): Promise<{\n  a: string\n}> => ({ a })",
    "const f = async <T,>(a: T): Promise<T> => a",
    "function f<T extends object = {}>(this: Window, a: T, b?: T): asserts a is T { return a }",
    "function f(this: Window) {}",
    "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) { return a }",
    "const a = x as any\n;(b as string).c; const k = ['a'] as const; y satisfies T",
    "const a = x as any\n(b)",
    "const a = x as any\n[b].c",
    "return (await f()) as {\n  a: string;\n};",
    "a!.b![0]!.c!(); a!\n(b)",
    "const m = new Map<string, Array<{ id: number }>>(); f<T>(1); t<A>`x`; g?.<T>(2)",
    "const v = (<any>x).y; const w = <T[]>[1]",
    "class A<T> extends B<T> implements C, D<T> { a: T; b?: string; c!: number; readonly d = 1\n private [k] = 2; get: string\n foo() {} static: number\n bar() {} }",
    "class A { private static async *m<T>(a?: T): AsyncGenerator<T> {} protected get x(): number { return 1 } set x(v: number) {} private constructor() { this.x } }",
    "abstract class A { abstract m(): void; abstract x: number; declare z: string; [k: string]: any; m2?(): void; n?: number = 1; override o(): void {} public p(): void; public p(a?: any): void {} }",
    "class A { x = 1\n private *gen() {} }",
    "try {} catch (e: unknown) {}",
    "import type { A } from 'a'\nimport { type B } from 'b'\nexport type { A }\nexport interface C {}\nexport {}\nreturn 1",
    "for (const x of <any[]>y) {} for (let i: number = 0; i < 1; i++) {}",
    "const o = { m<T>(a: T): T { return a }, get x(): number { return 1 }, async *g(): any {} }",
    "enum_ = 1; type = 2; declare\nnamespace\nabstract\nlet as = 1, satisfies = 2; as = satisfies",
    "a ? (b): c => d : e",
    "declare global { interface X {} }\ndeclare module 'x' { export const y: number }\ndeclare enum E { A }\ndeclare namespace N { const x: number }",
    "let x: typeof y.z<string>[number], u: unique symbol, k: keyof typeof o, t: `a${string}`",
    "let f: new () => void, g: abstract new (...a: any[]) => object, h: (a: string) => a is 'x'",
    "x = <T,>(a: T) => a; y = a < b, c > (d)",
    "const { a, b }: { a: string, b: number } = o; const [c]: [number] = p",
    "f(a as number, b!, <string>c); (a as any) = 1; (a!)++; [a as any] = b",
    "if (a) { type X = 1 } else { interface Y {} }",
    "label: for (;;) { break label } ; let async: any; async = (a: number) => a",
];

/// Pieces that need a transform, with a mark of the output.
pub const TRANSFORMED: &[(&str, &str)] = &[
    ("enum Level { Low = 1, High }\nreturn Level.High", "Level"),
    ("const enum E { A = 'a' }\nreturn E.A", "E"),
    ("namespace N { export const x: number = 1 }\nreturn N.x", "N"),
    (
        "class P { constructor(private readonly a: number, public b = 2) {} }\nreturn new P(1)",
        "this.a = a",
    ),
    ("const g = f<string>;", "f"),
    ("const f = () => <T>{ a: 1 }", "({"),
    ("return <\nT\n>x", "return x"),
    ("import x = N.y; return x", "N.y"),
    ("'use strict' as T; return 1", "(\"use strict\")"),
    ("function f(a = 1) { <T>'use strict'! } return f()", "(\"use strict\")"),
    ("const f = async <\n T\n>(a: T) => a", "async (a)"),
];

#[test]
fn types_become_spaces() {
    for code in ERASED {
        let read = program(code);
        assert_eq!(read.positions, Positions::Same, "transformed: {code}\n-> {}", read.program);
        assert_eq!(read.program.len(), code.len() + 10, "{code}");
        for (old, new) in code.lines().zip(read.program.lines()) {
            assert_eq!(old.len(), new.len(), "{code}");
        }
        assert_eq!(read.notices, Vec::<String>::new(), "of {code}");
    }
}

#[test]
fn what_is_more_than_types_is_transformed() {
    for (code, mark) in TRANSFORMED {
        let read = program(code);
        assert!(
            matches!(read.positions, Positions::Map(_)),
            "blanked: {code}\n-> {}",
            read.program
        );
        assert!(read.program.contains(mark), "{code}\n-> {}", read.program);
        assert!(!read.program.contains("export"), "{code}\n-> {}", read.program);
    }
}

#[test]
fn places_survive_the_transform() {
    let around = [
        ("", "\nreturn mark_();"),
        ("```ts\n\n", "\n  const x: number =   mark_();\n```"),
        ("text\n```ts\n", "\nexport default async () => { await 1;   mark_() }\n```"),
        ("/* 😀é\u{2028}\u{2029}\r */ ", "\n'😀\u{2028}', '\\r'; `\u{2029}\r\n😀`; mark_()"),
        ("import type { A } from 'a'\n", "\n(async () => { /* é */ mark_() })()"),
    ];
    let place = |text: &str| {
        let before = &text[..text.find("mark_").expect("the mark")];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        (line as u32, column as u32)
    };
    for (code, _) in TRANSFORMED {
        for (before, after) in around {
            if code.contains("return") && after.contains("export") {
                continue;
            }
            let code = format!("{before}{code}{after}");
            let read = support::program(&code);
            let (line, column) = place(&read.program);
            assert_eq!(read.positions.original(line, column), place(&code), "{code}");
        }
    }
}
