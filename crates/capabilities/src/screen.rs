//! The person's screen: opens a file in their browser.

use crate::environment::Environment;
use std::path::Path;
use std::process::{Command, Stdio};

/// Opens files in the browser, where there is a screen and it was not switched off.
pub struct Browser {
    opener: Option<&'static str>,
}

impl Browser {
    /// The system's own way to open a file; none on a machine without a screen.
    pub fn find(environment: &Environment, wanted: bool) -> Self {
        let opener = match (wanted, cfg!(target_os = "macos"), environment.has_display) {
            (true, true, _) => Some("open"),
            (true, false, true) => Some("xdg-open"),
            _ => None,
        };
        Self { opener }
    }

    /// Opens `file`; whether it could. The file forwards to the hub's page once.
    pub fn open(&self, file: &Path) -> bool {
        let Some(opener) = self.opener else { return false };
        let mut command = Command::new(opener);
        command.arg(file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(mut child) => {
                // Waited for, so that nothing of it is left over.
                std::thread::spawn(move || child.wait());
                true
            }
            Err(_) => false,
        }
    }
}
