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
    &["connection", "default", "tracker", "personal"],
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
fn a_client_with_a_shell_is_better_asked_on_the_page() {
    let hub = TestHub::start();
    for (client, has_shell) in [
        ("claude-code", true),
        ("cursor", true),
        ("vscode", true),
        ("codex", true),
        ("mine", false),
    ] {
        let mut person = hub.terminal(&["client", "connect", client]);
        let advice = if has_shell { "better say no" } else { "An agent with a shell" };
        person.expect(advice);
        person.expect("[yes/no] ");
        person.answer("");
        person.expect("never by this client");
        assert_eq!(person.end().0, 0);
    }
}

/// Every command, and whether it gives anybody a right: then it asks at a terminal.
#[derive(Debug, PartialEq)]
enum Widens {
    /// It always asks.
    Yes,
    /// It asks where it would, as the note says.
    Where(&'static str),
    /// It tells or takes away, as the note says.
    No(&'static str),
}

const COMMANDS: &[(&str, Widens)] = &[
    ("hub start", Widens::No("the person's own hub; one that runs already stays")),
    ("hub stop", Widens::No("takes away")),
    ("hub status", Widens::No("tells")),
    ("hub open", Widens::Yes),
    ("hub approve", Widens::Yes),
    ("hub stdio", Widens::No("what the client's key may")),
    ("source add", Widens::Where("a command, rules that let its calls go; a URL below a client")),
    ("source list", Widens::No("tells")),
    ("source show", Widens::No("tells")),
    ("source refresh", Widens::No("reads the tools of what is there; changed ones ask again")),
    ("source set", Widens::No("how much at once, how long; refused below a client")),
    ("source remove", Widens::No("takes away; what comes in its place passes the gate")),
    ("connection add", Widens::Yes),
    ("connection list", Widens::No("tells")),
    ("connection default", Widens::Yes),
    ("connection remove", Widens::No("takes away; no other takes its place")),
    ("secret set", Widens::Where("another value for a name that is used")),
    ("secret list", Widens::No("tells names")),
    ("secret remove", Widens::Yes),
    ("policy list", Widens::No("tells")),
    ("policy explain", Widens::No("tells")),
    ("policy history", Widens::No("tells")),
    ("policy set", Widens::Where("it may let go, or take a stricter rule's place")),
    ("policy unset", Widens::Where("the rule asks or denies")),
    ("client connect", Widens::Where("the client may show forms; a key without is no right")),
    ("client list", Widens::No("tells")),
    ("client revoke", Widens::No("takes away")),
    ("run list", Widens::No("tells")),
    ("run show", Widens::No("tells")),
    ("run resume", Widens::No("sends what was decided; below a client its own runs only")),
    ("run cancel", Widens::No("takes away")),
    ("run replay", Widens::No("sends nothing")),
    ("apply", Widens::Where("any of its changes would")),
    ("import", Widens::Yes),
    ("search", Widens::No("tells")),
    ("describe", Widens::No("tells")),
    ("execute", Widens::No("asks as any program does; below a client by its rules")),
    ("doctor", Widens::No("tells")),
    ("demo", Widens::No("a hub of its own")),
];

/// The commands below `words`, as their help lists them.
fn below(hub: &TestHub, words: &[String], found: &mut Vec<String>) {
    let args: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let help = hub.run(&args).out;
    let Some((_, listed)) = help.split_once("Commands:\n") else {
        return found.push(words.join(" "));
    };
    for line in listed.lines().take_while(|line| line.starts_with("  ")) {
        let name = line.split_whitespace().next().unwrap_or_default();
        // A line that goes on begins further in.
        if line.starts_with("   ") || name == "help" {
            continue;
        }
        below(hub, &[words, &[name.to_owned()]].concat(), found);
    }
}

#[test]
fn every_command_is_judged() {
    let hub = TestHub::stopped();
    let mut found = Vec::new();
    below(&hub, &[], &mut found);
    let mut judged: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    found.sort();
    judged.sort_unstable();
    assert_eq!(
        found, judged,
        "say of each command whether it widens rights, and gate those that do"
    );
    let asks = |name: &str| WIDENING.iter().any(|args| args.join(" ").starts_with(name));
    for (name, widens) in COMMANDS {
        // Tried elsewhere, since they want something that is there first.
        let elsewhere =
            ["secret set", "secret remove", "policy unset", "apply", "import"].contains(name);
        let gated = !matches!(widens, Widens::No(_));
        assert_eq!(gated, asks(name) || elsewhere, "{name} is tried without a terminal");
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
