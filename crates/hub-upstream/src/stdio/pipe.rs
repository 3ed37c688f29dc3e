//! The link to a child process: one JSON message per line, both ways.

use super::child::{Child, Process, Reading, Writing};
use super::duplex::Duplex;
use super::lines::{Line, Lines};
use super::tail::Tail;
use crate::desk::Desk;
use crate::fault::{Fault, unavailable};
use crate::session::{Ask, Link};
use crate::wire::request;
use hub_core::limits::SOURCE_MESSAGE_BYTES;
use hub_core::ports::{BoxFuture, Clock, Sent};
use serde_json::value::RawValue;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Messages that wait to be written to one child.
const QUEUE: usize = 64;
/// Milliseconds for the last words of a process that has ended.
const LAST_WORDS_MS: u64 = 250;
/// Milliseconds for a process to end after it closed its output.
const CLOSED_OUTPUT_MS: u64 = 1_000;
/// Characters of standard error in an error.
const TAIL_CHARS: usize = 400;

pub(crate) struct Pipe {
    duplex: Arc<Duplex>,
    /// None once its input was closed.
    out: Mutex<Option<mpsc::Sender<String>>>,
    exit: watch::Receiver<Option<String>>,
    process: Arc<Process>,
    clock: Arc<dyn Clock>,
    grace_ms: u64,
}

impl Pipe {
    /// Takes over a child that was just started.
    pub fn open(
        child: Child,
        desk: Arc<Desk>,
        tail: Arc<Tail>,
        clock: Arc<dyn Clock>,
        grace_ms: u64,
    ) -> Arc<Self> {
        let duplex = Duplex::new(desk);
        let (out, queue) = mpsc::channel(QUEUE);
        tokio::spawn(write(child.stdin, queue));
        let drained = tokio::spawn(drain(child.stderr, tail.clone()));
        let process = Arc::new(child.process);
        let reader = Reader {
            lines: Lines::new(child.stdout, SOURCE_MESSAGE_BYTES),
            duplex: duplex.clone(),
            out: out.downgrade(),
            exit: child.exit.clone(),
            tail,
            clock: clock.clone(),
            process: process.clone(),
            drained,
        };
        tokio::spawn(reader.run());
        let out = Mutex::new(Some(out));
        Arc::new(Self { duplex, out, exit: child.exit, process, clock, grace_ms })
    }

    fn queue(&self) -> Result<mpsc::Sender<String>, Fault> {
        let gone = || unavailable(Sent::No, "the server is being closed").into();
        crate::desk::lock(&self.out).clone().ok_or_else(gone)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.process.kill();
    }
}

impl Link for Pipe {
    fn exchange(&self, ask: Ask) -> BoxFuture<'_, Result<Box<RawValue>, Fault>> {
        Box::pin(async move {
            let waiting = self.duplex.expect(ask.id)?;
            let message = request(ask.id, ask.method, &ask.params);
            if self.queue()?.send(message).await.is_err() {
                let reason =
                    self.duplex.ended().unwrap_or_else(|| "it closed its input".to_owned());
                return Err(unavailable(Sent::No, reason).into());
            }
            waiting.answer().await
        })
    }

    fn tell(&self, message: String) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let gone = |_| unavailable(Sent::No, "the server closed its input").into();
            self.queue()?.send(message).await.map_err(gone)
        })
    }

    fn tell_now(&self, message: String) -> Result<(), String> {
        match self.queue() {
            Ok(queue) => queue.try_send(message).map_err(mpsc::error::TrySendError::into_inner),
            Err(_) => Ok(()),
        }
    }

    fn ended(&self) -> Option<String> {
        self.duplex.ended()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // The writer drops the child's input once its queue is empty.
            crate::desk::lock(&self.out).take();
            let mut exit = self.exit.clone();
            let mut has_ended = async || {
                tokio::select! {
                    () = ended(&mut exit) => true,
                    () = self.clock.sleep(self.grace_ms) => false,
                }
            };
            if !has_ended().await {
                self.process.ask_to_end();
                if !has_ended().await {
                    self.process.kill();
                    has_ended().await;
                }
            }
            self.duplex.end("the server was closed");
        })
    }
}

/// Waits for a process to end.
async fn ended(exit: &mut watch::Receiver<Option<String>>) {
    // Where nobody can say any more, it has ended too.
    drop(exit.wait_for(Option::is_some).await);
}

async fn write(mut stdin: Writing, mut queue: mpsc::Receiver<String>) {
    while let Some(mut message) = queue.recv().await {
        message.push('\n');
        let written = async {
            stdin.write_all(message.as_bytes()).await?;
            stdin.flush().await
        };
        // A broken pipe: the reader sees the end and says why.
        if written.await.is_err() {
            return;
        }
    }
}

async fn drain(mut stderr: Reading, tail: Arc<Tail>) {
    let mut chunk = vec![0; 8 << 10];
    while let Ok(bytes @ 1..) = stderr.read(&mut chunk).await {
        tail.push(&chunk[..bytes]);
    }
}

struct Reader {
    lines: Lines<Reading>,
    duplex: Arc<Duplex>,
    /// Weak: the pipe decides when the child's input closes.
    out: mpsc::WeakSender<String>,
    exit: watch::Receiver<Option<String>>,
    tail: Arc<Tail>,
    clock: Arc<dyn Clock>,
    process: Arc<Process>,
    /// Ends with standard error.
    drained: JoinHandle<()>,
}

impl Reader {
    async fn run(mut self) {
        let mut exit = self.exit.clone();
        loop {
            tokio::select! {
                biased;
                line = self.lines.next() => match line {
                    Some(line) => self.hear(line),
                    None => break,
                },
                () = ended(&mut exit) => {
                    self.last_words().await;
                    break;
                }
            }
        }
        let has_ended = tokio::select! {
            () = ended(&mut exit) => true,
            () = self.clock.sleep(CLOSED_OUTPUT_MS) => false,
        };
        let how = self.exit.borrow().clone();
        let how = match (has_ended, how) {
            (true, Some(how)) => format!("the server's process ended ({how})"),
            _ => "the server closed its output".to_owned(),
        };
        if !has_ended {
            self.process.kill();
        }
        tokio::select! {
            _ = &mut self.drained => {}
            () = self.clock.sleep(LAST_WORDS_MS) => {}
        }
        let last = self.tail.last(TAIL_CHARS);
        let reason = match last.is_empty() {
            true => how,
            false => format!("{how}; it last wrote: {last}"),
        };
        self.duplex.end(&reason);
    }

    /// What is still in the pipe; a process it left behind may hold it open for ever.
    async fn last_words(&mut self) {
        let limit = self.clock.sleep(LAST_WORDS_MS);
        tokio::pin!(limit);
        loop {
            tokio::select! {
                line = self.lines.next() => match line {
                    Some(line) => self.hear(line),
                    None => return,
                },
                () = &mut limit => return,
            }
        }
    }

    fn hear(&self, line: Line) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong { id, bytes } => return self.duplex.too_long(id, bytes),
        };
        let (asked, noise) = self.duplex.hear(&text);
        if noise && !text.trim().is_empty() {
            self.tail.push(format!("[stdout] {text}\n").as_bytes());
        }
        for (id, method, params) in asked {
            let (desk, out) = (self.duplex.desk.clone(), self.out.clone());
            let Some(room) = desk.room() else { continue };
            tokio::spawn(async move {
                let _room = room;
                let answer = desk.asked(&id, &method, params.as_deref(), None).await;
                if let Some(out) = out.upgrade() {
                    // The server may have gone meanwhile.
                    out.send(answer).await.ok();
                }
            });
        }
    }
}
