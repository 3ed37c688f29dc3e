//! The recorded lists of real servers, where they lie beside the project: no tool is lost.

use crate::support::web::{Web, discovered};
use crate::support::*;
use hub_core::ports::Upstream;
use serde_json::{Value, json};
use std::path::Path;

#[tokio::test]
async fn recorded_lists_import_whole() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = here.ancestors().map(|folder| folder.join("shared/catalogs"));
    let Some(files) = beside.filter_map(|folder| std::fs::read_dir(folder).ok()).next() else {
        println!("skipped: no recorded lists beside the project");
        return;
    };
    let mut all = 0;
    for file in files {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        let tools = recorded["tools"].as_array().unwrap().clone();
        let (count, server) = (tools.len(), recorded["server"].to_string());
        // Over HTTP, where more can be wrong with a tool, and in pages.
        let web = Web::start(move |seen| match seen.rpc() {
            "server/discover" => seen.result(discovered()),
            _ => {
                let from: usize = seen.body["params"]["cursor"]
                    .as_str()
                    .map_or(0, |cursor| cursor.parse().unwrap());
                let to = (from + 50).min(tools.len());
                let next = if to < tools.len() { json!(to.to_string()) } else { Value::Null };
                seen.result(json!({"tools": tools[from..to], "nextCursor": next}))
            }
        })
        .await;
        let upstream = upstream(options());
        let listing = upstream.list(&web_source(&web.url()), None).await.unwrap();
        assert_eq!((listing.tools.len(), listing.broken), (count, vec![]), "{server}");
        all += count;
    }
    assert!(all > 0);
    println!("{all} tools");
}
