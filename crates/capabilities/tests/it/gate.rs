//! Who may not widen rights: anyone without a terminal, and anyone below a client.

use crate::support::{Terminal, TestHub};
use std::process::Command;

/// Commands that widen rights.
const WIDENING: &[&[&str]] = &[
    &["hub", "approve"],
    &["policy", "set", "allow", "tracker.**"],
    &["source", "add", "more", "--", "some-command"],
    &["client", "connect", "agent", "--mode", "native"],
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

/// A client is a process that started a pipe. Here a shell starts one, and then a command that
/// would widen rights: with a terminal, and still below a client.
#[test]
fn below_a_client_even_a_terminal_does_not_help() {
    let hub = TestHub::start();
    let script = r#"
        sleep 600 | "$BIN" hub stdio > /dev/null &
        pipe=$!
        until [ -n "$(pgrep -P $$ -f 'hub stdio')" ]; do :; done
        "$BIN" policy set allow 'tracker.**'
        echo "code $?"
        kill $pipe
        exit"#;
    let mut command = Command::new("setsid");
    command.args(["-c", "-w", "bash", "-c", script]);
    command.env("CAPABILITIES_HOME", &hub.home).env("BIN", TestHub::BIN);
    let mut shell = Terminal::start(command);
    shell.expect("client of this hub");
    shell.expect("code 4");
    drop(shell);
}
