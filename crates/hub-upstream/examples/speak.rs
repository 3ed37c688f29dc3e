//! Speaks to one MCP server through this crate, for trying out and for the conformance suite's
//! client scenarios: `speak URL` or `speak -- COMMAND ARG…` lists the tools; `--call TOOL JSON`
//! before that calls one. Run by the suite (it names its scenario in the environment), it calls
//! what the scenario is about.

use hub_core::catalog::{Source, ToolDef, Transport};
use hub_core::connection::{Secret, SecretRef};
use hub_core::id::SourceId;
use hub_core::ports::{
    Answer, AskPerson, BoxFuture, Clock, Continuation, SecretError, SecretSource, Upstream,
    UpstreamCall,
};
use hub_core::time::UnixMillis;
use hub_upstream::{McpUpstream, Options};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

struct RealClock(Instant);

impl Clock for RealClock {
    fn now(&self) -> UnixMillis {
        UnixMillis(0)
    }

    fn monotonic_ms(&self) -> u64 {
        self.0.elapsed().as_millis() as u64
    }

    fn sleep(&self, ms: u64) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(Duration::from_millis(ms)))
    }
}

struct NoSecrets;

impl SecretSource for NoSecrets {
    fn resolve<'a>(&'a self, at: &'a SecretRef) -> BoxFuture<'a, Result<Secret, SecretError>> {
        let error = SecretError { reference: at.to_string(), reason: "none here".to_owned() };
        Box::pin(async move { Err(error) })
    }
}

/// Accepts every question with the defaults of its form.
struct Defaults;

fn defaults(params: &Value) -> Value {
    let properties = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
    let content: Map<String, Value> = properties
        .into_iter()
        .flatten()
        .filter_map(|(name, of)| Some((name.clone(), of.get("default")?.clone())))
        .collect();
    json!({"action": "accept", "content": content})
}

impl AskPerson for Defaults {
    fn ask<'a>(&'a self, params: &'a str) -> BoxFuture<'a, String> {
        let params = serde_json::from_str(params).unwrap_or_default();
        Box::pin(async move { defaults(&params).to_string() })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let mut wanted = None;
    if args.first().is_some_and(|first| first == "--call") {
        let call: Vec<String> = args.drain(..3).collect();
        wanted = Some((call[1].clone(), call[2].clone()));
    }
    let transport = match args.first().map(String::as_str) {
        Some("--") => Transport::Stdio {
            command: args[1].clone(),
            args: args[2..].to_vec(),
            env: BTreeMap::new(),
            cwd: None,
        },
        Some(url) => Transport::Http { url: url.to_owned() },
        None => panic!("which server?"),
    };
    let source = Arc::new(Source {
        id: SourceId::new("src_speak"),
        name: "server".to_owned(),
        namespace: "server".to_owned(),
        transport,
        trusted: true,
        effects: BTreeMap::new(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
        created_at: UnixMillis(0),
    });
    let environment = std::env::vars().collect();
    let options = Options { environment, ..Options::new(env!("CARGO_PKG_VERSION")) };
    let clock = Arc::new(RealClock(Instant::now()));
    let upstream = McpUpstream::new(Arc::new(NoSecrets), clock, options);
    let listing = match upstream.list(&source, None).await {
        Ok(listing) => listing,
        Err(error) => {
            eprintln!(
                "{:?}: {error}\n{}",
                error.kind,
                upstream.stderr(&source).unwrap_or_default()
            );
            std::process::exit(1);
        }
    };
    println!("{} speaks {}", listing.server, listing.protocol_version);
    for tool in &listing.tools {
        println!("  {}", tool.name);
    }
    for broken in &listing.broken {
        println!("  broken: {}: {}", broken.name, broken.reason);
    }
    let calls = match wanted {
        Some(call) => vec![call],
        None => suite_calls(&listing.tools),
    };
    for (tool, arguments) in calls {
        println!("{tool}({arguments}) -> {}", speak(&upstream, &source, &tool, &arguments).await);
    }
    upstream.close().await;
}

#[expect(clippy::disallowed_methods, reason = "the suite names its scenario in the environment")]
fn of_suite(name: &str) -> Option<String> {
    std::env::var(format!("MCP_CONFORMANCE_{name}")).ok()
}

/// What the suite wants called: what its context lists, else every tool.
fn suite_calls(tools: &[ToolDef]) -> Vec<(String, String)> {
    let Some(_scenario) = of_suite("SCENARIO") else { return vec![] };
    let context: Value =
        of_suite("CONTEXT").and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    match context.get("toolCalls").and_then(Value::as_array) {
        Some(calls) => {
            let name = |call: &Value| call["name"].as_str().unwrap_or_default().to_owned();
            calls.iter().map(|call| (name(call), call["arguments"].to_string())).collect()
        }
        None => tools
            .iter()
            .map(|tool| match tool.name.as_str() {
                "json_schema_echo" => {
                    let schema = json!({"schema": tools[0].input_schema}).to_string();
                    (tool.name.clone(), schema)
                }
                _ => sample(tool),
            })
            .collect(),
    }
}

/// Arguments that a schema allows, roughly.
fn sample(tool: &ToolDef) -> (String, String) {
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let value = |of: &Value| match of.get("type").and_then(Value::as_str) {
        Some("number" | "integer") => json!(5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("text"),
    };
    let filled = properties.into_iter().flatten().map(|(name, of)| (name.clone(), value(of)));
    (tool.name.clone(), Value::Object(filled.collect()).to_string())
}

/// One call, its questions answered with their defaults.
async fn speak(
    upstream: &McpUpstream,
    source: &Arc<Source>,
    tool: &str,
    arguments: &str,
) -> String {
    let mut continuation = None;
    for _ in 0..10 {
        let answer = upstream.call(UpstreamCall {
            source: source.clone(),
            connection: None,
            tool: tool.to_owned(),
            arguments: arguments.to_owned(),
            has_output_schema: false,
            timeout_ms: 60_000,
            continuation: continuation.take(),
            progress: Some(Arc::new(|p| println!("  progress {} of {:?}", p.done, p.of))),
            asks: Some(Arc::new(Defaults)),
            may_wait: true,
            late: None,
            hand_on: None,
        });
        match answer.await {
            Ok(Answer::Value(value) | Answer::Whole(value)) => {
                return value.chars().take(400).collect();
            }
            Ok(Answer::ToolError(words)) => return format!("tool error: {words}"),
            Ok(Answer::InputRequired { request_state, requests }) => {
                let asked: Map<String, Value> = serde_json::from_str(&requests).unwrap_or_default();
                let answered = asked.into_iter().map(|(key, one)| (key, defaults(&one["params"])));
                let responses = Value::Object(answered.collect()).to_string();
                continuation = Some(Continuation { request_state, responses });
            }
            Err(error) => return format!("{:?} {:?}: {error}", error.kind, error.sent),
        }
    }
    "asked too often".to_owned()
}
