//! The validators used last.

use super::Compiled;
use hub_core::digest::Digest;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Validators that are kept.
const KEPT: usize = 256;

/// By digest of the schema. Compilation happens outside of the lock.
#[derive(Default)]
pub struct Cache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_schema: HashMap<Digest, (u64, Arc<Compiled>)>,
    uses: u64,
}

impl Cache {
    pub fn get(&self, schema: &Value, compile: impl FnOnce() -> Compiled) -> Arc<Compiled> {
        let key = Digest::of(&serde_json::to_vec(schema).unwrap_or_default());
        if let Some(known) = self.known(&key) {
            return known;
        }
        let compiled = Arc::new(compile());
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        if kept.by_schema.len() >= KEPT {
            let oldest = kept.by_schema.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                kept.by_schema.remove(&oldest);
            }
        }
        kept.by_schema.insert(key, (now, compiled.clone()));
        compiled
    }

    fn known(&self, key: &Digest) -> Option<Arc<Compiled>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        let (used, compiled) = kept.by_schema.get_mut(key)?;
        *used = now;
        Some(compiled.clone())
    }
}
