//! What enters a model's context: definitions by the size of the catalogue, answers of the three
//! tools, and the same task in direct calls and in programs.

use super::client::{Client, PATIENCE};
use super::fixture;
use super::hub::Hub;
use super::place::Place;
use super::running::{CONFIG, Running};
use super::tokens;
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use xtask::Failure;

/// Tools in the catalogue, per point of the curve.
const CATALOGUES: &[usize] = &[13, 100, 1_000, 10_000];

/// Items of the task, per point of the curve.
const ITEMS: &[usize] = &[1, 3, 10, 30, 100, 300];

/// Tools of one source of the curve.
const TOOLS_PER_SOURCE: usize = 1_000;

/// Calls that one program may make.
const CALLS_PER_RUN: usize = 100;

/// One size of catalogue.
pub struct Static {
    /// Tools connected.
    pub tools: usize,
    /// Tokens of all definitions, as a client that is connected directly gets them.
    pub direct: usize,
    /// Tokens of the hub's definitions and instructions.
    pub hub: usize,
    /// Tokens of one search, its answer included.
    pub search: usize,
    /// Tokens of one describe of three tools.
    pub describe: usize,
    /// Milliseconds of the search, median.
    pub search_ms: f64,
}

/// One number of items.
pub struct Task {
    /// Items.
    pub items: usize,
    /// Tokens of the calls and their answers.
    pub direct: usize,
    /// Tokens of the programs and their answers, search and describe before them included.
    pub code: usize,
    /// Wall time of the direct calls.
    pub direct_wall: Duration,
    /// Wall time of search, describe and programs.
    pub code_wall: Duration,
}

/// Tokens that each subject's definitions and instructions cost with the reference server.
pub fn definitions(all: &mut [Running], place: &Place) -> Result<Vec<(String, usize)>, Failure> {
    let mut texts = Vec::new();
    for running in all.iter_mut() {
        texts.push(definitions_of(&mut running.client)?);
    }
    let names = all.iter().map(|running| running.label.clone());
    Ok(names.zip(tokens::count(place, &texts)?).collect())
}

fn definitions_of(client: &mut Client) -> Result<String, Failure> {
    let answer = client.ask("tools/list", &json!({}), PATIENCE)?;
    Ok(format!("{}{}", shown_to_model(&answer["tools"]), client.instructions))
}

/// Name, description and input schema: what clients hand on.
fn shown_to_model(tools: &Value) -> String {
    let parts = |tool: &Value| {
        json!({ "name": tool["name"], "description": tool["description"],
                "inputSchema": tool["inputSchema"] })
    };
    Value::from(tools.as_array().map_or(Vec::new(), |all| all.iter().map(parts).collect()))
        .to_string()
}

/// The curve over the size of the catalogue.
pub fn by_catalogue(place: &Place, binary: &Path) -> Result<Vec<Static>, Failure> {
    let mut curve = Vec::new();
    for &tools in CATALOGUES {
        println!("context with {tools} tools …");
        let hub = with_tools(binary, tools)?;
        let mut client = hub.connect()?;
        let own = definitions_of(&mut client)?;
        let mut times = Vec::new();
        let mut found = Value::Null;
        for _ in 0..11 {
            let began = Instant::now();
            found = client.call("search", &json!({ "query": "open tickets of a customer" }))?;
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let targets: Vec<String> = addresses(&text_of(&found)).into_iter().take(3).collect();
        let described = client.call("describe", &json!({ "targets": targets }))?;
        let direct = shown_to_model(&Value::from(fixture::list(tools, 0)));
        let texts = [direct, own, text_of(&found), text_of(&described)];
        let counts = tokens::count(place, &texts)?;
        let [direct, hub, search, describe] = counts[..] else { return Err("no counts".into()) };
        let search_ms = times[times.len() / 2];
        curve.push(Static { tools, direct, hub, search, describe, search_ms });
        client.close();
    }
    Ok(curve)
}

/// A hub over this many tools of the fixture, a thousand per source.
pub fn with_tools(binary: &Path, tools: usize) -> Result<Hub, Failure> {
    let hub = Hub::start(binary, CONFIG)?;
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    for first in (0..tools).step_by(TOOLS_PER_SOURCE) {
        let count = (tools - first).min(TOOLS_PER_SOURCE);
        let command = [this.clone(), fixture::NAME.into(), count.to_string(), first.to_string()];
        hub.add(&format!("area{}", first / TOOLS_PER_SOURCE), &command, json!({}))?;
    }
    Ok(hub)
}

/// An agent that knows what to do reads one message per item, by direct calls and by programs.
/// Each direct call costs its request and its answer; a program costs its text and one answer.
pub fn by_items(place: &Place, binary: &Path) -> Result<Vec<Task>, Failure> {
    println!("the same task in direct calls and in programs …");
    let hub = with_tools(binary, TOOLS_PER_SOURCE)?;
    let this = std::env::current_exe()?.to_string_lossy().into_owned();
    let command = [this, fixture::NAME.into(), TOOLS_PER_SOURCE.to_string()];
    let mut direct = Client::start(&command, &[])?;
    let mut agent = hub.connect()?;
    // Neither side starts cold.
    directly(&mut direct, 1)?;
    in_programs(&mut agent, 1)?;
    let mut curve = Vec::new();
    for &items in ITEMS {
        let (said, direct_wall) = directly(&mut direct, items)?;
        let (coded, code_wall) = in_programs(&mut agent, items)?;
        let counts = tokens::count(place, &[said, coded])?;
        let (direct, code) = (counts[0], counts[1]);
        curve.push(Task { items, direct, code, direct_wall, code_wall });
    }
    direct.close();
    agent.close();
    Ok(curve)
}

/// One message per item, of a size that real answers have.
fn message(item: usize) -> String {
    format!("ticket {item}: state open, customer {}, changed on day {}", item * 7, item % 28)
}

fn directly(client: &mut Client, items: usize) -> Result<(String, Duration), Failure> {
    let mut said = String::new();
    let began = Instant::now();
    for item in 0..items {
        let arguments = json!({ "message": message(item) });
        let answer = client.call("echo", &arguments)?;
        said.push_str(&json!({ "name": "echo", "arguments": arguments }).to_string());
        said.push_str(&answer["content"].to_string());
    }
    Ok((said, began.elapsed()))
}

fn in_programs(client: &mut Client, items: usize) -> Result<(String, Duration), Failure> {
    let began = Instant::now();
    let query = json!({ "query": "give back a message" });
    let targets = json!({ "targets": ["area0.echo"] });
    let mut said = format!("{query}{}", text_of(&client.call("search", &query)?));
    said.push_str(&format!("{targets}{}", text_of(&client.call("describe", &targets)?)));
    for first in (0..items).step_by(CALLS_PER_RUN) {
        let last = (first + CALLS_PER_RUN).min(items);
        let code = format!(
            "const all = []; for (let i = {first}; i < {last}; i++) all.push(area0.echo({{ message: \
             `ticket ${{i}}: state open, customer ${{i * 7}}, changed on day ${{i % 28}}` }}));\n\
             return (await Promise.all(all)).filter((m) => m.endsWith(\"day 3\")).length;"
        );
        let answer = client.call("execute", &json!({ "code": code }))?;
        if answer["structuredContent"]["status"] != "completed" {
            return Err(Failure(format!("the program did not complete: {answer}")));
        }
        said.push_str(&code);
        said.push_str(&text_of(&answer));
    }
    Ok((said, began.elapsed()))
}

/// The text that a model reads of an answer.
pub fn text_of(answer: &Value) -> String {
    let blocks = answer["content"].as_array().cloned().unwrap_or_default();
    blocks.iter().filter_map(|block| block["text"].as_str()).collect()
}

/// Addresses at the start of the lines of a search's answer.
fn addresses(text: &str) -> Vec<String> {
    let heads = text.lines().filter_map(|line| line.trim().split_once('('));
    heads.map(|(head, _)| head.to_owned()).filter(|head| head.contains('.')).collect()
}
