//! Who may not widen rights: anyone without a terminal, and anyone below a client.

use crate::support::TestHub;

/// Commands that widen rights.
const WIDENING: &[&[&str]] = &[
    &["hub", "approve"],
    &["policy", "set", "allow", "tracker.**"],
    &["source", "add", "more", "--", "some-command"],
    &["client", "connect", "agent", "--mode", "native"],
    &["client", "connect", "agent", "--mode", "auto"],
    &["connection", "add", "tracker", "--env", "TOKEN=env:HOME"],
    &["connection", "add", "tracker", "--plain-env", "NODE_OPTIONS=x"],
    &["hub", "open"],
];

#[test]
fn without_a_terminal_nothing_widens() {
    let hub = TestHub::start();
    for args in WIDENING {
        let ran = hub.run_with(args, "yes\nyes\n");
        let ran = if ran.code == 4 { ran } else { hub.run(args) };
        assert_eq!(ran.code, 4, "{args:?}: {} {}", ran.out, ran.err);
    }
}

#[test]
fn an_answer_that_is_not_yes_changes_nothing() {
    let hub = TestHub::start();
    let mut person = hub.terminal(&["policy", "set", "allow", "tracker.**"]);
    person.expect("[yes/no] ");
    person.answer("");
    let (code, said) = person.end();
    assert_eq!(code, 4, "{said}");
    assert_eq!(hub.run(&["--json", "policy", "list"]).json(), serde_json::json!([]));
}

#[test]
fn a_yes_in_a_terminal_widens_and_stands_in_the_record() {
    let hub = TestHub::start();
    let mut person = hub.terminal(&["policy", "set", "allow", "tracker.**", "--note", "mine"]);
    person.expect("without asking you");
    person.expect("[yes/no] ");
    person.answer("yes");
    assert_eq!(person.end().0, 0);
    let history = hub.api(&hub_server::api::policy::history::History {}).unwrap();
    assert!(history[0].who.contains("/dev/pts/"), "{history:?}");
}

#[test]
fn a_client_gets_forms_only_where_a_person_says_so() {
    let hub = TestHub::start();
    let mode = |client: &str| {
        let keys = hub.run(&["--json", "client", "list"]).json();
        let key = keys.as_array().unwrap().iter().find(|key| key["client"] == client).cloned();
        key.map_or("none".to_owned(), |key| key["mode"].as_str().unwrap().to_owned())
    };
    assert_eq!(mode("local"), "browser", "nobody decided to trust whoever reads that file");
    let made = hub.run(&["--json", "client", "connect", "alone"]);
    assert_eq!((made.code, made.json()["mode"].as_str()), (0, Some("browser")));
    assert_eq!(mode("alone"), "browser");
    for (client, args, answer, expected) in [
        ("a", &[][..], "yes", "auto"),
        ("b", &[], "no", "browser"),
        ("c", &["--mode", "auto"], "yes", "auto"),
        ("d", &["--mode", "auto"], "no", "none"),
        ("e", &["--mode", "native"], "yes", "native"),
    ] {
        let mut person = hub.terminal(&[&["client", "connect", client], args].concat());
        person.expect("by its own forms");
        person.expect("[yes/no] ");
        person.answer(answer);
        let (code, said) = person.end();
        assert_eq!(code == 4, expected == "none", "{client}: {said}");
        assert_eq!(mode(client), expected, "{client}");
    }
}

#[test]
fn a_local_key_of_an_older_hub_loses_its_forms() {
    let mut hub = TestHub::start();
    let forms = hub.key_of("local", hub_core::owner::ElicitationMode::Auto);
    assert_eq!(hub.stop(), 0);
    std::fs::write(hub.home.join("local.key"), format!("{forms}\n")).unwrap();
    hub.restart();
    assert_ne!(hub.key(), forms);
    let answer =
        crate::support::Agent::with(&hub, forms).post("tools/list", None, serde_json::json!({}));
    assert_eq!(answer.status, 401, "{answer:?}");
}
