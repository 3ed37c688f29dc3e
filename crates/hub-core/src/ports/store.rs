//! The port to everything durable.
//!
//! One owner per store: opening it takes a lock for life and raises the epoch; every write
//! carries the epoch and is refused once another owner has taken over.
//!
//! To add a store: implement these traits and run the conformance suite of `hub-testkit`.

use super::BoxFuture;
use crate::catalog::{Listing, Source};
use crate::connection::Connection;
use crate::digest::Digest;
use crate::envelope::Status;
use crate::id::{KeyId, PendingId, RuleId, RunId, SourceId};
use crate::owner::{ClientKey, Owner};
use crate::pending::{Decision, Pending};
use crate::policy::{Rule, RuleChange};
use crate::run::{Blob, RunRecord};
use crate::time::UnixMillis;

/// Everything durable.
pub trait Store: SourceStore + PolicyStore + KeyStore + RunStore + BlobStore {}
impl<T: SourceStore + PolicyStore + KeyStore + RunStore + BlobStore> Store for T {}

/// What a store answers.
pub type Stored<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// Why the store did not do it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// A guard of a send no longer holds; nothing was written. Judge again.
    #[error("what allowed the call has changed")]
    GuardFailed,
    /// Another process owns the store now; nothing was written.
    #[error("another hub has taken over this store; stop this one")]
    Lost,
    /// No such thing.
    #[error("not found")]
    NotFound,
    /// The name is taken.
    #[error("{0}")]
    Conflict(String),
    /// No room on the disk, or in the bytes that all journals may have; nothing was written.
    #[error("the disk or the hub's journals are full; free some space, nothing was lost")]
    Full,
    /// Anything else; whether it was written is not known.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// Sources, their last good catalogue, their connections.
pub trait SourceStore: Send + Sync {
    /// All sources, by name.
    fn sources(&self) -> Stored<'_, Vec<Source>>;
    /// Adds or replaces a source. Two sources never share a name or a namespace.
    fn put_source(&self, source: Source) -> Stored<'_, ()>;
    /// Removes a source with its catalogue and connections.
    fn remove_source(&self, id: SourceId) -> Stored<'_, ()>;
    /// Keeps a listing as the last good one, with the names given to its tools (raw name to
    /// name in code, in order). Names of tools that went away are kept.
    fn put_listing(
        &self,
        source: SourceId,
        listing: Listing,
        names: Vec<(String, String)>,
        at: UnixMillis,
    ) -> Stored<'_, ()>;
    /// The last good listing and when it was read.
    fn listing(&self, source: SourceId) -> Stored<'_, Option<(Listing, UnixMillis)>>;
    /// All names ever given to tools of the source, in the order they were given.
    fn tool_names(&self, source: SourceId) -> Stored<'_, Vec<(String, String)>>;
    /// One tool's definition from the last good listing, by raw name.
    fn tool(
        &self,
        source: SourceId,
        raw: String,
    ) -> Stored<'_, Option<std::sync::Arc<crate::catalog::ToolDef>>>;
    /// Connections of one source, the default first, then by name.
    fn connections(&self, source: SourceId) -> Stored<'_, Vec<Connection>>;
    /// Adds or replaces a connection. The first one of a source becomes its default; setting
    /// `is_default` takes it from the others, and nothing else does.
    fn put_connection(&self, connection: Connection) -> Stored<'_, ()>;
    /// Removes a connection. No other becomes the default.
    fn remove_connection(&self, source: SourceId, name: String) -> Stored<'_, ()>;
    /// Raised with every change of sources or connections (putting what is there already is
    /// none). Guards sends.
    fn sources_version(&self) -> Stored<'_, u64>;
}

/// Policy rules, versioned.
pub trait PolicyStore: Send + Sync {
    /// The rules and their version. The version is raised with every change and guards sends.
    fn rules(&self) -> Stored<'_, (u64, Vec<Rule>)>;
    /// Adds or replaces rules and removes others, in one step.
    fn change_rules(
        &self,
        put: Vec<Rule>,
        remove: Vec<RuleId>,
        who: String,
        at: UnixMillis,
    ) -> Stored<'_, u64>;
    /// Who changed what when, newest first.
    fn rule_history(&self, limit: usize) -> Stored<'_, Vec<RuleChange>>;
}

/// Client keys and the hub's own secrets.
pub trait KeyStore: Send + Sync {
    /// Keeps a key; only the digest of its token is stored.
    fn put_key(&self, key: ClientKey, token: Digest) -> Stored<'_, ()>;
    /// The key whose token has this digest, unless revoked.
    fn key_by_token(&self, token: Digest) -> Stored<'_, Option<ClientKey>>;
    /// All keys, newest first.
    fn keys(&self) -> Stored<'_, Vec<ClientKey>>;
    /// Revokes a key.
    fn revoke_key(&self, id: KeyId, at: UnixMillis) -> Stored<'_, ()>;
    /// The hub's own key of that name; `fresh` is kept where there is none yet.
    fn hub_key(&self, name: String, fresh: [u8; 32]) -> Stored<'_, [u8; 32]>;
}

/// Runs, their journals, what waits.
pub trait RunStore: Send + Sync {
    /// Adds a run under a fresh identifier, or finds the earlier one that it joins, in one step.
    /// One that has not ended may be gone with the process until its first step is written, or
    /// [`RunStore::keep_run`] was called; a power cut may undo it until the next durable step of
    /// any run.
    fn open_run(&self, run: NewRun) -> Stored<'_, Opened>;
    /// From here on the run outlives the process: its client may be told of it.
    fn keep_run(&self, id: RunId) -> Stored<'_, ()>;
    /// One run.
    fn run(&self, id: RunId) -> Stored<'_, Option<RunRecord>>;
    /// Runs, newest first.
    fn runs(&self, filter: RunFilter) -> Stored<'_, Vec<RunRecord>>;
    /// The journal's entries in order.
    fn journal(&self, id: RunId) -> Stored<'_, Vec<Vec<u8>>>;
    /// Writes one step of a run, all or nothing.
    fn commit(&self, commit: RunCommit) -> Stored<'_, ()>;
    /// Pendings of one run, in the order they began to wait.
    fn pendings(&self, run: RunId) -> Stored<'_, Vec<Pending>>;
    /// One pending.
    fn pending(&self, id: PendingId) -> Stored<'_, Option<Pending>>;
    /// Everything undecided, oldest first.
    fn open_pendings(&self) -> Stored<'_, Vec<Pending>>;
    /// Everything undecided whose time was over at `at`, oldest first.
    fn overdue_pendings(&self, at: UnixMillis) -> Stored<'_, Vec<Pending>>;
    /// Decides a pending, once. The same or another decision later changes nothing and returns
    /// the first one. A decision at or after `expires_at` changes nothing, except
    /// one by which the hub closes it ([`crate::pending::Choice::closes`]).
    fn decide(&self, id: PendingId, decision: Decision) -> Stored<'_, Decided>;
    /// Removes ended runs changed before `ended_before`, with everything that is theirs, and
    /// blobs that no run needs. Returns how many runs went.
    fn sweep(&self, ended_before: UnixMillis) -> Stored<'_, u64>;
}

/// Content-addressed blobs.
pub trait BlobStore: Send + Sync {
    /// Keeps a blob; returns its digest. Blobs no run needs go with the next sweep.
    fn put_blob(&self, bytes: Vec<u8>) -> Stored<'_, Digest>;
    /// Whether there is a blob of that digest.
    fn has_blob(&self, digest: Digest) -> Stored<'_, bool>;
    /// A blob.
    fn blob(&self, digest: Digest) -> Stored<'_, Option<Vec<u8>>>;
}

/// A run to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// The run as it begins.
    pub record: RunRecord,
    /// Blobs it is pinned to.
    pub blobs: Vec<Blob>,
    /// Whether it may join an earlier run, and which (see [`Attach`]).
    pub attach: Option<Attach>,
    /// Runs of its principal that have not ended at which it is not added; none for no bound.
    pub at_most: Option<usize>,
}

/// When a new run joins an earlier one of the same owner with the same code digest: the earlier
/// one is parked, interrupted, or at work and not in `attended`; or it ended after `ended_after`
/// having sent an effect, and no run of the same key was added since.
#[derive(Clone, Debug, PartialEq)]
pub struct Attach {
    /// Runs that end before this do not count.
    pub ended_after: UnixMillis,
    /// Live runs with a request waiting on them.
    pub attended: Vec<RunId>,
    /// Whether ended runs may be joined at all: the client sent no other request since its last
    /// run ended.
    pub ended_counts: bool,
}

/// What became of a [`NewRun`].
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// It was added.
    Created,
    /// It joins this earlier run; nothing was added.
    Joins(RunId),
    /// As many runs of its principal as may be have not ended; nothing was added.
    TooMany,
}

/// Which runs to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFilter {
    /// Of this owner.
    pub owner: Option<Owner>,
    /// In one of these states; empty for all.
    pub status: Vec<Status>,
    /// Whose status changed before this.
    pub changed_before: Option<UnixMillis>,
    /// At most so many; 0 for all.
    pub limit: usize,
}

/// One step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunCommit {
    /// The run.
    pub run: RunId,
    /// How many journal entries stand before this step; another number means [`StoreError::Lost`].
    pub after: u64,
    /// Journal entries to append.
    pub events: Vec<Vec<u8>>,
    /// Pendings that begin to wait.
    pub waits: Vec<Pending>,
    /// Pendings withdrawn: decided as expired by the hub where still open.
    pub withdraw: Vec<(PendingId, Decision)>,
    /// What must still hold for the sends in `events`; see [`StoreError::GuardFailed`].
    pub guards: Vec<SendGuard>,
    /// Effects among the intents in `events`.
    pub effects: u32,
    /// New state, where it changes.
    pub state: Option<RunState>,
    /// Whether it must survive a power cut before this returns.
    pub durable: bool,
}

/// The state part of a [`RunCommit`].
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// Where the run stands.
    pub status: Status,
    /// The envelope to show, exact bytes, and its text line; kept as they were where none.
    pub envelope: Option<(String, String)>,
    /// When.
    pub at: UnixMillis,
}

/// What must still hold when an intent is written.
#[derive(Clone, Debug, PartialEq)]
pub struct SendGuard {
    /// [`PolicyStore::rules`] version the call was judged by.
    pub rules_version: u64,
    /// [`SourceStore::sources_version`] the call was judged by.
    pub sources_version: u64,
    /// The decision that lets it go: this pending of the same run, decided to allow, for this
    /// digest; the digest of its scope where it was decided "allow for this run".
    pub decision: Option<(PendingId, Digest)>,
}

/// What became of a decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// It holds.
    Now,
    /// Somebody was first; this holds.
    Already(Decision),
    /// It had expired.
    Expired,
}
