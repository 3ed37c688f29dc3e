//! `command:LINE`: the first line that a command prints.
//!
//! The line is split into words as a shell would (quotes, backslashes), and nothing else of
//! a shell happens: no variables, no globs, no pipes. Who needs those writes
//! `command:sh -c '…'`. The command gets the hub's environment, no input, and 30 seconds; then it
//! is ended with what it started. One that ends by itself may leave an agent running. What it
//! writes to standard error is dropped, for it may hold the secret; run it in a terminal to see.
//! It runs anew each time: caching is its own business.

use hub_core::connection::Secret;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::HashMap;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{Child, Command};

/// Bytes of the line.
const LINE_BYTES: u64 = 64 << 10;
/// Characters of the command.
const COMMAND_CHARS: usize = 4_096;

pub(crate) async fn run(
    line: &str,
    environment: &HashMap<String, String>,
    time: Duration,
) -> Result<Secret, String> {
    let words = split(line)?;
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .map_err(|e| format!("the command cannot be started ({})", e.kind()))?;
    let mut child = Group(child);
    match tokio::time::timeout(time, first_line(&mut child.0)).await {
        Ok(found) => found,
        Err(_) => Err(format!("the command printed nothing within {} s", time.as_secs())),
    }
}

async fn first_line(child: &mut Child) -> Result<Secret, String> {
    let output = child.stdout.take().ok_or("the command has no output")?;
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let read = (&mut output).take(LINE_BYTES + 1).read_until(b'\n', &mut line).await;
    read.map_err(|e| format!("its output cannot be read ({})", e.kind()))?;
    if line.len() as u64 > LINE_BYTES {
        return Err(format!("its first line is longer than {LINE_BYTES} bytes"));
    }
    // Whatever else it prints is taken off it, so that it can end.
    let mut nowhere = tokio::io::sink();
    let drained = tokio::io::copy(&mut output, &mut nowhere);
    let ended = tokio::select! {
        ended = child.wait() => ended,
        // What it started may keep its output open; only its own end counts.
        _ = drained => child.wait().await,
    };
    let status = ended.map_err(|e| format!("it cannot be waited for ({})", e.kind()))?;
    if !status.success() {
        return Err(format!("the command failed ({status}); run it in a terminal to see why"));
    }
    let line = String::from_utf8(line).map_err(|_| "its first line is no UTF-8 text")?;
    match line.trim_end_matches(['\r', '\n']) {
        "" => Err("the command's first line is empty".to_owned()),
        value => Ok(Secret::new(value)),
    }
}

/// A child with whatever it started; all of them end when this is dropped before the child
/// ended by itself.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // `id` is none once the child was waited for: its number may be another's by then.
        let pid = self.0.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        if let Some(pid) = pid {
            // Gone already is as good.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Words as a shell splits them, without anything else that a shell does.
fn split(line: &str) -> Result<Vec<String>, String> {
    if line.chars().count() > COMMAND_CHARS {
        return Err(format!("the command is longer than {COMMAND_CHARS} characters"));
    }
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') => {
                let next = chars.next().ok_or("the command ends in a backslash")?;
                if quote == Some('"') && !matches!(next, '"' | '\\' | '$' | '`') {
                    word.get_or_insert_default().push('\\');
                }
                word.get_or_insert_default().push(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a quote in the command is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does() {
        let table: [(&str, &[&str]); 8] = [
            ("op read x", &["op", "read", "x"]),
            ("  a\t b  ", &["a", "b"]),
            ("a 'b c' \"d e\"", &["a", "b c", "d e"]),
            ("a 'b\\'c", &["a", "b\\c"]),
            ("a\\ b \"c\\\"d\\n\"", &["a b", "c\"d\\n"]),
            ("a '' \"\"", &["a", "", ""]),
            ("sh -c 'echo $X | cat'", &["sh", "-c", "echo $X | cat"]),
            ("", &[]),
        ];
        for (line, words) in table {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        for bad in ["a 'b", "a \"b", "a\\", &"x".repeat(COMMAND_CHARS + 1)] {
            assert!(split(bad).is_err());
        }
        assert!(split(&"x".repeat(COMMAND_CHARS)).is_ok());
    }
}
