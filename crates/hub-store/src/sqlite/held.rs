//! Runs that were added and not written yet, and what tells without a look into the database
//! that a run may be added.
//!
//! A run that ends in its first step is written once, whole. Until then it is held here: every
//! read looks here first. It is written with its first step, when it is asked for
//! ([`super::SqliteStore`]'s `keep_run`), with a sweep and when the store is closed; with
//! the process it is gone, and nobody was told of it.
//!
//! What is known of written runs is a count per code and per principal, and the newest run of
//! each key. Where that does not surely say "add it", the writer looks properly.

use super::fault::Fault;
use hub_core::digest::Digest;
use hub_core::id::{KeyId, PrincipalId, RunId};
use hub_core::owner::Owner;
use hub_core::ports::{Attach, NewRun, Opened};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;
use rusqlite::Connection as Db;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shared by the store and its writer.
#[derive(Default)]
pub(super) struct Held(Mutex<Inner>);

/// A run that is held, with its number in the order of runs.
#[derive(Clone)]
pub(super) struct HeldRun {
    pub(super) seq: i64,
    pub(super) new: Arc<NewRun>,
}

/// What of a written run decides whether another may be added.
#[derive(Clone, Debug)]
pub(super) struct Brief {
    pub(super) seq: i64,
    pub(super) owner: Owner,
    pub(super) code_digest: Digest,
    pub(super) is_open: bool,
    pub(super) changed_at: UnixMillis,
    pub(super) has_effects: bool,
}

/// What a step did to a run, to be told once it is written.
pub(super) struct Landed {
    pub(super) run: Brief,
    /// Whether it was open before; none where this step added it.
    pub(super) was_open: Option<bool>,
}

#[derive(Default)]
struct Inner {
    /// Oldest first.
    runs: Vec<HeldRun>,
    /// None where the database could not be asked: then every run goes through the writer.
    known: Option<Known>,
    /// Runs on their way through the writer: until they are there, all others follow them.
    asking: usize,
}

struct Known {
    next: i64,
    /// Open runs by owner and code.
    open: HashMap<u64, u32>,
    of_principal: HashMap<PrincipalId, u32>,
    newest: HashMap<KeyId, Newest>,
}

struct Newest {
    run: Brief,
    /// A sweep may have taken it: another one is the newest then.
    is_sure: bool,
}

/// A run is on its way through the writer for as long as this lives.
pub(super) struct Asking(Arc<Held>);

impl Drop for Asking {
    fn drop(&mut self) {
        self.0.inner().asking -= 1;
    }
}

impl Held {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks into the database, once, before anything is written.
    pub(super) fn look(&self, db: &Db) -> Result<(), Fault> {
        let next = db.query_row("SELECT coalesce(max(seq), 0) + 1 FROM runs", [], |r| r.get(0))?;
        let mut known = Known {
            next,
            open: HashMap::new(),
            of_principal: HashMap::new(),
            newest: HashMap::new(),
        };
        for (owner, code) in super::runs::open_codes(db)? {
            known.count(&owner, code);
        }
        self.inner().known = Some(known);
        Ok(())
    }

    /// Holds the run, or finds the held one that it joins, where no look into the database is
    /// needed for that. Otherwise the run is to go through the writer.
    pub(super) fn open(self: &Arc<Self>, new: NewRun) -> Result<Opened, (Arc<NewRun>, Asking)> {
        let new = Arc::new(new);
        let mut inner = self.inner();
        match inner.open(&new) {
            Some(Opened::Created) => {
                let seq = inner.next().unwrap_or_default();
                inner.runs.push(HeldRun { seq, new });
                Ok(Opened::Created)
            }
            Some(other) => Ok(other),
            None => {
                inner.asking += 1;
                Err((new, Asking(self.clone())))
            }
        }
    }

    /// The number of a run that is added now.
    pub(super) fn next(&self) -> Option<i64> {
        self.inner().next()
    }

    pub(super) fn get(&self, id: &RunId) -> Option<HeldRun> {
        self.inner().runs.iter().find(|held| held.new.record.id == *id).cloned()
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> Vec<HeldRun> {
        self.inner().runs.clone()
    }

    /// The bytes of that digest that a held run brings along.
    pub(super) fn blob(&self, digest: Digest) -> Option<Arc<[u8]>> {
        let inner = self.inner();
        let mut blobs = inner.runs.iter().flat_map(|held| &held.new.blobs);
        blobs.find(|blob| blob.digest == digest).map(|blob| blob.bytes.clone())
    }

    /// A step is written.
    pub(super) fn landed(&self, steps: &[Landed]) {
        let mut inner = self.inner();
        for step in steps {
            inner.landed(step);
        }
    }

    /// A sweep took ended runs.
    pub(super) fn swept(&self) {
        if let Some(known) = &mut self.inner().known {
            known.newest.values_mut().for_each(|n| n.is_sure &= n.run.is_open);
        }
    }
}

impl Inner {
    fn next(&mut self) -> Option<i64> {
        let known = self.known.as_mut()?;
        known.next += 1;
        Some(known.next - 1)
    }

    /// None where only the database can tell.
    fn open(&self, new: &NewRun) -> Option<Opened> {
        let known = self.known.as_ref()?;
        let run = &new.record;
        // What is over is written at once: its client is told next.
        if self.asking > 0 || run.status.is_ended() {
            return None;
        }
        if let Some(attach) = &new.attach {
            if known.may_join(run, attach) {
                return None;
            }
            let same = |held: &&HeldRun| {
                let there = &held.new.record;
                there.owner == run.owner && there.code_digest == run.code_digest
            };
            let mut earlier = self.runs.iter().rev().filter(same).map(|held| &held.new.record.id);
            if let Some(id) = earlier.find(|id| !attach.attended.contains(id)) {
                return Some(Opened::Joins(id.clone()));
            }
        }
        let principal = &run.owner.principal;
        let held = self.runs.iter().filter(|h| h.new.record.owner.principal == *principal).count();
        let written = known.of_principal.get(principal).copied().unwrap_or(0) as usize;
        match new.at_most.is_some_and(|most| held + written >= most) {
            true => None,
            false => Some(Opened::Created),
        }
    }

    fn landed(&mut self, step: &Landed) {
        let run = &step.run;
        self.runs.retain(|held| held.seq != run.seq);
        let Some(known) = &mut self.known else { return };
        match (step.was_open, run.is_open) {
            (None, true) => known.count(&run.owner, run.code_digest),
            (Some(true), false) => known.discount(run),
            _ => {}
        }
        match known.newest.get_mut(&run.owner.key) {
            Some(newest) if newest.run.seq > run.seq => {}
            Some(newest) => *newest = Newest { run: run.clone(), is_sure: true },
            // Only one that was added now is surely the newest.
            None if step.was_open.is_none() => {
                let newest = Newest { run: run.clone(), is_sure: true };
                known.newest.insert(run.owner.key.clone(), newest);
            }
            None => {}
        }
    }
}

impl Known {
    /// Whether a written run may be joined.
    fn may_join(&self, new: &RunRecord, attach: &Attach) -> bool {
        if self.open.contains_key(&code_of(&new.owner, new.code_digest)) {
            return true;
        }
        if !attach.ended_counts {
            return false;
        }
        match self.newest.get(&new.owner.key) {
            Some(Newest { run, is_sure: true }) => {
                !run.is_open
                    && run.has_effects
                    && run.code_digest == new.code_digest
                    && run.changed_at >= attach.ended_after
            }
            _ => true,
        }
    }

    fn count(&mut self, owner: &Owner, code: Digest) {
        *self.open.entry(code_of(owner, code)).or_default() += 1;
        match self.of_principal.get_mut(&owner.principal) {
            Some(count) => *count += 1,
            None => {
                self.of_principal.insert(owner.principal.clone(), 1);
            }
        }
    }

    fn discount(&mut self, run: &Brief) {
        less(&mut self.open, &code_of(&run.owner, run.code_digest));
        less(&mut self.of_principal, &run.owner.principal);
    }
}

fn less<K: Eq + Hash>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

/// One number for owner and code. Two that share it by chance cost a look into the database.
fn code_of(owner: &Owner, code: Digest) -> u64 {
    let mut hasher = DefaultHasher::new();
    (owner.principal.as_str(), owner.key.as_str(), &owner.profile, code.0).hash(&mut hasher);
    hasher.finish()
}
