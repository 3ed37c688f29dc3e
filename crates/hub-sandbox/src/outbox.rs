//! What a guest says, checked and bounded as it arrives. A guest that follows the protocol badly
//! is ended; one that says too much is refused.

use hub_core::error::{RunErrorCode, ToolError};
use hub_core::hints;
use hub_core::ports::{
    Finish, GuestError, GuestFault, GuestLimits, GuestOp, LogLine, LookupKind, MainOutcome, Turn,
};
use serde::Deserialize;

/// Bytes of all operations of one turn.
pub const TURN_BYTES: usize = 32 << 20;
/// Unhandled rejections that are told.
const UNHANDLED: usize = 100;
/// Bytes by which a text is shorter at most that was cut at a whole character.
const LONGEST_CHAR: usize = 4;
/// Bytes of one text of an error: more than the prelude writes.
const ERROR_TEXT: usize = 32 << 10;
/// Bytes of an error's name.
const ERROR_NAME: usize = 1 << 10;
/// Bytes of why the guest's own code failed, or a result has no form.
const WHY: usize = 4 << 10;
/// Names of the log levels, by number.
const LEVELS: [&str; 6] = ["log", "info", "warn", "error", "debug", "table"];

/// What one turn may start. The worker of driver B keeps one too, so that it can refuse at once.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    limit: usize,
    operations: usize,
    bytes: usize,
}

impl Meter {
    /// For turns of at most `limit` operations.
    pub const fn new(limit: usize) -> Self {
        Self { limit, operations: 0, bytes: 0 }
    }

    /// Counts an operation of this size; false when it is one too many.
    pub fn takes(&mut self, size: usize) -> bool {
        let fits = self.operations < self.limit && self.bytes.saturating_add(size) <= TURN_BYTES;
        if fits {
            self.operations += 1;
            self.bytes += size;
        }
        fits
    }

    /// The next turn.
    pub fn next_turn(&mut self) {
        *self = Self::new(self.limit);
    }
}

/// Collects one turn at a time.
pub struct Outbox {
    limits: GuestLimits,
    turn: Turn,
    finish: Finish,
    meter: Meter,
    log_room: usize,
    logs_cut: bool,
    syntax: Option<GuestFault>,
}

/// What happened to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It counts.
    Yes,
    /// Too much; the guest is told.
    Refused,
}

impl Outbox {
    /// For one guest.
    pub fn new(limits: GuestLimits) -> Self {
        Self {
            limits,
            turn: Turn::default(),
            finish: Finish::default(),
            meter: Meter::new(limits.ops_per_turn),
            log_room: limits.log_bytes,
            logs_cut: false,
            syntax: None,
        }
    }

    /// The turn that has ended.
    pub fn take_turn(&mut self) -> Result<Turn, GuestFault> {
        self.meter.next_turn();
        if let Some(fault) = self.syntax.take() {
            return Err(fault);
        }
        let mut turn = std::mem::take(&mut self.turn);
        turn.logs_cut = self.logs_cut;
        Ok(turn)
    }

    /// What was said at the end.
    pub fn take_finish(&mut self) -> Finish {
        let mut finish = std::mem::take(&mut self.finish);
        finish.logs = std::mem::take(&mut self.turn.logs);
        finish
    }

    /// Takes one message; an error ends the guest.
    pub fn take(&mut self, kind: u32, n: u32, head: &str, body: &str) -> Result<Taken, GuestFault> {
        match kind {
            1 => self.log(n, body),
            2 => self.logs_cut = true,
            3..=7 => return self.operation(kind, n, head, body),
            8 => self.turn.main = Some(MainOutcome::Fulfilled),
            9 => self.turn.main = Some(MainOutcome::Rejected(read_error(body)?)),
            10 => {
                let error = read_error(body)?;
                self.syntax = Some(GuestFault::Syntax {
                    message: format!("{}: {}", error.name, error.message),
                    line: error.line,
                    column: error.column,
                });
            }
            11 if body.len() > self.limits.result_bytes => return Err(malformed()),
            11 => self.result(n as usize, body),
            12 => self.notice(n, body)?,
            13 if self.finish.unhandled.len() < UNHANDLED => {
                self.finish.unhandled.push(read_error(body)?);
            }
            13 => {}
            14 => self.finish.not_serializable = Some(floor(body, WHY).to_owned()),
            15 => return Err(GuestFault::Broken(floor(body, WHY).to_owned())),
            _ => return Err(malformed()),
        }
        Ok(Taken::Yes)
    }

    /// The whole result's size is the guest's word where it was cut; where all of it is here, it
    /// is what it is.
    fn result(&mut self, said: usize, body: &str) {
        let is_cut = body.len() + LONGEST_CHAR > self.limits.result_bytes;
        self.finish.result_size = if is_cut { said.max(body.len()) } else { body.len() };
        self.finish.result = Some(body.to_owned());
    }

    fn log(&mut self, level: u32, text: &str) {
        if self.log_room == 0 {
            self.logs_cut = true;
            return;
        }
        let level = LEVELS.get(level as usize).copied().unwrap_or("log");
        let kept = floor(text, self.log_room);
        self.logs_cut |= kept.len() < text.len();
        self.log_room = self.log_room.saturating_sub(kept.len() + 1);
        self.turn.logs.push(LogLine { level: level.to_owned(), text: kept.to_owned() });
    }

    fn operation(
        &mut self,
        kind: u32,
        n: u32,
        head: &str,
        body: &str,
    ) -> Result<Taken, GuestFault> {
        if !self.meter.takes(head.len() + body.len()) {
            return Ok(Taken::Refused);
        }
        if body.len() > self.limits.argument_bytes {
            return Err(malformed());
        }
        let op = match kind {
            3 => {
                let (address, connection) = match head.split_once('\n') {
                    Some((address, connection)) => (address, Some(connection.to_owned())),
                    None => (head, None),
                };
                GuestOp::Call {
                    n,
                    address: address.to_owned(),
                    connection,
                    arguments: body.to_owned(),
                }
            }
            4 | 5 => GuestOp::Lookup {
                n,
                kind: if kind == 4 { LookupKind::Search } else { LookupKind::Describe },
                arguments: body.to_owned(),
            },
            6 => {
                let ms = body.parse().ok().filter(|ms| *ms <= hub_core::limits::TIMEOUT_MS);
                GuestOp::Timer { timer: n, ms: ms.ok_or_else(malformed)? }
            }
            _ => GuestOp::ClearTimer { timer: n },
        };
        self.turn.ops.push(op);
        Ok(Taken::Yes)
    }

    fn notice(&mut self, kind: u32, body: &str) -> Result<(), GuestFault> {
        if self.finish.notices.len() >= hub_core::limits::NOTICES {
            return Ok(());
        }
        let text = if kind == 0 {
            body.to_owned()
        } else {
            let error = read_error(body)?;
            let tool = error.tool.unwrap_or_else(|| {
                ToolError::new(hub_core::error::ToolErrorCode::ToolFailed, error.message)
            });
            let address = tool.address.unwrap_or_default();
            format!(
                "a call that nobody awaited failed: {address}: {}: {}",
                tool.code.as_str(),
                tool.message
            )
        };
        let kept: String = text.chars().take(hub_core::limits::NOTICE_CHARS).collect();
        self.finish.notices.push(kept);
        Ok(())
    }
}

fn malformed() -> GuestFault {
    GuestFault::Broken("the guest broke the protocol".into())
}

/// The longest start of `text` within `bytes` that ends at a whole character.
pub fn floor(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// An error as the prelude writes it.
#[derive(Deserialize)]
struct Wire {
    name: String,
    message: String,
    stack: Option<String>,
    tool: Option<serde_json::Value>,
    code: Option<String>,
}

fn read_error(json: &str) -> Result<GuestError, GuestFault> {
    let wire: Wire = serde_json::from_str(json).map_err(|_| malformed())?;
    let (line, column) = wire.stack.as_deref().and_then(place).unzip();
    let message = floor(&wire.message, ERROR_TEXT).to_owned();
    let tool = wire.tool.and_then(|mut tool| {
        tool.as_object_mut()?.insert("message".into(), message.clone().into());
        // A program may construct one with a code of its own; that is then an ordinary error.
        let mut tool = serde_json::from_value::<ToolError>(tool).ok()?;
        for text in [&mut tool.address, &mut tool.hint] {
            *text = text.take().map(|text| floor(&text, ERROR_TEXT).to_owned());
        }
        Some(tool)
    });
    let hint = missing_name(&wire.name, &message).and_then(hints::for_name);
    Ok(GuestError {
        name: floor(&wire.name, ERROR_NAME).to_owned(),
        message,
        tool,
        code: wire.code.filter(|code| RunErrorCode::parse(code).is_some()),
        hint: hint.map(str::to_owned),
        line,
        column,
    })
}

/// The name that a program used and did not find.
fn missing_name<'a>(error: &str, message: &'a str) -> Option<&'a str> {
    match error {
        "ReferenceError" if message.starts_with("could not load module") => Some("require"),
        "ReferenceError" => message.strip_suffix(" is not defined"),
        "TypeError" if message.starts_with("making code from text") => Some("Function"),
        _ => None,
    }
}

/// Line and column of the first frame of the program.
fn place(stack: &str) -> Option<(u32, u32)> {
    let (_, rest) = stack.split_once("program:")?;
    let end = rest.find(|c: char| c != ':' && !c.is_ascii_digit()).unwrap_or(rest.len());
    let (line, column) = rest[..end].split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}
