//! Who asks, read anew from every request: the key that the middleware found, the choices at
//! the URL, and what this request says its client can show.

use crate::mcp::forms::Asks;
use crate::mcp::url::UrlChoice;
use crate::middleware::presence::Presence;
use http::request::Parts;
use hub_core::owner::{ClientKey, Owner};
use hub_engine::{Caller, Forms};
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use std::sync::Arc;

/// What stands behind a request, put there by the HTTP middleware or by the pipe's first line.
#[derive(Clone, Debug)]
pub struct Behind {
    /// The key.
    pub key: ClientKey,
    /// The choices at the URL.
    pub choice: UrlChoice,
    /// Whether the client reads an event stream; else nothing can be sent before the answer.
    pub streams: bool,
}

/// Who asks in this request.
pub struct Asking {
    behind: Behind,
    /// Cancelled once the response stream is gone.
    pub presence: Presence,
}

impl Asking {
    /// Reads a request; `pipe` is set where it came through a pipe.
    pub fn read(
        pipe: Option<&Behind>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Self, ErrorData> {
        if let Some(behind) = pipe {
            return Ok(Self::of(behind.clone()));
        }
        let parts = context.extensions.get::<Parts>();
        let behind = parts.and_then(|parts| parts.extensions.get::<Behind>());
        let presence = parts.and_then(|parts| parts.extensions.get::<Presence>());
        match behind {
            Some(behind) => {
                Ok(Self { behind: behind.clone(), presence: presence.cloned().unwrap_or_default() })
            }
            // The router lets no request through without a key; this is the second lock.
            None => Err(ErrorData::internal_error("no key stands behind this request", None)),
        }
    }

    /// For a request whose answer is read as long as it is open.
    pub fn of(behind: Behind) -> Self {
        Self { behind, presence: Presence::default() }
    }

    /// The caller, without forms: for everything but `execute`.
    pub fn caller(&self) -> Caller {
        let key = &self.behind.key;
        Caller {
            owner: Owner {
                principal: key.principal.clone(),
                key: key.id.clone(),
                profile: Owner::DEFAULT_PROFILE.to_owned(),
            },
            client: key.client.clone(),
            mode: self.behind.choice.mode(key.mode),
            dedupe: key.dedupe,
            forms: Forms::None,
        }
    }

    /// The caller with the forms that its client can show in this request, and the forms that
    /// have to be put to an older client while the request is open.
    pub fn caller_with_forms(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> (Caller, Option<Asks>) {
        let mut caller = self.caller();
        if !shows_forms(context.client_capabilities()) {
            return (caller, None);
        }
        if is_modern(context) {
            caller.forms = Forms::InputRequired;
            return (caller, None);
        }
        if !self.behind.streams {
            return (caller, None);
        }
        let (live, asks) = crate::mcp::forms::live();
        caller.forms = Forms::Live(Arc::new(live));
        (caller, Some(asks))
    }

    /// Whether the text line leaves the result out.
    pub fn summary(&self) -> bool {
        self.behind.choice.summary
    }

    /// Whether anything can be sent before the answer.
    pub fn streams(&self) -> bool {
        self.behind.streams
    }
}

/// Whether the request speaks a stateless revision.
pub fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Form elicitation is declared by `form`, or by an empty capability (forms only, as before
/// URLs came).
fn shows_forms(capabilities: Option<ClientCapabilities>) -> bool {
    capabilities
        .and_then(|declared| declared.elicitation)
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}
