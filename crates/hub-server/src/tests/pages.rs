//! The pages: who gets in, what is shown, what a form does.

mod clients;
mod confirm;
mod display;
mod rules;
mod sources;

use crate::api;
use crate::client::call;
use crate::listen::{Bound, ServeConfig, serve_with_pages};
use crate::tests::listening::engine_on;
use crate::tests::support::{Ask, Got, source};
use crate::web::{Pages, PagesConfig};
use hub_core::connection::{Placement, Secret, SecretRef};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::RunId;
use hub_core::limits::{PAGE_CODE_MS, PAGE_CODES, PAGE_SESSION_MS, PAGE_SESSIONS, SECRET_BYTES};
use hub_core::pending::{Channel, Choice, Pending, PendingKind};
use hub_core::policy::{ArgumentTest, Verdict};
use hub_core::ports::{BoxFuture, RunStore, SecretError, SecretKeeper};
use hub_engine::{Engine, Screen};
use hub_testkit::{FakeClock, MemoryStore, ScriptedUpstream, SeededRandom, fixtures};
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// Keeps secrets in memory.
#[derive(Default)]
struct Kept(Mutex<BTreeMap<String, Secret>>);

impl SecretKeeper for Kept {
    fn put<'a>(
        &'a self,
        name: &'a str,
        value: Secret,
    ) -> BoxFuture<'a, Result<SecretRef, SecretError>> {
        self.0.lock().unwrap().insert(name.to_owned(), value);
        Box::pin(async move { Ok(SecretRef::File(name.to_owned())) })
    }
    fn remove<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<bool, SecretError>> {
        let removed = self.0.lock().unwrap().remove(name).is_some();
        Box::pin(async move { Ok(removed) })
    }
    fn names(&self) -> BoxFuture<'_, Result<Vec<String>, SecretError>> {
        let names = self.0.lock().unwrap().keys().cloned().collect();
        Box::pin(async move { Ok(names) })
    }
}

/// A hub with pages and a scripted source.
struct Hub {
    bound: Bound,
    store: Arc<MemoryStore>,
    clock: Arc<FakeClock>,
    engine: Engine,
    upstream: Arc<ScriptedUpstream>,
    pages: Pages,
    kept: Arc<Kept>,
    /// How often a browser was started, and whether it can be.
    browser: Arc<(AtomicUsize, AtomicBool)>,
    folder: TempDir,
    _stop: tokio_util::sync::DropGuard,
}

impl Hub {
    async fn start() -> Self {
        let folder = TempDir::new().unwrap();
        let sockets = folder.path().join("run");
        let (store, clock) = (MemoryStore::new(), Arc::new(FakeClock::default()));
        let browser = Arc::new((AtomicUsize::new(0), AtomicBool::new(true)));
        let started = browser.clone();
        let kept = Arc::new(Kept::default());
        let pages = Pages::new(PagesConfig {
            folder: sockets.clone(),
            clock: clock.clone(),
            random: Arc::new(SeededRandom::new(9)),
            keeper: Some(kept.clone()),
            browser: Box::new(move |file| {
                assert!(file.exists());
                started.0.fetch_add(1, Ordering::SeqCst);
                started.1.load(Ordering::SeqCst)
            }),
        });
        let screen = Arc::new(pages.clone());
        let upstream = ScriptedUpstream::new(clock.clone());
        upstream.lists("mail", fixtures::listing([fixtures::tool("send")]));
        let engine = engine_on(store.clone(), upstream.clone(), clock.clone(), screen).await;
        engine.add_source(source("mail")).await.unwrap();
        let stop = CancellationToken::new();
        let (told, bound) = oneshot::channel();
        let config = ServeConfig { port: 0, sockets, stop: stop.clone(), bound: Some(told) };
        tokio::spawn(serve_with_pages(engine.clone(), config, pages.clone()));
        let (bound, _stop) = (bound.await.unwrap(), stop.drop_guard());
        Self { bound, store, clock, engine, upstream, pages, kept, browser, folder, _stop }
    }

    /// A run whose program waits for these.
    async fn waiting(&self, id: &str, code: &str, change: &[fn(&mut Pending)]) -> RunId {
        let record = fixtures::run(id, "claude", code);
        let run = record.id.clone();
        self.store.open_run(fixtures::new_run(record)).await.unwrap();
        let mut step = fixtures::step(&run, 0);
        for (at, change) in change.iter().enumerate() {
            let mut pending = fixtures::pending(&format!("{id}{at}"), &run);
            pending.digest = Digest::of(&[at as u8]);
            change(&mut pending);
            step.waits.push(pending);
        }
        step.state = fixtures::state(Status::AwaitingApproval, fixtures::T0);
        self.store.commit(step).await.unwrap();
        run
    }

    fn get(&self, path: &str) -> Ask {
        Ask::new(self.bound.port, "GET", path)
    }

    /// The code in a forwarding file, as a path.
    fn code(&self, file: &PathBuf) -> String {
        let text = std::fs::read_to_string(file).unwrap();
        let url = text.split("url=").nth(1).unwrap().split('"').next().unwrap();
        let own = format!("http://127.0.0.1:{}", self.bound.port);
        url.strip_prefix(&own).unwrap().to_owned()
    }

    /// A browser that came in, and where it was sent.
    async fn browser(&self, run: Option<&RunId>) -> (Browser, String) {
        let file = self.pages.file(run).unwrap().unwrap();
        let got = self.get(&self.code(&file)).send().await;
        assert_eq!(got.status, 200, "{got:?}");
        let cookie = got.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let to = got.body.split("url=").nth(1).unwrap().split('"').next().unwrap().to_owned();
        (Browser { port: self.bound.port, cookie }, to)
    }
}

struct Browser {
    port: u16,
    cookie: String,
}

impl Browser {
    fn get(&self, path: &str) -> Ask {
        Ask::new(self.port, "GET", path)
            .with("Cookie", &self.cookie)
            .with("Sec-Fetch-Site", "same-origin")
    }

    fn post(&self, path: &str, body: &str) -> Ask {
        Ask::new(self.port, "POST", path)
            .with("Cookie", &self.cookie)
            .with("Origin", &format!("http://127.0.0.1:{}", self.port))
            .with("Sec-Fetch-Site", "same-origin")
            .with("Content-Type", "application/x-www-form-urlencoded")
            .body(body)
    }
}

fn csrf(page: &Got) -> String {
    let after = page.body.split("name=\"csrf\" value=\"").nth(1).unwrap();
    after.split('"').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_code_opens_the_way_once() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    let open = api::hub::open::Open { run: Some(run.to_string()) };
    let file = call(&hub.bound.hub_socket, &open).await.unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(file.starts_with(hub.folder.path()));
    let code = hub.code(&file);

    let got = hub.get(&code).send().await;
    assert_eq!(got.status, 200);
    let cookie = got.header("set-cookie").unwrap();
    let base = got.body.split("url=").nth(1).unwrap().split("runs/").next().unwrap();
    assert!(cookie.contains(&format!("Path={base};")), "{cookie}");
    assert!(cookie.contains("HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!file.exists());
    let again = hub.get(&code).send().await;
    assert_eq!(again.status, 403);
    assert_eq!(again.header("set-cookie"), None);
}

#[tokio::test]
async fn codes_and_ways_end_in_time() {
    let hub = Hub::start().await;
    let file = hub.pages.file(None).unwrap().unwrap();
    let code = hub.code(&file);
    hub.clock.advance(PAGE_CODE_MS - 1);
    let other = hub.pages.file(None).unwrap().unwrap();
    assert!(file.exists());
    hub.clock.advance(1);
    assert_eq!(hub.get(&code).send().await.status, 403);
    assert!(!file.exists() && other.exists());

    let (browser, to) = hub.browser(None).await;
    hub.clock.advance(PAGE_SESSION_MS - 1);
    assert_eq!(browser.get(&to).send().await.status, 200);
    hub.clock.advance(1);
    assert_eq!(browser.get(&to).send().await.status, 404);
}

#[tokio::test]
async fn the_oldest_codes_and_ways_go() {
    let hub = Hub::start().await;
    let first = hub.pages.file(None).unwrap().unwrap();
    for _ in 1..PAGE_CODES {
        hub.pages.file(None).unwrap();
    }
    assert!(first.exists());
    hub.pages.file(None).unwrap();
    assert!(!first.exists());

    let (browser, to) = hub.browser(None).await;
    for _ in 1..PAGE_SESSIONS {
        hub.browser(None).await;
    }
    assert_eq!(browser.get(&to).send().await.status, 200);
    hub.browser(None).await;
    assert_eq!(browser.get(&to).send().await.status, 404);
}

#[tokio::test]
async fn path_and_cookie_work_only_together_and_no_key_does() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let (other, other_to) = hub.browser(None).await;
    let base = to.split("runs/").next().unwrap();
    assert_eq!(browser.get(&to).send().await.status, 200);
    for (ask, why) in [
        (browser.get(&to).without("Cookie"), "no cookie"),
        (browser.get(&to).with("Cookie", "hub=00"), "a wrong cookie"),
        (browser.get(&to).with("Cookie", &other.cookie), "the cookie of another path"),
        (browser.get(&other_to), "the path of another cookie"),
        (browser.get("/p/00/"), "a wrong path"),
        (browser.get(&to).with("Sec-Fetch-Site", "cross-site"), "another site"),
        (browser.get(&to).with("Sec-Fetch-Site", "same-site"), "another port"),
        (
            browser.get(&to).without("Cookie").with("Authorization", "Bearer token-a"),
            "a key in place of the cookie",
        ),
        (hub.get("/p/").with("Authorization", "Bearer token-a"), "a key alone"),
    ] {
        let got = ask.send().await;
        assert_eq!(got.status, 404, "{why}");
        assert!(!got.body.contains("mail.send"), "{why}");
    }
    assert_eq!(browser.get(base).with("Sec-Fetch-Site", "none").send().await.status, 200);
    // A cookie that another port tossed in does not lock the person out.
    let both = format!("hub=tossed; {}", browser.cookie);
    assert_eq!(browser.get(&to).with("Cookie", &both).send().await.status, 200);
}

#[tokio::test]
async fn every_page_is_closed_to_the_outside() {
    let hub = Hub::start().await;
    let (browser, to) = hub.browser(None).await;
    for path in [to.as_str(), "/enter/00", "/assets/style.css", "/assets/live.js"] {
        let got = browser.get(path).send().await;
        let policy = got.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'"), "{path}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(got.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(got.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(got.header("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(got.header("access-control-allow-origin"), None, "{path}");
        assert!(!got.body.contains("style=\"") && !got.body.contains("onclick"), "{path}");
    }
    let other = browser.get(&to).with("Origin", "http://localhost:6274").send().await;
    assert_eq!(other.status, 403);
}

#[tokio::test]
async fn a_form_is_taken_from_our_own_page_only() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let csrf = csrf(&browser.get(&to).send().await);
    let path = format!("{to}/decide");
    let body = format!("csrf={csrf}&pendings=pend_10&choice=once");
    let post = || browser.post(&path, &body);
    let own = format!("http://localhost:{}", hub.bound.port);
    for (ask, status, why) in [
        (post().without("Origin"), 403, "no origin"),
        (post().with("Origin", "null"), 403, "an opaque origin"),
        (post().with("Origin", "http://127.0.0.1:1"), 403, "another port"),
        (post().with("Origin", &own), 403, "another name of the hub"),
        (post().with("Sec-Fetch-Site", "none"), 403, "no page"),
        (post().with("Sec-Fetch-Site", "cross-site"), 404, "another site"),
        (post().body("pendings=pend_10&choice=once"), 403, "no token"),
        (post().body("csrf=00&pendings=pend_10&choice=once"), 403, "a wrong token"),
        (post().without("Cookie"), 404, "no cookie"),
    ] {
        assert_eq!(ask.send().await.status, status, "{why}");
    }
    assert_eq!(hub.engine.waiting(None).await.unwrap().len(), 1);

    let got = post().send().await;
    assert_eq!(got.status, 303, "{got:?}");
    assert_eq!(got.header("location"), Some(format!("{to}?said=decided").as_str()));
    let detail = hub.engine.run(run.as_str()).await.unwrap();
    let decision = detail.pendings[0].pending.decision.clone().unwrap();
    assert_eq!((decision.choice, decision.channel), (Choice::AllowOnce, Channel::Page));

    let again = post().body(body.replace("once", "deny")).send().await;
    assert_eq!(again.header("location"), Some(format!("{to}?said=first").as_str()));
    let page = browser.get(&format!("{to}?said=first")).send().await;
    assert!(page.body.contains("Somebody was first"), "{page:?}");
    assert!(page.body.contains("on the hub’s page"), "{page:?}");
}

#[tokio::test]
async fn a_page_shows_everything_a_decision_is_about() {
    let hub = Hub::start().await;
    let code = "const to = 'x';\nawait mail.send({ to });\nawait mail.sendAll();";
    let fill: fn(&mut Pending) = |pending| {
        pending.connection = Some("work".into());
        pending.arguments = json!({ "to": "someone" }).to_string();
        pending.reason = "rule_1 asks".into();
    };
    let run = hub.waiting("1", code, &[fill]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    for text in [
        "claude waits for you",
        "mail.send",
        "mail https://mail.example",
        "work",
        "someone",
        "rule_1 asks",
        "its place in the code cannot be seen",
        "<span id=\"line-3\">await mail.sendAll();</span>",
        "Allow once",
        "Allow for this run",
        "Always allow…",
        "Deny",
        "End this run for good",
    ] {
        assert!(page.body.contains(text), "{text} in {}", page.body);
    }
    let inbox = browser.get(to.split("runs/").next().unwrap()).send().await;
    assert!(inbox.body.contains("<title>(1) Waiting") && inbox.body.contains("mail.send"));
    let runs = browser.get(&to.replace(&format!("/{run}"), "")).send().await;
    assert!(runs.body.contains("waits for your yes"), "{runs:?}");
}

#[tokio::test]
async fn always_is_narrowed_to_the_values_that_were_shown() {
    let hub = Hub::start().await;
    let fill: fn(&mut Pending) = |pending| {
        pending.arguments = json!({ "to": "someone", "a/b": 1, "deep": {} }).to_string();
    };
    let run = hub.waiting("1", "await mail.send({})", &[fill]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("name=\"narrow:/to\"") && !page.body.contains("narrow:/deep"));
    let body = format!("csrf={}&pendings=pend_10&choice=always&narrow%3A%2Fto=any", csrf(&page));
    // An argument that cannot be found must not make the rule wider.
    for lost in ["narrow%3A%2Fnone=same", "narrow%3A%2Fto=max", "narrow%3Ato=same"] {
        let body = format!("{body}&{lost}");
        let got = browser.post(&format!("{to}/decide"), &body).send().await;
        assert_eq!(got.status, 400, "{lost}");
        assert!(hub.engine.rules().await.unwrap().is_empty(), "{lost}");
    }
    let body = format!("{body}&narrow%3A%2Fa~1b=same");
    let got = browser.post(&format!("{to}/decide"), &body).send().await;
    let rules = hub.engine.rules().await.unwrap();
    let shown = format!("{to}?said=always&rule={}", rules[0].id);
    assert_eq!(got.header("location"), Some(shown.as_str()));
    let page = browser.get(&shown).send().await;
    assert!(page.body.contains("only where <code>/a~1b is 1</code>"), "{page:?}");
    assert_eq!(rules.len(), 1);
    assert_eq!(rules[0].decision, Verdict::Allow);
    assert_eq!(rules[0].arguments.len(), 1);
    assert_eq!(rules[0].arguments[0].pointer, "/a~1b");
    assert_eq!(rules[0].arguments[0].test, ArgumentTest::Equals(json!(1)));
    assert!(rules[0].bound_to.is_some());
}

#[tokio::test]
async fn calls_of_one_tool_and_account_are_decided_together() {
    let hub = Hub::start().await;
    let other: fn(&mut Pending) = |pending| pending.connection = Some("work".into());
    let run = hub.waiting("1", "await mail.send({})", &[|_| (), other, |_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("Allow these 2"), "{}", page.body);
    assert!(page.body.contains("Allow once"), "{}", page.body);
    let body = format!("csrf={}&pendings=pend_10+pend_12+&choice=once", csrf(&page));
    browser.post(&format!("{to}/decide"), &body).send().await;
    let left = hub.engine.waiting(None).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].pending.id.as_str(), "pend_11");
}

#[tokio::test]
async fn a_run_can_be_ended_for_good() {
    let hub = Hub::start().await;
    let run = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let csrf = csrf(&browser.get(&to).send().await);
    let got = browser.post(&format!("{to}/end"), &format!("csrf={csrf}")).send().await;
    assert_eq!(got.status, 303, "{got:?}");
    let record = hub.engine.run(run.as_str()).await.unwrap().record;
    assert_eq!(record.status, Status::Cancelled);
    let page = browser.get(&to).send().await;
    assert!(!page.body.contains("End this run"), "{page:?}");
}

#[tokio::test]
async fn a_credential_is_typed_on_the_page_and_kept_elsewhere() {
    let hub = Hub::start().await;
    let connect: fn(&mut Pending) = |pending| {
        pending.kind = PendingKind::Connection;
        pending.connection = Some("work".into());
    };
    let run = hub.waiting("1", "await mail.send({})", &[connect, connect]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("type=\"password\""), "{}", page.body);
    assert!(!page.body.contains("Always allow"), "{}", page.body);
    let csrf = csrf(&page);
    let path = format!("{to}/connect");
    let too_long = "x".repeat(SECRET_BYTES + 1);
    for (rest, why) in [
        ("place=bearer", "no value"),
        ("place=bearer&secret0=+", "an empty value"),
        ("place=bearer&secret0=a%0Ab", "two lines"),
        (&format!("place=bearer&secret0={too_long}"), "too long"),
        ("place=header&secret0=x", "no name"),
        ("place=header&name=a%3A+b&secret0=x", "no header's name"),
        ("place=nowhere&name=x&secret0=x", "no place"),
    ] {
        let body = format!("csrf={csrf}&pending=pend_10&{rest}");
        assert_eq!(browser.post(&path, &body).send().await.status, 400, "{why}");
    }
    let body = "csrf=00&pending=pend_10&place=bearer&secret0=x";
    assert_eq!(browser.post(&path, body).send().await.status, 403);
    assert!(hub.kept.names().await.unwrap().is_empty());

    let edge = "x".repeat(SECRET_BYTES);
    let body = format!("csrf={csrf}&pending=pend_10&place=header&name=X-Key&secret0={edge}");
    let got = browser.post(&path, &body).send().await;
    assert_eq!(got.header("location"), Some(format!("{to}?said=connected").as_str()), "{got:?}");
    let made = hub.engine.connections("mail").await.unwrap();
    assert_eq!(made[0].name, "work");
    assert_eq!(made[0].credentials[0].placement, Placement::Header("X-Key".into()));
    let SecretRef::File(name) = &made[0].credentials[0].value else { panic!() };
    assert_eq!(hub.kept.0.lock().unwrap()[name].expose(), edge);
    let detail = hub.engine.run(run.as_str()).await.unwrap();
    let decided = detail.pendings.iter().map(|view| view.pending.decision.as_ref().unwrap());
    assert!(decided.clone().count() == 2 && decided.clone().all(|d| d.channel == Channel::Page));
    // Every call that waited for it goes on, and the value is on no page.
    assert!(hub.engine.waiting(None).await.unwrap().is_empty());
    assert!(!browser.get(&to).send().await.body.contains("xxxx"));

    // A credential that no longer works is asked for in the places it has.
    let again = hub.waiting("2", "await mail.send({})", &[connect]).await;
    let to = to.replace(run.as_str(), again.as_str());
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("Header X-Key"), "{}", page.body);
    assert!(!page.body.contains("<select"), "{}", page.body);
    let body = format!("csrf={csrf}&pending=pend_20&secret0=new");
    let got = browser.post(&format!("{to}/connect"), &body).send().await;
    assert_eq!(got.status, 303, "{got:?}");
    let made = hub.engine.connections("mail").await.unwrap();
    assert_eq!((made.len(), made[0].revision), (1, 2));
}

#[tokio::test]
async fn a_source_is_answered_on_the_page() {
    let hub = Hub::start().await;
    let ask: fn(&mut Pending) = |pending| {
        pending.kind = PendingKind::Input;
        let params = json!({
            "message": "How <b>many</b>?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "count": { "type": "integer", "title": "Count" },
                    "kinds": { "type": "array", "items": { "enum": ["a", "b", "c"] } },
                    "sure": { "type": "boolean" },
                    "note": { "type": "string" },
                    "size": { "type": "string", "enum": ["s", "m"] }
                },
                "required": ["count"]
            }
        });
        let request = json!({ "method": "elicitation/create", "params": params });
        pending.question = Some(json!({ "q": request }).to_string());
    };
    let run = hub.waiting("1", "await mail.send({})", &[ask]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let page = browser.get(&to).send().await;
    assert!(page.body.contains("How &lt;b&gt;many&lt;/b&gt;?"), "{}", page.body);
    let start = format!("csrf={}&pending=pend_10", csrf(&page));
    let post = |rest: &str| browser.post(&format!("{to}/answer"), &format!("{start}&{rest}"));
    for rest in ["", "answer:0:0=", "answer:0:0=many"] {
        assert_eq!(post(rest).send().await.status, 400, "{rest}");
    }
    let got = post("answer:0:0=3&answer:0:1:0=on&answer:0:1:2=on&answer:0:4=1").send().await;
    assert_eq!(got.header("location"), Some(format!("{to}?said=decided").as_str()), "{got:?}");
    let detail = hub.engine.run(run.as_str()).await.unwrap();
    let decision = detail.pendings[0].pending.decision.clone().unwrap();
    let Choice::Answer(answer) = decision.choice else { panic!("{decision:?}") };
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let content = json!({ "count": 3, "kinds": ["a", "c"], "sure": false, "size": "m" });
    assert_eq!(answer, json!({ "q": { "action": "accept", "content": content } }));
}

#[tokio::test]
async fn several_runs_that_park_open_one_page() {
    let hub = Hub::start().await;
    let first = hub.waiting("1", "await mail.send({})", &[|_| ()]).await;
    let second = hub.waiting("2", "await mail.send({})", &[|_| ()]).await;
    assert!(hub.pages.open(&first));
    assert!(hub.pages.open(&second));
    assert_eq!(hub.browser.0.load(Ordering::SeqCst), 1);
    hub.clock.advance(PAGE_CODE_MS);
    assert!(hub.pages.open(&second));
    assert_eq!(hub.browser.0.load(Ordering::SeqCst), 2);

    // A machine without a browser says so, and leaves nothing behind.
    hub.clock.advance(PAGE_CODE_MS);
    hub.browser.1.store(false, Ordering::SeqCst);
    assert!(!hub.pages.open(&first));
    let left = std::fs::read_dir(hub.folder.path().join("run")).unwrap();
    let html = left.filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "html")
    });
    assert_eq!(html.count(), 0);
}

#[test]
fn dates_are_those_of_the_calendar() {
    use crate::web::time::{span, utc};
    use hub_core::time::UnixMillis;
    for (seconds, text) in [
        (0, "1970-01-01 00:00:00 UTC"),
        (951_782_400, "2000-02-29 00:00:00 UTC"),
        (1_709_251_199, "2024-02-29 23:59:59 UTC"),
        (1_709_251_200, "2024-03-01 00:00:00 UTC"),
        (1_796_047_509, "2026-11-30 14:05:09 UTC"),
        (4_107_542_400, "2100-03-01 00:00:00 UTC"),
    ] {
        assert_eq!(utc(UnixMillis(seconds * 1_000)), text);
    }
    for (ms, text) in [
        (-1, "0 s"),
        (59_999, "59 s"),
        (60_000, "1 min"),
        (3_600_000, "1 h 0 min"),
        (90_000_000, "1 d 1 h"),
    ] {
        assert_eq!(span(ms), text);
    }
}
