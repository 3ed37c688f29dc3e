//! Progress of a run, in both eras.

use crate::tests::support::{Server, rpc};
use serde_json::{Value, json};

fn params() -> Value {
    json!({
        "name": "execute",
        "arguments": { "code": "slow" },
        "_meta": { "progressToken": "p" }
    })
}

#[tokio::test]
async fn the_run_is_named_at_once_and_the_number_only_grows() {
    let server = Server::start().await;
    let session = server.session("2025-11-25", json!({})).await;
    for modern in [false, true] {
        let ask = if modern {
            server.modern("tools/call", params(), json!({})).with("Mcp-Name", "execute")
        } else {
            server.post(rpc(1, "tools/call", params())).with("Mcp-Session-Id", &session)
        };
        let mut stream = ask.open().await;
        let mut seen = String::new();
        for count in 0..3 {
            let says = format!("run_1: {count} of 3 calls answered, 5 s; mail.sync 40 of 100");
            seen += &super::attendance::read_until(&mut stream, &says).await;
            server.script.gate.notify_one();
        }
        seen += &super::attendance::read_until(&mut stream, "slowly").await;
        let told: Vec<Value> = seen
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .filter_map(|data| serde_json::from_str(data.trim()).ok())
            .filter(|message: &Value| message["method"] == "notifications/progress")
            .collect();
        let numbers: Vec<f64> =
            told.iter().map(|tick| tick["params"]["progress"].as_f64().unwrap()).collect();
        assert_eq!(numbers.len(), 3, "{seen}");
        assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
        assert!(told.iter().all(|tick| tick["params"]["progressToken"] == "p"));
    }
}
