//! Starting a child process: through the reaper where there is one, else directly.

use super::reaper::{Reaped, Reaper};
use crate::desk::lock;
use crate::fault::unavailable;
use crate::options::Options;
use hub_core::ports::{Sent, UpstreamError};
use std::collections::BTreeMap;
use std::path::Path;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

pub(crate) type Reading = Pin<Box<dyn AsyncRead + Send>>;
pub(crate) type Writing = Pin<Box<dyn AsyncWrite + Send>>;

/// What to start.
pub(crate) struct Program {
    pub command: String,
    pub args: Vec<String>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    pub cwd: Option<String>,
}

/// A child and its streams.
pub(crate) struct Child {
    pub stdin: Writing,
    pub stdout: Reading,
    pub stderr: Reading,
    /// How it ended, once it has.
    pub exit: watch::Receiver<Option<String>>,
    pub process: Process,
}

/// The running process with its group. Dropping it kills both.
pub(crate) enum Process {
    #[cfg(unix)]
    Direct(Group),
    #[cfg(not(unix))]
    Direct(tokio_util::sync::CancellationToken),
    Reaped(Reaped),
}

impl Process {
    /// Asks it to end (SIGTERM to its group).
    pub fn ask_to_end(&self) {
        match self {
            #[cfg(unix)]
            Self::Direct(group) => group.signal(rustix::process::Signal::TERM),
            #[cfg(not(unix))]
            Self::Direct(kill) => kill.cancel(),
            Self::Reaped(reaped) => reaped.ask_to_end(),
        }
    }

    /// Ends it, its group and, with a reaper, all that came of it.
    pub fn kill(&self) {
        match self {
            #[cfg(unix)]
            Self::Direct(group) => group.signal(rustix::process::Signal::KILL),
            #[cfg(not(unix))]
            Self::Direct(kill) => kill.cancel(),
            Self::Reaped(reaped) => reaped.kill(),
        }
    }
}

/// A process group that we started.
#[cfg(unix)]
#[derive(Clone)]
pub(crate) struct Group {
    pid: Option<rustix::process::Pid>,
    /// It has ended and been cleared: its number may be somebody else's.
    over: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Group {
    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(pid) = self.pid.filter(|_| !self.over.load(Ordering::SeqCst)) {
            // Fails where the whole group is gone, which is what is wanted.
            rustix::process::kill_process_group(pid, signal).ok();
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        self.signal(rustix::process::Signal::KILL);
    }
}

/// Starts children.
pub(crate) struct Starter {
    reaper: Option<Vec<String>>,
    running: Mutex<Option<Arc<Reaper>>>,
}

impl Starter {
    pub fn new(options: &Options) -> Self {
        let reaper = options.reaper.clone().filter(|_| cfg!(target_os = "linux"));
        Self { reaper, running: Mutex::default() }
    }

    /// Starts `program`. Errors say what a person can do about them.
    pub async fn start(&self, program: Program) -> Result<Child, UpstreamError> {
        let refuse = |message: String| unavailable(Sent::No, message);
        if let Some(cwd) = program.cwd.as_deref().filter(|cwd| !Path::new(cwd).is_dir()) {
            return Err(refuse(format!("its working directory does not exist: {cwd}")));
        }
        let command = program.command.clone();
        let started = match &self.reaper {
            Some(line) => self.reaper(line)?.start(program).await,
            None => direct(program),
        };
        started.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => refuse(format!(
                "the program {command:?} was not found; install it, or give its path"
            )),
            _ => refuse(format!("the program {command:?} could not be started: {error}")),
        })
    }

    /// The reaper; a new one where there is none or the last one is gone.
    fn reaper(&self, line: &[String]) -> Result<Arc<Reaper>, UpstreamError> {
        let mut running = lock(&self.running);
        if let Some(reaper) = running.as_ref().filter(|reaper| reaper.is_alive()) {
            return Ok(reaper.clone());
        }
        let reaper = Reaper::begin(line).map_err(|error| {
            unavailable(Sent::No, format!("the hub's process keeper could not be started: {error}"))
        })?;
        Ok(running.insert(reaper).clone())
    }
}

fn direct(program: Program) -> std::io::Result<Child> {
    let mut command = tokio::process::Command::new(&program.command);
    command.args(&program.args).env_clear().envs(&program.env).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = &program.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.spawn()?;
    let missing = || std::io::Error::other("a stream is missing");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;
    let (ended, exit) = watch::channel(None);
    #[cfg(unix)]
    let process = {
        let pid = child.id().and_then(|pid| rustix::process::Pid::from_raw(pid as i32));
        let group = Group { pid, over: Arc::default() };
        let left = group.clone();
        tokio::spawn(async move {
            let how = child.wait().await;
            // What it left behind in its group ends with it.
            left.signal(rustix::process::Signal::KILL);
            left.over.store(true, Ordering::SeqCst);
            ended.send(Some(how.map_or_else(|e| e.to_string(), |s| s.to_string()))).ok();
        });
        Process::Direct(group)
    };
    #[cfg(not(unix))]
    let process = {
        let kill = tokio_util::sync::CancellationToken::new();
        let killed = kill.clone();
        tokio::spawn(async move {
            let how = tokio::select! {
                how = child.wait() => how,
                () = killed.cancelled() => { child.kill().await.ok(); child.wait().await }
            };
            ended.send(Some(how.map_or_else(|e| e.to_string(), |s| s.to_string()))).ok();
        });
        Process::Direct(kill)
    };
    Ok(Child {
        stdin: Box::pin(stdin),
        stdout: Box::pin(stdout),
        stderr: Box::pin(stderr),
        exit,
        process,
    })
}
