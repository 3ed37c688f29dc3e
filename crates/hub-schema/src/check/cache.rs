//! The validators used last.

use super::Compiled;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};

/// Validators that are kept.
pub const KEPT: usize = 256;

/// By schema. Compilation happens outside of the lock.
#[derive(Default)]
pub struct Cache {
    keys: (RandomState, RandomState),
    kept: Mutex<Kept>,
}

/// Stands for a schema within this process: two hashes under keys that no source can know, so
/// that no source can make its schema pass for another. Far quicker than a digest, and a check
/// is made with every call.
type Key = (u64, u64);

#[derive(Default)]
struct Kept {
    by_schema: HashMap<Key, (u64, Arc<Compiled>)>,
    uses: u64,
}

impl Cache {
    pub fn get(&self, schema: &Value, compile: impl FnOnce() -> Compiled) -> Arc<Compiled> {
        let key = self.key(schema);
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

    fn known(&self, key: &Key) -> Option<Arc<Compiled>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.uses += 1;
        let now = kept.uses;
        let (used, compiled) = kept.by_schema.get_mut(key)?;
        *used = now;
        Some(compiled.clone())
    }

    fn key(&self, schema: &Value) -> Key {
        let mut both = (self.keys.0.build_hasher(), self.keys.1.build_hasher());
        write(schema, &mut |bytes| {
            both.0.write(bytes);
            both.1.write(bytes);
        });
        (both.0.finish(), both.1.finish())
    }
}

/// Hands `value` on in pieces that no other value has. Schemas are parsed text, whose depth the
/// parser bounds.
fn write(value: &Value, to: &mut impl FnMut(&[u8])) {
    let mut sized = |tag: u8, len: usize| {
        let len = (len as u64).to_le_bytes();
        to(&[tag, len[0], len[1], len[2], len[3], len[4], len[5], len[6], len[7]]);
    };
    match value {
        Value::Null => to(&[0]),
        Value::Bool(is) => to(&[1, u8::from(*is)]),
        Value::Number(number) => {
            let text = number.to_string();
            sized(2, text.len());
            to(text.as_bytes());
        }
        Value::String(text) => {
            sized(3, text.len());
            to(text.as_bytes());
        }
        Value::Array(parts) => {
            sized(4, parts.len());
            parts.iter().for_each(|part| write(part, to));
        }
        Value::Object(map) => {
            sized(5, map.len());
            for (name, part) in map {
                to(&(name.len() as u64).to_le_bytes());
                to(name.as_bytes());
                write(part, to);
            }
        }
    }
}
