//! Search: an index that is updated by source, ranked by BM25F (SPEC 2.1).
//!
//! May change here: how text is cut into words, what weighs how much, what words mean the same.
//! Every such change is measured with `cargo xtask rank` and written to `docs/ranking.md`.
//! May not change: the order is total and depends on the catalogue and the query alone.

mod gather;
mod hits;
mod index;
mod question;
mod segment;
mod sentence;
mod synonyms;
#[cfg(test)]
mod tests;
mod text;
mod weights;
pub mod words;

pub use hits::{Found, Hit, search, search_with};
pub use index::Index;
pub(crate) use index::Part;
pub use segment::{Segment, ToolDoc};
pub use sentence::first_sentence;
pub use text::text;
pub use weights::Weights;

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// In the words of who asks. Empty lists the namespace's tools by name.
    pub text: &'a str,
    /// Only tools of this namespace.
    pub namespace: Option<&'a str>,
    /// At most so many hits.
    pub limit: usize,
    /// So many hits are passed over first.
    pub offset: usize,
}
