//! Keys: one per client, so that each is a principal of its own.

use crate::api::{EngineError, IssuedKey};
use crate::engine::Engine;
use hub_core::digest::Digest;
use hub_core::id::{KeyId, PrincipalId};
use hub_core::owner::{ClientKey, ElicitationMode, Owner};

/// What every token begins with, so that scanners and people know it.
const TOKEN_PREFIX: &str = "hub_";

impl Engine {
    /// Makes a key for a client. The token is shown once; only its digest is kept.
    pub async fn issue_key(
        &self,
        client: &str,
        mode: ElicitationMode,
        dedupe: bool,
    ) -> Result<IssuedKey, EngineError> {
        if client.trim().is_empty() || client.chars().any(char::is_control) {
            return Err(EngineError::Invalid("a client needs a name".into()));
        }
        let mut bits = [0; 32];
        self.inner.deps.random.fill(&mut bits);
        let token = format!("{TOKEN_PREFIX}{}", Digest(bits));
        let key = ClientKey {
            id: KeyId::fresh(self.bits()),
            principal: PrincipalId::new(Owner::LOCAL_PRINCIPAL),
            client: client.to_owned(),
            mode,
            dedupe,
            created_at: self.now(),
            revoked_at: None,
        };
        self.inner.deps.store.put_key(key.clone(), Digest::of(token.as_bytes())).await?;
        Ok(IssuedKey { key, token })
    }

    /// The key behind a token, unless revoked.
    pub async fn authenticate(&self, token: &str) -> Result<Option<ClientKey>, EngineError> {
        let token = Digest::of(token.as_bytes());
        let round = match self.inner.keyring.get(token) {
            Ok(key) => return Ok(Some(key)),
            Err(round) => round,
        };
        let found = self.inner.deps.store.key_by_token(token).await?;
        if let Some(key) = &found {
            self.inner.keyring.keep(round, token, key);
        }
        Ok(found)
    }

    /// All keys, newest first.
    pub async fn keys(&self) -> Result<Vec<ClientKey>, EngineError> {
        Ok(self.inner.deps.store.keys().await?)
    }

    /// Revokes a key by its identifier, or every key of a client by the client's name.
    pub async fn revoke_key(&self, key: &str) -> Result<(), EngineError> {
        let keys = self.keys().await?;
        let meant = keys.iter().filter(|k| k.revoked_at.is_none());
        let meant: Vec<&ClientKey> =
            meant.filter(|k| k.id.as_str() == key || k.client == key).collect();
        if meant.is_empty() {
            return Err(EngineError::NotFound(format!("there is no key or client {key}")));
        }
        for found in meant {
            self.inner.keyring.begin_change();
            self.inner.deps.store.revoke_key(found.id.clone(), self.now()).await?;
            self.inner.keyring.end_change();
        }
        Ok(())
    }

    /// The key of that identifier or client name.
    pub(crate) async fn find_key(&self, key: &str) -> Result<KeyId, EngineError> {
        let keys = self.keys().await?;
        let found = keys.iter().filter(|k| k.revoked_at.is_none());
        let found = found.into_iter().find(|k| k.id.as_str() == key || k.client == key);
        let missing = || EngineError::NotFound(format!("there is no key or client {key}"));
        found.map(|k| k.id.clone()).ok_or_else(missing)
    }
}
