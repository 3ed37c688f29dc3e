//! The gate before everything that widens rights: approvals, rules that loosen, sources that
//! start a command, credentials given to a source, keys of clients that show forms.
//!
//! It makes misuse by a program harder and visible, not impossible: whoever has the user's own
//! full rights can act as the user (see `doctor`). Two checks: the hub knows no ancestor of this
//! process as a client (it checks again when it is asked to widen); and a person at the terminal
//! device says yes after seeing the facts. There is no flag that answers for them.

mod terminal;

#[cfg(test)]
mod tests;

pub use terminal::{Terminal, visible};

use crate::context::Context;
use crate::error::CliError;
use crate::hub;
use hub_server::Process;
use hub_server::api::hub::gate::Gate as Ask;

/// A person at a terminal, outside every client that the hub knows.
pub struct Gate {
    /// Where they sit.
    pub terminal: Terminal,
    /// Who, for the record: account, terminal, ancestors.
    pub by: String,
}

impl Gate {
    /// Opens the gate, or says why not. `what` is what would be done, for the refusal.
    pub async fn open(context: &Context, what: &str) -> Result<Self, CliError> {
        let ask = Ask { what: what.to_owned() };
        let runs = hub::is_running(context).await;
        if runs {
            hub::call(context, &ask).await?;
        }
        let terminal = Terminal::open().map_err(|error| {
            CliError::refused(format!("{what} needs a person at a terminal: {error}"))
                .hint("run it in a terminal; there is no flag that answers for you")
        })?;
        if !runs {
            // A hub that is started now remembers whom the one before it knew.
            hub::call(context, &ask).await?;
        }
        let by = format!("{} ({})", terminal.name, ancestors());
        Ok(Self { terminal, by })
    }

    /// Shows `facts` and asks for a yes.
    pub fn confirm(&mut self, facts: &[String], question: &str) -> Result<(), CliError> {
        match self.agrees(facts, question)? {
            true => Ok(()),
            false => Err(CliError::refused("nothing was changed: the answer was not yes")),
        }
    }

    /// Whether the person says yes after seeing `facts`.
    pub fn agrees(&mut self, facts: &[String], question: &str) -> Result<bool, CliError> {
        for fact in facts {
            self.terminal.say(fact)?;
        }
        let answer = self.terminal.ask(&format!("{question} [yes/no] "))?;
        Ok(matches!(answer.as_deref(), Some("yes" | "y")))
    }
}

/// For the record: `zsh 812, tmux 401`.
fn ancestors() -> String {
    let chain = Process::chain(std::process::id());
    let told: Vec<_> = chain.iter().skip(1).map(|p| format!("{} {}", p.name, p.pid)).collect();
    if told.is_empty() { "ancestors unknown".to_owned() } else { told.join(", ") }
}
