//! Plain values for tests: change the field that the test is about.

use hub_core::catalog::{Annotations, Listing, Source, ToolDef, Transport};
use hub_core::connection::{Connection, Credential, Placement, SecretRef};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::{KeyId, PendingId, PrincipalId, RuleId, RunId, SourceId};
use hub_core::owner::{ClientKey, ElicitationMode, Owner};
use hub_core::pending::{Channel, Choice, Decision, Pending, PendingKind};
use hub_core::policy::{Rule, RuleOrigin, Verdict};
use hub_core::ports::{NewRun, RunCommit, RunState};
use hub_core::run::{Pins, RunRecord};
use hub_core::time::UnixMillis;
use serde_json::json;

/// When fixtures were made.
pub const T0: UnixMillis = UnixMillis(1_700_000_000_000);

/// A trusted HTTP source; id `src_<name>`, namespace `<name>`.
pub fn source(name: &str) -> Source {
    Source {
        id: SourceId::new(format!("src_{name}")),
        name: name.to_owned(),
        namespace: name.to_owned(),
        transport: Transport::Http { url: format!("https://{name}.example/mcp") },
        trusted: true,
        effects: Default::default(),
        timeout_ms: None,
        concurrency: None,
        from_file: false,
        created_at: T0,
    }
}

/// A tool that says nothing of itself and takes any object.
pub fn tool(name: &str) -> ToolDef {
    ToolDef {
        name: name.to_owned(),
        title: None,
        description: Some(format!("Does {name}.")),
        input_schema: json!({ "type": "object" }),
        output_schema: None,
        annotations: Annotations::default(),
    }
}

/// A tool that declares itself read-only and closed-world.
pub fn read_tool(name: &str) -> ToolDef {
    let annotations = Annotations {
        read_only_hint: Some(true),
        open_world_hint: Some(false),
        ..Annotations::default()
    };
    ToolDef { annotations, ..tool(name) }
}

/// A listing of these tools.
pub fn listing(tools: impl IntoIterator<Item = ToolDef>) -> Listing {
    Listing {
        tools: tools.into_iter().collect(),
        broken: Vec::new(),
        protocol_version: "2026-07-28".to_owned(),
        server: "scripted 1".to_owned(),
        instructions: None,
    }
}

/// A connection with one bearer token from the environment; not the default.
pub fn connection(source: &str, name: &str) -> Connection {
    Connection {
        source: SourceId::new(format!("src_{source}")),
        name: name.to_owned(),
        credentials: vec![Credential {
            placement: Placement::Bearer,
            value: SecretRef::Env(format!("{}_TOKEN", name.to_uppercase())),
        }],
        plain_env: Default::default(),
        is_default: false,
        created_at: T0,
        revision: 1,
    }
}

/// A key; id `key_<client>`.
pub fn key(client: &str) -> ClientKey {
    ClientKey {
        id: KeyId::new(format!("key_{client}")),
        principal: PrincipalId::new("user_local"),
        client: client.to_owned(),
        mode: ElicitationMode::Auto,
        dedupe: true,
        created_at: T0,
        revoked_at: None,
    }
}

/// The owner behind [`key`].
pub fn owner(client: &str) -> Owner {
    Owner {
        principal: PrincipalId::new("user_local"),
        key: KeyId::new(format!("key_{client}")),
        profile: Owner::DEFAULT_PROFILE.to_owned(),
    }
}

/// A running run of `client` with this code; id `run_<id>`.
pub fn run(id: &str, client: &str, code: &str) -> RunRecord {
    RunRecord {
        id: RunId::new(format!("run_{id}")),
        owner: owner(client),
        client: client.to_owned(),
        code_digest: Digest::of(code.as_bytes()),
        code: code.to_owned(),
        pins: None,
        status: Status::Running,
        created_at: T0,
        changed_at: T0,
        effects: 0,
        envelope: None,
        line: None,
    }
}

/// Pins to these blobs.
pub fn pins(program: &[u8], names: &[u8]) -> Pins {
    Pins {
        program: Digest::of(program),
        names: Digest::of(names),
        engine: format!("test:{}", Digest::of(b"engine")),
        seed: [7; 32],
        clock_start: T0,
    }
}

/// A run to add that joins nothing.
pub fn new_run(record: RunRecord) -> NewRun {
    NewRun { record, blobs: Vec::new(), attach: None, at_most: None }
}

/// An empty durable step of a run whose journal has `after` entries.
pub fn step(run: &RunId, after: u64) -> RunCommit {
    RunCommit {
        run: run.clone(),
        after,
        events: Vec::new(),
        waits: Vec::new(),
        withdraw: Vec::new(),
        guards: Vec::new(),
        effects: 0,
        state: None,
        durable: true,
    }
}

/// A new state at `at` without an envelope.
pub fn state(status: Status, at: UnixMillis) -> Option<RunState> {
    Some(RunState { status, envelope: None, at })
}

/// An approval that waits; id `pend_<id>`.
pub fn pending(id: &str, run: &RunId) -> Pending {
    Pending {
        id: PendingId::new(format!("pend_{id}")),
        run: run.clone(),
        call: 1,
        kind: PendingKind::Approval,
        address: "mail.send".to_owned(),
        origin: "mail https://mail.example".to_owned(),
        connection: None,
        arguments: "{}".to_owned(),
        reason: "no rule".to_owned(),
        confirm: false,
        digest: Digest::of(b"call"),
        scope: Digest::of(b"scope"),
        question: None,
        created_at: T0,
        expires_at: T0.plus(hub_core::limits::PENDING_LIFE_MS),
        decision: None,
    }
}

/// A decision on the page.
pub fn decision(choice: Choice, at: UnixMillis) -> Decision {
    Decision { choice, channel: Channel::Page, by: "user_local".to_owned(), at }
}

/// A rule of a person; id `rule_<id>`.
pub fn rule(id: &str, pattern: &str, decision: Verdict) -> Rule {
    Rule {
        id: RuleId::new(format!("rule_{id}")),
        pattern: pattern.to_owned(),
        connection: None,
        arguments: Vec::new(),
        client: None,
        decision,
        note: String::new(),
        origin: RuleOrigin::Person,
        bound_to: None,
        created_at: T0,
    }
}
