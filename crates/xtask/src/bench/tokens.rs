//! Counts tokens as a model of the o200k family reads them.

use super::place::Place;
use std::io::Write;
use std::process::{Command, Stdio};
use xtask::Failure;

/// The number of tokens of each text.
pub fn count(place: &Place, texts: &[String]) -> Result<Vec<usize>, Failure> {
    let mut child = Command::new(place.node())
        .arg(place.adapter("tokens.mjs"))
        .envs(place.env())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut stdin = child.stdin.take().ok_or("no standard input")?;
    stdin.write_all(&serde_json::to_vec(texts)?)?;
    drop(stdin);
    let output = child.wait_with_output()?;
    Ok(serde_json::from_slice(&output.stdout)?)
}
