//! The same steps on this store and on the one in memory: same answers, same state after.

use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::{KeyId, PendingId, RuleId, RunId, SourceId};
use hub_core::pending::Choice;
use hub_core::policy::Verdict;
use hub_core::ports::{
    Attach, NewRun, RunCommit, RunFilter, RunState, SendGuard, Store, StoreError,
};
use hub_store::{Durability, Options, SqliteStore};
use hub_testkit::MemoryStore;
use hub_testkit::fixtures::{
    T0, connection, decision, key, listing, pending, pins, rule, run, source, step, tool,
};
use proptest::prelude::*;
use std::fmt::Debug;

/// Names are few, so that steps meet.
#[derive(Clone, Debug)]
enum Op {
    PutSource { id: u8, name: u8, namespace: u8 },
    RemoveSource(u8),
    PutListing { id: u8, tools: Vec<u8>, names: Vec<(u8, u8)> },
    PutConnection { id: u8, name: u8, default: bool, revision: u64 },
    RemoveConnection { id: u8, name: u8 },
    ChangeRules { put: Vec<(u8, bool)>, remove: Vec<u8> },
    PutKey { id: u8, token: u8 },
    RevokeKey(u8),
    HubKey { name: u8, fresh: u8 },
    OpenRun { id: u8, client: u8, code: u8, attach: Option<(i64, Vec<u8>, bool)>, blob: u8 },
    KeepRun(u8),
    Commit(Box<Commit>),
    Decide { id: u8, choice: u8, late: bool },
    PutBlob(u8),
    Sweep(i64),
    Reopen,
}

#[derive(Clone, Debug)]
struct Commit {
    run: u8,
    /// How far off the right place it is.
    off: u64,
    events: u8,
    waits: Vec<u8>,
    withdraw: Vec<u8>,
    /// Whether its guard is fresh, and the decision it needs.
    guard: Option<(bool, Option<(u8, bool)>)>,
    effects: u32,
    state: Option<(u8, i64, bool)>,
}

const STATES: [Status; 8] = [
    Status::Completed,
    Status::Failed,
    Status::AwaitingApproval,
    Status::AwaitingConnection,
    Status::AwaitingInput,
    Status::Running,
    Status::Interrupted,
    Status::Cancelled,
];

fn choice(n: u8) -> Choice {
    let all = [Choice::AllowOnce, Choice::AllowRun, Choice::AllowAlways, Choice::Deny];
    all.into_iter().chain([Choice::Connected, Choice::Expired]).nth(n.into()).unwrap()
}

fn name(kind: &str, n: u8) -> String {
    format!("{kind}{n}")
}

fn run_id(n: u8) -> RunId {
    RunId::new(format!("run_{n}"))
}

fn pending_id(n: u8) -> PendingId {
    PendingId::new(format!("pend_{n}"))
}

/// What is compared: the value, or the kind of failure (words may differ).
fn said<T: Debug>(found: Result<T, StoreError>) -> String {
    match found {
        Err(StoreError::Conflict(_)) => "conflict".to_owned(),
        other => format!("{other:?}"),
    }
}

async fn apply(store: &dyn Store, op: &Op) -> String {
    match op.clone() {
        Op::PutSource { id, name: n, namespace } => {
            let mut made = source(&id.to_string());
            (made.name, made.namespace) = (name("n", n), name("ns", namespace));
            said(store.put_source(made).await)
        }
        Op::RemoveSource(id) => said(store.remove_source(source_id(id)).await),
        Op::PutListing { id, tools, names } => {
            let tools = listing(tools.into_iter().map(|t| tool(&name("t", t))));
            let names = names.into_iter().map(|(r, n)| (name("t", r), name("c", n))).collect();
            said(store.put_listing(source_id(id), tools, names, T0).await)
        }
        Op::PutConnection { id, name: n, default, revision } => {
            let mut made = connection(&id.to_string(), &name("w", n));
            (made.is_default, made.revision) = (default, revision);
            said(store.put_connection(made).await)
        }
        Op::RemoveConnection { id, name: n } => {
            said(store.remove_connection(source_id(id), name("w", n)).await)
        }
        Op::ChangeRules { put, remove } => {
            let verdict = |deny| if deny { Verdict::Deny } else { Verdict::Allow };
            let put = put.into_iter().map(|(n, d)| rule(&n.to_string(), "**", verdict(d)));
            let remove = remove.into_iter().map(|n| RuleId::new(format!("rule_{n}"))).collect();
            said(store.change_rules(put.collect(), remove, "me".to_owned(), T0).await)
        }
        Op::PutKey { id, token } => {
            said(store.put_key(key(&id.to_string()), Digest::of(&[token])).await)
        }
        Op::RevokeKey(id) => {
            said(store.revoke_key(KeyId::new(format!("key_{id}")), T0.plus(1)).await)
        }
        Op::HubKey { name: n, fresh } => said(store.hub_key(name("h", n), [fresh; 32]).await),
        Op::OpenRun { id, client, code, attach, blob } => {
            let at_most = (blob == 3).then_some(2);
            // Identifiers of runs are fresh.
            if store.run(run_id(id)).await.unwrap().is_some() {
                return String::new();
            }
            let mut record = run(&id.to_string(), &client.to_string(), &code.to_string());
            record.pins = (blob > 0).then(|| pins(&[blob], &[0]));
            let attach = attach.map(|(ms, attended, ended_counts)| Attach {
                ended_after: T0.plus(ms),
                attended: attended.into_iter().map(run_id).collect(),
                ended_counts,
            });
            said(
                store
                    .open_run(NewRun { record, blobs: vec![vec![blob].into()], attach, at_most })
                    .await,
            )
        }
        Op::KeepRun(id) => said(store.keep_run(run_id(id)).await),
        Op::Commit(c) => said(store.commit(commit(store, *c).await).await),
        Op::Decide { id, choice: c, late } => {
            let at = if late { pending("x", &run_id(0)).expires_at } else { T0 };
            said(store.decide(pending_id(id), decision(choice(c), at)).await)
        }
        Op::PutBlob(n) => said(store.put_blob(vec![n]).await),
        Op::Sweep(ms) => said(store.sweep(T0.plus(ms)).await),
        Op::Reopen => String::new(),
    }
}

fn source_id(id: u8) -> SourceId {
    source(&id.to_string()).id
}

async fn commit(store: &dyn Store, c: Commit) -> RunCommit {
    let id = run_id(c.run);
    let entries = store.journal(id.clone()).await.map_or(0, |j| j.len() as u64);
    let mut guards = Vec::new();
    if let Some((fresh, wanted)) = c.guard {
        guards.push(SendGuard {
            rules_version: store.rules().await.unwrap().0 + u64::from(!fresh),
            sources_version: store.sources_version().await.unwrap(),
            decision: wanted.map(|(p, scope)| {
                (pending_id(p), Digest::of(if scope { b"scope" } else { b"call" }))
            }),
        });
    }
    RunCommit {
        events: (0..c.events).map(|n| vec![n]).collect(),
        waits: c.waits.iter().map(|p| pending(&p.to_string(), &id)).collect(),
        withdraw: c
            .withdraw
            .iter()
            .map(|p| (pending_id(*p), decision(Choice::Expired, T0)))
            .collect(),
        guards,
        effects: c.effects,
        state: c.state.map(|(s, ms, envelope)| RunState {
            status: STATES[usize::from(s) % STATES.len()],
            envelope: envelope.then(|| (format!("{{{ms}}}"), "line".to_owned())),
            at: T0.plus(ms),
        }),
        ..step(&id, entries + c.off)
    }
}

/// Everything that can be asked.
async fn everything(store: &dyn Store) -> Vec<String> {
    let mut all = vec![
        said(store.sources().await),
        said(store.sources_version().await),
        said(store.rules().await),
        said(store.rule_history(100).await),
        said(store.keys().await),
        said(store.open_pendings().await),
        said(store.runs(RunFilter::default()).await),
    ];
    for n in 0..4 {
        all.push(said(store.listing(source_id(n)).await));
        all.push(said(store.tool_names(source_id(n)).await));
        all.push(said(store.tool(source_id(n), name("t", n)).await));
        all.push(said(store.connections(source_id(n)).await));
        all.push(said(store.key_by_token(Digest::of(&[n])).await));
        all.push(said(store.run(run_id(n)).await));
        all.push(said(store.journal(run_id(n)).await));
        all.push(said(store.pendings(run_id(n)).await));
        all.push(said(store.pending(pending_id(n)).await));
        all.push(said(store.blob(Digest::of(&[n])).await));
    }
    all
}

fn few() -> std::ops::Range<u8> {
    0..4
}

fn some<T: Debug + Clone>(of: impl Strategy<Value = T>) -> impl Strategy<Value = Vec<T>> {
    prop::collection::vec(of, 0..3)
}

fn any_commit() -> impl Strategy<Value = Op> {
    let guard =
        prop::option::of((prop::bool::weighted(0.8), prop::option::of((few(), any::<bool>()))));
    (
        (few(), prop::sample::select(vec![0, 0, 0, 1]), few(), some(few()), some(few())),
        (guard, 0..2u32, prop::option::of((0..8u8, 0..10i64, any::<bool>()))),
    )
        .prop_map(|((run, off, events, waits, withdraw), (guard, effects, state))| {
            Op::Commit(Box::new(Commit {
                run,
                off,
                events,
                waits,
                withdraw,
                guard,
                effects,
                state,
            }))
        })
}

fn any_op() -> impl Strategy<Value = Op> {
    let runs = prop_oneof![
        3 => (few(), 0..2u8, 0..2u8, prop::option::of((0..10i64, some(few()), any::<bool>())), few())
            .prop_map(|(id, client, code, attach, blob)| {
                Op::OpenRun { id, client, code, attach, blob }
            }),
        1 => few().prop_map(Op::KeepRun),
        6 => any_commit(),
        3 => (few(), 0..6u8, prop::bool::weighted(0.2))
            .prop_map(|(id, choice, late)| Op::Decide { id, choice, late }),
        1 => few().prop_map(Op::PutBlob),
        1 => (0..10i64).prop_map(Op::Sweep),
        1 => Just(Op::Reopen),
    ];
    let rest =
        prop_oneof![
            (few(), few(), few()).prop_map(|(id, name, namespace)| Op::PutSource {
                id,
                name,
                namespace
            }),
            few().prop_map(Op::RemoveSource),
            (few(), some(few()), some((few(), few())))
                .prop_map(|(id, tools, names)| Op::PutListing { id, tools, names }),
            (few(), few(), any::<bool>(), 0..2u64).prop_map(|(id, name, default, revision)| {
                Op::PutConnection { id, name, default, revision }
            }),
            (few(), few()).prop_map(|(id, name)| Op::RemoveConnection { id, name }),
            (some((few(), any::<bool>())), some(few()))
                .prop_map(|(put, remove)| Op::ChangeRules { put, remove }),
            (few(), few()).prop_map(|(id, token)| Op::PutKey { id, token }),
            few().prop_map(Op::RevokeKey),
            (few(), few()).prop_map(|(name, fresh)| Op::HubKey { name, fresh }),
        ];
    prop_oneof![2 => runs, 1 => rest]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn both_stores_say_the_same(ops in prop::collection::vec(any_op(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let options = Options { durability: Durability::Process, ..Options::default() };
            let mut sqlite = SqliteStore::open(dir.path(), options).unwrap();
            let memory = MemoryStore::new();
            for op in &ops {
                if matches!(op, Op::Reopen) {
                    drop(sqlite);
                    sqlite = SqliteStore::open(dir.path(), options).unwrap();
                }
                prop_assert_eq!(apply(&*sqlite, op).await, apply(&*memory, op).await, "{:?}", op);
            }
            prop_assert_eq!(everything(&*sqlite).await, everything(&*memory).await);
            Ok(())
        })?;
    }
}
