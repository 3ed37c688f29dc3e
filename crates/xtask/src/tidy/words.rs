//! What must not stand in a text.

use super::Finding;
use super::project::{File, Project};

/// Where a package comes from and where a machine keeps things is nobody's business here.
/// Split, so that this list does not find itself.
const FORBIDDEN: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
    concat!("/", "root/"),
    concat!("/", "work/"),
    concat!("/home/", "runner"),
    concat!("/Us", "ers/"),
];

/// Where a task may be started whose handle nobody holds, each with what ends it.
const SPAWNING: &[&str] = &[
    // The one place of a crate: what it starts ends with the engine or the hub.
    "/src/tasks.rs",
    // Ends with its session: every task there runs until the session's token is cancelled, or
    // its pipe or connection ends.
    "crates/hub-upstream/src/",
];

/// Words that tell of a machine or a registry.
pub fn forbidden(project: &Project) -> Vec<Finding> {
    lines(project.files.iter(), |line| {
        let word = FORBIDDEN.iter().find(|word| line.contains(**word))?;
        Some(format!("{word} must not stand in the project"))
    })
}

/// Marks of unfinished work need a sentence: a capital, a few words, a full stop.
pub fn unfinished(project: &Project) -> Vec<Finding> {
    const MARKS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    lines(project.rust(), |line| {
        let (mark, rest) = MARKS.iter().find_map(|m| Some((m, line.split_once(m)?.1)))?;
        let whole_word = !rest.starts_with(|c: char| c.is_alphanumeric());
        let sentence = rest.trim_start_matches([':', ' ']).trim_end();
        let says_why = sentence.ends_with('.') && sentence.split_whitespace().count() >= 3;
        (whole_word && !says_why).then(|| format!("{mark} without a sentence that says why"))
    })
}

/// Lints are expected with a reason, not allowed.
pub fn attributes(project: &Project) -> Vec<Finding> {
    const ALLOW: [&str; 2] = [concat!("#[al", "low("), concat!("#![al", "low(")];
    lines(project.rust(), |line| {
        let found = ALLOW.iter().any(|a| line.contains(a));
        found.then(|| "use #[expect(…, reason = \"…\")]".to_owned())
    })
}

/// Tasks whose handle nobody holds are started in few named places.
pub fn spawned_tasks(project: &Project) -> Vec<Finding> {
    const SPAWN: &str = concat!("tokio::", "spawn(");
    let elsewhere = project
        .rust()
        .filter(|f| !f.is_test() && !SPAWNING.iter().any(|place| f.path.contains(place)));
    lines(elsewhere, |line| {
        let found = line.trim_start().starts_with(SPAWN);
        found.then(|| "a bare spawn: start tasks in the crate's tasks.rs".to_owned())
    })
}

/// Every module begins by saying what it is for; tests are named for what they show.
pub fn module_heads(project: &Project) -> Vec<Finding> {
    let missing = project.rust().filter(|f| !f.is_test() && !f.text.starts_with("//!"));
    missing.map(|f| format!("{}: begins without a //! line", f.path)).collect()
}

fn lines<'a>(
    files: impl Iterator<Item = &'a File>,
    look: impl Fn(&str) -> Option<String>,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            if let Some(found) = look(line) {
                findings.push(format!("{}:{}: {found}", file.path, number + 1));
            }
        }
    }
    findings
}
