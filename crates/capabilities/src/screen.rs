//! The person's screen: opens a file in their browser, and tells the desktop that something waits.

use crate::environment::Environment;
use std::path::Path;
use std::process::{Command, Stdio};

/// What the desktop says. Nothing of the program stands in it: other people may see the screen,
/// and notices are kept.
const WORDS: &str = "A program waits for your decision. Its page opens in your browser.";
/// Above it.
const TITLE: &str = "Capabilities";

/// Opens files in the browser, where there is a screen and it was not switched off.
pub struct Browser {
    opener: Option<&'static str>,
    /// What shows a notice.
    teller: Option<Vec<String>>,
}

impl Browser {
    /// The system's own way to open a file; none on a machine without a screen.
    pub fn find(environment: &Environment, wanted: bool) -> Self {
        let opener = match (wanted, cfg!(target_os = "macos"), environment.has_display) {
            (true, true, _) => Some("open"),
            (true, false, true) => Some("xdg-open"),
            _ => None,
        };
        Self { opener, teller: None }
    }

    /// Shows a notice with each page that opens, unless the person wants none.
    pub fn telling(self, wanted: bool) -> Self {
        let teller = match self.opener.filter(|_| wanted) {
            None => None,
            Some("open") => {
                let script = format!("display notification \"{WORDS}\" with title \"{TITLE}\"");
                Some(vec!["osascript".to_owned(), "-e".to_owned(), script])
            }
            Some(_) => {
                Some(["notify-send", "--app-name", TITLE, TITLE, WORDS].map(str::to_owned).to_vec())
            }
        };
        Self { teller, ..self }
    }

    /// Opens `file`; whether it could. The file forwards to the hub's page once.
    pub fn open(&self, file: &Path) -> bool {
        let Some(opener) = self.opener else { return false };
        let mut command = Command::new(opener);
        let opened = start(command.arg(file));
        if let Some((program, arguments)) = self.teller.as_deref().and_then(<[_]>::split_first) {
            // Many desktops have no such program; the page is what counts.
            let _ = start(Command::new(program).args(arguments));
        }
        opened
    }
}

/// Starts it and waits for it elsewhere, so that nothing of it is left over.
fn start(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match command.spawn() {
        Ok(mut child) => {
            std::thread::spawn(move || child.wait());
            true
        }
        Err(_) => false,
    }
}
