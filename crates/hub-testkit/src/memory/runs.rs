//! Runs, journals, pendings and blobs.

use super::{Fault, Inner, MemoryStore, State};
use hub_core::digest::Digest;
use hub_core::envelope::Status;
use hub_core::id::{PendingId, RunId};
use hub_core::pending::{Choice, Decision, Pending};
use hub_core::ports::{
    Attach, BlobStore, Decided, NewRun, Opened, RunCommit, RunFilter, RunStore, SendGuard,
    StoreError, Stored,
};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct Runs {
    /// In the order they were added.
    runs: Vec<Arc<Run>>,
    /// In the order they began to wait.
    pendings: Vec<Arc<Pending>>,
    blobs: BTreeMap<Digest, Arc<Vec<u8>>>,
}

#[derive(Clone)]
struct Run {
    record: RunRecord,
    journal: Vec<Arc<Vec<u8>>>,
    blobs: BTreeSet<Digest>,
    /// Not written yet: gone with the process.
    held: bool,
}

impl Runs {
    fn get(&self, id: &RunId) -> Option<&Run> {
        self.runs.iter().rfind(|r| r.record.id == *id).map(|r| &**r)
    }

    fn get_mut(&mut self, id: &RunId) -> Result<&mut Run, StoreError> {
        let found = self.runs.iter_mut().rfind(|r| r.record.id == *id);
        found.map(Arc::make_mut).ok_or(StoreError::NotFound)
    }

    fn pending(&self, id: &PendingId) -> Option<&Arc<Pending>> {
        self.pendings.iter().rfind(|p| p.id == *id)
    }

    fn pending_mut(&mut self, id: &PendingId) -> Option<&mut Pending> {
        self.pendings.iter_mut().rfind(|p| p.id == *id).map(Arc::make_mut)
    }

    fn joined(&self, new: &RunRecord, attach: &Attach) -> Option<&RunId> {
        let mut newest_of_key = true;
        for run in self.runs.iter().rev().map(|r| &r.record) {
            if run.owner == new.owner && run.code_digest == new.code_digest {
                let joins = match run.status {
                    Status::Running => !attach.attended.contains(&run.id),
                    ended if ended.is_ended() => {
                        attach.ended_counts
                            && newest_of_key
                            && run.effects > 0
                            && run.changed_at >= attach.ended_after
                    }
                    _ => true,
                };
                if joins {
                    return Some(&run.id);
                }
            }
            newest_of_key &= run.owner.key != new.owner.key;
        }
        None
    }

    fn open(&mut self, new: NewRun) -> Result<Opened, StoreError> {
        if let Some(id) = new.attach.as_ref().and_then(|a| self.joined(&new.record, a)) {
            return Ok(Opened::Joins(id.clone()));
        }
        if self.get(&new.record.id).is_some() {
            return Err(StoreError::Conflict(format!("run {} exists", new.record.id)));
        }
        let principal = &new.record.owner.principal;
        let open =
            |r: &&Arc<Run>| r.record.owner.principal == *principal && !r.record.status.is_ended();
        if new.at_most.is_some_and(|most| self.runs.iter().filter(open).count() >= most) {
            return Ok(Opened::TooMany);
        }
        let mut blobs: BTreeSet<Digest> = new.record.pins.iter().flat_map(|p| p.blobs()).collect();
        for blob in new.blobs {
            blobs.insert(self.put(blob.bytes.to_vec()));
        }
        // What is over is written at once: its client is told next.
        let held = !new.record.status.is_ended();
        self.runs.push(Arc::new(Run { record: new.record, journal: Vec::new(), blobs, held }));
        Ok(Opened::Created)
    }

    /// The process is gone, and with it what was not written.
    pub(super) fn lose_held(&mut self) {
        self.runs.retain(|run| !run.held);
    }

    fn put(&mut self, bytes: Vec<u8>) -> Digest {
        let digest = Digest::of(&bytes);
        self.blobs.entry(digest).or_insert_with(|| Arc::new(bytes));
        digest
    }

    fn allowed(&self, run: &RunId, (pending, digest): &(PendingId, Digest)) -> bool {
        let Some(pending) = self.pending(pending).filter(|p| p.run == *run) else { return false };
        let Some(decision) = pending.decision.as_ref() else { return false };
        let in_scope = decision.choice == Choice::AllowRun && pending.scope == *digest;
        decision.choice.allows() && (pending.digest == *digest || in_scope)
    }

    fn commit(&mut self, commit: RunCommit) -> Result<(), StoreError> {
        let run = self.get_mut(&commit.run)?;
        if run.record.status.is_ended() {
            return Err(StoreError::Lost);
        }
        if run.journal.len() as u64 != commit.after {
            return Err(StoreError::Lost);
        }
        run.held = false;
        run.journal.extend(commit.events.into_iter().map(Arc::new));
        run.record.effects += commit.effects;
        if let Some(state) = commit.state {
            run.record.status = state.status;
            run.record.changed_at = state.at;
            if let Some((envelope, line)) = state.envelope {
                run.record.envelope = Some(envelope);
                run.record.line = Some(line);
            }
        }
        for pending in commit.waits {
            if self.pending(&pending.id).is_some() {
                return Err(StoreError::Conflict(format!("pending {} exists", pending.id)));
            }
            self.pendings.push(Arc::new(pending));
        }
        for (id, decision) in commit.withdraw {
            let pending = self.pending_mut(&id).ok_or(StoreError::NotFound)?;
            pending.decision.get_or_insert(decision);
        }
        Ok(())
    }

    fn decide(&mut self, id: &PendingId, decision: Decision) -> Result<Decided, StoreError> {
        let pending = self.pending_mut(id).ok_or(StoreError::NotFound)?;
        if let Some(first) = &pending.decision {
            return Ok(Decided::Already(first.clone()));
        }
        if !decision.choice.closes() && decision.at >= pending.expires_at {
            return Ok(Decided::Expired);
        }
        pending.decision = Some(decision);
        Ok(Decided::Now)
    }

    fn sweep(&mut self, ended_before: UnixMillis) -> u64 {
        let before = self.runs.len();
        self.runs.retain(|r| !(r.record.status.is_ended() && r.record.changed_at < ended_before));
        let kept: BTreeSet<RunId> = self.runs.iter().map(|r| r.record.id.clone()).collect();
        let needed: BTreeSet<Digest> = self.runs.iter().flat_map(|r| r.blobs.clone()).collect();
        self.pendings.retain(|p| kept.contains(&p.run));
        self.blobs.retain(|digest, _| needed.contains(digest));
        (before - self.runs.len()) as u64
    }
}

impl State {
    fn holds(&self, run: &RunId, guard: &SendGuard) -> bool {
        guard.rules_version == self.policy.version
            && guard.sources_version == self.sources.version
            && guard.decision.as_ref().is_none_or(|d| self.runs.allowed(run, d))
    }
}

impl Inner {
    /// Nothing is written, so that a full disk does not matter yet.
    fn hold(&mut self, epoch: u64, run: NewRun) -> Result<Opened, StoreError> {
        if epoch != self.epoch {
            return Err(StoreError::Lost);
        }
        Arc::make_mut(&mut self.live.runs).open(run)
    }

    fn commit(&mut self, epoch: u64, commit: RunCommit) -> Result<(), StoreError> {
        self.commits += 1;
        let fault = self.faults.remove(&self.commits);
        match fault {
            Some(Fault::Before) => return Err(StoreError::Failed("injected".to_owned())),
            Some(Fault::Full) => return Err(StoreError::Full),
            Some(Fault::After) | None => {}
        }
        let durable = commit.durable;
        self.apply(epoch, durable, |s| {
            if !commit.guards.iter().all(|guard| s.holds(&commit.run, guard)) {
                return Err(StoreError::GuardFailed);
            }
            Arc::make_mut(&mut s.runs).commit(commit)
        })?;
        match fault {
            Some(_) => Err(StoreError::Failed("injected after writing".to_owned())),
            None => Ok(()),
        }
    }
}

impl RunStore for MemoryStore {
    fn open_run(&self, run: NewRun) -> Stored<'_, Opened> {
        if run.record.status.is_ended() {
            return self.write_soft(|s| Arc::make_mut(&mut s.runs).open(run));
        }
        let opened = self.inner().hold(self.epoch, run);
        Box::pin(std::future::ready(opened))
    }

    fn keep_run(&self, id: RunId) -> Stored<'_, ()> {
        if self.inner().live.runs.get(&id).is_none_or(|run| !run.held) {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.write_soft(|s| {
            Arc::make_mut(&mut s.runs).get_mut(&id)?.held = false;
            Ok(())
        })
    }

    fn run(&self, id: RunId) -> Stored<'_, Option<RunRecord>> {
        self.read(|s| Ok(s.runs.get(&id).map(|r| r.record.clone())))
    }

    fn runs(&self, filter: RunFilter) -> Stored<'_, Vec<RunRecord>> {
        let limit = if filter.limit == 0 { usize::MAX } else { filter.limit };
        self.read(|s| {
            let all = s.runs.runs.iter().rev().map(|r| &r.record);
            let wanted = all
                .filter(|r| filter.owner.as_ref().is_none_or(|o| r.owner == *o))
                .filter(|r| filter.status.is_empty() || filter.status.contains(&r.status))
                .filter(|r| filter.changed_before.is_none_or(|before| r.changed_at < before));
            Ok(wanted.take(limit).cloned().collect())
        })
    }

    fn journal(&self, id: RunId) -> Stored<'_, Vec<Vec<u8>>> {
        self.read(|s| {
            let run = s.runs.get(&id).ok_or(StoreError::NotFound)?;
            Ok(run.journal.iter().map(|e| e.to_vec()).collect())
        })
    }

    fn commit(&self, commit: RunCommit) -> Stored<'_, ()> {
        let done = self.inner().commit(self.epoch, commit);
        Box::pin(std::future::ready(done))
    }

    fn pendings(&self, run: RunId) -> Stored<'_, Vec<Pending>> {
        self.read(|s| {
            let mine = s.runs.pendings.iter().filter(|p| p.run == run);
            Ok(mine.map(|p| (**p).clone()).collect())
        })
    }

    fn pending(&self, id: PendingId) -> Stored<'_, Option<Pending>> {
        self.read(|s| Ok(s.runs.pending(&id).map(|p| (**p).clone())))
    }

    fn open_pendings(&self) -> Stored<'_, Vec<Pending>> {
        self.read(|s| {
            let open = s.runs.pendings.iter().filter(|p| p.decision.is_none());
            Ok(open.map(|p| (**p).clone()).collect())
        })
    }

    fn overdue_pendings(&self, at: UnixMillis) -> Stored<'_, Vec<Pending>> {
        self.read(|s| {
            let open = s.runs.pendings.iter().filter(|p| p.decision.is_none());
            Ok(open.filter(|p| p.expires_at <= at).map(|p| (**p).clone()).collect())
        })
    }

    fn decide(&self, id: PendingId, decision: Decision) -> Stored<'_, Decided> {
        self.write(|s| Arc::make_mut(&mut s.runs).decide(&id, decision))
    }

    fn sweep(&self, ended_before: UnixMillis) -> Stored<'_, u64> {
        self.write(|s| Ok(Arc::make_mut(&mut s.runs).sweep(ended_before)))
    }
}

impl BlobStore for MemoryStore {
    fn put_blob(&self, bytes: Vec<u8>) -> Stored<'_, Digest> {
        self.write_soft(|s| Ok(Arc::make_mut(&mut s.runs).put(bytes)))
    }

    fn has_blob(&self, digest: Digest) -> Stored<'_, bool> {
        self.read(|s| Ok(s.runs.blobs.contains_key(&digest)))
    }

    fn blob(&self, digest: Digest) -> Stored<'_, Option<Vec<u8>>> {
        self.read(|s| Ok(s.runs.blobs.get(&digest).map(|b| b.to_vec())))
    }
}
