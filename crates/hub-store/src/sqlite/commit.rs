//! One step of a run, all or nothing.

use super::fault::{Fault, conflict};
use super::{meta, pendings, runs};
use hub_core::digest::Digest;
use hub_core::id::{PendingId, RunId};
use hub_core::pending::Choice;
use hub_core::ports::{RunCommit, SendGuard, StoreError};
use rusqlite::{Connection as Db, named_params, params};

pub(super) fn commit(db: &Db, commit: &RunCommit) -> Result<(), Fault> {
    for guard in &commit.guards {
        hold(db, &commit.run, guard)?;
    }
    let (seq, events) = runs::place(db, &commit.run)?;
    if events != commit.after {
        return Err(StoreError::Lost.into());
    }
    let mut insert = db.prepare_cached("INSERT INTO events (run, n, body) VALUES (?1, ?2, ?3)")?;
    for (n, body) in (events..).zip(&commit.events) {
        insert.execute(params![seq, n.cast_signed(), body])?;
    }
    change_run(db, seq, commit)?;
    for pending in &commit.waits {
        let added = pendings::add(db, seq, pending)?;
        added.map_err(|e| conflict(e, || format!("pending {} exists", pending.id)))?;
    }
    for (id, decision) in &commit.withdraw {
        pendings::close(db, id, decision)?;
    }
    Ok(())
}

fn change_run(db: &Db, seq: i64, commit: &RunCommit) -> Result<(), Fault> {
    let bytes = commit.events.iter().map(|e| e.len() as i64).sum::<i64>();
    let counts = "UPDATE runs SET events = events + :events,
        journal_bytes = journal_bytes + :bytes, effects = effects + :effects";
    let (events, effects) = (commit.events.len() as i64, commit.effects);
    let Some(state) = &commit.state else {
        let sql = format!("{counts} WHERE seq = :seq");
        db.prepare_cached(&sql)?.execute(named_params! {
            ":events": events, ":bytes": bytes, ":effects": effects, ":seq": seq,
        })?;
        return Ok(());
    };
    let sql = format!(
        "{counts}, status = :status, changed_at = :at, envelope = coalesce(:envelope, envelope),
            line = coalesce(:line, line) WHERE seq = :seq"
    );
    let (envelope, line) = state.envelope.as_ref().map(|(e, l)| (e, l)).unzip();
    db.prepare_cached(&sql)?.execute(named_params! {
        ":events": events, ":bytes": bytes, ":effects": effects, ":seq": seq,
        ":status": state.status.as_str(), ":at": state.at.0, ":envelope": envelope, ":line": line,
    })?;
    Ok(())
}

/// Refuses the step unless what its sends were judged by still holds.
fn hold(db: &Db, run: &RunId, guard: &SendGuard) -> Result<(), Fault> {
    let same = |name, version: u64| Ok::<_, Fault>(meta::get(db, name)?.unsigned_abs() == version);
    let holds = same("rules_version", guard.rules_version)?
        && same("sources_version", guard.sources_version)?
        && match &guard.decision {
            Some((pending, digest)) => allowed(db, run, pending, digest)?,
            None => true,
        };
    if holds { Ok(()) } else { Err(StoreError::GuardFailed.into()) }
}

fn allowed(db: &Db, run: &RunId, id: &PendingId, digest: &Digest) -> Result<bool, Fault> {
    let Some(pending) = pendings::one(db, id)?.filter(|p| p.run == *run) else { return Ok(false) };
    let Some(decision) = pending.decision else { return Ok(false) };
    let in_scope = decision.choice == Choice::AllowRun && pending.scope == *digest;
    Ok(decision.choice.allows() && (pending.digest == *digest || in_scope))
}
