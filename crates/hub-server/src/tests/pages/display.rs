//! Text that wants to be something else, through every page that shows somebody's words.

use super::{Browser, Hub, fixtures};
use hub_core::catalog::ToolDef;
use hub_core::pending::{Pending, PendingKind};
use hub_core::policy::Verdict;
use hub_engine::NewRule;
use serde_json::json;

/// What hides, acts, turns the reading, or is markup somewhere; and what may not come through.
const ATTACKS: &[(&str, &str, &[&str])] = &[
    ("markup", "\"><script>x()</script><img src=x onerror=x()>'&", &["<script>x", "<img src=x"]),
    ("attribute", "' onmouseover='x()' \" autofocus onfocus=\"x()", &["\" autofocus", "' onm"]),
    ("closing", "</code></pre></td></table></main><h1>Allowed", &["</code></pre></td></table><"]),
    ("comment", "<!-- --><style>*{display:none}</style>", &["<!-- -", "<style>"]),
    ("entity", "&lt;b&gt; &#x202e;", &["&#x202e;"]),
    ("bidi", "abc\u{202e}txt.exe\u{2066}\u{2069}\u{200f}", &["\u{202e}", "\u{2066}", "\u{200f}"]),
    ("zero width", "pay\u{200b}pal\u{200d}\u{2060}\u{feff}", &["\u{200b}", "\u{200d}", "\u{feff}"]),
    ("tags", "a\u{e0041}\u{e007f}b", &["\u{e0041}"]),
    ("terminal", "\u{1b}[2J\u{1b}]0;title\u{7}\u{9b}31m", &["\u{1b}", "\u{7}", "\u{9b}"]),
    ("controls", "a\u{0}b\u{8}\u{8}c\u{7f}\u{85}", &["\u{0}", "\u{8}", "\u{7f}", "\u{85}"]),
    ("lines", "a\u{2028}b\u{2029}c\rd", &["\u{2028}", "\u{2029}", "c\rd"]),
    (
        "markdown",
        "[click](javascript:x()) ![i](http://e.example/p.png)",
        &["href=\"java", "src=\"http"],
    ),
    ("look-alike", "gіthub.cоm pаypal", &["gіthub", "pаypal"]),
    ("full width", "ａdmin＠example", &["ａ", "＠"]),
    ("marks", "e\u{301}\u{301}\u{301}\u{301}\u{301}", &["\u{301}\u{301}\u{301}"]),
];

/// What stands in the pages everywhere: attacks that name it prove nothing.
fn lies(page: &str, forbidden: &[&str], why: &str) {
    for text in forbidden {
        assert!(!page.contains(text), "{why}: {text:?} in {page}");
    }
}

#[tokio::test]
async fn nothing_foreign_acts_or_hides_in_what_waits() {
    let hub = Hub::start().await;
    for (at, (what, text, forbidden)) in ATTACKS.iter().enumerate() {
        let run = waiting(&hub, &at.to_string(), text).await;
        let (browser, to) = hub.browser(Some(&run)).await;
        let inbox = to.split("runs/").next().unwrap().to_owned();
        let pending = format!("pend_{at}0");
        for path in [to.clone(), format!("{to}?said=%3Cscript%3E&rule=%22%3E"), inbox.clone()] {
            let page = browser.get(&path).send().await;
            assert_eq!(page.status, 200, "{what} {path}");
            lies(&shown(&page.body), forbidden, &format!("{what} {path}"));
        }
        // Opened, what was hidden or cut is there; what acts, hides or deceives is still marked.
        let opened = browser.get(&format!("{to}?open={pending}")).send().await;
        assert_eq!(opened.status, 200, "{what}");
        lies(&shown(&opened.body), forbidden, &format!("{what} opened"));
        hub.engine.cancel_run(run.as_str(), "test").await.unwrap();
    }
}

/// A page without the program as it was sent: in it, only what acts or hides is spelled out.
fn shown(body: &str) -> String {
    let (before, rest) = body.split_once("<pre class=\"code\"").unwrap_or((body, ""));
    format!("{before}{}", rest.split_once("</pre>").map_or("", |(_, after)| after))
}

async fn waiting(hub: &Hub, id: &str, text: &str) -> hub_core::id::RunId {
    let record = fixtures::run(id, text, &format!("// {text}\nawait mail.send({{}})"));
    let run = record.id.clone();
    use hub_core::ports::RunStore;
    hub.store.open_run(fixtures::new_run(record)).await.unwrap();
    let mut step = fixtures::step(&run, 0);
    for (at, kind) in [PendingKind::Approval, PendingKind::Input].into_iter().enumerate() {
        let mut pending = fixtures::pending(&format!("{id}{at}"), &run);
        fill(&mut pending, text, kind);
        step.waits.push(pending);
    }
    step.state = fixtures::state(hub_core::envelope::Status::AwaitingApproval, fixtures::T0);
    hub.store.commit(step).await.unwrap();
    run
}

fn fill(pending: &mut Pending, text: &str, kind: PendingKind) {
    pending.kind = kind;
    pending.address = format!("mail.{text}");
    pending.origin = text.into();
    pending.connection = Some(text.into());
    pending.reason = text.into();
    pending.arguments = json!({ text: text, "list": [text], "deep": { text: [text] } }).to_string();
    if kind == PendingKind::Input {
        let properties = json!({
            "a": { "type": "string", "title": text, "description": text },
            "b": { "type": "string", "enum": [text] },
            "c": { "type": "array", "items": { "enum": [text] } },
            "d": { "type": "boolean", "title": text }
        });
        let schema = json!({ "type": "object", "properties": properties });
        let params = json!({ "message": text, "requestedSchema": schema });
        let request = json!({ "method": "elicitation/create", "params": params });
        pending.question = Some(json!({ text: request }).to_string());
    }
}

#[tokio::test]
async fn nothing_foreign_acts_or_hides_in_sources_and_rules() {
    let hub = Hub::start().await;
    for (what, text, _) in ATTACKS {
        let tool = ToolDef {
            name: format!("{what} {text}"),
            title: Some((*text).into()),
            description: Some((*text).into()),
            ..fixtures::tool("send")
        };
        hub.upstream.lists("mail", fixtures::listing([tool]));
        hub.engine.refresh("mail").await.unwrap();
        let rule = NewRule {
            pattern: "mail.**".into(),
            connection: Some(text.chars().filter(|c| !c.is_control()).collect()),
            arguments: Vec::new(),
            client: None,
            decision: Verdict::Ask,
            note: (*text).into(),
        };
        hub.engine.put_rule(rule, text).await.unwrap();
        if !text.chars().any(char::is_control) {
            hub.engine.issue_key(text, Default::default(), true).await.unwrap();
        }
    }
    let (browser, to) = hub.browser(None).await;
    let source = hub.engine.sources().await.unwrap()[0].source.id.to_string();
    for path in ["sources", &format!("sources/{source}"), "rules", "clients", "runs"] {
        check(&browser, &format!("{to}{path}")).await;
    }
    for (what, text, _) in ATTACKS {
        let query: String = text.bytes().map(|byte| format!("%{byte:02x}")).collect();
        check(&browser, &format!("{to}rules?address={query}")).await;
        check(&browser, &format!("{to}sources/{source}?q={query}")).await;
        assert!(!what.is_empty());
    }
}

async fn check(browser: &Browser, path: &str) {
    let page = browser.get(path).send().await;
    assert_eq!(page.status, 200, "{path} {page:?}");
    let is_typed_back = path.contains('?');
    for (what, _, forbidden) in ATTACKS {
        // What the person typed stands in its field as they typed it.
        if !(is_typed_back && matches!(*what, "look-alike" | "full width" | "marks")) {
            lies(&page.body, forbidden, &format!("{what} {path}"));
        }
    }
}

#[tokio::test]
async fn very_long_text_is_cut_and_says_so() {
    let hub = Hub::start().await;
    let fill: fn(&mut Pending) = |pending| {
        let long = "long ".repeat(20_000);
        fill(pending, &long, PendingKind::Approval);
    };
    let run = hub.waiting("1", "await mail.send({})", &[fill]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.len() < 60_000, "{}", page.body.len());
    assert!(page.body.contains("more characters"), "{page:?}");
    assert!(page.body.contains("Show everything"), "{page:?}");
    let inbox = browser.get(to.split("runs/").next().unwrap()).send().await;
    assert!(inbox.body.len() < 10_000, "{}", inbox.body.len());
    let opened = browser.get(&format!("{to}?open=pend_10")).send().await;
    assert!(opened.body.contains(&"long ".repeat(20_000)));
}
