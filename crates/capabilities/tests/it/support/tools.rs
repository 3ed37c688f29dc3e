//! What `.ci/setup` installs. Without it these tests say that they are skipped, unless
//! `HUB_REQUIRE_TOOLS` is set.

use std::path::{Path, PathBuf};

/// The project's `.tools` folder.
pub struct Tools(PathBuf);

impl Tools {
    /// The folder, or none with a line that says so.
    #[expect(clippy::disallowed_methods, reason = "whether tools must be there is for CI to say")]
    pub fn find() -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
        if let Ok(folder) = folder.canonicalize() {
            return Some(Self(folder));
        }
        assert!(
            std::env::var_os("HUB_REQUIRE_TOOLS").is_none(),
            "the tools are missing: run .ci/setup"
        );
        eprintln!("skipped: the tools are not installed (.ci/setup installs them)");
        None
    }

    /// Node.
    pub fn node(&self) -> String {
        self.at("node/node_modules/.bin/node")
    }

    /// A file of an npm package.
    pub fn npm(&self, path: &str) -> String {
        self.at(&format!("npm/node_modules/{path}"))
    }

    /// A program of one of the Python environments.
    pub fn python(&self, environment: &str, program: &str) -> String {
        self.at(&format!("python/{environment}/bin/{program}"))
    }

    /// `PATH` with Node first, for tools that look for it there.
    #[expect(clippy::disallowed_methods, reason = "tools find their helpers through it")]
    pub fn path(&self) -> String {
        let rest = std::env::var("PATH").unwrap_or_default();
        format!("{}:{rest}", self.at("node/node_modules/.bin"))
    }

    fn at(&self, path: &str) -> String {
        let path = self.0.join(path);
        assert!(path.exists(), "{} is missing: run .ci/setup", path.display());
        path.to_str().unwrap().to_owned()
    }
}
