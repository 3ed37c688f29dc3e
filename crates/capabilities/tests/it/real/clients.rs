//! Official clients list exactly three tools and run a program that calls two sources at once,
//! over HTTP and over a pipe.

use super::servers::hub_with_servers;
use crate::support::{TestHub, Tools};
use serde_json::{Value, json};
use std::process::Command;

/// Calls two sources at once.
const PROGRAM: &str = "const [now, graph] = await Promise.all([\
    time.getCurrentTime({ timezone: 'UTC' }), memory.readGraph({})]);\
    return [now.timezone, graph.entities.length];";

/// What a client saw: names of tools, and the envelope.
#[track_caller]
fn judge(what: &str, told: &Value) {
    let mut tools: Vec<_> = told["tools"].as_array().unwrap().to_vec();
    tools.sort_by_key(Value::to_string);
    assert_eq!(tools, ["describe", "execute", "search"].map(|t| json!(t)), "{what}");
    let envelope = &told["envelope"];
    assert_eq!(envelope["status"], "completed", "{what}: {told:#}");
    assert_eq!(envelope["result"], json!(["UTC", 0]), "{what}: {told:#}");
}

fn python(tools: &Tools, environment: &str, script: &str, hub: &TestHub, way: &str) -> Value {
    let script = format!("{}/tests/it/real/{script}", env!("CARGO_MANIFEST_DIR"));
    let done = Command::new(tools.python(environment, "python"))
        .args([&script, way, TestHub::BIN, &format!("http://127.0.0.1:{}/mcp", hub.port), PROGRAM])
        .env("CAPABILITIES_HOME", &hub.home)
        .env("HUB_KEY", hub.key())
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let last = out.lines().last().unwrap_or_default();
    serde_json::from_str(last)
        .unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&done.stderr)))
}

#[test]
fn the_python_client_of_today() {
    let Some(tools) = Tools::find() else { return };
    let hub = hub_with_servers(&tools);
    for way in ["http", "stdio"] {
        judge(&format!("mcp 2 over {way}"), &python(&tools, "mcp2", "client_v2.py", &hub, way));
    }
}

#[test]
fn the_python_client_of_before() {
    let Some(tools) = Tools::find() else { return };
    let hub = hub_with_servers(&tools);
    for way in ["http", "stdio"] {
        judge(&format!("mcp 1 over {way}"), &python(&tools, "mcp1", "client_v1.py", &hub, way));
    }
}

#[test]
fn the_inspector() {
    let Some(tools) = Tools::find() else { return };
    let hub = hub_with_servers(&tools);
    let url = format!("http://127.0.0.1:{}/mcp", hub.port);
    let header = format!("Authorization: Bearer {}", hub.key());
    let over_http = [url.as_str(), "--transport", "http", "--header", &header];
    let over_stdio = [TestHub::BIN, "hub", "stdio", "--transport", "stdio"];
    for (way, target) in [("http", &over_http), ("stdio", &over_stdio)] {
        let listed = inspect(&tools, &hub, target, &["--method", "tools/list"]);
        let names: Vec<_> =
            listed["tools"].as_array().unwrap().iter().map(|t| t["name"].clone()).collect();
        let arguments = json!({ "code": PROGRAM }).to_string();
        let call =
            ["--method", "tools/call", "--tool-name", "execute", "--tool-args-json", &arguments];
        let called = inspect(&tools, &hub, target, &call);
        let told = json!({ "tools": names, "envelope": called["structuredContent"] });
        judge(&format!("inspector over {way}"), &told);
    }
}

fn inspect(tools: &Tools, hub: &TestHub, target: &[&str], method: &[&str]) -> Value {
    let launcher = tools.npm("@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let done = Command::new(tools.node())
        .arg(launcher)
        .arg("--cli")
        .args(target)
        .args(method)
        .args(["--format", "json", "-e", &format!("CAPABILITIES_HOME={}", hub.home.display())])
        .env("PATH", tools.path())
        .env("HOME", &hub.home)
        .env("CAPABILITIES_HOME", &hub.home)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let told: Value = serde_json::from_str(out.trim())
        .unwrap_or_else(|_| panic!("{out}{}", String::from_utf8_lossy(&done.stderr)));
    told.get("result").cloned().unwrap_or(told)
}
