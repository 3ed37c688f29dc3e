//! Tool definitions, read from the store when a call needs one and kept for a while.

use hub_core::catalog::ToolDef;
use hub_core::digest::Digest;
use hub_core::id::SourceId;
use hub_core::ports::{Store, StoreError};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Definitions kept in memory at most.
const KEPT: usize = 512;

/// Definitions by their digest. Written and read by whoever judges a call; entries never change,
/// so that a stale one cannot be served under a new digest.
#[derive(Default)]
pub(crate) struct Tools(Mutex<HashMap<Digest, Arc<ToolDef>>>);

impl Tools {
    /// The definition of the tool `raw` of `source` whose digest the catalogue holds.
    pub(crate) async fn definition(
        &self,
        store: &dyn Store,
        source: &SourceId,
        raw: &str,
        digest: Digest,
    ) -> Result<Option<Arc<ToolDef>>, StoreError> {
        if let Some(found) = self.kept(digest) {
            return Ok(Some(found));
        }
        let Some(read) = store.tool(source.clone(), raw.to_owned()).await? else {
            return Ok(None);
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(digest, read.clone());
        Ok(Some(read))
    }

    fn kept(&self, digest: Digest) -> Option<Arc<ToolDef>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&digest).cloned()
    }
}
