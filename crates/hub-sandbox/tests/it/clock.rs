//! Time and chance: a function of the seed and of the deliveries, never of the machine.

use crate::support::{START, each, each_its_own};
use serde_json::json;

#[test]
fn time_moves_at_deliveries_only() {
    each(|play| {
        let ended = play.run(
            "const a = Date.now(); for (let i = 0; i < 1e5; i++);
             const b = Date.now(), c = new Date().getTime(), p = performance.now();
             await demo.list({});
             return [a, b, c, p, Date.now(), performance.now(), new Date().toISOString(),
               typeof Date(), Date().slice(0, 15), new Date(5).getTime(), Date.UTC(1970, 0, 1),
               new Date() instanceof Date, new (new Date().constructor)().getTime()]",
        );
        assert_eq!(
            ended.value(),
            json!([
                START,
                START,
                START,
                0,
                START + 1,
                1,
                "2024-05-01T12:00:00.001Z",
                "string",
                "Wed May 01 2024",
                5,
                0,
                true,
                START + 1
            ])
        );
    });
}

#[test]
fn the_zone_is_utc_and_the_locale_is_fixed() {
    each(|play| {
        let ended = play.run(
            "return [new Date(2020, 5, 1).getTimezoneOffset(), new Date(2020, 6, 1, 12).toISOString(),
               String(new Date(0)), new Date(0).toLocaleString(), (12345.678).toLocaleString(),
               'ä'.localeCompare('z') > 0, typeof Intl]",
        );
        assert_eq!(
            ended.value(),
            json!([
                0,
                "2020-07-01T12:00:00.000Z",
                "Thu Jan 01 1970 00:00:00 GMT+0000",
                "01/01/1970, 12:00:00 AM",
                "12345.678",
                true,
                "undefined"
            ])
        );
    });
}

const CHANCE: &str = "const bytes = crypto.getRandomValues(new Uint8Array(9));
    return [Math.random(), Math.random(), crypto.randomUUID(), [...bytes],
      [...crypto.getRandomValues(new Uint32Array(2).subarray(1))]]";

#[test]
fn chance_is_the_seed() {
    each(|play| {
        let first = play.run(CHANCE);
        assert_eq!(first, play.run(CHANCE), "the same seed");
        let other = crate::support::Play { seed: [8; 32], ..play.clone() };
        assert_ne!(first.value(), other.run(CHANCE).value(), "another seed");
        let value = first.value();
        let uuid = value[2].as_str().unwrap();
        assert!(uuid.len() == 36 && &uuid[14..15] == "4", "{uuid}");
        assert_eq!(value[4].as_array().unwrap().len(), 1);
    });
}

#[test]
fn the_stream_is_chacha20() {
    // The cipher's published first block for a key of zeros and a counter of zero.
    each(|play| {
        let play = crate::support::Play { seed: [0; 32], ..play.clone() };
        let ended = play.run(
            "return [...crypto.getRandomValues(new Uint8Array(16))]
               .map((b) => b.toString(16).padStart(2, '0')).join('')",
        );
        assert_eq!(ended.value(), "76b8e0ada0f13d90405d6ae55386bd28");
    });
}

#[test]
fn chance_refuses_what_it_cannot_fill() {
    each(|play| {
        for code in ["new Float64Array(1)", "[]", "new Uint8Array(65537)", "1", "undefined"] {
            let ended = play.run(&format!(
                "try {{ crypto.getRandomValues({code}) }} catch (e) {{ return e.name }}"
            ));
            let name = ended.value();
            assert!(name == "TypeError" || name == "RangeError", "{code}: {name}");
        }
    });
}

/// Everything whose result could depend on machine, library, memory or the day.
pub const HAZARDS: &str = "
    const r = {};
    const mix = (f) => { let a = 17; const d = new Float64Array(1), u = new Uint32Array(d.buffer);
      for (let i = 1; i <= 400; i++) { d[0] = f(i * 0.37913 - 30);
        a = (Math.imul(a, 31) + (u[0] ^ u[1])) >>> 0 } return a };
    for (const n of Object.getOwnPropertyNames(Math)) {
      if (typeof Math[n] === 'function' && Math[n].length === 1 && n !== 'sumPrecise')
        r[n] = mix(Math[n]) }
    r.pow = mix((x) => Math.abs(x) ** 1.37); r.atan2 = mix((x) => Math.atan2(x, 3.3));
    r.hypot = mix((x) => Math.hypot(x, 1.1));
    const nan = new Float64Array([NaN, 0 / 0, Math.sqrt(-1), Infinity - Infinity, -NaN]);
    r.nan = [...new Uint32Array(nan.buffer)];
    r.nan32 = [...new Uint8Array(new Float32Array([NaN, -NaN, 0 / 0]).buffer)];
    r.text = [0.1 + 0.2, 1e21, 1 / 3, 5e-324, (1234.5678).toFixed(2), (0.1).toString(3)];
    r.sort = Array.from({length: 600}, (_, i) => [i % 3, i]).sort((a,
      b) => a[0] - b[0]).map(String).join();
    r.random = [Math.random(), crypto.randomUUID()];
    r.date = [String(new Date(0)), new Date(2020, 2, 29, 2, 30).getTime(),
      Date.parse('2020-03-29')];
    r.order = []; await Promise.all(['x', 'y'].map(async (k) => { for (let i = 0; i < 3; i++) {
      await demo.echo({i}); r.order.push(k + i) } }));
    const m = new Map(), s = new Set(); for (let i = 0; i < 500;
      i++) { m.set('k' + (i * 7919) % 500, i); s.add(i) }
    r.maps = [...m.keys()].join() + [...s].join();
    const o = {}; for (let i = 0; i < 300; i++) o['k' + (i * 31) % 300] = i;
      r.keys = Object.keys(o).join();
    r.globals = Object.getOwnPropertyNames(globalThis).sort().join();
    try { null.x } catch (e) { r.stack = e.message + e.stack }
    r.symbols = [Symbol.for('a') === Symbol.for('a'), Reflect.ownKeys({[Symbol('z')]: 1,
      b: 1}).length];
    r.locale = ['a', 'B', 'ä', 'Z'].sort((a,
      b) => a.localeCompare(b)).join() + 'İ'.toLowerCase().length;
    r.regexp = 'aaa'.replace(/a/g, (x, i) => i) + /(?<y>\\d+)/.exec('a12').groups.y;
    r.weak = [typeof WeakRef, typeof FinalizationRegistry, typeof WeakMap];
    console.log(r.order, new Error('e'), m);
    return r";

#[test]
fn the_same_run_gives_the_same_bytes() {
    each_its_own("the hazards are those of the machine's mathematics too", |play| {
        let first = play.run(HAZARDS);
        assert!(first.json().len() > 3000);
        for _ in 0..3 {
            assert_eq!(first, play.run(HAZARDS));
        }
    });
}

#[test]
fn memory_pressure_is_never_seen() {
    // The same program with much garbage and with little gives the same answers.
    each(|play| {
        let program = |garbage: usize| {
            format!(
                "let waste; for (let i = 0; i < {garbage}; i++) waste = new Array(100).fill({{}});
                 const w = new WeakMap(); w.set({{}}, 1);
                 return [Math.random(), Date.now(), typeof gc, Object.keys(w)]"
            )
        };
        assert_eq!(play.run(&program(0)).value(), play.run(&program(20_000)).value());
    });
}
