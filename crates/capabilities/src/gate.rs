//! The gate before everything that widens rights: approvals, allow rules, sources that start a
//! command, keys of clients that show forms.
//!
//! It makes misuse by a program harder and visible, not impossible: whoever has the user's own
//! full rights can act as the user (see `doctor`). Two checks: no ancestor of this process is a
//! client of this hub; and a person at the terminal device says yes after seeing the facts.
//! There is no flag that answers for them.

mod ancestors;
mod process;
mod terminal;

#[cfg(test)]
mod tests;

pub use terminal::{Terminal, visible};

use crate::context::Context;
use crate::error::CliError;

/// A person at a terminal, outside every client.
pub struct Gate {
    /// Where they sit.
    pub terminal: Terminal,
    /// Who, for the record: account, terminal, ancestors.
    pub by: String,
}

impl Gate {
    /// Opens the gate, or says why not. `what` is what would be done, for the refusal.
    pub fn open(context: &Context, what: &str) -> Result<Self, CliError> {
        let chain = ancestors::of_this_process();
        if let Some(client) = ancestors::first_client(&chain, &context.folder) {
            return Err(CliError::refused(format!(
                "{what} is for a person, but this command was started by {client}, which is a \
                 client of this hub"
            ))
            .hint("do it on the hub's page, or in a terminal of your own"));
        }
        let terminal = Terminal::open().map_err(|error| {
            CliError::refused(format!("{what} needs a person at a terminal: {error}"))
                .hint("run it in a terminal; there is no flag that answers for you")
        })?;
        let by = format!("{} ({})", terminal.name, ancestors::describe(&chain));
        Ok(Self { terminal, by })
    }

    /// Shows `facts` and asks for a yes.
    pub fn confirm(&mut self, facts: &[String], question: &str) -> Result<(), CliError> {
        for fact in facts {
            self.terminal.say(fact)?;
        }
        match self.terminal.ask(&format!("{question} [yes/no] "))?.as_deref() {
            Some("yes" | "y") => Ok(()),
            _ => Err(CliError::refused("nothing was changed: the answer was not yes")),
        }
    }
}
