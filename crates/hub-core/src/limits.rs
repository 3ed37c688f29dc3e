//! Every limit, once, with its unit. These are ceilings: a host may lower them, never raise.
//!
//! Each has a test at its edge and an error that says what to do next.

/// Characters of code in one `execute`.
pub const CODE_CHARS: usize = 65_536;
/// Tool calls per run.
pub const CALLS_PER_RUN: u32 = 100;
/// Calls of one run that are on their way at once; more wait in order.
pub const CALLS_IN_FLIGHT: usize = 16;
/// Milliseconds a run may be active, over all passes; waiting for a person is free.
pub const ACTIVE_MS: u64 = 5 * 60_000;
/// Milliseconds of guest CPU between two awaits.
pub const GUEST_CPU_MS: u64 = 10_000;
/// Bytes of guest heap.
pub const HEAP_BYTES: usize = 128 << 20;
/// Bytes of guest stack.
pub const STACK_BYTES: usize = 1 << 20;
/// Bytes of a result as JSON before it is cut.
pub const RESULT_BYTES: usize = 64 << 10;
/// Bytes of console output.
pub const LOG_BYTES: usize = 16 << 10;
/// Bytes of one tool's answer given to the guest.
pub const TOOL_RESULT_BYTES: usize = 8 << 20;
/// Milliseconds of one `setTimeout`.
pub const TIMEOUT_MS: u32 = 30_000;
/// Timers of one run that are armed at once.
pub const TIMERS: usize = 1_000;
/// Pendings offered to a person at once, per run.
pub const PENDINGS_OFFERED: usize = 16;
/// Milliseconds a pending lives.
pub const PENDING_LIFE_MS: i64 = 24 * 3_600_000;
/// Milliseconds an ended run is kept.
pub const ENDED_RUN_KEPT_MS: i64 = 7 * 24 * 3_600_000;
/// Targets of one `describe`.
pub const DESCRIBE_TARGETS: usize = 10;
/// Tokens (o200k) of one answer of `describe`.
pub const DESCRIBE_TOKENS: usize = 2_500;
/// Tools in one answer of `search`.
pub const SEARCH_TOOLS: usize = 10;
/// Tokens (o200k) of one answer of `search`.
pub const SEARCH_TOKENS: usize = 1_500;
/// Connections named behind a namespace in listings.
pub const CONNECTIONS_NAMED: usize = 8;
/// Runs that are live at once in one hub; parked ones do not count.
pub const LIVE_RUNS: usize = 64;
/// Parked and interrupted runs of one principal, those at work included.
pub const PARKED_RUNS: usize = 1_000;
/// Milliseconds after which a run that nobody came back for, and in which nothing waits, ends.
pub const FORGOTTEN_RUN_MS: i64 = 7 * 24 * 3_600_000;
/// Older builds of the sandbox that are open at once, for runs that began on them.
pub const OLDER_ENGINES: usize = 2;
/// Entries that one pass may add to its run's journal: answers, refusals and timers.
pub const JOURNAL_ENTRIES: usize = 20_000;
/// Bytes of one run's journal.
pub const JOURNAL_BYTES: u64 = 64 << 20;
/// Bytes of all journals of one hub.
pub const JOURNALS_BYTES: u64 = 2 << 30;
/// `hub.search` and `hub.describe` calls per run, together.
pub const LOOKUPS_PER_RUN: u32 = 100;
/// Levels of JSON given to the guest.
pub const JSON_DEPTH_IN: usize = 128;
/// Levels of JSON taken from the guest.
pub const JSON_DEPTH_OUT: usize = 64;
/// Calls of one session that were given up and whose late answers are still recognised.
pub const LATE_ANSWERS: usize = 64;
/// Notices of one run.
pub const NOTICES: usize = 20;
/// Characters of one notice.
pub const NOTICE_CHARS: usize = 200;
/// Milliseconds after its end during which an identical program joins a run with effects.
pub const ATTACH_AFTER_END_MS: i64 = 2 * 60_000;
/// Milliseconds after a `running` answer during which a run still sends effects.
pub const ATTENDED_AFTER_RUNNING_MS: u64 = 60_000;
/// Milliseconds after which `execute` without a progress token answers `running`.
pub const ANSWER_RUNNING_MS: u64 = 50_000;
/// Milliseconds between two progress notifications, at most.
pub const PROGRESS_EVERY_MS: u64 = 10_000;
/// What sources say about one call of the direct surface, and what waits to be told to the
/// agent: messages.
pub const TOLD_AHEAD: usize = 256;
/// Milliseconds between two progress notifications, at least.
pub const PROGRESS_GAP_MS: u64 = 1_000;
/// Milliseconds after its intent during which an idempotent call may be sent again.
pub const RESEND_IDEMPOTENT_MS: i64 = 2 * 60_000;
/// Calls that one "allow for this run" covers.
pub const GRANT_CALLS: u32 = 20;
/// Rounds of forms for one request.
pub const FORM_ROUNDS: u32 = 8;
/// Milliseconds that a sealed request state holds.
pub const REQUEST_STATE_LIFE_MS: i64 = 24 * 3_600_000;
/// Milliseconds of waiting after which the envelope says how old earlier results are.
pub const OLD_RESULTS_MS: i64 = 10 * 60_000;
/// Milliseconds one call to a source may take unless the source sets less.
pub const CALL_TIMEOUT_MS: u64 = 60_000;
/// Calls to one source that are on their way at once, over all runs.
pub const SOURCE_CONCURRENCY: usize = 16;
/// Tools of one source.
pub const TOOLS_PER_SOURCE: usize = 10_000;
/// Remarks on one tool's schemas that `source show` tells.
pub const TOOL_NOTES: usize = 10;
/// Pages of one tools/list.
pub const LIST_PAGES: usize = 1_000;
/// Bytes of one tool's definition; a larger one is listed as broken.
pub const TOOL_DEFINITION_BYTES: usize = 1 << 20;
/// Bytes of a server's standard error that are kept.
pub const STDERR_KEPT_BYTES: usize = 64 << 10;
/// Bytes of one request to the hub.
pub const REQUEST_BYTES: usize = 4 << 20;
/// Messages in one JSON-RPC batch (MCP 2025-03-26).
pub const BATCH_MESSAGES: usize = 50;
/// Sessions of older MCP clients that are open at once.
pub const SESSIONS: usize = 1_000;
/// Milliseconds an older client's session is kept without any message.
pub const SESSION_IDLE_MS: u64 = 4 * 3_600_000;
/// Connections of `hub stdio` pipes that are open at once.
pub const STREAM_SESSIONS: usize = 256;
/// Milliseconds a pipe may take to say its first line.
pub const HELLO_MS: u64 = 10_000;
/// Bytes of a pipe's first line.
pub const HELLO_BYTES: usize = 4 << 10;
/// Milliseconds that open answers get to finish when the hub stops.
pub const SHUTDOWN_MS: u64 = 10_000;
/// Levels of one JSON Schema that are read; what lies deeper is `unknown` and unchecked.
pub const SCHEMA_DEPTH: usize = 64;
/// Subschemas of one JSON Schema that are read; the rest is `unknown` and unchecked.
pub const SCHEMA_NODES: usize = 20_000;
/// Characters of a tool's one-line signature.
pub const SIGNATURE_CHARS: usize = 280;
/// Bytes of all tool definitions of one source.
pub const LIST_BYTES: usize = 64 << 20;
/// Requests of one source that the hub answers at once; more get no answer.
pub const SOURCE_QUESTIONS: usize = 32;
/// Bytes of one message from a source; a longer one fails the call it answers.
pub const SOURCE_MESSAGE_BYTES: usize = 16 << 20;
/// Characters of what a failed tool said.
pub const TOOL_ERROR_CHARS: usize = 16 << 10;
/// Characters of a tool's name.
pub const TOOL_NAME_CHARS: usize = 256;
/// Milliseconds a source may take to start and say hello; a first start may download it.
pub const SOURCE_START_MS: u64 = 120_000;
/// Milliseconds a source may stay silent on the modern hello before the older one is tried.
pub const SOURCE_PROBE_MS: u64 = 10_000;
/// Milliseconds after its last call at which a source's process or session is ended.
pub const SOURCE_IDLE_MS: u64 = 10 * 60_000;
/// Milliseconds between two attempts to start a source that keeps failing, at most.
pub const SOURCE_BACKOFF_MS: u64 = 60_000;
/// Milliseconds a server's question inside a live call waits for the person.
pub const LIVE_QUESTION_MS: u64 = 30 * 60_000;
/// Milliseconds over which a source's reports of a changed list count as one.
pub const LIST_CHANGED_MS: u64 = 500;
/// The same for a source that goes on reporting, at most.
pub const LIST_CHANGED_MOST_MS: u64 = 60_000;
/// Milliseconds calls to a source that asked to be left alone (`Retry-After`) are held back, at
/// most; then it is asked again.
pub const RETRY_AFTER_HELD_MS: u64 = 5 * 60_000;
/// Characters of an image, a sound or a file in an answer; longer ones are described.
pub const MEDIA_SHOWN_CHARS: usize = 256;
/// How often a read is sent again that its source refused with `Retry-After`.
pub const RETRY_AFTER_READS: usize = 3;
/// Milliseconds for which a one-time code opens the hub's pages.
pub const PAGE_CODE_MS: u64 = 60_000;
/// One-time codes that are open at once; the oldest goes.
pub const PAGE_CODES: usize = 16;
/// Milliseconds for which a browser keeps its way to the hub's pages.
pub const PAGE_SESSION_MS: u64 = 12 * 3_600_000;
/// Browsers that have a way to the hub's pages at once; the oldest loses it.
pub const PAGE_SESSIONS: usize = 32;
/// Bytes of one form sent from a page.
pub const PAGE_FORM_BYTES: usize = 64 << 10;
/// Tools of one source listed on a page; the others are found by their letters.
pub const PAGE_TOOLS: usize = 500;
/// Runs listed on a page.
pub const PAGE_RUNS: usize = 100;
/// Bytes of one credential typed on a page.
pub const SECRET_BYTES: usize = 16 << 10;
/// Milliseconds an older client may take to come back to the stream of its request.
pub const RETURN_MS: u64 = 60_000;
/// Connections to the loopbacks that are open at once; one more is closed at once.
pub const LOOPBACK_CONNECTIONS: usize = 512;
/// Processes that are remembered as clients; of more, the longest known is forgotten.
pub const CLIENT_PROCESSES: usize = 1_024;
/// Bytes of a hub's log before it is put aside; one older log is kept.
pub const LOG_FILE_BYTES: u64 = 8 << 20;
