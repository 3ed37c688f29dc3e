//! The hazards of a replay, one by one: what could depend on the machine, the day, the load or the
//! driver gives the same bytes in every run. What is pinned here changes only with the engine.

use crate::support::{Ended, Play, each, each_its_own};
use serde_json::{Value, json};

/// Runs once alone, once beside busy guests and after polluted ones.
fn twice(play: &Play, code: &str) -> Ended {
    let first = play.run(code);
    let spoiler = "Object.prototype.x = 1; Array.prototype.map = null; Math.random = () => 0;
        for (let i = 0; i < 1e5; i++) new Array(50).fill(i); /x/g.test('x'); Symbol.for('a')";
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| play.run(spoiler));
        }
        assert_eq!(first, play.run(code), "{code}");
    });
    first
}

#[track_caller]
fn pinned(code: &str, value: &Value) {
    each(|play| assert_eq!(twice(play, code).value(), *value, "{code}"));
}

#[test]
fn numbers_are_printed_in_one_way() {
    pinned(
        "return [0.1 + 0.2, 1 / 3, 1e21, 1e-7, 123456789.125, 2 ** 53, -1e-324, 4.35, 0.000001,
           (25).toString(36), (255.5).toString(16), (0.1).toFixed(20), (1.005).toFixed(2),
           (1e21).toFixed(2), (123.456).toPrecision(4), (0).toExponential(2), 1.7976931348623157e308]
           .map(String)",
        &json!([
            "0.30000000000000004", "0.3333333333333333", "1e+21", "1e-7", "123456789.125",
            "9007199254740992", "0", "4.35", "0.000001", "p", "ff.8", "0.10000000000000000555",
            "1.00", "1e+21", "123.5", "0.00e+0", "1.7976931348623157e+308"
        ]),
    );
}

#[test]
fn sorting_is_stable_and_orders_are_those_of_insertion() {
    pinned(
        "const rows = Array.from({ length: 1000 }, (_, i) => ({ k: (i * 7919) % 5, i }));
         rows.sort((a, b) => a.k - b.k);
         let stable = true; for (let i = 1; i < rows.length; i++)
           if (rows[i].k === rows[i - 1].k && rows[i].i < rows[i - 1].i) stable = false;
         const o = {}; for (const k of ['z', 10, 'a', 2, '-1', 'b', 1]) o[k] = 1; delete o.a; o.a = 2;
         const m = new Map(); for (const k of ['z', 10, 'a', 2]) m.set(k, 1); m.delete('z'); m.set('z', 1);
         return [stable, Object.keys(o), [...m.keys()], JSON.stringify(o),
           [3, 20, 100].sort(), ['b', undefined, 'a', , 'c'].sort().length]",
        &json!([
            true,
            ["1", "2", "10", "z", "-1", "b", "a"],
            [10, "a", 2, "z"],
            r#"{"1":1,"2":1,"10":1,"z":1,"-1":1,"b":1,"a":2}"#,
            [100, 20, 3],
            5
        ]),
    );
}

#[test]
fn the_zone_is_utc_whatever_the_machine_says() {
    pinned(
        "const d = new Date(2024, 6, 1, 12);
         return [d.toISOString(), d.getTimezoneOffset(), String(d), d.toDateString(),
           d.toTimeString(), new Date('2024-07-01T12:00').getTime() === d.getTime(),
           new Date('July 1, 2024 12:00').getTime() === d.getTime(), d.getHours(),
           new Date(2024, 2, 31, 2, 30).toISOString()]",
        &json!([
            "2024-07-01T12:00:00.000Z",
            0,
            "Mon Jul 01 2024 12:00:00 GMT+0000",
            "Mon Jul 01 2024",
            "12:00:00 GMT+0000",
            true,
            true,
            12,
            "2024-03-31T02:30:00.000Z"
        ]),
    );
}

#[test]
fn the_locale_is_one() {
    pinned(
        "return [(1234567.891).toLocaleString(), new Date(0).toLocaleDateString(),
           ['ä', 'z', 'a', 'Z', 'é'].sort((a, b) => a.localeCompare(b)), 'I'.toLocaleLowerCase(),
           'i'.toLocaleUpperCase('tr'), [1, 2].toLocaleString(), (5n).toLocaleString(),
           'ß'.toUpperCase(), 'İ'.toLowerCase().length, 'a'.localeCompare('b'), typeof Intl]",
        &json!([
            "1234567.891",
            "01/01/1970",
            ["Z", "a", "z", "ä", "é"],
            "i",
            "I",
            "1,2",
            "5",
            "SS",
            2,
            -1,
            "undefined"
        ]),
    );
}

#[test]
fn jobs_run_in_the_order_of_the_language() {
    pinned(
        "const seen = []; const s = (x) => () => { seen.push(x) };
         setTimeout(s('t2'), 2); setTimeout(s('t1'), 1); setTimeout(s('t1b'), 1);
         queueMicrotask(s('m1')); Promise.resolve().then(s('p1')).then(s('p2'));
         (async () => { await null; seen.push('a1'); await null; seen.push('a2') })();
         Promise.reject(1).catch(s('c1')); Promise.resolve({ then(r) { seen.push('h'); r() } }).then(s('h2'));
         await demo.echo({}); seen.push('call');
         await Promise.all([demo.echo({ a: 1 }).then(s('e1')), demo.fail({}).catch(s('e2'))]);
         await new Promise((r) => setTimeout(r, 3)); return seen.join()",
        &json!("m1,p1,a1,c1,h,p2,a2,h2,call,e1,e2,t1,t1b,t2"),
    );
}

#[test]
fn the_words_of_errors_are_pinned() {
    pinned(
        "const told = []; const t = (f) => { try { f(); told.push('-') } catch (e) { told.push(e.name + ': ' + e.message) } };
         t(() => null.a); t(() => undefined.a.b); t(() => { null.a = 1 }); t(() => nope);
         t(() => { const c = 1; c = 2 }); t(() => new Array(-1)); t(() => 'x'.repeat(-1));
         t(() => JSON.parse('{')); t(() => JSON.parse('')); t(() => BigInt(1.5)); t(() => 1n + 1);
         t(() => Symbol() + ''); t(() => (class A { #p; static f(o) { return o.#p } }).f({}));
         t(() => [].reduce((a) => a)); t(() => Object.defineProperty(Object.freeze({}), 'a', { value: 1 }));
         t(() => new RegExp('(')); t(() => decodeURIComponent('%')); t(() => { x; let x = 1 });
         t(() => { const [a] = null }); t(() => { const { a } = undefined }); t(() => new 5);
         t(() => 1 in 'a'); t(() => ({}) instanceof 5); t(() => new Proxy({}, null));
         t(() => { [...5] }); t(() => (1.5).toFixed(101)); t(() => new Date(NaN).toISOString());
         const o = {}; o.o = o; t(() => JSON.stringify(o)); return told",
        &json!([
            "TypeError: cannot read property 'a' of null",
            "TypeError: cannot read property 'a' of undefined",
            "TypeError: cannot set property 'a' of null",
            "ReferenceError: nope is not defined",
            "TypeError: 'c' is read-only",
            "RangeError: invalid array length",
            "RangeError: invalid repeat count",
            "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
            "SyntaxError: Unexpected end of JSON input",
            "RangeError: cannot convert to BigInt: not an integer",
            "TypeError: cannot convert BigInt to number",
            "TypeError: cannot convert symbol to string",
            "TypeError: private class field '#p' does not exist",
            "TypeError: empty array",
            "TypeError: object is not extensible",
            "SyntaxError: expecting ')'",
            "URIError: expecting hex digit",
            "ReferenceError: x is not initialized",
            "TypeError: cannot read property 'Symbol.iterator' of null",
            "TypeError: Cannot convert undefined or null to object",
            "TypeError: 5 is not a function",
            "TypeError: invalid 'in' operand",
            "TypeError: invalid 'instanceof' right operand",
            "TypeError: not an object",
            "TypeError: value is not iterable",
            "RangeError: invalid number of digits",
            "RangeError: Date value is NaN",
            "TypeError: circular reference"
        ]),
    );
}

#[test]
fn stacks_are_the_same_everywhere() {
    each(|play| {
        let ended = twice(
            play,
            "function a() { return new Error('x').stack }\nconst b = () => a();\n  const o = { m() { return b() } };
             class C { static s = o.m(); get g() { return b() } }\nreturn [o.m(), C.s, new C().g,
               await (async () => { await null; return a() })()]",
        );
        let value = ended.value();
        assert!(value[0].as_str().unwrap().starts_with("    at a (program:1:"), "{value}");
        assert!(value.as_array().unwrap().iter().all(|s| s.as_str().unwrap().contains("program:")));
    });
}

#[test]
fn the_numbers_of_the_library_are_the_same_in_every_run_of_a_driver() {
    each_its_own("a run is pinned to its driver, and the library is the driver's", |play| {
        let code = "const d = new Float64Array(1), u = new Uint32Array(d.buffer); const all = {};
            for (const f of ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh',
                'exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'cbrt', 'sqrt']) {
              let h = 17; for (let i = -500; i < 500; i++) { d[0] = Math[f](i * 0.037 + 0.01);
                h = (Math.imul(h, 31) + (u[0] ^ u[1])) >>> 0 } all[f] = h }
            let h = 17; for (let i = 1; i < 500; i++) { d[0] = (i * 0.37) ** (i * 0.011);
              h = (Math.imul(h, 31) + (u[0] ^ u[1])) >>> 0 } all.pow = h;
            for (let i = 1; i < 500; i++) { d[0] = Math.atan2(i, 3.3) + Math.hypot(i, 1.1);
              h = (Math.imul(h, 31) + (u[0] ^ u[1])) >>> 0 } all.two = h; return all";
        let ended = twice(play, code);
        assert_eq!(ended.value().as_object().unwrap().len(), 19);
    });
}

#[test]
fn the_same_deliveries_give_the_same_run_to_the_last_byte() {
    each(|play| {
        let code = "const r = []; const ids = [3, 1, 2];
            console.log(Math.random(), crypto.randomUUID(), Date.now());
            setTimeout(() => { r.push('t' + Date.now()) }, 5);
            const all = await Promise.allSettled(ids.map(async (id) => {
              const x = await demo.echo({ id, at: Date.now(), rnd: Math.random() });
              r.push(id); if (id === 1) throw new Error('one'); return [x, Date.now()] }));
            demo.fail({ late: 1 }); Promise.reject(new TypeError('lost'));
            console.table([{ a: 1 }]); await new Promise((f) => setTimeout(f, 10));
            return { r, all, d: new Date(), m: new Map([[1, new Error('e').stack]]), p: demo.echo({}) }";
        let first = twice(play, code);
        assert_eq!(first.ops.len(), 7, "{first:?}");
        assert_eq!(first.finish.as_ref().unwrap().unhandled.len(), 1);
        let other = Play { seed: [8; 32], ..play.clone() };
        assert_ne!(first.ops, other.run(code).ops, "the seed is in the arguments");
    });
}

#[test]
fn limits_are_never_seen_by_a_program() {
    each(|play| {
        let mut play = play.clone();
        play.limits.heap_bytes = 24 << 20;
        play.limits.cpu_ms = 300;
        for code in [
            "let n = 0; const f = () => { n++; f() }; try { f() } catch {} return n",
            "let n = 0; const a = []; try { for (;;) { a.push(new Array(1000)); n++ } } catch {} return n",
            "let n = 0; try { for (;;) n++ } catch {} finally { return n }",
        ] {
            assert!(play.run(code).fault.is_some(), "{code}");
        }
    });
}
