//! What has to change so that the hub is as a file says: pure, shown before it is done, and
//! empty the second time.

use super::hub_file::HubFile;
use super::settings::Settings;
use crate::commands::connection::add::given;
use crate::commands::policy::word;
use crate::commands::source::add::surroundings;
use hub_core::catalog::Transport;
use hub_core::owner::ClientKey;
use hub_core::policy::{Rule, RuleOrigin, Verdict};
use hub_engine::{NewConnection, NewRule, NewSource, SourceView};
use hub_server::api::sources::add::inherited;
use serde::Serialize;

/// The hub as it is.
#[derive(Clone, Debug, Default)]
pub struct Current {
    /// Its sources with their connections.
    pub sources: Vec<SourceView>,
    /// Its rules.
    pub rules: Vec<Rule>,
    /// Its clients, whose names rules may use.
    pub keys: Vec<ClientKey>,
    /// Its settings.
    pub settings: Settings,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A source that is not there.
    AddSource(NewSource),
    /// A source that is otherwise.
    UpdateSource(NewSource),
    /// A source that an earlier file brought and this one does not name.
    RemoveSource(String),
    /// A connection that is not there or is otherwise.
    PutConnection(NewConnection),
    /// The rules of origin `file` become these.
    ReplaceRules(Vec<NewRule>),
    /// Limits for the next start.
    Limit(Settings),
}

/// The changes in the order they are made.
pub fn plan(current: &Current, wanted: &HubFile) -> Vec<Step> {
    let mut steps = Vec::new();
    for source in &wanted.sources {
        match current.sources.iter().find(|view| view.source.name == source.name) {
            None => steps.push(Step::AddSource(source.clone())),
            Some(view) if as_new(view) != *source => {
                steps.push(Step::UpdateSource(source.clone()));
            }
            Some(_) => {}
        }
    }
    for connection in &wanted.connections {
        if !is_there(current, connection) {
            steps.push(Step::PutConnection(connection.clone()));
        }
    }
    for view in current.sources.iter().filter(|view| view.source.from_file) {
        if !wanted.sources.iter().any(|source| source.name == view.source.name) {
            steps.push(Step::RemoveSource(view.source.name.clone()));
        }
    }
    if !same_rules(current, &wanted.rules) {
        steps.push(Step::ReplaceRules(wanted.rules.clone()));
    }
    if let Some(settings) = wanted.settings.as_ref().filter(|s| **s != current.settings) {
        steps.push(Step::Limit(settings.clone()));
    }
    steps
}

/// Whether the changes give anyone a right that they did not have: a command that will run, a
/// call that no longer asks.
pub fn widens(current: &Current, steps: &[Step]) -> bool {
    let runs_other_command = |new: &NewSource| {
        let now = current.sources.iter().find(|v| v.source.name == new.name);
        let is_same = now.is_some_and(|view| view.source.transport == new.transport);
        matches!(new.transport, Transport::Stdio { .. }) && !is_same
    };
    steps.iter().any(|step| match step {
        Step::AddSource(source) => {
            runs_other_command(source)
                || !source.effects.is_empty()
                || inherited(&source.name, &current.sources, &current.rules).next().is_some()
        }
        Step::UpdateSource(source) => {
            let now = current.sources.iter().find(|v| v.source.name == source.name);
            // Its credentials would go somewhere else.
            let moves = now.is_some_and(|view| view.source.transport != source.transport);
            let believes_more = now.is_some_and(|view| source.trusted && !view.source.trusted);
            let reads_more = now.is_some_and(|view| source.effects != view.source.effects);
            runs_other_command(source) || moves || believes_more || reads_more
        }
        Step::ReplaceRules(rules) => loosens(current, rules),
        // A credential for a source, and an environment can make its process do anything.
        Step::PutConnection(_) => true,
        Step::Limit(settings) => settings.loosens(&current.settings),
        Step::RemoveSource(_) => false,
    })
}

fn loosens(current: &Current, wanted: &[NewRule]) -> bool {
    let old: Vec<&Rule> = file_rules(current).collect();
    let is_old = |new: &NewRule| old.iter().any(|rule| is_same(current, rule, new));
    let milder = |new: &NewRule| {
        new.decision == Verdict::Allow || current.rules.iter().any(|r| r.decision > new.decision)
    };
    let new_allow = wanted.iter().any(|new| milder(new) && !is_old(new));
    let lost_brake = old.iter().any(|rule| {
        rule.decision != Verdict::Allow && !wanted.iter().any(|new| is_same(current, rule, new))
    });
    new_allow || lost_brake
}

fn as_new(view: &SourceView) -> NewSource {
    let source = &view.source;
    NewSource {
        name: source.name.clone(),
        transport: source.transport.clone(),
        trusted: source.trusted,
        effects: source.effects.clone(),
        timeout_ms: source.timeout_ms,
        concurrency: source.concurrency,
        from_file: source.from_file,
    }
}

fn is_there(current: &Current, wanted: &NewConnection) -> bool {
    let source = current.sources.iter().find(|view| view.source.name == wanted.source);
    let found = source.and_then(|v| v.connections.iter().find(|c| c.name == wanted.name));
    found.is_some_and(|c| {
        c.credentials == wanted.credentials
            && c.plain_env == wanted.plain_env
            && (c.is_default || !wanted.make_default)
    })
}

fn same_rules(current: &Current, wanted: &[NewRule]) -> bool {
    let old: Vec<&Rule> = file_rules(current).collect();
    old.len() == wanted.len()
        && wanted.iter().all(|new| old.iter().any(|rule| is_same(current, rule, new)))
}

fn file_rules(current: &Current) -> impl Iterator<Item = &Rule> {
    current.rules.iter().filter(|rule| rule.origin == RuleOrigin::File)
}

fn is_same(current: &Current, rule: &Rule, new: &NewRule) -> bool {
    let same_client = match (&rule.client, &new.client) {
        (None, None) => true,
        (Some(id), Some(client)) => {
            let is_named = |key: &ClientKey| key.id == *id && key.client == *client;
            id.as_str() == client || current.keys.iter().any(is_named)
        }
        _ => false,
    };
    same_client
        && rule.pattern == new.pattern
        && rule.connection == new.connection
        && rule.arguments == new.arguments
        && rule.decision == new.decision
        && rule.note == new.note
}

impl Step {
    /// In one line, for people.
    pub fn told(&self) -> String {
        match self {
            Self::AddSource(s) => source("+", s),
            Self::UpdateSource(s) => source("~", s),
            Self::RemoveSource(name) => format!("- source {name}"),
            Self::PutConnection(c) => {
                let head = format!("~ connection {} of {}", c.name, c.source);
                lines(head, given(c))
            }
            Self::ReplaceRules(rules) => {
                let rule = |r: &NewRule| {
                    let only = if r.arguments.is_empty() { "" } else { ", for some arguments" };
                    format!("\n    {} {}{only}", word(&r.decision), r.pattern)
                };
                format!("~ the file's rules{}", rules.iter().map(rule).collect::<String>())
            }
            Self::Limit(_) => "~ limits, from the hub's next start".to_owned(),
        }
    }
}

fn source(mark: &str, source: &NewSource) -> String {
    let trust = if source.trusted { "" } else { "  (untrusted)" };
    let origin = source.transport.origin();
    let head = format!("{mark} source {}  {origin}{trust}", source.name);
    let effect = |(tool, effect): (&String, &_)| format!("  {tool} counts as {}", word(effect));
    let effects = source.effects.iter().map(effect);
    lines(head, surroundings(&source.transport).into_iter().chain(effects).collect())
}

fn lines(head: String, more: Vec<String>) -> String {
    std::iter::once(head).chain(more).collect::<Vec<_>>().join("\n  ")
}
