//! Client keys and the hub's own keys.

use super::ok;
use crate::fixtures::{T0, key};
use hub_core::digest::Digest;
use hub_core::id::KeyId;
use hub_core::owner::ElicitationMode;
use hub_core::ports::{Store, StoreError};
use std::sync::Arc;

pub(super) async fn a_token_opens_until_revoked(store: Arc<dyn Store>) {
    let token = |text: &str| Digest::of(text.as_bytes());
    ok!(store.put_key(key("a"), token("1")));
    ok!(store.put_key(key("b"), token("2")));
    assert_eq!(ok!(store.key_by_token(token("1"))), Some(key("a")));
    assert_eq!(ok!(store.key_by_token(token("3"))), None);
    let clash = store.put_key(key("c"), token("2")).await;
    assert!(matches!(clash, Err(StoreError::Conflict(_))), "{clash:?}");
    let mut changed = key("a");
    changed.mode = ElicitationMode::Browser;
    ok!(store.put_key(changed.clone(), token("4")));
    assert_eq!(ok!(store.key_by_token(token("1"))), None);
    assert_eq!(ok!(store.key_by_token(token("4"))), Some(changed.clone()));
    assert_eq!(ok!(store.keys()), [key("b"), changed.clone()]);
    ok!(store.revoke_key(changed.id.clone(), T0.plus(5)));
    ok!(store.revoke_key(changed.id.clone(), T0.plus(6)));
    assert_eq!(ok!(store.key_by_token(token("4"))), None);
    assert_eq!(ok!(store.keys())[1].revoked_at, Some(T0.plus(5)));
    let unknown = store.revoke_key(KeyId::new("key_none"), T0).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

pub(super) async fn the_hubs_own_keys_are_made_once(store: Arc<dyn Store>) {
    assert_eq!(ok!(store.hub_key("seal".to_owned(), [1; 32])), [1; 32]);
    assert_eq!(ok!(store.hub_key("seal".to_owned(), [2; 32])), [1; 32]);
    assert_eq!(ok!(store.hub_key("other".to_owned(), [2; 32])), [2; 32]);
}
