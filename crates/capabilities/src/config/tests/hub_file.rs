use crate::config::hub_file::HubFile;
use crate::config::plan::{Current, Step, plan, widens};
use crate::config::settings::Settings;
use hub_core::catalog::{Source, Transport};
use hub_core::connection::Connection;
use hub_core::id::{RuleId, SourceId};
use hub_core::policy::{Rule, RuleOrigin};
use hub_core::time::UnixMillis;
use hub_engine::SourceView;
use std::path::Path;

const FILE: &str = r#"
[limits]
calls_per_run = 50

[sources.tracker]
command = "tracker"
args = ["serve"]
effects = { list_issues = "read" }

[sources.tracker.connections.work]
env = { TOKEN = "file:tracker-work" }
default = true

[sources.docs]
url = "https://docs.example/mcp"
trusted = false

[[policy]]
pattern = "tracker.deleteIssue"
decision = "deny"
note = "never"

[[policy]]
pattern = "docs.*"
decision = "allow"
arguments = [{ pointer = "/lang", equals = "en" }]
"#;

/// The hub after every step was taken.
fn after(steps: &[Step]) -> Current {
    let mut current = Current::default();
    for step in steps {
        match step.clone() {
            Step::AddSource(new) => current.sources.push(SourceView {
                standing: None,
                source: Source {
                    id: SourceId::new(&new.name),
                    namespace: new.name.clone(),
                    name: new.name,
                    transport: new.transport,
                    trusted: new.trusted,
                    effects: new.effects,
                    timeout_ms: new.timeout_ms,
                    concurrency: new.concurrency,
                    from_file: new.from_file,
                    created_at: UnixMillis(0),
                },
                connections: vec![],
                stale: false,
                problem: None,
                tools: 0,
                broken: vec![],
                protocol_version: String::new(),
                server: String::new(),
                read_at: None,
            }),
            Step::PutConnection(new) => {
                let view = current.sources.iter_mut().find(|v| v.source.name == new.source);
                view.unwrap().connections.push(Connection {
                    source: SourceId::new(&new.source),
                    name: new.name,
                    credentials: new.credentials,
                    plain_env: new.plain_env,
                    is_default: new.make_default,
                    created_at: UnixMillis(0),
                    revision: 1,
                });
            }
            Step::ReplaceRules(rules) => {
                current.rules = rules
                    .into_iter()
                    .enumerate()
                    .map(|(n, new)| Rule {
                        id: RuleId::new(n.to_string()),
                        pattern: new.pattern,
                        connection: new.connection,
                        arguments: new.arguments,
                        client: None,
                        decision: new.decision,
                        note: new.note,
                        origin: RuleOrigin::File,
                        bound_to: None,
                        created_at: UnixMillis(0),
                    })
                    .collect();
            }
            Step::Limit(settings) => current.settings = settings,
            Step::UpdateSource(_) | Step::RemoveSource(_) => unreachable!("nothing was there"),
        }
    }
    current
}

fn parsed(text: &str) -> HubFile {
    HubFile::parse(text, Path::new("/etc/hub")).unwrap()
}

#[test]
fn the_second_time_there_is_nothing_to_do() {
    let wanted = parsed(FILE);
    let first = plan(&Current::default(), &wanted);
    assert_eq!(first.len(), 5, "{first:#?}");
    assert!(widens(&Current::default(), &first));
    assert_eq!(plan(&after(&first), &wanted), vec![]);
}

#[test]
fn what_the_file_no_longer_names_goes_and_what_a_person_added_stays() {
    let mut current = after(&plan(&Current::default(), &parsed(FILE)));
    current.sources[0].source.from_file = false;
    let by_hand = current.sources[0].source.name.clone();
    let gone = current.sources[1].source.name.clone();
    let steps = plan(&current, &parsed(""));
    let expected = [Step::RemoveSource(gone), Step::ReplaceRules(vec![])];
    assert_eq!(steps, expected, "{by_hand} stays");
}

#[test]
fn only_what_gives_a_right_passes_the_gate() {
    let current = after(&plan(&Current::default(), &parsed(FILE)));
    let widened = |from: &str, to: &str| {
        let steps = plan(&current, &parsed(&FILE.replace(from, to)));
        assert!(!steps.is_empty(), "{from}");
        widens(&current, &steps)
    };
    assert!(widened("\"serve\"", "\"other\""));
    assert!(widened("trusted = false", "trusted = true"));
    assert!(widened("\"deny\"", "\"ask\""));
    assert!(widened("docs.*", "docs.**"));
    assert!(!widened("decision = \"allow\"", "decision = \"deny\""));
    assert!(!widened("calls_per_run = 50", "calls_per_run = 40"));
    assert!(widened("calls_per_run = 50", "calls_per_run = 60"), "a brake is loosened");
    assert!(widened("calls_per_run = 50", "calls_per_run = 50\ndurability = \"process\""));
    assert!(widened("file:tracker-work", "command:anything"), "it would run");
    assert!(widened("default = true", "plain_env = { NODE_OPTIONS = \"-r x\" }"));
    assert!(widened("docs.example", "other.example"), "its credentials would go there");
}

#[test]
fn a_file_that_is_wrong_says_where_and_repeats_no_value() {
    let wrong = [
        ("[sources.a]\ncommand = \"x\"\nurl = \"https://y\"", "not both"),
        ("[sources.a]\ncomand = \"x\"", "line 2"),
        (
            "[sources.a]\nurl = \"https://y\"\n[sources.a.connections.b]\nbearer = \"hunter22\"",
            "reference",
        ),
        ("[sources.a]\ncommand = \"x\"\nenv = { API_KEY = \"hunter22\" }", "API_KEY"),
        ("[limits]\ncalls_per_run = 101", "from 1 to 100"),
        ("[limits]\nlive_runs = 0", "from 1 to 64"),
    ];
    for (text, told) in wrong {
        let error = HubFile::parse(text, Path::new("/")).unwrap_err();
        let all = format!("{} {:?}", error.message, error.hints);
        assert!(all.contains(told), "{text}: {all}");
        assert!(!all.contains("hunter22"), "{all}");
    }
}

#[test]
fn limits_at_their_ceilings_hold() {
    let at = Settings {
        calls_per_run: Some(100),
        live_runs: Some(64),
        active_seconds: Some(300),
        ..Settings::default()
    };
    at.check().unwrap();
    assert_eq!(at.engine().active_ms, 300_000);
}

#[test]
fn every_change_that_widens_is_told_whole() {
    let wanted = parsed(&FILE.replace("default = true", "plain_env = { NODE_OPTIONS = \"-r x\" }"));
    let told: Vec<_> = plan(&Current::default(), &wanted).iter().map(Step::told).collect();
    let told = told.join("\n");
    for part in ["tracker serve", "list_issues counts as read", "env TOKEN from file:tracker-work"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(told.contains("NODE_OPTIONS=-r x") && told.contains("(untrusted)"), "{told}");
}

#[test]
fn paths_begin_at_the_files_folder_and_names_are_looked_up() {
    let text = "[sources.a]\ncommand = \"bin/server\"\ncwd = \"data\"\n\
                [sources.b]\ncommand = \"npx\"\n\
                [sources.c]\ncommand = \"/usr/bin/env\"\ncwd = \"/srv\"\n";
    let at = |n: usize| match &parsed(text).sources[n].transport {
        Transport::Stdio { command, cwd, .. } => (command.clone(), cwd.clone()),
        other => panic!("{other:?}"),
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(at(0), ("/etc/hub/bin/server".into(), some("/etc/hub/data")));
    assert_eq!(at(1), ("npx".into(), None));
    assert_eq!(at(2), ("/usr/bin/env".into(), some("/srv")));
}

#[test]
fn a_file_chooses_what_programs_run_in() {
    use crate::config::settings::Sandbox;
    let settings = parsed("sandbox = \"worker\"\n[limits]\ncalls_per_run = 5").settings.unwrap();
    assert_eq!((settings.sandbox, settings.calls_per_run), (Some(Sandbox::Worker), Some(5)));
    assert_eq!(parsed("").settings, None);
    assert!(HubFile::parse("sandbox = \"none\"", Path::new("/")).is_err());
}
