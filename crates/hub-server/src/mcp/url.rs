//! What may be chosen at the endpoint's URL. A URL only ever narrows what the key allows.

use crate::error::{ApiError, ErrorKind};
use hub_core::owner::{ElicitationMode, Owner};
use serde::{Deserialize, Serialize};

/// The choices a URL (or a pipe's first line) makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UrlChoice {
    /// `elicitation_mode=browser`: the person is asked on the hub's page, whatever the client
    /// can show.
    pub browser: bool,
    /// `text=summary`: the line of text leaves the result out, because the client is known to
    /// hand structured content to its model.
    pub summary: bool,
}

impl UrlChoice {
    /// Reads a query string. Parameters that are not ours are left alone.
    pub fn parse(query: Option<&str>) -> Result<Self, ApiError> {
        let mut choice = Self::default();
        for pair in query.unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (name, value) {
                ("elicitation_mode", "browser") => choice.browser = true,
                ("elicitation_mode", _) => {
                    return Err(refuse("elicitation_mode at the URL can only be browser")
                        .hint("Any other mode belongs to the key; the person sets it."));
                }
                ("text", "summary") => choice.summary = true,
                ("text", "" | "full") => {}
                ("text", _) => return Err(refuse("text at the URL is summary or full")),
                ("profile", Owner::DEFAULT_PROFILE) => {}
                ("profile", _) => {
                    return Err(ApiError::new(ErrorKind::NotFound, "no such profile")
                        .hint("Leave the profile out of the URL."));
                }
                _ => {}
            }
        }
        Ok(choice)
    }

    /// The mode that holds for a key of mode `key`.
    pub(crate) fn mode(self, key: ElicitationMode) -> ElicitationMode {
        if self.browser { ElicitationMode::Browser } else { key }
    }
}

fn refuse(message: &str) -> ApiError {
    ApiError::new(ErrorKind::Invalid, message)
}
