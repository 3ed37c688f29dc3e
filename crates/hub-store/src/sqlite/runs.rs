//! Runs and their journals: adding, joining, listing.

use super::SqliteStore;
use super::fault::{Fault, conflict};
use super::held::{Brief, Held, HeldRun, Landed};
use super::{blobs, commit, pendings, sweep};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::{KeyId, PendingId, PrincipalId, RunId};
use hub_core::owner::Owner;
use hub_core::pending::{Decision, Pending};
use hub_core::ports::{
    Attach, Decided, NewRun, Opened, RunCommit, RunFilter, RunStore, StoreError, Stored,
};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;
use rusqlite::types::Value as Sql;
use rusqlite::{Connection as Db, OptionalExtension, Row, named_params, params_from_iter};
use std::collections::BTreeSet;

/// A run with its texts; the columns are those that [`record`] reads.
const RECORD: &str = "SELECT id, principal, key, profile, client, code_digest, code, pins, status,
        created_at, changed_at, effects, envelope, line, seq
    FROM runs JOIN run_code ON run_code.run = seq LEFT JOIN run_envelopes e ON e.run = seq";

fn record(row: &Row<'_>) -> Result<RunRecord, Fault> {
    let text = |i| row.get::<_, String>(i);
    let pins: Option<String> = row.get(7)?;
    Ok(RunRecord {
        id: RunId::new(text(0)?),
        owner: Owner {
            principal: PrincipalId::new(text(1)?),
            key: KeyId::new(text(2)?),
            profile: text(3)?,
        },
        client: text(4)?,
        code_digest: Digest(row.get(5)?),
        code: text(6)?,
        pins: pins.map(|p| serde_json::from_str(&p)).transpose()?,
        status: status(&text(8)?)?,
        created_at: UnixMillis(row.get(9)?),
        changed_at: UnixMillis(row.get(10)?),
        effects: row.get(11)?,
        envelope: row.get(12)?,
        line: row.get(13)?,
    })
}

fn status(text: &str) -> Result<Status, Fault> {
    Ok(serde_json::from_value(text.into())?)
}

/// Number of the run in the table and of entries in its journal.
fn place(db: &Db, id: &RunId) -> Result<Place, Fault> {
    find(db, id)?.ok_or_else(|| StoreError::NotFound.into())
}

/// What a step needs to know of its run.
pub(super) struct Place {
    pub(super) run: Brief,
    /// Entries in its journal.
    pub(super) events: u64,
}

pub(super) fn find(db: &Db, id: &RunId) -> Result<Option<Place>, Fault> {
    let sql = "SELECT seq, principal, key, profile, code_digest, status, changed_at, effects,
        events FROM runs WHERE id = ?1";
    let mut find = db.prepare_cached(sql)?;
    let found = find.query_row([id.as_str()], |row| Ok((brief(row)?, row.get::<_, i64>(8)?)));
    let found = found.optional()?;
    Ok(found.map(|(run, events)| Place { run, events: events.unsigned_abs() }))
}

fn brief(row: &Row<'_>) -> rusqlite::Result<Brief> {
    let status: String = row.get(5)?;
    Ok(Brief {
        seq: row.get(0)?,
        owner: Owner {
            principal: PrincipalId::new(row.get::<_, String>(1)?),
            key: KeyId::new(row.get::<_, String>(2)?),
            profile: row.get(3)?,
        },
        code_digest: Digest(row.get(4)?),
        is_open: Status::OPEN.iter().any(|open| open.as_str() == status),
        changed_at: UnixMillis(row.get(6)?),
        has_effects: row.get::<_, u32>(7)? > 0,
    })
}

/// Owner and code of every run that has not ended.
pub(super) fn open_codes(db: &Db) -> Result<Vec<(Owner, Digest)>, Fault> {
    let sql = "SELECT principal, key, profile, code_digest FROM runs
        WHERE status NOT IN ('completed', 'failed', 'cancelled')";
    let mut open = db.prepare(sql)?;
    let rows = open.query_map([], |row| {
        let owner = Owner {
            principal: PrincipalId::new(row.get::<_, String>(0)?),
            key: KeyId::new(row.get::<_, String>(1)?),
            profile: row.get(2)?,
        };
        Ok((owner, Digest(row.get(3)?)))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Adds a run, or finds the one that it joins; those that are held are written with it.
fn open(db: &Db, held: &Held, new: &NewRun) -> Result<(Opened, Vec<Landed>), Fault> {
    let mut landed = keep(db, &held.all())?;
    if let Some(attach) = &new.attach
        && let Some(earlier) = joined(db, &new.record, attach)?
    {
        return Ok((Opened::Joins(earlier), landed));
    }
    let run = &new.record;
    if let Some(most) = new.at_most
        && open_runs(db, &run.owner.principal)? >= most as u64
    {
        return Ok((Opened::TooMany, landed));
    }
    landed.push(Landed { run: add(db, held.next(), new, None)?, was_open: None });
    Ok((Opened::Created, landed))
}

/// Writes runs that are held, as they stand.
pub(super) fn keep(db: &Db, held: &[HeldRun]) -> Result<Vec<Landed>, Fault> {
    let mut landed = Vec::new();
    for held in held {
        // An earlier step of this transaction may have written it.
        if find(db, &held.new.record.id)?.is_none() {
            let run = add(db, Some(held.seq), &held.new, None)?;
            landed.push(Landed { run, was_open: None });
        }
    }
    Ok(landed)
}

/// Adds the run, with what its first step makes of it where there is one; the entries of that
/// step are its own to add.
pub(super) fn add(
    db: &Db,
    seq: Option<i64>,
    new: &NewRun,
    first: Option<&RunCommit>,
) -> Result<Brief, Fault> {
    let run = &new.record;
    let state = first.and_then(|first| first.state.as_ref());
    let status = state.map_or(run.status, |state| state.status);
    let changed_at = state.map_or(run.changed_at, |state| state.at);
    let effects = run.effects + first.map_or(0, |first| first.effects);
    let events = first.map_or(0, |first| first.events.len() as i64);
    let sql = "INSERT INTO runs (seq, id, principal, key, profile, client, code_digest, status,
            created_at, changed_at, effects, pins, events, journal_bytes)
        VALUES (:seq, :id, :principal, :key, :profile, :client, :code_digest, :status,
            :created_at, :changed_at, :effects, :pins, :events, :journal_bytes)";
    let added = db.prepare_cached(sql)?.execute(named_params! {
        ":seq": seq,
        ":id": run.id.as_str(),
        ":principal": run.owner.principal.as_str(),
        ":key": run.owner.key.as_str(),
        ":profile": run.owner.profile,
        ":client": run.client,
        ":code_digest": run.code_digest.0,
        ":status": status.as_str(),
        ":created_at": run.created_at.0,
        ":changed_at": changed_at.0,
        ":effects": effects,
        ":pins": run.pins.as_ref().map(serde_json::to_string).transpose()?,
        ":events": events,
        ":journal_bytes": first.map_or(0, commit::bytes),
    });
    added.map_err(|e| conflict(e, || format!("run {} exists", run.id)))?;
    let seq = db.last_insert_rowid();
    let sql = "INSERT INTO run_code (run, code) VALUES (?1, ?2)";
    db.prepare_cached(sql)?.execute((seq, &run.code))?;
    let shown = state.and_then(|state| state.envelope.as_ref());
    let (envelope, line) = match shown {
        Some((envelope, line)) => (Some(envelope.as_str()), Some(line.as_str())),
        None => (run.envelope.as_deref(), run.line.as_deref()),
    };
    if envelope.is_some() || line.is_some() {
        show(db, seq, envelope, line)?;
    }
    let pinned = run.pins.iter().flat_map(|p| p.blobs());
    let pinned: BTreeSet<_> = pinned.chain(new.blobs.iter().map(|blob| blob.digest)).collect();
    for digest in pinned {
        blobs::pin(db, seq, digest)?;
    }
    for blob in &new.blobs {
        blobs::put(db, blob)?;
    }
    Ok(Brief {
        seq,
        owner: run.owner.clone(),
        code_digest: run.code_digest,
        is_open: !status.is_ended(),
        changed_at,
        has_effects: effects > 0,
    })
}

/// Runs of the principal that have not ended.
fn open_runs(db: &Db, principal: &PrincipalId) -> Result<u64, Fault> {
    let sql = "SELECT count(*) FROM runs
        WHERE principal = ?1 AND status NOT IN ('completed', 'failed', 'cancelled')";
    let mut count = db.prepare_cached(sql)?;
    Ok(count.query_row([principal.as_str()], |row| row.get::<_, i64>(0))?.unsigned_abs())
}

/// Keeps the envelope that was last shown, and its line.
pub(super) fn show(
    db: &Db,
    run: i64,
    envelope: Option<&str>,
    line: Option<&str>,
) -> Result<(), Fault> {
    let sql = "INSERT INTO run_envelopes (run, envelope, line) VALUES (?1, ?2, ?3)
        ON CONFLICT (run) DO UPDATE SET envelope = ?2, line = ?3";
    db.prepare_cached(sql)?.execute((run, envelope, line))?;
    Ok(())
}

/// The newest earlier run that a new one joins. An ended one only where no run of its key came
/// after it, so that ended runs, of which a key may have any number, are never walked.
fn joined(db: &Db, new: &RunRecord, attach: &Attach) -> Result<Option<RunId>, Fault> {
    if let Some(ended) = newest_if_ended(db, new, attach)? {
        return Ok(Some(ended));
    }
    // The index of open runs, never one that ended runs are in.
    let sql = "SELECT id, status FROM runs INDEXED BY runs_open
        WHERE principal = ?1 AND status NOT IN ('completed', 'failed', 'cancelled')
            AND key = ?2 AND profile = ?4 AND code_digest = ?3
        ORDER BY seq DESC";
    let owner = &new.owner;
    let mut open = db.prepare_cached(sql)?;
    let (principal, key) = (owner.principal.as_str(), owner.key.as_str());
    let mut rows = open.query((principal, key, new.code_digest.0, &owner.profile))?;
    while let Some(row) = rows.next()? {
        let id = RunId::new(row.get::<_, String>(0)?);
        let is_running = status(&row.get::<_, String>(1)?)? == Status::Running;
        if !is_running || !attach.attended.contains(&id) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The last run of the key, where it ended and may be joined.
fn newest_if_ended(db: &Db, new: &RunRecord, attach: &Attach) -> Result<Option<RunId>, Fault> {
    if !attach.ended_counts {
        return Ok(None);
    }
    let sql = "SELECT id FROM (SELECT * FROM runs WHERE key = ?1 ORDER BY seq DESC LIMIT 1)
        WHERE code_digest = ?2 AND principal = ?3 AND profile = ?4
            AND status IN ('completed', 'failed', 'cancelled')
            AND changed_at >= ?5 AND effects > 0";
    let owner = &new.owner;
    let mut newest = db.prepare_cached(sql)?;
    let values = (
        owner.key.as_str(),
        new.code_digest.0,
        owner.principal.as_str(),
        &owner.profile,
        attach.ended_after.0,
    );
    let found = newest.query_row(values, |row| row.get(0)).optional()?;
    Ok(found.map(|id: String| RunId::new(id)))
}

/// Runs with their numbers, newest first.
fn list(db: &Db, filter: &RunFilter) -> Result<Vec<(i64, RunRecord)>, Fault> {
    let mut sql = format!("{RECORD} WHERE true");
    let mut values: Vec<Sql> = Vec::new();
    if let Some(owner) = &filter.owner {
        sql.push_str(" AND key = ? AND principal = ? AND profile = ?");
        let parts = [owner.key.as_str(), owner.principal.as_str(), &owner.profile];
        values.extend(parts.map(|part| Sql::from(part.to_owned())));
    }
    if !filter.status.is_empty() {
        let holes = vec!["?"; filter.status.len()].join(", ");
        sql.push_str(&format!(" AND status IN ({holes})"));
        values.extend(filter.status.iter().map(|s| Sql::from(s.as_str().to_owned())));
    }
    if let Some(before) = filter.changed_before {
        sql.push_str(" AND changed_at < ?");
        values.push(before.0.into());
    }
    sql.push_str(" ORDER BY seq DESC LIMIT ?");
    let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
    values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((row.get("seq")?, record(row)?));
    }
    Ok(found)
}

/// Whether a listing shows the run.
fn is_wanted(run: &RunRecord, filter: &RunFilter) -> bool {
    filter.owner.as_ref().is_none_or(|owner| run.owner == *owner)
        && (filter.status.is_empty() || filter.status.contains(&run.status))
        && filter.changed_before.is_none_or(|before| run.changed_at < before)
}

/// Written runs and held ones together, newest first.
fn merge(
    mut written: Vec<(i64, RunRecord)>,
    held: Vec<HeldRun>,
    filter: &RunFilter,
) -> Vec<RunRecord> {
    for held in held {
        // It may have been written after the held ones were looked at.
        let is_there = written.iter().any(|(seq, _)| *seq == held.seq);
        if !is_there && is_wanted(&held.new.record, filter) {
            written.push((held.seq, held.new.record.clone()));
        }
    }
    written.sort_by_key(|(seq, _)| std::cmp::Reverse(*seq));
    let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
    written.into_iter().take(limit).map(|(_, run)| run).collect()
}

fn one(db: &Db, id: &RunId) -> Result<Option<RunRecord>, Fault> {
    let mut find = db.prepare_cached(&format!("{RECORD} WHERE id = ?1"))?;
    let mut rows = find.query([id.as_str()])?;
    rows.next()?.map(record).transpose()
}

fn journal(db: &Db, id: &RunId) -> Result<Vec<Vec<u8>>, Fault> {
    let seq = place(db, id)?.run.seq;
    let mut entries = db.prepare_cached("SELECT body FROM events WHERE run = ?1 ORDER BY n")?;
    let rows = entries.query_map([seq], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl RunStore for SqliteStore {
    fn open_run(&self, run: NewRun) -> Stored<'_, Opened> {
        Box::pin(async move {
            let (run, asking) = match self.held.open(run) {
                Ok(opened) => return Ok(opened),
                Err(asks) => asks,
            };
            let (look, tell) = (self.held.clone(), self.held.clone());
            let add = move |db: &Db| {
                let (opened, landed) = open(db, &look, &run)?;
                Ok((opened, landed, asking))
            };
            let told = move |(_, landed, _): &(_, Vec<Landed>, _)| tell.landed(landed);
            let (opened, ..) = self.writer.write_then(false, add, told).await?;
            Ok(opened)
        })
    }

    fn keep_run(&self, id: RunId) -> Stored<'_, ()> {
        Box::pin(async move {
            if self.held.get(&id).is_none() {
                return Ok(());
            }
            let (look, tell) = (self.held.clone(), self.held.clone());
            let write = move |db: &Db| keep(db, look.get(&id).as_slice());
            let told = move |landed: &Vec<Landed>| tell.landed(landed);
            self.writer.write_then(false, write, told).await?;
            Ok(())
        })
    }

    fn run(&self, id: RunId) -> Stored<'_, Option<RunRecord>> {
        Box::pin(async move {
            match self.held.get(&id) {
                Some(held) => Ok(Some(held.new.record.clone())),
                None => self.readers.read(move |db| one(db, &id)).await,
            }
        })
    }

    fn runs(&self, filter: RunFilter) -> Stored<'_, Vec<RunRecord>> {
        Box::pin(async move {
            // In this order: one that is written in between is seen.
            let held = self.held.all();
            let wanted = filter.clone();
            let written = self.readers.read(move |db| list(db, &wanted)).await?;
            Ok(merge(written, held, &filter))
        })
    }

    fn journal(&self, id: RunId) -> Stored<'_, Vec<Vec<u8>>> {
        Box::pin(async move {
            match self.held.get(&id) {
                Some(_) => Ok(Vec::new()),
                None => self.readers.read(move |db| journal(db, &id)).await,
            }
        })
    }

    fn commit(&self, commit: RunCommit) -> Stored<'_, ()> {
        let (most, durable) = (self.journals_bytes, commit.durable);
        let (look, tell) = (self.held.clone(), self.held.clone());
        let write = move |db: &Db| commit::commit(db, &commit, &look, most);
        let told = move |landed: &Landed| tell.landed(std::slice::from_ref(landed));
        let written = self.writer.write_then(durable, write, told);
        Box::pin(async move { written.await.map(|_| ()) })
    }

    fn pendings(&self, run: RunId) -> Stored<'_, Vec<Pending>> {
        self.read(move |db| pendings::of_run(db, &run))
    }

    fn pending(&self, id: PendingId) -> Stored<'_, Option<Pending>> {
        self.read(move |db| pendings::one(db, &id))
    }

    fn open_pendings(&self) -> Stored<'_, Vec<Pending>> {
        self.read(pendings::open)
    }

    fn overdue_pendings(&self, at: UnixMillis) -> Stored<'_, Vec<Pending>> {
        self.read(move |db| pendings::overdue(db, at))
    }

    fn decide(&self, id: PendingId, decision: Decision) -> Stored<'_, Decided> {
        self.write(true, move |db| pendings::decide(db, &id, decision))
    }

    fn sweep(&self, ended_before: UnixMillis) -> Stored<'_, u64> {
        Box::pin(async move {
            let mut swept = 0;
            loop {
                let tell = self.held.clone();
                let some = move |db: &Db| sweep::runs(db, ended_before);
                let some = self.writer.write_then(false, some, move |_| tell.swept()).await?;
                swept += some;
                if some < sweep::BATCH {
                    break;
                }
            }
            let (look, tell) = (self.held.clone(), self.held.clone());
            // What held runs need is not in the database yet, or needed by nobody there.
            let rest = move |db: &Db| {
                let landed = keep(db, &look.all())?;
                sweep::blobs(db)?;
                Ok(landed)
            };
            let told = move |landed: &Vec<Landed>| tell.landed(landed);
            self.writer.write_then(false, rest, told).await?;
            Ok(swept)
        })
    }
}
