//! A planted violation of each kind is found, and its lawful neighbour is not.

use super::project::{Crate, Dependency, File, Project};
use super::{Rule, arrows, dependencies, lengths, snapshots, words};

fn with_file(path: &str, text: impl Into<String>) -> Project {
    Project { files: vec![File { path: path.into(), text: text.into() }], crates: vec![] }
}

/// A crate's name and its dependencies, each with its kind.
type Planted<'a> = (&'a str, &'a [(&'a str, Option<&'a str>)]);

fn with_crates(crates: &[Planted<'_>]) -> Project {
    let dependency = |(name, kind): &(&str, Option<&str>)| Dependency {
        name: (*name).into(),
        kind: kind.map(Into::into),
    };
    let crates = crates.iter().map(|(name, dependencies)| Crate {
        name: (*name).into(),
        dependencies: dependencies.iter().map(dependency).collect(),
    });
    Project { files: vec![], crates: crates.collect() }
}

/// `rule` finds exactly one thing in `planted`, with `word` in it, and nothing in `lawful`.
#[track_caller]
fn finds(rule: Rule, word: &str, planted: &Project, lawful: &Project) {
    let found = rule(planted);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains(word), "{found:?}");
    assert_eq!(rule(lawful), Vec::<String>::new());
}

#[test]
fn a_sibling_that_sees_a_sibling() {
    let others: &[Planted<'_>] = &[("hub-core", &[]), ("hub-guest", &[])];
    let with = |name, to| with_crates(&[&[(name, to as &[_])], others].concat());
    finds(
        arrows::between_crates,
        "hub-store must not depend on hub-guest",
        &with("hub-store", &[("hub-guest", None), ("hub-core", None)]),
        &with("capabilities", &[("hub-guest", None), ("hub-core", None)]),
    );
}

#[test]
fn the_testkit_in_the_product() {
    let with = |kind| with_crates(&[("hub-store", &[("hub-testkit", kind)]), ("hub-testkit", &[])]);
    finds(arrows::between_crates, "hub-testkit", &with(None), &with(Some("dev")));
}

#[test]
fn a_core_that_sees_anything() {
    let with = |name| with_crates(&[(name, &[("hub-engine", None)]), ("hub-engine", &[])]);
    finds(arrows::between_crates, "hub-core", &with("hub-core"), &with("hub-server"));
}

#[test]
fn a_heavy_dependency_outside_its_owner() {
    let with = |name| with_crates(&[(name, &[("oxc_parser", None)])]);
    finds(
        arrows::owners_of_heavy_dependencies,
        "hub-guest alone",
        &with("hub-server"),
        &with("hub-guest"),
    );
}

#[test]
fn a_runtime_in_the_core() {
    let with = |name| with_crates(&[(name, &[("tokio", None)])]);
    finds(
        arrows::owners_of_heavy_dependencies,
        "async runtime",
        &with("hub-core"),
        &with("hub-engine"),
    );
}

#[test]
fn a_dependency_without_a_reason() {
    let with = |above: &str| {
        let text = format!("[workspace.dependencies]\n{above}\nurl = \"2\"\nurl-more = \"1\"\n");
        with_file("Cargo.toml", text)
    };
    finds(dependencies::have_reasons, "url", &with("# --- group ---"), &with("# Reads URLs."));
}

#[test]
fn a_version_in_a_crate() {
    let with = |line: &str| with_file("crates/a/Cargo.toml", format!("[dependencies]\n{line}\n"));
    finds(
        dependencies::are_declared_once,
        "url must inherit",
        &with("url = \"2\""),
        &with("url.workspace = true"),
    );
}

#[test]
fn too_many_packages() {
    let with = |count| with_file("Cargo.lock", "[[package]]\n".repeat(count));
    finds(dependencies::are_few, "packages", &with(1_000), &with(100));
}

#[test]
fn a_crate_with_lints_of_its_own() {
    let with = |text: &str| with_file("crates/a/Cargo.toml", text);
    finds(
        dependencies::lints_are_shared,
        "[lints]",
        &with("[package]\n"),
        &with("[lints]\nworkspace = true\n"),
    );
}

#[test]
fn a_file_that_is_too_long() {
    let with = |path, lines| with_file(path, "//\n".repeat(lines));
    finds(
        lengths::of_files,
        "801 lines",
        &with("crates/a/src/b.rs", 801),
        &with("crates/a/src/b.rs", 800),
    );
    finds(
        lengths::of_files,
        "1201 lines",
        &with("crates/a/tests/it/b.rs", 1_201),
        &with("crates/a/tests/it/b.rs", 1_200),
    );
}

#[test]
fn a_line_that_is_too_long() {
    let with = |columns| with_file("crates/a/src/b.rs", "x".repeat(columns));
    finds(lengths::of_lines, "101 columns", &with(101), &with(100));
}

#[test]
fn long_functions_let_through() {
    let with = |threshold: u32| Project {
        files: vec![
            File {
                path: "clippy.toml".into(),
                text: format!("too-many-lines-threshold = {threshold}\n"),
            },
            File { path: "Cargo.toml".into(), text: "too_many_lines = \"deny\"\n".into() },
        ],
        crates: vec![],
    };
    finds(lengths::of_functions, "threshold", &with(700), &with(70));
}

#[test]
fn words_of_a_machine_or_a_registry() {
    let with = |text: String| with_file("README.md", text);
    for word in
        [concat!("/", "work/main"), concat!("registry.", "npmjs.org"), concat!("/Us", "ers/x")]
    {
        finds(words::forbidden, "must not", &with(format!("see {word}")), &with("see".into()));
    }
}

#[test]
fn unfinished_work_without_a_sentence() {
    let mark = concat!("TO", "DO");
    let with = |text: &str| with_file("a.rs", format!("// {mark}{text}"));
    finds(
        words::unfinished,
        "sentence",
        &with(": later"),
        &with(": Ask for the page size once servers tell it."),
    );
}

#[test]
fn a_lint_allowed_without_a_reason() {
    let with = |word: &str| with_file("a.rs", format!("#[{word}(dead_code)]"));
    finds(words::attributes, "expect", &with(concat!("al", "low")), &with("expect"));
}

#[test]
fn a_task_that_nobody_waits_for() {
    let with = |path: &str| with_file(path, concat!("tokio::", "spawn(async {});"));
    finds(
        words::spawned_tasks,
        "bare spawn",
        &with("crates/a/src/b.rs"),
        &with("crates/a/src/tasks.rs"),
    );
}

#[test]
fn a_module_without_a_head() {
    let with = |text: &str| with_file("a.rs", text);
    finds(words::module_heads, "//!", &with("use x;\n"), &with("//! Says it.\nuse x;\n"));
}

#[test]
fn a_snapshot_that_no_test_writes() {
    let with = |test: &str| Project {
        files: vec![
            File { path: "crates/a/src/snapshots/a__m__old-2.snap".into(), text: String::new() },
            File { path: "crates/a/src/m.rs".into(), text: format!("fn {test}() {{}}") },
            File { path: "crates/b/src/m.rs".into(), text: "fn old() {}".into() },
        ],
        crates: vec![],
    };
    finds(snapshots::are_referenced, "old-2.snap", &with("new"), &with("old"));
}
