//! Runs and their journals: adding, joining, listing.

use super::SqliteStore;
use super::fault::{Fault, conflict};
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

/// A run with its texts; the columns are those that [`record`] reads.
const RECORD: &str = "SELECT id, principal, key, profile, client, code_digest, code, pins, status,
        created_at, changed_at, effects, envelope, line
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
pub(super) fn place(db: &Db, id: &RunId) -> Result<(i64, u64), Fault> {
    let mut find = db.prepare_cached("SELECT seq, events FROM runs WHERE id = ?1")?;
    let found = find.query_row([id.as_str()], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)));
    let (seq, events) = found.optional()?.ok_or(StoreError::NotFound)?;
    Ok((seq, events.unsigned_abs()))
}

fn open(db: &Db, new: &NewRun) -> Result<Opened, Fault> {
    if let Some(attach) = &new.attach
        && let Some(earlier) = joined(db, &new.record, attach)?
    {
        return Ok(Opened::Joins(earlier));
    }
    let run = &new.record;
    if let Some(most) = new.at_most
        && open_runs(db, &run.owner.principal)? >= most as u64
    {
        return Ok(Opened::TooMany);
    }
    let sql = "INSERT INTO runs (id, principal, key, profile, client, code_digest, status,
            created_at, changed_at, effects, pins)
        VALUES (:id, :principal, :key, :profile, :client, :code_digest, :status,
            :created_at, :changed_at, :effects, :pins)";
    let added = db.prepare_cached(sql)?.execute(named_params! {
        ":id": run.id.as_str(),
        ":principal": run.owner.principal.as_str(),
        ":key": run.owner.key.as_str(),
        ":profile": run.owner.profile,
        ":client": run.client,
        ":code_digest": run.code_digest.0,
        ":status": run.status.as_str(),
        ":created_at": run.created_at.0,
        ":changed_at": run.changed_at.0,
        ":effects": run.effects,
        ":pins": run.pins.as_ref().map(serde_json::to_string).transpose()?,
    });
    added.map_err(|e| conflict(e, || format!("run {} exists", run.id)))?;
    let seq = db.last_insert_rowid();
    let sql = "INSERT INTO run_code (run, code) VALUES (?1, ?2)";
    db.prepare_cached(sql)?.execute((seq, &run.code))?;
    if run.envelope.is_some() || run.line.is_some() {
        show(db, seq, run.envelope.as_deref(), run.line.as_deref())?;
    }
    let pins = run.pins.iter().flat_map(|p| p.blobs());
    for digest in pins {
        blobs::pin(db, seq, digest)?;
    }
    for blob in &new.blobs {
        blobs::put(db, blob)?;
        blobs::pin(db, seq, blob.digest)?;
    }
    Ok(Opened::Created)
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
    // Each `+` keeps an index from being used that ended runs are in.
    let sql = "SELECT id, status FROM runs
        WHERE principal = ?1 AND status NOT IN ('completed', 'failed', 'cancelled')
            AND +key = ?2 AND +code_digest = ?3 AND profile = ?4
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

fn list(db: &Db, filter: &RunFilter) -> Result<Vec<RunRecord>, Fault> {
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
        found.push(record(row)?);
    }
    Ok(found)
}

fn one(db: &Db, id: &RunId) -> Result<Option<RunRecord>, Fault> {
    let mut find = db.prepare_cached(&format!("{RECORD} WHERE id = ?1"))?;
    let mut rows = find.query([id.as_str()])?;
    rows.next()?.map(record).transpose()
}

fn journal(db: &Db, id: &RunId) -> Result<Vec<Vec<u8>>, Fault> {
    let (seq, _) = place(db, id)?;
    let mut entries = db.prepare_cached("SELECT body FROM events WHERE run = ?1 ORDER BY n")?;
    let rows = entries.query_map([seq], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

impl RunStore for SqliteStore {
    fn open_run(&self, run: NewRun) -> Stored<'_, Opened> {
        self.write(false, move |db| open(db, &run))
    }

    fn run(&self, id: RunId) -> Stored<'_, Option<RunRecord>> {
        self.read(move |db| one(db, &id))
    }

    fn runs(&self, filter: RunFilter) -> Stored<'_, Vec<RunRecord>> {
        self.read(move |db| list(db, &filter))
    }

    fn journal(&self, id: RunId) -> Stored<'_, Vec<Vec<u8>>> {
        self.read(move |db| journal(db, &id))
    }

    fn commit(&self, commit: RunCommit) -> Stored<'_, ()> {
        let most = self.journals_bytes;
        self.write(commit.durable, move |db| commit::commit(db, &commit, most))
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
                let some = self.write(false, move |db| sweep::runs(db, ended_before)).await?;
                swept += some;
                if some < sweep::BATCH {
                    break;
                }
            }
            self.write(false, sweep::blobs).await?;
            Ok(swept)
        })
    }
}
