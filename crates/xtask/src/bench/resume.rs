//! A program waits for a person, its hub is killed and started again, the person says yes: does
//! the program go on, and is its effect there once?

use super::executor::Executor;
use super::fixture;
use super::hub::Hub;
use super::place::Place;
use super::running::CONFIG;
use serde_json::{Value, json};
use std::path::Path;
use xtask::Failure;

/// What became of the waiting program, by subject.
pub fn after_a_kill(place: &Place, binary: &Path) -> Vec<(&'static str, String)> {
    println!("killed while a program waits …");
    let say = |outcome: Result<String, Failure>| match outcome {
        Ok(said) => said,
        Err(failure) => format!("not measured: {failure}"),
    };
    let mut rows = vec![("capabilities", say(hub(binary))), ("Executor", say(executor(place)))];
    rows.extend(NO_CLAIM.iter().map(|name| (*name, "does not claim to resume".to_owned())));
    rows
}

/// Peers whose programs end with their process, by their own documentation.
const NO_CLAIM: &[&str] =
    &["@utcp/code-mode", "toolplane", "mcp-use", "@cloudflare/codemode", "FastMCP code mode"];

fn hub(binary: &Path) -> Result<String, Failure> {
    let mut hub = Hub::start(binary, CONFIG)?;
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    hub.add("area", &[this, fixture::NAME.into()], json!({}))?;
    hub.rule("area.note", "ask")?;
    let code = "const first = await area.echo({ message: 'one' });\n\
                return first + await area.note({ message: ' and two' });";
    // As the terminal runs it: a process that speaks MCP may not decide afterwards.
    let parked = hub.api("/api/tools/execute", &json!({ "code": code }))?;
    let parked: Value = serde_json::from_str(parked["json"].as_str().ok_or("no envelope")?)?;
    if parked["status"] != "awaiting_approval" {
        return Err(Failure(format!("it does not wait: {parked}")));
    }
    hub.kill()?;
    hub.begin()?;
    let wish = json!({
        "pending": parked["pending"][0]["id"], "choice": { "choice": "allow_once" }, "by": "bench"
    });
    hub.api("/api/waiting/decide", &wish)?;
    let told = hub.api("/api/runs/resume", &json!({ "id": parked["runId"] }))?;
    let envelope: Value = serde_json::from_str(told["json"].as_str().ok_or("no envelope")?)?;
    Ok(format!("goes on: {}, {}", envelope["status"].as_str().unwrap_or("?"), envelope["result"]))
}

fn executor(place: &Place) -> Result<String, Failure> {
    let mut executor = Executor::start(place)?;
    executor.add_echo()?;
    let id = executor.park()?;
    executor.kill()?;
    executor.begin()?;
    let wish = json!({ "executionId": id, "action": "accept" });
    let answer = executor.connect()?.call("resume", &wish)?;
    let said = super::context::text_of(&answer);
    Ok(said.chars().take(160).collect())
}
