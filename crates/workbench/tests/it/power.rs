//! The power goes, at any place between two writes of the disk: another hub opens what was safe,
//! the agent sends its code again, and nothing reaches the source twice.

use crate::disk::{Disk, Record};
use crate::hub::{Hub, driver};
use hub_core::id::{PendingId, RunId};
use hub_core::pending::Choice;
use hub_core::ports::RunStore;
use hub_engine::DecidedView;
use hub_store::{Durability, Options};
use hub_testkit::SeededRandom;
use hub_testkit::fixtures::T0;
use std::path::Path;
use std::sync::Arc;

/// Requests that one life may take.
const REQUESTS: usize = 20;
/// Places at which the power goes, beside those right behind what the world has seen.
const PLACES: u64 = 40;

/// The agent asks until its run has ended; the person allows everything. `seen` hears what the
/// agent and the person were told.
async fn to_the_end(hub: &Hub, seen: impl Fn(&str)) -> hub_core::envelope::ExecuteEnvelope {
    for _ in 0..REQUESTS {
        let envelope = hub.run("life").await;
        seen(&format!("told {}", envelope.run_id));
        if envelope.status.is_ended() {
            return envelope;
        }
        for pending in envelope.pending.unwrap_or_default() {
            if let DecidedView::Now = hub.decide(&pending.id, Choice::AllowOnce).await {
                seen(&format!("decided {}", pending.id));
            }
        }
    }
    panic!("the run never ended");
}

/// A life that is not cut, and the record of its disk.
async fn life(folder: &Path, durability: Durability) -> (Record, usize) {
    let disk = Arc::new(Disk::watch(folder));
    let heard = disk.clone();
    let heard = move |call: &hub_core::ports::UpstreamCall| {
        heard.mark(&format!("sent {} {}", call.tool, call.arguments));
    };
    let options = Options { durability, ..Options::default() };
    let hub = Hub::open(folder, options, driver(), T0, Arc::new(heard)).await;
    hub.add_source().await;
    disk.mark("ready");
    to_the_end(&hub, |what| disk.mark(what)).await;
    let record = disk.record();
    let ready = record.behind_marks()[0];
    assert!(record.places() > ready + 50, "the disk was not watched");
    (record, ready)
}

/// What was told is there, and what goes on sends nothing again. Else what is wrong.
async fn goes_on(
    folder: &Path,
    record: &Record,
    place: usize,
    random: &SeededRandom,
) -> Result<(), String> {
    record.cut(place, random);
    let marks = record.marks(place);
    let all = |kind: &str| -> Vec<String> {
        marks.iter().filter_map(|m| m.strip_prefix(kind)).map(str::to_owned).collect()
    };
    let hub = Hub::quiet(folder, driver(), T0.plus(30_000)).await;
    holds(hub.store.restored().is_none(), || format!("{place}: taken for a backup"))?;
    for run in all("told ") {
        let found = hub.store.run(RunId::new(run.as_str())).await.unwrap();
        holds(found.is_some(), || format!("{place}: {run} was told of and is gone"))?;
    }
    for pending in all("decided ") {
        let found = hub.store.pending(PendingId::new(pending.as_str())).await.unwrap();
        let decided = found.is_some_and(|p| p.decision.is_some());
        holds(decided, || format!("{place}: a decision is gone"))?;
    }
    let ended = to_the_end(&hub, |_| {}).await;
    let mut sent = all("sent ");
    sent.extend(hub.received());
    let outcomes: Vec<(String, String)> = serde_json::from_value(ended.result.unwrap()).unwrap();
    for (call, code) in outcomes {
        let times = sent.iter().filter(|s| **s == call).count();
        let once = call.starts_with("write") || call.starts_with("ask");
        holds(!once || times <= 1, || format!("{place}: {call} was sent {times} times"))?;
        let known = code == "ok" && times >= 1 || code == "outcome_unknown";
        holds(known, || format!("{place}: {call} is told as {code} and was sent {times} times"))?;
    }
    Ok(())
}

fn holds(there: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if there { Ok(()) } else { Err(why()) }
}

/// Everything that goes wrong where the power goes: behind all that the world has seen, and at
/// places between.
async fn cut_everywhere(durability: Durability) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let (record, ready) = life(folder.path(), durability).await;
    let random = SeededRandom::new(7);
    let mut places = record.behind_marks();
    let width = (record.places() - ready) as u64;
    places.extend((0..PLACES).map(|_| ready + random.below(width) as usize));
    let mut wrong = Vec::new();
    for place in places {
        wrong.extend(goes_on(folder.path(), &record, place, &random).await.err());
    }
    wrong
}

#[tokio::test]
async fn a_power_cut_between_any_two_writes_sends_nothing_twice() {
    assert_eq!(cut_everywhere(Durability::Power).await, Vec::<String>::new());
}

/// The same without syncs: else the test above would prove nothing.
#[tokio::test]
async fn a_store_that_survives_only_its_process_is_caught_by_this_disk() {
    let wrong = cut_everywhere(Durability::Process).await;
    assert!(!wrong.is_empty());
}
