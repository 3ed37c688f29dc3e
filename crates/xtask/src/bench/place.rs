//! Where the bench's tools lie, and how they get there: pinned, below `.tools/bench`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::Failure;

/// The folders of one project.
pub struct Place {
    root: PathBuf,
    tools: PathBuf,
}

/// Python environments and what each holds; they exclude each other's versions.
const PYTHON: &[&str] = &["fastmcp", "toolplane", "mcpuse"];

impl Place {
    /// Of the project that this chore was built from.
    pub fn new() -> Result<Self, Failure> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        let tools = root.join(".tools/bench");
        Ok(Self { root, tools })
    }

    /// Installs what is missing; says what it does.
    pub fn set_up(&self) -> Result<(), Failure> {
        let here = self.ours("");
        self.once(
            "npm",
            &[here.join("npm/package.json"), here.join("npm/package-lock.json")],
            || {
                let folder = self.tools.join("npm");
                for name in ["package.json", "package-lock.json", ".npmrc"] {
                    fs::copy(here.join("npm").join(name), folder.join(name))?;
                }
                let install =
                    ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
                run(Command::new("npm").args(install).current_dir(folder))
            },
        )?;
        for name in PYTHON {
            let list = here.join(format!("python/{name}.txt"));
            self.once(name, std::slice::from_ref(&list), || {
                let folder = self.tools.join(name);
                run(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
                let mut pip = Command::new(folder.join("bin/pip"));
                pip.args(["install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&list);
                run(&mut pip)
            })?;
        }
        Ok(())
    }

    /// Does `make` unless `name` was already made from exactly these files.
    fn once(
        &self,
        name: &str,
        from: &[PathBuf],
        make: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let folder = self.tools.join(name);
        let mut wanted = String::new();
        for file in from {
            wanted.push_str(&fs::read_to_string(file)?);
        }
        let mark = folder.join(".made-from");
        if fs::read_to_string(&mark).is_ok_and(|made| made == wanted) {
            return Ok(());
        }
        println!("installing {name}");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        make()?;
        Ok(fs::write(mark, wanted)?)
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A file of the bench's own.
    pub fn ours(&self, name: &str) -> PathBuf {
        self.root.join("crates/xtask/bench").join(name)
    }

    /// A script that makes a peer speak MCP.
    pub fn adapter(&self, name: &str) -> String {
        self.ours("peers").join(name).to_string_lossy().into_owned()
    }

    /// The pinned Node.
    pub fn node(&self) -> String {
        self.npm("node_modules/node/bin/node")
    }

    /// A file below the npm packages.
    pub fn npm(&self, name: &str) -> String {
        self.tools.join("npm").join(name).to_string_lossy().into_owned()
    }

    /// A program of a Python environment.
    pub fn python(&self, venv: &str, program: &str) -> String {
        self.tools.join(venv).join("bin").join(program).to_string_lossy().into_owned()
    }

    /// The source that all subjects call: the reference server, on standard input and output.
    pub fn upstream(&self) -> Vec<String> {
        vec![self.node(), self.npm(UPSTREAM), "stdio".to_owned()]
    }

    /// What the adapters read.
    pub fn env(&self) -> Vec<(String, String)> {
        let upstream = serde_json::Value::from(self.upstream()).to_string();
        vec![("BENCH_NPM".into(), self.npm("")), ("BENCH_UPSTREAM".into(), upstream)]
    }

    /// Written anew each time: it names this machine's folders.
    pub fn toolplane_config(&self) -> String {
        let upstream = self.upstream();
        let args: Vec<String> = upstream[1..].iter().map(|arg| format!("{arg:?}")).collect();
        let text = format!(
            "[mcp.servers.everything]\ncommand = {:?}\nargs = [{}]\n",
            upstream[0],
            args.join(", ")
        );
        let file = self.tools.join("toolplane.toml");
        // A file that cannot be written shows when the peer starts.
        let _shown_later = fs::write(&file, text);
        file.to_string_lossy().into_owned()
    }
}

/// Below the npm packages; also marks the source's processes.
pub const UPSTREAM: &str = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

fn run(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
