//! Search: an index per source, ranked by BM25F.

/// One source's part of the index. Immutable.
#[derive(Debug, Default)]
pub struct Segment;
