//! Sealed request state: what a form's answer must bring back, readable by this hub alone.
//!
//! AEAD (XChaCha20-Poly1305) with the hub's own key over everything the answer is bound to:
//! version, run, pendings and their digests, principal, key, request, expiry, round. Whatever
//! does not hold gets one uniform refusal.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hub_core::digest::Digest;
use hub_core::id::{PendingId, RunId};
use hub_core::owner::Owner;
use hub_core::time::UnixMillis;
use serde::{Deserialize, Serialize};

/// Version of the sealed form; part of what is authenticated.
const VERSION: &[u8] = b"request-state 1";
/// Bytes of an XChaCha20 nonce.
const NONCE: usize = 24;

/// What a request state says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RequestState {
    pub(crate) run: RunId,
    pub(crate) pendings: Vec<(PendingId, Digest)>,
    pub(crate) owner: Owner,
    /// Digest of the request that was asked: method and arguments.
    pub(crate) request: Digest,
    pub(crate) expires_at: UnixMillis,
    pub(crate) round: u32,
}

/// Seals a state. `nonce` is fresh random.
pub(crate) fn seal(key: &[u8; 32], nonce: [u8; NONCE], state: &RequestState) -> Option<String> {
    let plain = serde_json::to_vec(state).ok()?;
    let cipher = XChaCha20Poly1305::new(&(*key).into());
    let payload = Payload { msg: &plain, aad: VERSION };
    let sealed = cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
    Some(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
}

/// Opens a state. `None` for anything that this hub did not seal.
pub(crate) fn open(key: &[u8; 32], text: &str) -> Option<RequestState> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
    let nonce: [u8; NONCE] = nonce.try_into().ok()?;
    let cipher = XChaCha20Poly1305::new(&(*key).into());
    let payload = Payload { msg: sealed, aad: VERSION };
    let plain = cipher.decrypt(&XNonce::from(nonce), payload).ok()?;
    serde_json::from_slice(&plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_core::id::{KeyId, PrincipalId};

    fn state() -> RequestState {
        RequestState {
            run: RunId::new("run_1"),
            pendings: vec![(PendingId::new("pend_1"), Digest::of(b"call"))],
            owner: Owner {
                principal: PrincipalId::new("user_local"),
                key: KeyId::new("key_1"),
                profile: "default".into(),
            },
            request: Digest::of(b"request"),
            expires_at: UnixMillis(5),
            round: 1,
        }
    }

    #[test]
    fn only_what_was_sealed_here_opens() {
        let key = [7; 32];
        let sealed = seal(&key, [1; NONCE], &state()).unwrap();
        assert_eq!(open(&key, &sealed), Some(state()));
        assert_eq!(open(&[8; 32], &sealed), None);
        assert!(!sealed.contains("run_1"));
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let tampered = String::from_utf8(bytes).unwrap();
            assert!(open(&key, &tampered).is_none_or(|s| s == state()), "byte {at}");
            assert_eq!(open(&key, &sealed[..at]), None);
        }
    }
}
