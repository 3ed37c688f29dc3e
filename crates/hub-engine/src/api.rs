//! What callers say to the engine and what it answers.

use hub_core::catalog::{Listing, Source, Transport};
use hub_core::connection::{Connection, Credential};
use hub_core::envelope::ExecuteEnvelope;
use hub_core::id::{PendingId, RunId};
use hub_core::owner::{ElicitationMode, Owner};
use hub_core::pending::{Decision, Pending};
use hub_core::policy::{ArgumentCondition, Rule, Verdict};
use hub_core::ports::{
    BoxFuture, Clock, Driver, Prepare, Random, Store, TokenCount, Types, Upstream,
};
use hub_core::run::RunRecord;
use hub_core::time::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Everything the engine works with.
#[derive(Clone)]
pub struct Deps {
    /// Everything durable.
    pub store: Arc<dyn Store>,
    /// The sources.
    pub upstream: Arc<dyn Upstream>,
    /// The sandbox in which programs begin.
    pub driver: Arc<dyn Driver>,
    /// Other sandboxes: runs go on in the one they began in.
    pub others: Vec<Arc<dyn Driver>>,
    /// The program reader.
    pub prepare: Arc<dyn Prepare>,
    /// Schemas.
    pub types: Arc<dyn Types>,
    /// Token counts.
    pub tokens: Arc<dyn TokenCount>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// The person's screen.
    pub screen: Arc<dyn Screen>,
}

/// The person's screen: opens the hub's own page for a run that waits.
pub trait Screen: Send + Sync {
    /// Opens the page of `run`, or the inbox where several wait. Whether a page was opened.
    fn open(&self, run: &RunId) -> bool;
}

/// What a host decides about the engine.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// Whether an effect's intent survives a power cut (`durability = "power"`, the default).
    pub survive_power_cut: bool,
    /// At most so many live runs; never above the ceiling.
    pub live_runs: usize,
    /// Calls per run; never above the ceiling.
    pub calls_per_run: u32,
    /// Active milliseconds per run; never above the ceiling.
    pub active_ms: u64,
    /// Runs of one principal that have not ended; never above the ceiling.
    pub parked_runs: usize,
    /// Bytes of one run's journal; never above the ceiling.
    pub journal_bytes: u64,
}

impl Default for EngineConfig {
    fn default() -> Self {
        use hub_core::limits as l;
        Self {
            survive_power_cut: true,
            live_runs: l::LIVE_RUNS,
            calls_per_run: l::CALLS_PER_RUN,
            active_ms: l::ACTIVE_MS,
            parked_runs: l::PARKED_RUNS,
            journal_bytes: l::JOURNAL_BYTES,
        }
    }
}

/// Who asks, as the key says, and what its client can do in this request.
#[derive(Clone)]
pub struct Caller {
    /// To whom runs belong.
    pub owner: Owner,
    /// The client's name.
    pub client: String,
    /// How its person is asked; bound to the key.
    pub mode: ElicitationMode,
    /// Whether identical programs join an earlier run.
    pub dedupe: bool,
    /// What forms the client can show in this request.
    pub forms: Forms,
}

/// What forms a client can show.
#[derive(Clone)]
pub enum Forms {
    /// None.
    None,
    /// `input_required` (MCP 2026-07-28, form elicitation declared).
    InputRequired,
    /// `elicitation/create` inside the live request (older clients).
    Live(Arc<dyn LiveForms>),
}

/// Sends `elicitation/create` to an older client.
pub trait LiveForms: Send + Sync {
    /// Shows one form; returns the `ElicitResult`, or none where the client went away.
    fn ask<'a>(&'a self, form: &'a Form) -> BoxFuture<'a, Option<Value>>;
}

/// One form: `elicitation/create` params.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// What is asked, redacted.
    pub message: String,
    /// A flat object schema.
    pub requested_schema: Value,
}

/// What `execute` was asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Execute {
    /// Run this.
    Code(String),
    /// Go on with this run (`last` for the newest of this owner).
    Resume(String),
}

/// Answers that came back with a request that was asked for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FormReply {
    /// The sealed state, as it came back.
    pub state: Option<String>,
    /// Pending id to `ElicitResult`.
    pub responses: BTreeMap<String, Value>,
}

/// How a request waits.
#[derive(Clone, Default)]
pub struct Wait {
    /// Set where the request carried a progress token: told at once, of what changes, and at
    /// least every 10 s. Without it the answer is `running` after 50 s.
    pub progress: Option<Arc<dyn Fn(RunProgress) + Send + Sync>>,
}

/// Counts and addresses only; nothing of the guest.
#[derive(Clone, Debug, PartialEq)]
pub struct RunProgress {
    /// The run.
    pub run: RunId,
    /// Calls that were answered.
    pub calls_done: u32,
    /// Calls that the program made so far.
    pub calls_made: u32,
    /// Milliseconds since the run began.
    pub elapsed_ms: u64,
    /// The call whose source spoke last, while that call is on its way.
    pub call: Option<CallProgress>,
}

/// How far one call is, as its source says. Its words stay here: only the numbers are told.
#[derive(Clone, Debug, PartialEq)]
pub struct CallProgress {
    /// Number of the call in its run.
    pub n: u32,
    /// `namespace.tool`.
    pub address: String,
    /// How far.
    pub done: f64,
    /// Of how much, where known.
    pub of: Option<f64>,
}

/// What `execute` answers.
#[derive(Clone, Debug, PartialEq)]
pub enum ExecuteAnswer {
    /// The envelope: exact JSON bytes, and the text line (with the result in it, and without).
    Envelope(Shown),
    /// The client shows forms and asks again with the answers (`input_required`).
    AskForms {
        /// Pending id to form.
        forms: BTreeMap<String, Form>,
        /// Sealed.
        state: String,
    },
}

/// An envelope as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// JSON of [`ExecuteEnvelope`].
    pub json: Arc<str>,
    /// One line of text.
    pub line: Arc<str>,
    /// `isError` of the tool result: the run failed.
    pub is_error: bool,
}

impl Shown {
    /// The envelope, parsed.
    pub fn envelope(&self) -> Option<ExecuteEnvelope> {
        serde_json::from_str(&self.json).ok()
    }
}

/// Why the engine did not do it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EngineError {
    /// The request is wrong; say so to the caller (MCP: -32602).
    #[error("{0}")]
    Invalid(String),
    /// No such thing for this caller.
    #[error("{0}")]
    NotFound(String),
    /// The name is taken, or it changed under us.
    #[error("{0}")]
    Conflict(String),
    /// Too much at once; try again.
    #[error("{0}")]
    Busy(String),
    /// A sealed state that does not hold: one uniform refusal.
    #[error("the request state does not belong to this request; start over")]
    BadState,
    /// The store refuses.
    #[error(transparent)]
    Store(#[from] hub_core::ports::StoreError),
    /// A source did not answer.
    #[error("{0}")]
    Source(String),
}

/// A source to add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewSource {
    /// Its name.
    pub name: String,
    /// How it is reached.
    pub transport: Transport,
    /// Whether its annotations are believed.
    pub trusted: bool,
    /// Read or effect per raw tool name.
    #[serde(default)]
    pub effects: BTreeMap<String, hub_core::catalog::Effect>,
    /// Milliseconds one call may take.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// Calls on their way at once.
    #[serde(default)]
    pub concurrency: Option<usize>,
    /// Whether `apply` owns it.
    #[serde(default)]
    pub from_file: bool,
}

/// A source with its state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceView {
    /// The source.
    pub source: Source,
    /// Its connections, the default first.
    pub connections: Vec<Connection>,
    /// Whether the shown tools are from an earlier answer because the source is away.
    pub stale: bool,
    /// Why it could not be read last time.
    pub problem: Option<String>,
    /// How many tools.
    pub tools: usize,
    /// Tools that could not be imported.
    pub broken: Vec<hub_core::catalog::BrokenTool>,
    /// Protocol revision, server name and version.
    pub protocol_version: String,
    /// The server's own name and version.
    pub server: String,
    /// When its tools were last read.
    pub read_at: Option<UnixMillis>,
    /// How it stands with it at this moment, in words.
    #[serde(default)]
    pub standing: Option<String>,
}

/// One tool in `source show`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolView {
    /// `namespace.tool`.
    pub address: String,
    /// The source's own name.
    pub raw: String,
    /// The one-line signature.
    pub signature: String,
    /// First sentence.
    pub summary: String,
    /// What policy says of a call with unknown arguments.
    pub verdict: Verdict,
    /// Which rule or default says so.
    pub reason: String,
    /// Read or effect.
    pub effect: hub_core::catalog::Effect,
    /// What could not be read of its schemas.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Everything about one source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceDetail {
    /// The source with its state.
    pub view: SourceView,
    /// Its tools.
    pub tools: Vec<ToolView>,
    /// What it wrote to its standard error lately.
    pub stderr: Option<String>,
}

/// A connection to add.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewConnection {
    /// The source's name.
    pub source: String,
    /// Its name.
    pub name: String,
    /// Its credentials.
    pub credentials: Vec<Credential>,
    /// Public environment values.
    #[serde(default)]
    pub plain_env: BTreeMap<String, String>,
    /// Whether it becomes the default.
    #[serde(default)]
    pub make_default: bool,
}

/// A rule to write.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewRule {
    /// Pattern over addresses.
    pub pattern: String,
    /// Only for this connection.
    #[serde(default)]
    pub connection: Option<String>,
    /// Only for these arguments.
    #[serde(default)]
    pub arguments: Vec<ArgumentCondition>,
    /// Only for this client's key (its name or id).
    #[serde(default)]
    pub client: Option<String>,
    /// What it decides.
    pub decision: Verdict,
    /// Why.
    #[serde(default)]
    pub note: String,
}

/// A rule, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleView {
    /// The rule.
    #[serde(flatten)]
    pub rule: Rule,
    /// Written by "always" for a tool or a source that changed since: it decides nothing.
    pub asleep: bool,
}

/// What policy says of a call, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// `namespace.tool`.
    pub address: String,
    /// What holds.
    pub verdict: Verdict,
    /// Which rule or default, in words.
    pub reason: String,
    /// The rule, if one decides.
    pub rule: Option<Rule>,
    /// Other rules that match, in order of precedence.
    pub others: Vec<Rule>,
    /// Rules about it that are bound to a definition or source that it no longer has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asleep: Vec<Rule>,
}

/// A rule as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListedRule {
    /// The rule.
    pub rule: Rule,
    /// Who wrote or changed it last, as far as that is still known.
    pub who: Option<String>,
    /// When.
    pub changed_at: UnixMillis,
    /// The client it holds for, by its name.
    pub client: Option<String>,
    /// Whether it sleeps, because the tool or source it was written for changed or went away.
    pub asleep: bool,
}

/// A new key with its token, shown once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssuedKey {
    /// The key.
    pub key: hub_core::owner::ClientKey,
    /// The token; only its digest is kept.
    pub token: String,
}

/// What waits for a person, with everything a channel shows. Arguments are redacted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PendingView {
    /// The pending; `arguments` holds the redacted preview.
    pub pending: Pending,
    /// What was masked or noticed, one line each.
    pub findings: Vec<String>,
    /// Whether anything is masked or cut.
    pub cut: bool,
    /// The client whose run it is.
    pub client: String,
    /// Whether "allow for this run" can be offered.
    pub offers_run: bool,
    /// Whether "always" can be offered.
    pub offers_always: bool,
    /// Milliseconds it has waited.
    pub age_ms: i64,
}

/// What a decision did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedView {
    /// It holds.
    Now,
    /// Somebody was first.
    Already(Decision),
    /// It had expired.
    Expired,
}

/// One line of a run's timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// When.
    pub at: UnixMillis,
    /// What kind, such as `intent`, `settled`, `waits`, `decided`, `halted`, `resumed`.
    pub kind: String,
    /// The address or timer.
    pub subject: String,
    /// In words, without values.
    pub text: String,
}

/// Everything about one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunDetail {
    /// The run.
    pub record: RunRecord,
    /// What happened.
    pub timeline: Vec<TimelineEntry>,
    /// What waited or waits.
    pub pendings: Vec<PendingView>,
}

/// The hub at a glance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Sources.
    pub sources: usize,
    /// Tools.
    pub tools: usize,
    /// Runs at work.
    pub live_runs: usize,
    /// Pendings undecided.
    pub waiting: usize,
    /// The sandbox in use.
    pub engine: String,
}

/// What a refresh found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refreshed {
    /// The state after it.
    pub view: SourceView,
    /// Addresses that are new.
    pub added: Vec<String>,
    /// Addresses that are gone.
    pub removed: Vec<String>,
    /// Addresses whose definition changed.
    pub changed: Vec<String>,
}

/// What a listing means for the catalogue (kept with the last good one).
pub type LastListing = (Listing, UnixMillis);

/// A decision to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Decide {
    /// On which pending.
    pub pending: PendingId,
    /// What.
    pub choice: hub_core::pending::Choice,
    /// Through what.
    pub channel: hub_core::pending::Channel,
    /// Who, for people to read.
    pub by: String,
    /// For "always": narrow the rule to these arguments.
    pub narrow: Vec<ArgumentCondition>,
}
