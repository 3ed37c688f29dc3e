//! What programs find, and what they do not.

use crate::support::each;
use serde_json::json;

#[test]
fn the_documented_names_are_there() {
    each(|play| {
        for name in [
            "setTimeout",
            "clearTimeout",
            "structuredClone",
            "TextEncoder",
            "TextDecoder",
            "atob",
            "btoa",
            "queueMicrotask",
            "ToolError",
            "Date",
            "Proxy",
            "Promise",
            "Map",
            "BigInt",
        ] {
            assert_eq!(play.run(&format!("return typeof {name}")).value(), "function", "{name}");
        }
        for name in ["hub", "console", "crypto", "performance", "Math", "JSON", "Reflect"] {
            assert_eq!(play.run(&format!("return typeof {name}")).value(), "object", "{name}");
        }
    });
}

#[test]
fn the_rest_is_undefined() {
    each(|play| {
        for name in [
            "fetch",
            "require",
            "process",
            "Buffer",
            "eval",
            "WebAssembly",
            "SharedArrayBuffer",
            "Atomics",
            "WeakRef",
            "FinalizationRegistry",
            "XMLHttpRequest",
            "WebSocket",
            "Intl",
            "importScripts",
            "Deno",
            "Bun",
            "std",
            "os",
            "print",
            "scriptArgs",
            "setInterval",
            "setImmediate",
            "module",
            "exports",
            "window",
            "document",
            "global",
            "navigator",
            "DOMException",
            "gc",
            "__filename",
            "URL",
        ] {
            assert_eq!(play.run(&format!("return typeof {name}")).value(), "undefined", "{name}");
        }
    });
}

#[test]
fn a_missing_name_is_named_with_what_to_do_instead() {
    each(|play| {
        for (code, name) in [
            ("const r = await fetch('https://example.com')", "fetch"),
            ("process.exit()", "process"),
            ("const fs = require('fs')", "require"),
            ("eval('1')", "eval"),
            ("await import('fs')", "require"),
            ("new Function('return 1')", "Function"),
        ] {
            let ended = play.run(code);
            assert_eq!(ended.error().hint.as_deref(), hub_core::hints::for_name(name), "{code}");
            assert!(ended.error().hint.is_some(), "{code}");
        }
        assert_eq!(play.run("somethingElse()").error().hint, None);
    });
}

#[test]
fn no_text_becomes_code() {
    each(|play| {
        for code in [
            "Function('return 7')()",
            "new Function('return 7')()",
            "(() => {}).constructor('return 7')()",
            "(async () => {}).constructor('return 7')()",
            "(function* () {}).constructor('yield 7')().next().value",
            "(async function* () {}).constructor('yield 7')()",
            "Reflect.construct((() => {}).constructor, ['return 7'])()",
            "(class A {}).constructor('return 7')()",
            "Array.prototype.map.constructor('return 7')()",
            "(function () {}).bind().constructor('return 7')()",
            "demo.echo.constructor('return 7')()",
            "hub.search.constructor('return 7')()",
            "ToolError.constructor('return 7')()",
            "console.log.constructor('return 7')()",
            "Object.getPrototypeOf(async function () {}).constructor('return 7')()",
            "Reflect.construct(Function, ['return 7'], Array)()",
            "class F extends Function {}; new F('return 7')()",
            "setTimeout('1', 0)",
            "await import('os')",
            "await import('data:text/javascript,1')",
        ] {
            let ended = play.run(code);
            assert!(ended.error.is_some(), "{code}: {ended:?}");
        }
    });
}

#[test]
fn clones_are_deep_and_of_their_kind() {
    each(|play| {
        let ended = play.run(
            "const x = { d: new Date(5), m: new Map([[{}, new Set([1])]]), r: /a/gi, a: [1, , 3],
               u: new Uint16Array([1, 2]), e: new RangeError('e'), n: null, s: 't', b: 5n };
             x.self = x; x.a.extra = 1;
             const c = structuredClone(x);
             return [c !== x, c.self === c, c.d.getTime(), c.d !== x.d, [...c.m.values()][0].has(1),
               String(c.r), c.a.length, 1 in c.a, c.a.extra, c.u instanceof Uint16Array, c.u[1],
               c.u.buffer !== x.u.buffer, c.e.message, c.e.name, String(c.b)]",
        );
        assert_eq!(
            ended.value(),
            json!([
                true,
                true,
                5,
                true,
                true,
                "/a/gi",
                3,
                false,
                1,
                true,
                2,
                true,
                "e",
                "RangeError",
                "5"
            ])
        );
        for code in ["() => 1", "Symbol()", "Promise.resolve()", "new WeakMap()", "{a: () => 1}"] {
            let ended = play
                .run(&format!("try {{ structuredClone({code}) }} catch (e) {{ return e.name }}"));
            assert_eq!(ended.value(), "TypeError", "{code}");
        }
    });
}

#[test]
fn text_and_bytes_turn_into_each_other() {
    each(|play| {
        let ended = play.run(
            "const e = new TextEncoder(), d = new TextDecoder();
             const into = new Uint8Array(5), did = e.encodeInto('a😀b', into);
             let fatal; try { new TextDecoder('utf-8',
               {fatal: true}).decode(new Uint8Array([255])) }
             catch (x) { fatal = x.name }
             return [[...e.encode('aé😀\\ud800')], d.decode(e.encode('aé😀')),
               d.decode(new Uint8Array([255, 65])),
               d.decode(new Uint8Array([0xef, 0xbb, 0xbf, 65])), did, [...into], fatal,
               d.decode(new DataView(new Uint8Array([66, 67]).buffer, 1)), e.encode().length,
                 d.decode(),
               btoa('hello'), atob('aGVsbG8='), atob(' aGVs\\nbG8 '), btoa('\\xff\\x00'),
                 btoa('')]",
        );
        assert_eq!(
            ended.value(),
            json!([
                [97, 195, 169, 240, 159, 152, 128, 239, 191, 189], "aé😀", "\u{fffd}A", "A",
                {"read": 3, "written": 5}, [97, 240, 159, 152, 128], "TypeError", "C", 0, "",
                "aGVsbG8=", "hello", "hello", "/wA=", ""
            ])
        );
        let refused = ["btoa('é€')", "atob('a')", "atob('ab=c')", "atob('aGVsbG8==')", "atob('€')"];
        for code in refused {
            let ended = play.run(&format!("try {{ {code} }} catch (e) {{ return e.name }}"));
            assert_eq!(ended.value(), "RangeError", "{code}");
        }
    });
}

#[test]
fn console_writes_lines_in_order_with_their_level() {
    each(|play| {
        let ended = play.run(
            "console.log('total', {a: 1, b: ['x', null]}, [1, 2], -0, 5n, undefined, true);
             console.error('careful'); console.warn(new Map([['k', new Set([1])]]));
             console.info(() => 1, Symbol('s'), new Date(0), /r/g, Promise.resolve());
             console.debug({get x() { throw 1 }, nested: {a: {b: {c: {d: {e: 1}}}}}});
             const c = {n: 1}; c.c = c; console.log(c); console.log();
             console.log(new Proxy({}, {get() { throw 1 }, ownKeys() { throw 1 }}));
             console.table([{a: 1, b: 'x'}, {a: 2}]);",
        );
        let lines: Vec<(&str, &str)> =
            ended.logs.iter().map(|l| (l.level.as_str(), l.text.as_str())).collect();
        assert_eq!(
            lines,
            [
                ("log", "total {a: 1, b: [\"x\", null]} [1, 2] -0 5n undefined true"),
                ("error", "careful"),
                ("warn", "Map {\"k\" => Set {1}}"),
                ("info", "[Function] Symbol(s) 1970-01-01T00:00:00.000Z /r/g [Promise]"),
                ("debug", "{x: [Getter], nested: {a: {b: {c: {d: [Object]}}}}}"),
                ("log", "{n: 1, c: [Circular]}"),
                ("log", ""),
                ("log", "[Proxy]"),
                ("table", "| index | a | b |\n| 0 | 1 | x |\n| 1 | 2 |  |"),
            ]
        );
        assert!(!ended.logs_cut);
    });
}

#[test]
fn logs_end_at_their_budget() {
    each(|play| {
        let mut play = play.clone();
        play.limits.log_bytes = 1000;
        let ended =
            play.run("for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100)); return 1");
        assert_eq!(ended.value(), 1);
        assert!(ended.logs_cut);
        let bytes: usize = ended.logs.iter().map(|line| line.text.len() + 1).sum();
        assert!((900..=1001).contains(&bytes), "{bytes}");
        let ended =
            play.run("console.log('é'.repeat(5000)); await demo.list({}); console.log('more')");
        assert!(ended.logs_cut);
        let bytes: usize = ended.logs.iter().map(|line| line.text.len() + 1).sum();
        assert!(bytes <= 1001, "{bytes}");
    });
}
