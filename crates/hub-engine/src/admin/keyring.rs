//! Keys that opened something lately, so that a request costs no look into the store.

use hub_core::digest::Digest;
use hub_core::owner::ClientKey;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keys that are remembered.
const KEPT: usize = 64;

/// By the digest of their tokens. Every request reads and fills it; a revocation empties it.
#[derive(Default)]
pub(crate) struct Keyring(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    keys: HashMap<Digest, ClientKey>,
    /// Raised with every change: what was read before it is not kept after it.
    round: u64,
    /// Changes on their way to the store. One that is given up never ends, and nothing is
    /// remembered from then on: it may have been written, and nobody knows when.
    changing: u32,
}

/// When a look into the store began.
#[derive(Clone, Copy)]
pub(crate) struct Round(u64);

impl Keyring {
    /// The key, or leave to look for it.
    pub(crate) fn get(&self, token: Digest) -> Result<ClientKey, Round> {
        let kept = self.lock();
        kept.keys.get(&token).cloned().ok_or(Round(kept.round))
    }

    /// Remembers what a look found, unless a key was changed since it began.
    pub(crate) fn keep(&self, round: Round, token: Digest, key: &ClientKey) {
        let mut kept = self.lock();
        if kept.changing > 0 || kept.round != round.0 {
            return;
        }
        if kept.keys.len() >= KEPT {
            kept.keys.clear();
        }
        kept.keys.insert(token, key.clone());
    }

    /// A key is about to change in the store.
    pub(crate) fn begin_change(&self) {
        let mut kept = self.lock();
        kept.changing += 1;
        kept.round += 1;
        kept.keys.clear();
    }

    /// The change is written.
    pub(crate) fn end_change(&self) {
        let mut kept = self.lock();
        kept.changing = kept.changing.saturating_sub(1);
        kept.round += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_core::id::{KeyId, PrincipalId};
    use hub_core::owner::ElicitationMode;
    use hub_core::time::UnixMillis;

    const TOKEN: Digest = Digest([7; 32]);

    fn key() -> ClientKey {
        ClientKey {
            id: KeyId::new("k"),
            principal: PrincipalId::new("local"),
            client: "c".into(),
            mode: ElicitationMode::Auto,
            dedupe: true,
            created_at: UnixMillis(0),
            revoked_at: None,
        }
    }

    fn look(ring: &Keyring) -> Round {
        ring.get(TOKEN).map(drop).expect_err("nothing is remembered")
    }

    #[test]
    fn a_look_that_a_change_overtook_is_not_remembered() {
        let ring = Keyring::default();
        // Whenever the look began, and whenever it comes back.
        for (began, back) in [(0, 1), (0, 2), (1, 1), (1, 2), (0, 0)] {
            let mut round = None;
            for step in 0..=2 {
                if began == step {
                    round = Some(look(&ring));
                }
                if back == step
                    && let Some(round) = round
                {
                    ring.keep(round, TOKEN, &key());
                }
                match step {
                    0 => ring.begin_change(),
                    1 => ring.end_change(),
                    _ => {}
                }
            }
            look(&ring);
        }
        let round = look(&ring);
        ring.keep(round, TOKEN, &key());
        assert!(ring.get(TOKEN).is_ok());
    }

    #[test]
    fn a_change_that_was_given_up_ends_all_remembering() {
        let ring = Keyring::default();
        ring.begin_change();
        let round = look(&ring);
        ring.keep(round, TOKEN, &key());
        look(&ring);
    }

    #[test]
    fn it_is_bounded() {
        let ring = Keyring::default();
        for n in 0..200 {
            let Err(round) = ring.get(Digest([n; 32])) else { continue };
            ring.keep(round, Digest([n; 32]), &key());
            assert!(ring.lock().keys.len() <= KEPT);
        }
    }
}
