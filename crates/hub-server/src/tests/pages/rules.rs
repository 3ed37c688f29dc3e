//! Rules on their page: who wrote them, taking back, making narrower, asleep ones, and why.

use super::{Browser, Hub, csrf, fixtures};
use hub_core::catalog::ToolDef;
use hub_core::policy::{ArgumentTest, Verdict};
use hub_engine::NewRule;
use serde_json::json;

fn rule(pattern: &str, decision: Verdict) -> NewRule {
    NewRule {
        pattern: pattern.into(),
        connection: None,
        arguments: Vec::new(),
        client: None,
        decision,
        note: "because I say so".into(),
    }
}

async fn page(browser: &Browser, to: &str) -> String {
    let got = browser.get(&format!("{to}rules")).send().await;
    assert_eq!(got.status, 200, "{got:?}");
    got.body
}

#[tokio::test]
async fn rules_are_listed_with_who_wrote_them_and_taken_back() {
    let hub = Hub::start().await;
    let (browser, to) = hub.browser(None).await;
    assert!(page(&browser, &to).await.contains("No rules yet"));
    let mine = hub.engine.put_rule(rule("mail.send", Verdict::Allow), "tty1").await.unwrap();
    let file = vec![rule("mail.**", Verdict::Deny)];
    hub.engine.replace_file_rules(file, "apply").await.unwrap();
    let shown = browser.get(&format!("{to}rules")).send().await;
    for text in ["mail.send", "goes", "by tty1", "never goes", "from hub.toml", "because I say so"]
    {
        assert!(shown.body.contains(text), "{text} in {shown:?}");
    }
    assert_eq!(shown.body.matches("Take back").count(), 1, "{shown:?}");

    let csrf = csrf(&shown);
    let path = format!("{to}rules/unset");
    let all = hub.engine.rules().await.unwrap();
    let of_file = all.iter().find(|one| one.id != mine.id).unwrap();
    for (body, status) in [
        (format!("csrf=00&rule={}", mine.id), 403),
        (format!("csrf={csrf}&rule={}", of_file.id), 400),
        (format!("csrf={csrf}&rule=rule_none"), 404),
        (format!("csrf={csrf}&rule={}", mine.id), 303),
    ] {
        assert_eq!(browser.post(&path, &body).send().await.status, status, "{body}");
    }
    assert_eq!(hub.engine.rules().await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_allowing_rule_can_only_be_made_narrower() {
    let hub = Hub::start().await;
    let mine = hub.engine.put_rule(rule("mail.send", Verdict::Allow), "me").await.unwrap();
    let deny = hub.engine.put_rule(rule("mail.other", Verdict::Deny), "me").await.unwrap();
    let (browser, to) = hub.browser(None).await;
    let csrf = csrf(&browser.get(&format!("{to}rules")).send().await);
    let path = format!("{to}rules/narrow");
    for (id, rest, status) in [
        (&mine.id, "argument=n&test=max&value=many", 400),
        (&mine.id, "argument=&test=equals&value=1", 400),
        (&mine.id, "argument=n&test=under&value=../x", 400),
        (&mine.id, "argument=n&test=other&value=1", 400),
        // More conditions make a refusal weaker.
        (&deny.id, "argument=n&test=equals&value=1", 400),
        (&mine.id, "argument=a.b&test=equals&value=x", 303),
        (&mine.id, "argument=n&test=max&value=5", 303),
    ] {
        let body = format!("csrf={csrf}&rule={id}&{rest}");
        assert_eq!(browser.post(&path, &body).send().await.status, status, "{rest}");
    }
    let rules = hub.engine.rules().await.unwrap();
    let narrowed = rules.iter().find(|one| one.id == mine.id).unwrap();
    assert_eq!(narrowed.arguments.len(), 2);
    assert_eq!(narrowed.arguments[0].pointer, "/a/b");
    assert_eq!(narrowed.arguments[0].test, ArgumentTest::Equals(json!("x")));
    let shown = page(&browser, &to).await;
    assert!(shown.contains("only where <code>/a/b is &quot;x&quot;</code>"), "{shown}");
}

/// With a condition a rule comes before those that have none: "allow less" must not allow more.
#[tokio::test]
async fn made_narrower_a_rule_takes_no_stricter_ones_place() {
    let hub = Hub::start().await;
    let mine = hub.engine.put_rule(rule("mail.*", Verdict::Allow), "me").await.unwrap();
    let confirm = hub.engine.put_rule(rule("mail.send", Verdict::Confirm), "me").await.unwrap();
    let (browser, to) = hub.browser(None).await;
    let csrf = csrf(&browser.get(&format!("{to}rules")).send().await);
    let path = format!("{to}rules/narrow");
    let body = format!("csrf={csrf}&rule={}&argument=to&test=equals&value=x", mine.id);
    let refused = browser.post(&path, &body).send().await;
    assert_eq!(refused.status, 400, "{refused:?}");
    assert!(refused.body.contains(confirm.id.as_str()), "it is named: {refused:?}");
    hub.engine.remove_rule(confirm.id.as_str(), "me").await.unwrap();
    assert_eq!(browser.post(&path, &body).send().await.status, 303);
}

#[tokio::test]
async fn a_rule_whose_tool_changed_is_asleep_and_secrets_in_rules_are_hidden() {
    let hub = Hub::start().await;
    let secret: fn(&mut hub_core::pending::Pending) = |pending| {
        pending.arguments = json!({ "password": "hunter2-hunter2" }).to_string();
    };
    let run = hub.waiting("1", "await mail.send({})", &[secret]).await;
    let (browser, to) = hub.browser(Some(&run)).await;
    let csrf = csrf(&browser.get(&to).send().await);
    let body = format!("csrf={csrf}&pendings=pend_10&choice=always&narrow%3A%2Fpassword=same");
    let got = browser.post(&format!("{to}/decide"), &body).send().await;
    assert_eq!(got.status, 303, "{got:?}");
    let base = to.split("runs/").next().unwrap();
    let shown = page(&browser, base).await;
    assert!(!shown.contains("hunter2") && shown.contains("hidden: "), "{shown}");

    let changed = ToolDef { description: Some("Other.".into()), ..fixtures::tool("send") };
    hub.upstream.lists("mail", fixtures::listing([changed]));
    hub.engine.refresh("mail").await.unwrap();
    let shown = page(&browser, base).await;
    assert!(shown.contains("asleep"), "{shown}");
}

#[tokio::test]
async fn an_address_is_explained() {
    let hub = Hub::start().await;
    let (browser, to) = hub.browser(None).await;
    for (address, text) in [
        ("mail.send", "asks you"),
        ("mail.sent", "closest: mail.send"),
        ("%3Cb%3E", "there is no tool"),
    ] {
        let got = browser.get(&format!("{to}rules?address={address}")).send().await;
        assert!(got.body.contains(text), "{address} {got:?}");
    }
}
