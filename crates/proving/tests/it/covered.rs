//! Which trouble cases of guest code and of the sandbox have tests: each id stands above its tests
//! in `cases.rs`, and those run on every driver. Where the cases lie beside the project, none of
//! these kinds may be without.

use crate::support::{Play, each};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

/// The kinds that are covered here.
const KINDS: [&str; 2] = ["guest-code", "sandbox"];
/// The cases with tests.
const COVERED: [&str; 27] = [
    "G01", "G02", "G05", "G06", "G07", "G08", "G10", "G12", "G13", "G14", "G15", "G18", "G19",
    "G20", "G21", "G23", "G25", "G26", "G27", "G29", "X01", "X02", "X04", "X07", "X08", "X09",
    "X10",
];
/// Cases of code that is refused before any driver sees it.
const REFUSED: [&str; 1] = ["G21"];
/// Ways in which a test plays its programs: each of them on every driver.
const PLAYED: [&str; 3] = ["each(", "each_its_own(", "all("];

/// The tests of each case, with their text.
fn tests() -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for part in include_str!("cases.rs").split("\n// ").skip(1) {
        let Some((head, rest)) = part.split_once('\n') else { continue };
        let id = head.split(':').next().unwrap_or_default().trim();
        let Some(("", body)) = rest.split_once("#[test]\n") else { continue };
        // Up to the brace that closes the function, at the margin.
        let body = body.split("\n}\n").next().unwrap_or_default();
        found.entry(id).or_default().push(body);
    }
    found
}

#[test]
fn every_case_has_a_test_that_plays_on_every_driver() {
    let tests = tests();
    for case in COVERED {
        let of_case = tests.get(case).unwrap_or_else(|| panic!("{case} has no test"));
        for test in of_case {
            assert!(test.starts_with("fn "), "{case}: {test}");
        }
        let plays = of_case.iter().any(|test| PLAYED.iter().any(|way| test.contains(way)));
        assert_eq!(plays, !REFUSED.contains(&case), "{case} on the drivers");
    }
    let more: Vec<_> = tests.keys().filter(|id| !COVERED.contains(id)).collect();
    assert!(more.is_empty(), "tests of cases that are not listed: {more:?}");
}

#[test]
fn every_case_of_these_kinds_is_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
    let beside = here.ancestors().map(|folder| folder.join("shared/cases/cases.jsonl"));
    let Some(cases) = beside.filter_map(|file| std::fs::read_to_string(file).ok()).next() else {
        println!("skipped: no cases beside the project");
        return;
    };
    let mut seen = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if KINDS.iter().any(|kind| case["kind"] == *kind) {
            let id = case["id"].as_str().unwrap();
            assert!(COVERED.contains(&id), "{id} has no test: {}", case["story"]);
            seen += 1;
        }
    }
    assert_eq!(seen, COVERED.len(), "a case went away");
}

/// On Linux the cases are played on both drivers.
#[test]
#[cfg(target_os = "linux")]
fn both_drivers_are_played() {
    let engines = Mutex::new(Vec::new());
    each(|play: &Play| engines.lock().unwrap().push(play.driver.engine_id()));
    let engines = engines.into_inner().unwrap();
    let kinds: Vec<_> = engines.iter().filter_map(|id| id.split(':').next()).collect();
    assert_eq!(kinds, ["wasm", "worker"]);
}
