//! What cannot be equal on both drivers: the whole list, and a test that nothing else differs.
//! A run is pinned to its driver and its build, so no run ever meets both sides.

use crate::clock::HAZARDS;
use crate::support::{Play, drivers};
use hub_core::ports::GuestFault;
use serde_json::{Map, Value};

/// What differs, and why.
const UNEQUAL: &[(&str, &str)] = &[
    ("nan", "the processor chooses the sign of a NaN; driver A gives every NaN one form"),
    ("nan32", "as above"),
    ("sqrt", "the values are equal, but for the form of NaN below zero"),
    ("sin", LIBRARY),
    ("cos", LIBRARY),
    ("tan", LIBRARY),
    ("asin", LIBRARY),
    ("acos", LIBRARY),
    ("atan", LIBRARY),
    ("sinh", LIBRARY),
    ("cosh", LIBRARY),
    ("tanh", LIBRARY),
    ("asinh", LIBRARY),
    ("acosh", LIBRARY),
    ("atanh", LIBRARY),
    ("exp", LIBRARY),
    ("expm1", LIBRARY),
    ("log", LIBRARY),
    ("log1p", LIBRARY),
    ("log2", LIBRARY),
    ("log10", LIBRARY),
    ("cbrt", LIBRARY),
    ("pow", LIBRARY),
    ("atan2", LIBRARY),
    ("hypot", LIBRARY),
];
const LIBRARY: &str = "driver A brings its own mathematics, driver B uses the system's: the last \
    digit may differ";

/// How deep a program may call itself.
const DEPTH: &str = "let n = 0; const f = () => { n++; console.log(n); f() }; f()";

fn fields(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap()
}

#[test]
fn nothing_else_differs() {
    let values: Vec<_> = drivers()
        .into_iter()
        .map(|(name, driver)| (name, Play { driver, ..Play::default() }.run(HAZARDS)))
        .collect();
    let Some(((_, first), others)) = values.split_first() else { return };
    for (name, ended) in others {
        let (expected, found) = (first.value(), ended.value());
        for (field, value) in fields(&expected) {
            let listed = UNEQUAL.iter().any(|(unequal, _)| unequal == field);
            let other = &fields(&found)[field];
            assert!(listed || value == other, "{name}: {field}: {other} and not {value}");
        }
        assert_eq!(fields(&expected).len(), fields(&found).len());
        assert_eq!(first.logs, ended.logs);
        assert_eq!(first.ops, ended.ops);
    }
}

/// The deepest nesting of calls that still ends well.
fn depth(play: &Play) -> u64 {
    let (mut fits, mut ends) = (1_000u64, 1u64 << 20);
    while ends - fits > 16 {
        let middle = fits.midpoint(ends);
        let code = format!("const f = (n) => n ? 1 + f(n - 1) : 0; return f({middle})");
        let ended = play.run(&code);
        if ended.fault.is_none() {
            assert_eq!(ended.value(), middle);
            fits = middle;
        } else {
            assert_eq!(ended.fault, Some(GuestFault::Stack));
            ends = middle;
        }
    }
    fits
}

#[test]
fn how_deep_calls_nest_differs_and_ends_alike() {
    for (name, driver) in drivers() {
        let play = Play { driver, ..Play::default() };
        assert_eq!(play.run(DEPTH).fault, Some(GuestFault::Stack), "{name}");
        let deepest = depth(&play);
        eprintln!("{name}: calls nest {deepest} deep");
        assert!((2_000..100_000).contains(&deepest), "{name}: {deepest}");
    }
}
