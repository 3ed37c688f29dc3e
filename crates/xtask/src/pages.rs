//! `pages`: the hub's pages, driven in a headless browser against a real hub and real servers.
//!
//! The behaviours are `ci/pages/`; this chore finds what they need, keeps the time, and says
//! where something is missing. With `HUB_REQUIRE_TOOLS` a missing tool fails it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use xtask::Failure;

/// After this the behaviours are told to end, and end what they started.
const PATIENCE: Duration = Duration::from_secs(1_800);
/// After this they are ended.
const GRACE: Duration = Duration::from_secs(20);
/// Names of the browser.
const BROWSERS: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// `pages [--check] [--only WORD]`
pub fn run(args: &[String]) -> Result<(), Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let tools = root.join(".tools");
    let node = tools.join("node/node_modules/.bin/node");
    let Some(browser) = browser().filter(|_| has_tools(&tools)) else {
        let say = "no browser or no tools: run .ci/setup (the browser needs root once)";
        // The gate has to have them.
        #[expect(clippy::disallowed_methods, reason = "a chore is told by its environment")]
        if std::env::var_os("HUB_REQUIRE_TOOLS").is_some() {
            return Err(say.into());
        }
        println!("pages: skipped, {say}");
        return Ok(());
    };
    let hub = build(&root)?;
    let mut drive = Command::new(node);
    drive.arg("--no-warnings").arg(root.join("ci/pages/main.mjs"));
    drive.arg("--hub").arg(hub).arg("--tools").arg(&tools).arg("--chromium").arg(browser);
    let is_check = args.iter().any(|arg| arg == "--check");
    if !is_check {
        drive.arg("--shots").arg(root.join("docs/pages"));
    }
    let rest = args.iter().filter(|arg| *arg != "--check");
    let ended = wait(drive.args(rest).current_dir(&root).spawn()?)?;
    if ended { Ok(()) } else { Err("not every behaviour holds".into()) }
}

fn has_tools(tools: &Path) -> bool {
    ["puppeteer-core", "axe-core", "@modelcontextprotocol/sdk"]
        .iter()
        .all(|name| tools.join("npm/node_modules").join(name).exists())
}

/// On the way that commands are looked for, as `.ci/setup` looks.
fn browser() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a chore is told by its environment")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let all = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.exists())
}

/// Builds the hub and returns where it lies.
fn build(root: &Path) -> Result<PathBuf, Failure> {
    let built = xtask::cargo()
        .current_dir(root)
        .args(["build", "--quiet", "--package", "capabilities"])
        .status()?;
    if !built.success() {
        return Err("the hub does not build".into());
    }
    let here = std::env::current_exe()?;
    let folder = here.parent().ok_or("this program stands in no folder")?;
    Ok(folder.join("capabilities"))
}

/// Whether it ended well in time; told to end and then ended by its process id otherwise.
fn wait(mut child: Child) -> Result<bool, Failure> {
    let began = Instant::now();
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if began.elapsed() > PATIENCE && !is_told {
            Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
            is_told = true;
        }
        if began.elapsed() > PATIENCE + GRACE {
            child.kill()?;
            child.wait()?;
            return Err("the behaviours did not end in time".into());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
