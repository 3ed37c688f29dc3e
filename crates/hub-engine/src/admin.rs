//! What people do: sources, connections, policy, keys, runs, decisions.

use crate::api::{
    Caller, Decide, DecidedView, EngineError, Explained, IssuedKey, NewConnection, NewRule,
    NewSource, PendingView, Refreshed, RunDetail, Shown, SourceDetail, SourceView, Status,
};
use crate::engine::Engine;
use hub_core::connection::Connection;
use hub_core::owner::{ClientKey, ElicitationMode};
use hub_core::policy::{Rule, RuleChange};
use hub_core::run::RunRecord;
use serde_json::Value;

fn not_yet<T>() -> Result<T, EngineError> {
    Err(EngineError::Busy("not built yet".into()))
}

impl Engine {
    /// Sources by name.
    pub async fn sources(&self) -> Result<Vec<SourceView>, EngineError> {
        not_yet()
    }

    /// One source with its tools, by name.
    pub async fn source(&self, name: &str) -> Result<SourceDetail, EngineError> {
        let _ = (name,);
        not_yet()
    }

    /// Adds a source and reads its tools. Kept also where the source does not answer (the view says so).
    pub async fn add_source(&self, new: NewSource) -> Result<Refreshed, EngineError> {
        let _ = (new,);
        not_yet()
    }

    /// Replaces a source's settings, keeping id, namespace and names.
    pub async fn update_source(&self, new: NewSource) -> Result<Refreshed, EngineError> {
        let _ = (new,);
        not_yet()
    }

    /// Reads a source's tools again; the last good ones stay where it does not answer.
    pub async fn refresh(&self, name: &str) -> Result<Refreshed, EngineError> {
        let _ = (name,);
        not_yet()
    }

    /// Removes a source with its connections.
    pub async fn remove_source(&self, name: &str) -> Result<(), EngineError> {
        let _ = (name,);
        not_yet()
    }

    /// Connections of a source.
    pub async fn connections(&self, source: &str) -> Result<Vec<Connection>, EngineError> {
        let _ = (source,);
        not_yet()
    }

    /// Adds or replaces a connection (a replaced one gets a new revision).
    pub async fn put_connection(&self, new: NewConnection) -> Result<Connection, EngineError> {
        let _ = (new,);
        not_yet()
    }

    /// Makes a connection the default.
    pub async fn set_default_connection(
        &self,
        source: &str,
        name: &str,
    ) -> Result<(), EngineError> {
        let _ = (source, name);
        not_yet()
    }

    /// Removes a connection.
    pub async fn remove_connection(&self, source: &str, name: &str) -> Result<(), EngineError> {
        let _ = (source, name);
        not_yet()
    }

    /// The rules in order of precedence.
    pub async fn rules(&self) -> Result<Vec<Rule>, EngineError> {
        not_yet()
    }

    /// Writes a rule.
    pub async fn put_rule(&self, new: NewRule, who: &str) -> Result<Rule, EngineError> {
        let _ = (new, who);
        not_yet()
    }

    /// Removes a rule.
    pub async fn remove_rule(&self, id: &str, who: &str) -> Result<(), EngineError> {
        let _ = (id, who);
        not_yet()
    }

    /// Makes the rules of origin `file` exactly these.
    pub async fn replace_file_rules(
        &self,
        rules: Vec<NewRule>,
        who: &str,
    ) -> Result<(), EngineError> {
        let _ = (rules, who);
        not_yet()
    }

    /// Who changed which rule when, newest first.
    pub async fn rule_history(&self) -> Result<Vec<RuleChange>, EngineError> {
        not_yet()
    }

    /// Which rule or default decides about calls of `address`.
    pub async fn explain(
        &self,
        caller: Option<&Caller>,
        address: &str,
        connection: Option<&str>,
        arguments: Option<&Value>,
    ) -> Result<Explained, EngineError> {
        let _ = (caller, address, connection, arguments);
        not_yet()
    }

    /// Makes a key for a client.
    pub async fn issue_key(
        &self,
        client: &str,
        mode: ElicitationMode,
        dedupe: bool,
    ) -> Result<IssuedKey, EngineError> {
        let _ = (client, mode, dedupe);
        not_yet()
    }

    /// The key behind a token.
    pub async fn authenticate(&self, token: &str) -> Result<Option<ClientKey>, EngineError> {
        let _ = (token,);
        not_yet()
    }

    /// All keys.
    pub async fn keys(&self) -> Result<Vec<ClientKey>, EngineError> {
        not_yet()
    }

    /// Revokes a key (by id or client name).
    pub async fn revoke_key(&self, key: &str) -> Result<(), EngineError> {
        let _ = (key,);
        not_yet()
    }

    /// Runs, newest first, of every owner (for the person).
    pub async fn runs(&self, limit: usize) -> Result<Vec<RunRecord>, EngineError> {
        let _ = (limit,);
        not_yet()
    }

    /// One run with its timeline.
    pub async fn run(&self, id: &str) -> Result<RunDetail, EngineError> {
        let _ = (id,);
        not_yet()
    }

    /// Ends a run for good: a person's act.
    pub async fn cancel_run(&self, id: &str, by: &str) -> Result<(), EngineError> {
        let _ = (id, by);
        not_yet()
    }

    /// Goes on with a run for the person (`run resume`), as if its owner had asked.
    pub async fn resume_run(&self, id: &str) -> Result<Shown, EngineError> {
        let _ = (id,);
        not_yet()
    }

    /// Replays a run without sending anything, for debugging.
    pub async fn replay_run(&self, id: &str) -> Result<String, EngineError> {
        let _ = (id,);
        not_yet()
    }

    /// Everything that waits, or what waits in one run.
    pub async fn waiting(&self, run: Option<&str>) -> Result<Vec<PendingView>, EngineError> {
        let _ = (run,);
        not_yet()
    }

    /// Decides.
    pub async fn decide(&self, decide: Decide) -> Result<DecidedView, EngineError> {
        let _ = (decide,);
        not_yet()
    }

    /// The hub at a glance.
    pub async fn status(&self) -> Result<Status, EngineError> {
        not_yet()
    }
}
