//! Sealed state that travels through clients: readable by this hub alone, and what it says is
//! what it was sealed with (SPEC §2.6). Built once, for everything that asks the person.
//!
//! AEAD (XChaCha20-Poly1305); the purpose is authenticated too, so that a state sealed for one
//! use opens nothing in another. What a state is bound to (principal, key, request, expiry) is
//! part of it, and judged by whoever opens it; whatever does not hold gets one uniform refusal.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Bytes of a nonce.
pub const NONCE: usize = 24;

/// Seals a state for a purpose (which names its version). `nonce` is fresh random.
pub fn seal<T: Serialize>(
    key: &[u8; 32],
    nonce: [u8; NONCE],
    purpose: &str,
    state: &T,
) -> Option<String> {
    let plain = serde_json::to_vec(state).ok()?;
    let cipher = XChaCha20Poly1305::new(&(*key).into());
    let payload = Payload { msg: &plain, aad: purpose.as_bytes() };
    let sealed = cipher.encrypt(&XNonce::from(nonce), payload).ok()?;
    Some(URL_SAFE_NO_PAD.encode([&nonce[..], &sealed].concat()))
}

/// Opens a state. `None` for anything that was not sealed with this key for this purpose.
pub fn open<T: DeserializeOwned>(key: &[u8; 32], purpose: &str, text: &str) -> Option<T> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (nonce, sealed) = bytes.split_at_checked(NONCE)?;
    let nonce: [u8; NONCE] = nonce.try_into().ok()?;
    let cipher = XChaCha20Poly1305::new(&(*key).into());
    let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
    let plain = cipher.decrypt(&XNonce::from(nonce), payload).ok()?;
    serde_json::from_slice(&plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn only_what_was_sealed_here_for_this_opens() {
        let (key, state) = ([7; 32], json!({ "run": "run_1", "round": 1 }));
        let opened = |key, purpose, text: &str| open::<Value>(key, purpose, text);
        let sealed = seal(&key, [1; NONCE], "form 1", &state).unwrap();
        assert_eq!(opened(&key, "form 1", &sealed), Some(state.clone()));
        assert_eq!(opened(&[8; 32], "form 1", &sealed), None);
        assert_eq!(opened(&key, "call 1", &sealed), None);
        assert!(!sealed.contains("run_1"));
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let tampered = String::from_utf8(bytes).unwrap();
            let found = opened(&key, "form 1", &tampered);
            assert!(found.is_none_or(|found| found == state), "byte {at}");
            assert_eq!(opened(&key, "form 1", &sealed[..at]), None);
        }
    }
}
