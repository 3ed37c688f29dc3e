//! Levels of log messages, by name: the SDK's own type is on its way out.

use serde_json::Value;

/// From the least to the most severe.
const NAMES: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The least severe level that an agent wants to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level(usize);

impl Level {
    /// What an older agent hears that never said what it wants.
    pub const UNSAID: Self = Self(1);

    /// Reads a level; anything that serialises to its name.
    pub fn read(named: &impl serde::Serialize) -> Option<Self> {
        let name = serde_json::to_value(named).ok()?;
        let at = NAMES.iter().position(|known| Some(*known) == name.as_str())?;
        Some(Self(at))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        NAMES[self.0]
    }

    /// Whether a message (`params` of `notifications/message`) is severe enough. One of no known
    /// level is not.
    pub fn lets(self, params: &str) -> bool {
        let params: Value = serde_json::from_str(params).unwrap_or_default();
        Self::read(&params["level"]).is_some_and(|level| level.0 >= self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Level;
    use serde_json::json;

    #[test]
    fn a_level_lets_through_itself_and_what_is_worse() {
        let level = Level::read(&"warning").unwrap();
        let lets = |name: &str| level.lets(&json!({ "level": name, "data": 1 }).to_string());
        assert!(["warning", "error", "critical", "alert", "emergency"].into_iter().all(lets));
        assert!(!["debug", "info", "notice", "loud", ""].into_iter().any(lets));
        assert!(!level.lets("{}") && !level.lets("no JSON"));
        assert_eq!(Level::read(&"loud"), None);
    }
}
