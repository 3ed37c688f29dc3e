//! Who may see the pages: the person's own browser, through a one-time code in a file that only
//! this user can read.
//!
//! A session is two secrets that work only together: one in the path, one in a cookie bound to
//! that path. Cookies know no ports, so another server on this machine could ask for a cookie
//! of ours, but the browser sends it nowhere outside the path, and the path is told to nobody.

use crate::web::Refusal;
use http::{HeaderMap, header};
use hub_core::id::RunId;
use hub_core::limits::{PAGE_CODE_MS, PAGE_CODES, PAGE_SESSION_MS, PAGE_SESSIONS};
use hub_core::ports::{Clock, Random, SecretKeeper};
use hub_engine::Screen;
use std::collections::VecDeque;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const COOKIE: &str = "hub";

/// The pages of one hub, as its screen. Cheap to clone.
#[derive(Clone)]
pub struct Pages(Arc<Inner>);

/// What the pages work with.
pub struct PagesConfig {
    /// Where forwarding files lie: 0700, this user's.
    pub folder: PathBuf,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Keeps credentials typed on the connection page; without it none can be typed.
    pub keeper: Option<Arc<dyn SecretKeeper>>,
    /// Opens a file in the person's browser, and says whether it could.
    pub browser: Box<dyn Fn(&Path) -> bool + Send + Sync>,
}

struct Inner {
    config: PagesConfig,
    /// Written by whoever opens or enters; short, never held across anything that waits.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    port: Option<u16>,
    codes: VecDeque<Code>,
    sessions: VecDeque<Session>,
}

struct Code {
    secret: String,
    until: u64,
    to: To,
    file: PathBuf,
    /// Whether a browser was started with it.
    shown: bool,
}

#[derive(Clone)]
enum To {
    Inbox,
    Run(RunId),
}

/// A browser's way in.
#[derive(Clone)]
pub struct Session {
    path: String,
    cookie: String,
    csrf: String,
    until: u64,
}

/// What a browser gets for its code.
pub struct Entered {
    /// The `Set-Cookie` value.
    pub cookie: String,
    /// Where to go.
    pub to: String,
}

impl Pages {
    /// For one hub. They show nothing before they are served.
    pub fn new(config: PagesConfig) -> Self {
        Self(Arc::new(Inner { config, state: Mutex::default() }))
    }

    /// Where typed credentials are kept.
    pub(crate) fn keeper(&self) -> Option<&dyn SecretKeeper> {
        self.0.config.keeper.as_deref()
    }

    /// The pages are served on this port from now on.
    pub(crate) fn served_on(&self, port: u16) {
        self.state().port = Some(port);
    }

    /// Writes a file that forwards a browser to the inbox or a run, once, within a minute.
    /// None while no pages are served.
    pub fn file(&self, run: Option<&RunId>) -> std::io::Result<Option<PathBuf>> {
        self.file_to(run.cloned().map_or(To::Inbox, To::Run), false)
    }

    fn file_to(&self, to: To, shown: bool) -> std::io::Result<Option<PathBuf>> {
        let (secret, name) = (self.secret(), self.secret());
        let now = self.0.config.clock.monotonic_ms();
        let mut state = self.state();
        let Some(port) = state.port else {
            return Ok(None);
        };
        state.forget(now);
        let file = self.0.config.folder.join(format!("open-{}.html", &name[..12]));
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        options.open(&file)?.write_all(forward(port, &secret).as_bytes())?;
        let until = now + PAGE_CODE_MS;
        state.codes.push_back(Code { secret, until, to, file: file.clone(), shown });
        if state.codes.len() > PAGE_CODES {
            state.codes.pop_front().iter().for_each(Code::clear);
        }
        Ok(Some(file))
    }

    /// A code becomes a session, once.
    pub(crate) fn enter(&self, secret: &str) -> Option<Entered> {
        let session = Session {
            path: self.secret(),
            cookie: self.secret(),
            csrf: self.secret(),
            until: self.0.config.clock.monotonic_ms() + PAGE_SESSION_MS,
        };
        let mut state = self.state();
        state.forget(self.0.config.clock.monotonic_ms());
        let at = state.codes.iter().position(|code| same(&code.secret, secret))?;
        let code = state.codes.remove(at)?;
        code.clear();
        let base = session.base();
        let cookie = format!(
            "{COOKIE}={}; Path={base}; HttpOnly; SameSite=Strict; Max-Age={}",
            session.cookie,
            PAGE_SESSION_MS / 1_000
        );
        state.sessions.push_back(session);
        if state.sessions.len() > PAGE_SESSIONS {
            state.sessions.pop_front();
        }
        let to = match code.to {
            To::Inbox => base,
            To::Run(run) => format!("{base}runs/{run}"),
        };
        Some(Entered { cookie, to })
    }

    /// The session of a request that shows something.
    pub(crate) fn sees(&self, path: &str, headers: &HeaderMap) -> Result<Session, Refusal> {
        let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
        if !matches!(site, None | Some(b"same-origin" | b"none")) {
            return Err(Refusal::Nothing);
        }
        let now = self.0.config.clock.monotonic_ms();
        let mut state = self.state();
        state.forget(now);
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|all| all.to_str().ok());
        // Another server on this machine may have set one of the same name.
        let given: Vec<&str> = cookies
            .flat_map(|all| all.split("; "))
            .filter_map(|one| one.strip_prefix(COOKIE)?.strip_prefix('='))
            .collect();
        let own = |session: &&Session| {
            same(&session.path, path) && given.iter().any(|cookie| same(&session.cookie, cookie))
        };
        state.sessions.iter().find(own).cloned().ok_or(Refusal::Nothing)
    }

    /// The session of a request that changes something: the form stands on our own page.
    pub(crate) fn acts(
        &self,
        path: &str,
        headers: &HeaderMap,
        csrf: &str,
    ) -> Result<Session, Refusal> {
        let session = self.sees(path, headers)?;
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let site = text(header::HeaderName::from_static("sec-fetch-site"));
        let own = text(header::HOST).map(|host| format!("http://{host}"));
        let is_own = own.is_some() && text(header::ORIGIN) == own.as_deref();
        if !is_own || !matches!(site, None | Some("same-origin")) || !same(&session.csrf, csrf) {
            return Err(Refusal::Foreign);
        }
        Ok(session)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// 128 bits that nobody guesses.
    fn secret(&self) -> String {
        let mut bits = [0; 16];
        self.0.config.random.fill(&mut bits);
        bits.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Screen for Pages {
    fn open(&self, run: &RunId) -> bool {
        let now = self.0.config.clock.monotonic_ms();
        {
            // A browser is on its way already: it comes to the inbox, where all of them stand.
            let mut state = self.state();
            state.forget(now);
            if let Some(code) = state.codes.iter_mut().find(|code| code.shown) {
                code.to = To::Inbox;
                return true;
            }
        }
        match self.file_to(To::Run(run.clone()), true) {
            Ok(Some(file)) if (self.0.config.browser)(&file) => true,
            Ok(None) => false,
            Ok(Some(file)) => {
                let mut state = self.state();
                state.codes.iter().filter(|code| code.file == file).for_each(Code::clear);
                state.codes.retain(|code| code.file != file);
                false
            }
            Err(error) => {
                tracing::warn!(%error, "no page could be opened");
                false
            }
        }
    }
}

impl State {
    fn forget(&mut self, now: u64) {
        self.codes.iter().filter(|code| code.until <= now).for_each(Code::clear);
        self.codes.retain(|code| code.until > now);
        self.sessions.retain(|session| session.until > now);
    }
}

impl Code {
    fn clear(&self) {
        // Without its code the file opens nothing.
        let _ = std::fs::remove_file(&self.file);
    }
}

impl Session {
    /// `/p/<secret>/`.
    pub fn base(&self) -> String {
        format!("/p/{}/", self.path)
    }

    /// What a form has to bring back.
    pub fn csrf(&self) -> &str {
        &self.csrf
    }
}

/// The code and the port are hexadecimal digits: nothing to escape.
fn forward(port: u16, secret: &str) -> String {
    let url = format!("http://127.0.0.1:{port}/enter/{secret}");
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={url}\"><title>Capabilities hub</title>\
         <p><a href=\"{url}\">Open the hub's page</a></p></html>\n"
    )
}

/// Compares in a time that tells nothing of where they differ.
fn same(own: &str, given: &str) -> bool {
    own.len() == given.len()
        && own.bytes().zip(given.bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0
}
