//! Why a text is no program, while it is being read.

use crate::text;
use hub_core::error::RunErrorCode;
use hub_core::ports::PrepareError;

/// Characters of the failing line that an error quotes.
const QUOTED_CHARS: usize = 100;

/// A refusal with its place as a byte of the text that was read.
#[derive(Debug)]
pub struct Fault {
    pub code: RunErrorCode,
    pub message: String,
    pub hint: Option<String>,
    pub at: Option<u32>,
}

impl Fault {
    pub fn new(message: impl Into<String>) -> Self {
        Self { code: RunErrorCode::SyntaxError, message: message.into(), hint: None, at: None }
    }

    pub fn at(mut self, byte: u32) -> Self {
        self.at = Some(byte);
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self { code: RunErrorCode::Internal, ..Self::new(message) }
    }

    /// The error as the engine gets it: with line, column and the failing line.
    pub fn place(self, text: &str) -> PrepareError {
        let place = self.at.map(|at| text::place(text, at as usize));
        let mut message = match self.code {
            RunErrorCode::SyntaxError => format!("SyntaxError: {}", self.message),
            _ => self.message,
        };
        if let (Some(at), Some((line, column))) = (self.at, place) {
            message.push_str(&format!(" (line {line}, column {column})"));
            let quoted = quote(text::line_at(text, at as usize), column as usize);
            if !quoted.is_empty() {
                message.push_str(": ");
                message.push_str(&quoted);
            }
        }
        PrepareError {
            code: self.code,
            message,
            hint: self.hint,
            address: None,
            line: place.map(|p| p.0),
            column: place.map(|p| p.1),
        }
    }
}

/// The part of a line around a column.
fn quote(line: &str, column: usize) -> String {
    let from = if column > QUOTED_CHARS { column - QUOTED_CHARS / 2 } else { 0 };
    let part: String = line.chars().skip(from).take(QUOTED_CHARS).collect();
    part.trim().to_owned()
}
