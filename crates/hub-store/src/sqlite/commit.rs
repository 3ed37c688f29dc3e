//! One step of a run, all or nothing.

use super::fault::{Fault, conflict};
use super::held::{Held, Landed};
use super::{meta, pendings, runs};
use hub_core::digest::Digest;
use hub_core::id::{PendingId, RunId};
use hub_core::pending::Choice;
use hub_core::ports::{RunCommit, SendGuard, StoreError};
use rusqlite::{Connection as Db, params};

/// Writes the step, and before it the run where it is still held. At `most` bytes of all journals
/// together only steps that end a run go on.
pub(super) fn commit(db: &Db, commit: &RunCommit, held: &Held, most: i64) -> Result<Landed, Fault> {
    for guard in &commit.guards {
        hold(db, &commit.run, guard)?;
    }
    let landed = match runs::find(db, &commit.run)? {
        Some(place) => on(db, place, commit)?,
        None => {
            let held = held.get(&commit.run).ok_or(StoreError::NotFound)?;
            if commit.after != 0 {
                return Err(StoreError::Lost.into());
            }
            let run = runs::add(db, Some(held.seq), &held.new, Some(commit))?;
            Landed { run, was_open: None }
        }
    };
    let seq = landed.run.seq;
    append(db, seq, commit, most)?;
    for pending in &commit.waits {
        let added = pendings::add(db, seq, pending)?;
        added.map_err(|e| conflict(e, || format!("pending {} exists", pending.id)))?;
    }
    for (id, decision) in &commit.withdraw {
        pendings::close(db, id, decision)?;
    }
    Ok(landed)
}

/// A step of a run that is written already.
fn on(db: &Db, place: runs::Place, commit: &RunCommit) -> Result<Landed, Fault> {
    let mut run = place.run;
    // Ended is ended: whoever still holds the run has lost it.
    if place.events != commit.after || !run.is_open {
        return Err(StoreError::Lost.into());
    }
    let events = commit.events.len() as i64;
    if events > 0 || commit.effects > 0 {
        let sql = "UPDATE runs SET events = events + ?2, journal_bytes = journal_bytes + ?3,
            effects = effects + ?4 WHERE seq = ?1";
        db.prepare_cached(sql)?.execute((run.seq, events, bytes(commit), commit.effects))?;
        run.has_effects |= commit.effects > 0;
    }
    if let Some(state) = &commit.state {
        let sql = "UPDATE runs SET status = ?2, changed_at = ?3 WHERE seq = ?1";
        db.prepare_cached(sql)?.execute((run.seq, state.status.as_str(), state.at.0))?;
        if let Some((envelope, line)) = &state.envelope {
            runs::show(db, run.seq, Some(envelope), Some(line))?;
        }
        run.is_open = !state.status.is_ended();
        run.changed_at = state.at;
    }
    Ok(Landed { run, was_open: Some(true) })
}

/// Bytes of the entries that a step adds.
pub(super) fn bytes(commit: &RunCommit) -> i64 {
    commit.events.iter().map(|e| e.len() as i64).sum()
}

fn append(db: &Db, seq: i64, commit: &RunCommit, most: i64) -> Result<(), Fault> {
    if commit.events.is_empty() {
        return Ok(());
    }
    let mut insert = db.prepare_cached("INSERT INTO events (run, n, body) VALUES (?1, ?2, ?3)")?;
    for (n, body) in (commit.after..).zip(&commit.events) {
        insert.execute(params![seq, n.cast_signed(), body])?;
    }
    let ends = commit.state.as_ref().is_some_and(|s| s.status.is_ended());
    if meta::add(db, "journal_bytes", bytes(commit))? > most && !ends {
        return Err(StoreError::Full.into());
    }
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
