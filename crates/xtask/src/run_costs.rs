//! `cargo xtask run-costs`: benches of the journal, of replay and of parked runs, written to
//! `docs/runs.md`.

use std::path::Path;
use xtask::Failure;

const HEAD: &str = "# What runs cost\n\n\
    Written by `cargo xtask run-costs`. What a call costs in the hub, beside its source and the \
    sandbox; what a\nstep of the journal costs on the disk; what runs that wait cost a hub that \
    starts.\n\n";

/// Crate and bench of each part, with what stands above it.
const PARTS: [(&str, &str, &str); 2] = [
    (
        "hub-engine",
        "runs",
        "## Calls\n\nThe engine over a store in memory and guests in Rust. A commit is one step of \
         the journal: reads\ncost none of their own, an effect one, effects at once share one. The \
         replay sends nothing and\nwrites nothing; the goal for a run of 100 calls is 2 ms.\n\n",
    ),
    (
        "hub-store",
        "journal",
        "## Steps and parked runs\n\nThe store on SQLite, on this machine's disk. A parked run is \
         rows in the store and nothing else.\n\n",
    ),
];

/// Runs the benches and writes the page.
pub fn run(_: &[String]) -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut page = HEAD.to_owned();
    for (package, bench, head) in PARTS {
        let mut command = xtask::cargo();
        command.current_dir(&root).args(["bench", "--quiet", "-p", package, "--bench", bench]);
        let output = command.stderr(std::process::Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("the bench of {package}: {}", output.status).into());
        }
        page.push_str(head);
        page.push_str(&String::from_utf8_lossy(&output.stdout));
        page.push('\n');
    }
    let page = format!("{}\n", page.trim_end());
    print!("{page}");
    std::fs::write(root.join("docs/runs.md"), page)?;
    Ok(())
}
