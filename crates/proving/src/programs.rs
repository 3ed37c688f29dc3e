//! Generated programs that run, with the frame around them.

use crate::choices::{self, Choices};
use crate::grammar::Grammar;
use std::sync::LazyLock;

static PROGRAMS: LazyLock<Grammar> =
    LazyLock::new(|| Grammar::read(include_str!("../grammars/programs.txt")));

/// Bytes of decisions for one program.
const CHOICES: usize = 600;
/// Bytes after which nothing more is begun.
const BYTES: usize = 6_000;

/// What every program begins with: a way to show any value in one form, and things to work on.
const FRAME: &str = r#"const enc = (v, d = 0) => {
  switch (typeof v) {
    case 'number': return Object.is(v, -0) ? '-0' : String(v);
    case 'bigint': return v + 'n';
    case 'string': return JSON.stringify(v);
    case 'symbol': return 'Symbol(' + (v.description ?? '') + ')';
    case 'function': return 'function ' + v.name;
    case 'undefined': case 'boolean': return String(v);
  }
  if (v === null) return 'null';
  if (d > 4) return '…';
  const n = (x) => enc(x, d + 1);
  if (Array.isArray(v)) {
    const parts = [];
    for (let i = 0; i < v.length && i < 40; i++) parts.push(i in v ? n(v[i]) : 'hole');
    return '[' + parts.join() + ']';
  }
  if (v instanceof Error) {
    const builtIn = v.constructor !== Error && /^[A-Z]\w+Error$/.test(v.constructor.name);
    return v.constructor.name + '(' + v.name + (builtIn ? '' : ': ' + v.message) + ')';
  }
  if (v instanceof Date) return 'Date(' + (isNaN(v) ? 'NaN' : v.toISOString()) + ')';
  if (v instanceof Map) return 'Map(' + [...v].map(n).join() + ')';
  if (v instanceof Set) return 'Set(' + [...v].map(n).join() + ')';
  if (v instanceof RegExp) return String(v) + v.lastIndex;
  if (ArrayBuffer.isView(v)) return v.constructor.name + '(' + [...v].map(n).join() + ')';
  const at = Object.getPrototypeOf(v)?.constructor?.name ?? 'none';
  return at + '{' + Object.entries(v).slice(0, 40).map(([k, x]) => k + ':' + n(x)).join() + '}';
};
let shown = 0;
const show = (...v) => { if (shown++ < 500) console.log(v.map((x) => enc(x)).join(' ')) };
const cap = (s) => String(s).slice(0, 60), few = (a) => Array.from(a ?? []).slice(0, 12);
const key = (s) => 'k' + cap(s).slice(0, 3), wrap = (b) => BigInt.asIntN(200, b);
let n0 = 3, n1 = -0.5, s0 = 'alpha beta', s1 = '', a0 = [3, 'b', null], a1 = [], b0 = 12n;
let o0 = { a: 1, b: [2] }, o1 = {}, d0 = new Date(86400000), d1 = new Date(0);
const m0 = new Map([['k', 1]]), t0 = new Set([1, 'x']);
"#;

/// The program of a seed and a number.
pub fn program(seed: u64, number: u64) -> String {
    let bytes = choices::bytes(seed ^ number.wrapping_mul(0xD134_2543_DE82_EF95), CHOICES);
    let mut choices = Choices::new(&bytes);
    let body = PROGRAMS.text("program", &mut choices, BYTES);
    let result = PROGRAMS.text("data", &mut choices, BYTES / 4);
    format!("{FRAME}{body}\nreturn [n0, s0.toWellFormed(), {result}];\n")
}
