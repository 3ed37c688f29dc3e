//! Calls inside programs: whatever way a program takes to a tool, the same rules decide, and what
//! is shown, decided and sent is what the arguments were when the call was made.

use crate::support::{Agent, TestHub};
use hub_core::pending::Choice;
use hub_core::policy::Verdict;
use hub_engine::NewRule;
use hub_server::api;
use serde_json::{Value, json};

/// Ways to one tool with the same arguments.
const WAYS: &[&str] = &[
    "tracker.deleteIssue({ number: 1 })",
    "tracker['deleteIssue']({ number: 1 })",
    "tracker['delete_issue']({ number: 1 })",
    "tracker?.deleteIssue?.({ number: 1 })",
    "tracker.deleteIssue.call(null, { number: 1 })",
    "tracker['deleteIssue'].call({}, { number: 1 })",
    "tracker.deleteIssue.apply(undefined, [{ number: 1 }])",
    "tracker.deleteIssue.bind(null, { number: 1 })()",
    "Reflect.apply(tracker.deleteIssue, null, [{ number: 1 }])",
    "(({ deleteIssue: gone }) => gone({ number: 1 }))(tracker)",
    "((alias) => alias['delete' + 'Issue']({ number: 1 }))(tracker)",
    "globalThis.tracker.deleteIssue({ number: 1 })",
    "globalThis['tracker']['delete_issue']({ number: 1 })",
    "Object.create(tracker).deleteIssue({ number: 1 })",
    "[{ number: 1 }].map((it) => tracker.deleteIssue(it))[0]",
    "Promise.resolve({ number: 1 }).then(tracker.deleteIssue)",
];

fn rule(hub: &TestHub, pattern: &str, decision: Verdict) {
    let rule = NewRule {
        pattern: pattern.into(),
        connection: None,
        arguments: vec![],
        client: None,
        decision,
        note: "not by programs".into(),
    };
    hub.api(&api::policy::set::Set { rule, who: "test".into() }).unwrap();
}

#[test]
fn every_way_to_a_tool_meets_the_same_rule() {
    let hub = TestHub::with_tracker();
    rule(&hub, "tracker.listIssues", Verdict::Allow);
    rule(&hub, "tracker.deleteIssue", Verdict::Deny);
    let tried = WAYS.iter().map(|way| format!("async () => {way}")).collect::<Vec<_>>();
    let code = format!(
        "const [listed, ...tried] = await Promise.all([tracker.listIssues({{}}), \
         ...[{}].map((way) => way().then(() => ['sent', ''], (e) => [e.code, e.message]))]); \
         return {{ listed: listed.issues.length, tried }};",
        tried.join(", ")
    );
    let done = Agent::with(&hub, hub.key()).execute(json!({ "code": code }));
    assert_eq!(done["status"], "completed", "{done}");
    assert!(done["result"]["listed"].is_number(), "{done}");
    let tried = done["result"]["tried"].as_array().unwrap();
    assert_eq!(tried.len(), WAYS.len());
    for (way, told) in WAYS.iter().zip(tried) {
        assert_eq!(told[0], "denied", "{way}: {told}");
        let message = told[1].as_str().unwrap();
        assert!(message.contains("rule_") && message.contains("not by programs"), "{way}: {told}");
    }
    assert_eq!(hub.calls(), ["list_issues"]);
    // What was tried is on record, each call by its own name.
    let shown = hub.run(&["--json", "run", "show", done["runId"].as_str().unwrap()]).json();
    let record = shown.to_string();
    assert!(record.matches("tracker.deleteIssue").count() >= WAYS.len(), "{shown}");
}

/// Programs that change the arguments, or what they are made of, after the call of number 1.
const CHANGES: &[&str] = &[
    "const a = { number: 1 }; const p = tracker.deleteIssue(a); a.number = 999; return await p;",
    "const a = { number: 1 }; const p = tracker.deleteIssue(a); delete a.number; \
     Object.assign(a, { number: 999 }); return await p;",
    "let n = 0; return await tracker.deleteIssue({ get number() { return (n += 1) === 1 ? 1 : 999 } });",
    "let n = 0; const a = new Proxy({ number: 1 }, { get: (it, key) => \
     key === 'number' && (n += 1) > 1 ? 999 : it[key] }); return await tracker.deleteIssue(a);",
    "const a = { number: 1 }; const p = tracker.deleteIssue(a); \
     Object.prototype.toJSON = () => ({ number: 999 }); a.number = 999; \
     await Promise.resolve(); a.number = 998; return await p;",
];

#[test]
fn what_is_shown_and_sent_is_what_the_arguments_were_at_the_call() {
    let hub = TestHub::with_tracker();
    let agent = Agent::with(&hub, hub.key());
    for (before, code) in CHANGES.iter().enumerate() {
        let parked = agent.execute(json!({ "code": code }));
        assert_eq!(parked["status"], "awaiting_approval", "{code}: {parked}");
        let run = parked["runId"].as_str().unwrap().to_owned();
        let open = hub.api(&api::waiting::list::List { run: Some(run.clone()) }).unwrap();
        assert_eq!(open.len(), 1, "{code}");
        assert_eq!(open[0].pending.arguments, "number: 1", "{code}");
        let decide = api::waiting::decide::Decide {
            pending: open[0].pending.id.clone(),
            choice: Choice::AllowOnce,
            by: "test".into(),
            narrow: vec![],
        };
        hub.api(&decide).unwrap();
        // The issue is there once only; what counts is what its source was asked.
        agent.execute(json!({ "resume": run }));
        let calls = hub.whole_calls();
        let sent: Vec<&Value> = calls.iter().skip(before).map(|call| &call["arguments"]).collect();
        assert_eq!(sent, [&json!({ "number": 1 })], "{code}");
    }
}
