//! Identifiers: short, prefixed, unguessable where they name something that belongs to somebody.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Crockford's base 32 in lower case: no letter that reads like another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

fn encode(random: [u8; 16]) -> String {
    let mut bits = u128::from_be_bytes(random);
    let mut out = [b'0'; 26];
    for slot in out.iter_mut().rev() {
        *slot = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    out.iter().map(|&b| b as char).collect()
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// What every fresh identifier of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A fresh identifier from 128 random bits.
            pub fn fresh(random: [u8; 16]) -> Self {
                Self(format!("{}{}", $prefix, encode(random)).into())
            }

            /// An identifier read from a store or a request; compared as it is.
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(text.as_ref().into())
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One run of a program.
    RunId, "run_"
);
id!(
    /// One call that waits for a person.
    PendingId, "pend_"
);
id!(
    /// A configured origin of tools. Stays the same when the source is renamed.
    SourceId, "src_"
);
id!(
    /// A key handed to one client.
    KeyId, "key_"
);
id!(
    /// A policy rule.
    RuleId, "rule_"
);
id!(
    /// Whose hub it is: the person or service a key acts for.
    PrincipalId, "user_"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fresh_ids_are_prefixed_and_keep_all_bits() {
        assert_eq!(RunId::fresh([0; 16]).as_str(), "run_00000000000000000000000000");
        assert_eq!(RunId::fresh([255; 16]).as_str(), "run_7zzzzzzzzzzzzzzzzzzzzzzzzz");
        assert_ne!(RunId::fresh([1; 16]), RunId::fresh([2; 16]));
    }
}
