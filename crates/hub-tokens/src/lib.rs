//! Token counts (o200k_base). Owns the tokenizer: loaded at the first count, dropped when idle.
//!
//! The tables weigh some 50 MB and take a good tenth of a second to build, so a hub at rest must
//! not hold them and no path may build them per count.

mod idle;

pub use idle::Tokens;

/// Bytes that are really counted; what lies beyond is estimated at the rate of what was counted.
pub const COUNTED_BYTES: usize = 256 << 10;
/// Bytes without any break that the tokenizer is given at once. Its cost grows faster than
/// linearly with the length of one unbroken piece, and a source chooses what it sends.
pub const UNBROKEN_BYTES: usize = 2 << 10;

#[cfg(test)]
mod tests;
