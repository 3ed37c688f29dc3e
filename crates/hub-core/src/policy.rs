//! Policy: which calls go, which ask, which never go.
//!
//! The words stand here, the decision in [`judge()`]. To add a kind of condition: a variant of
//! [`ArgumentTest`], its reading in `condition`, its words in `words`, and its column in the
//! oracle of the tests.

mod check;
mod condition;
mod judge;
mod outdone;
mod pattern;
mod words;

pub use check::{BadRule, check, condition as check_condition};
pub(crate) use condition::plain_url_host;
pub use judge::{Call, Judgement, is_about, is_asleep, judge, verdict, would_hold};
pub use outdone::outdone;
pub use words::{conditions, explain};

use crate::id::{KeyId, RuleId};
use crate::time::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Send it.
    Allow,
    /// A person decides.
    Ask,
    /// A person decides, on the page or a terminal, this call only.
    Confirm,
    /// Never.
    Deny,
}

/// Who wrote a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RuleOrigin {
    /// `apply`, from a file.
    File,
    /// A person, by command, page or "always".
    Person,
    /// The organisation.
    Organisation,
}

/// A condition on the arguments, by JSON pointer (RFC 6901). An absent value never matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentCondition {
    /// Where to look.
    pub pointer: String,
    /// What must hold.
    #[serde(flatten)]
    pub test: ArgumentTest,
}

impl ArgumentCondition {
    /// Whether it surely holds, in every reading of the arguments.
    pub fn holds(&self, arguments: &Value) -> bool {
        condition::holds(self, arguments) == condition::Holds::Yes
    }
}

/// What must hold of an argument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentTest {
    /// The same JSON value.
    Equals(Value),
    /// One of these JSON values.
    OneOf(Vec<Value>),
    /// A number from `min` to `max`, each inclusive where given.
    Range {
        /// Lower bound.
        min: Option<f64>,
        /// Upper bound.
        max: Option<f64>,
    },
    /// A path at or below this one, normalised, without `..`.
    PathUnder(String),
    /// A URL of exactly this host.
    UrlHost(String),
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rule {
    /// Its identifier.
    pub id: RuleId,
    /// Pattern over addresses: `*` stands for one whole segment, a trailing `**` for any rest.
    pub pattern: String,
    /// Only for this connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<String>,
    /// Only for these arguments: all must hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentCondition>,
    /// Only for this client's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<KeyId>,
    /// What it decides.
    pub decision: Verdict,
    /// Why, in the author's words.
    #[serde(default)]
    pub note: String,
    /// Who wrote it.
    pub origin: RuleOrigin,
    /// Written by "always": holds only for this tool definition and source (a scope digest).
    /// Where they changed, the rule is asleep.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound_to: Option<crate::digest::Digest>,
    /// When it was written.
    pub created_at: UnixMillis,
}

/// One change of the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleChange {
    /// Version after it.
    pub version: u64,
    /// What was put.
    pub put: Vec<Rule>,
    /// What was removed.
    pub removed: Vec<Rule>,
    /// Who.
    pub who: String,
    /// When.
    pub at: UnixMillis,
}
