//! Patterns: a linear-time engine, and sizes that a source cannot choose.

use jsonschema::{PatternOptions, Regex};
use serde_json::json;

/// Bytes that one compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;
/// Characters of one pattern.
const PATTERN_CHARS: usize = 2_000;

pub fn options() -> PatternOptions<Regex> {
    PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES)
}

/// Whether the engine can read `pattern`. It has no look-around and no back references: those
/// are what makes matching take exponential time.
pub fn is_readable(pattern: &str) -> bool {
    pattern.len() <= PATTERN_CHARS
        && jsonschema::options()
            .with_pattern_options(options())
            .offline()
            .build(&json!({ "pattern": pattern }))
            .is_ok()
}
