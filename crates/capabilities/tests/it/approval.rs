//! The whole way of an approval: asked, hub killed, decided in a terminal, resumed.

use crate::support::{Agent, TestHub};
use serde_json::{Value, json};

/// Its third call asks.
const PROGRAM: &str = r#"
const { issues } = await tracker.searchIssues({ query: "crash" });
const made = await tracker.createIssue({ title: `${issues.length} crashes` });
const gone = await tracker.deleteIssue({ number: issues[0].number });
return { made: made.number, gone };
"#;

fn status(envelope: &Value) -> &str {
    envelope["status"].as_str().unwrap_or_else(|| panic!("{envelope}"))
}

#[test]
fn a_run_outlives_its_hub_and_each_call_is_sent_once() {
    let mut hub = TestHub::with_tracker();
    let waiting = Agent::with(&hub, hub.key()).execute(json!({ "code": PROGRAM }));
    assert_eq!(status(&waiting), "awaiting_approval", "{waiting}");
    let run = waiting["runId"].as_str().unwrap().to_owned();

    hub.kill();
    hub.restart();

    let mut person = hub.terminal(&["hub", "approve", &run]);
    person.expect("tracker.deleteIssue");
    person.expect("[s]kip: ");
    person.answer("o");
    let (code, said) = person.end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("allowed once"), "{said}");

    let done = Agent::with(&hub, hub.key()).execute(json!({ "resume": run }));
    assert_eq!(status(&done), "completed", "{done}");
    assert_eq!(done["result"], json!({ "made": 4, "gone": { "deleted": 1, "left": 3 } }));
    assert_eq!(hub.calls(), ["search_issues", "create_issue", "delete_issue"]);

    let again = Agent::with(&hub, hub.key()).execute(json!({ "resume": run }));
    assert_eq!(again, done, "an ended run answers the same, byte for byte");
    assert_eq!(hub.calls().len(), 3);
}

#[test]
fn a_denied_call_is_never_sent_and_the_program_goes_on() {
    let hub = TestHub::with_tracker();
    let code = r#"
        try { return await tracker.deleteIssue({ number: 1 }); }
        catch (error) { return error.code; }"#;
    let waiting = Agent::with(&hub, hub.key()).execute(json!({ "code": code }));
    assert_eq!(status(&waiting), "awaiting_approval", "{waiting}");

    let mut person = hub.terminal(&["hub", "approve"]);
    person.expect("[s]kip: ");
    person.answer("what?");
    person.expect("[s]kip: ");
    person.answer("d");
    assert_eq!(person.end().0, 0);

    let done = Agent::with(&hub, hub.key()).execute(json!({ "resume": "last" }));
    assert_eq!((status(&done), &done["result"]), ("completed", &json!("denied")), "{done}");
    assert_eq!(hub.calls(), Vec::<String>::new());
}

#[test]
fn skipping_decides_nothing() {
    let hub = TestHub::with_tracker();
    let code = "return await tracker.deleteIssue({ number: 1 });";
    let waiting = Agent::with(&hub, hub.key()).execute(json!({ "code": code }));
    let run = waiting["runId"].as_str().unwrap();
    let mut person = hub.terminal(&["hub", "approve", run]);
    person.expect("[s]kip: ");
    person.answer("s");
    let (code, said) = person.end();
    assert!(code == 0 && said.contains("left open"), "{said}");
    let still = Agent::with(&hub, hub.key()).execute(json!({ "resume": run }));
    assert_eq!(status(&still), "awaiting_approval", "{still}");
}

#[test]
fn the_terminal_runs_a_program_and_its_exit_code_says_that_it_waits() {
    let hub = TestHub::with_tracker();
    let ran = hub.run(&["execute", "return await tracker.deleteIssue({ number: 2 });"]);
    assert_eq!(ran.code, 6, "{}", ran.err);
    assert!(ran.err.contains("capabilities hub approve run_"), "{}", ran.err);
    let runs = hub.run(&["--json", "run", "list"]).json();
    let run = runs[0]["id"].as_str().unwrap();
    let shown = hub.run(&["run", "show", run]);
    assert!(shown.out.contains("tracker.deleteIssue"), "{}", shown.out);
    assert_eq!(hub.run(&["run", "cancel", run]).code, 0);
    let ended = hub.run(&["run", "resume", run]);
    assert_eq!(ended.code, 1, "{} {}", ended.out, ended.err);
    assert_eq!(hub.calls(), Vec::<String>::new());
}

#[test]
fn always_is_narrowed_in_the_terminal_shown_back_and_holds_for_those_values_only() {
    let mut hub = TestHub::with_tracker();
    let code = |number: u32| json!({ "code": format!("return await tracker.deleteIssue({{ number: {number} }})") });
    let waiting = Agent::with(&hub, hub.key()).execute(code(1));
    assert_eq!(status(&waiting), "awaiting_approval", "{waiting}");
    let mut person = hub.terminal(&["hub", "approve"]);
    person.expect("[s]kip: ");
    person.answer("a");
    for (typed, told) in [("/number is 1", "write a pointer"), ("/number range 5..1", "above max")]
    {
        person.expect("only where: ");
        person.answer(typed);
        person.expect(told);
    }
    // Not about this very call: nothing is decided, and the question comes again.
    person.expect("only where: ");
    person.answer("/number range 2..9");
    person.expect("only where: ");
    person.answer("");
    person.expect("not be about this very call");
    person.expect("[s]kip: ");
    person.answer("a");
    person.expect("only where: ");
    person.answer("/number range 1..2");
    person.expect("only where: ");
    person.answer("");
    person.expect("from now on: allow tracker.deleteIssue");
    person.expect("capabilities policy unset rule_");
    let (exit, said) = person.end();
    assert!(exit == 0 && said.contains("always allowed"), "{said}");
    let done = Agent::with(&hub, hub.key()).execute(json!({ "resume": "last" }));
    assert_eq!(status(&done), "completed", "{done}");

    assert_eq!(hub.stop(), 0);
    hub.restart();
    let agent = Agent::with(&hub, hub.key());
    assert_eq!(status(&agent.execute(code(2))), "completed", "it holds for the next run");
    assert_eq!(status(&agent.execute(code(3))), "awaiting_approval", "and for those values only");
    let history = hub.run(&["policy", "history"]).out;
    assert!(
        history.contains("+ allow tracker.deleteIssue") && history.contains("/dev/pts/"),
        "{history}"
    );
}

#[test]
fn what_a_call_and_its_source_say_acts_on_no_terminal() {
    let hub = TestHub::with_tracker();
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}\u{200b}\u{9b}31m\r[y]es";
    let mut rule = hub_engine::NewRule {
        pattern: "tracker.createIssue".into(),
        connection: None,
        arguments: vec![],
        client: None,
        decision: hub_core::policy::Verdict::Ask,
        note: format!("note {evil}"),
    };
    let who = format!("me {evil}");
    hub.api(&hub_server::api::policy::set::Set { rule: rule.clone(), who: who.clone() }).unwrap();
    rule.pattern = "tracker.*".into();
    hub.api(&hub_server::api::policy::set::Set { rule, who }).unwrap();
    let call = format!("return await tracker.createIssue({{ title: {} }})", json!(evil));
    let waiting = Agent::with(&hub, hub.key()).execute(json!({ "code": call }));
    assert_eq!(status(&waiting), "awaiting_approval", "{waiting}");
    let mut person = hub.terminal(&["hub", "approve"]);
    person.expect("because");
    person.expect("[s]kip: ");
    person.answer("s");
    let run = waiting["runId"].as_str().unwrap();
    for shown in [
        person.end().1,
        hub.terminal(&["run", "show", run]).end().1,
        hub.terminal(&["policy", "list"]).end().1,
        hub.terminal(&["policy", "history"]).end().1,
    ] {
        let acts = |c: &char| c.is_control() && !matches!(c, '\n' | '\t');
        let hides = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}');
        let found: Vec<char> = shown.chars().filter(|c| acts(c) || hides(c)).collect();
        assert!(found.is_empty(), "{found:?} in {shown:?}");
    }
}
