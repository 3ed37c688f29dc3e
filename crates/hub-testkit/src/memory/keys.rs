//! Client keys and the hub's own keys.

use super::MemoryStore;
use hub_core::digest::Digest;
use hub_core::id::KeyId;
use hub_core::owner::ClientKey;
use hub_core::ports::{KeyStore, StoreError, Stored};
use hub_core::time::UnixMillis;
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Clone, Default)]
pub(super) struct Keys {
    keys: Vec<(ClientKey, Digest)>,
    own: BTreeMap<String, [u8; 32]>,
}

impl KeyStore for MemoryStore {
    fn put_key(&self, key: ClientKey, token: Digest) -> Stored<'_, ()> {
        self.write(|s| {
            let keys = &mut Arc::make_mut(&mut s.keys).keys;
            if keys.iter().any(|(k, t)| *t == token && k.id != key.id) {
                return Err(StoreError::Conflict("another key has this token".to_owned()));
            }
            match keys.iter_mut().find(|(k, _)| k.id == key.id) {
                Some(slot) => *slot = (key, token),
                None => keys.push((key, token)),
            }
            Ok(())
        })
    }

    fn key_by_token(&self, token: Digest) -> Stored<'_, Option<ClientKey>> {
        self.read(|s| {
            let found = s.keys.keys.iter().find(|(k, t)| *t == token && k.revoked_at.is_none());
            Ok(found.map(|(k, _)| k.clone()))
        })
    }

    fn keys(&self) -> Stored<'_, Vec<ClientKey>> {
        self.read(|s| Ok(s.keys.keys.iter().rev().map(|(k, _)| k.clone()).collect()))
    }

    fn revoke_key(&self, id: KeyId, at: UnixMillis) -> Stored<'_, ()> {
        self.write(|s| {
            let keys = &mut Arc::make_mut(&mut s.keys).keys;
            let (key, _) = keys.iter_mut().find(|(k, _)| k.id == id).ok_or(StoreError::NotFound)?;
            key.revoked_at.get_or_insert(at);
            Ok(())
        })
    }

    fn hub_key(&self, name: String, fresh: [u8; 32]) -> Stored<'_, [u8; 32]> {
        self.write(|s| Ok(*Arc::make_mut(&mut s.keys).own.entry(name).or_insert(fresh)))
    }
}
