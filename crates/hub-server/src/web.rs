//! The hub's pages: where a person sees what waits and decides.
//!
//! Nobody but the person's own browser gets in (`access`), nothing foreign becomes markup
//! (`html`), and every page works without its script. To add a page: a file with its content,
//! a line in [`router`].

mod access;
mod answer;
mod assets;
mod clients;
mod connect;
mod decide;
mod html;
mod inbox;
mod narrow;
mod rules;
mod run;
mod runs;
mod sources;
pub(crate) mod time;

pub use access::{Pages, PagesConfig};

use crate::error::{ApiError, ErrorKind};
use access::{Entered, Session};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use html::{Frame, Here, Html};
use http::{HeaderName, HeaderValue, StatusCode, header};
use hub_core::digest::Digest;
use hub_core::limits::PAGE_FORM_BYTES;
use hub_engine::{Engine, EngineError};
use std::collections::HashMap;

/// Characters of an address that are shown.
const ADDRESS: usize = 200;
/// Characters of a name that are shown.
const NAME: usize = 80;
/// Characters of a command line or URL that are shown.
const ORIGIN: usize = 400;
/// Characters of somebody's sentence that are shown.
const REASON: usize = 400;

/// What the handlers work with.
#[derive(Clone)]
pub struct Web {
    /// The engine.
    pub engine: Engine,
    /// Who may see.
    pub pages: Pages,
}

impl Web {
    /// A page of a session. `typed`: something may be typed into it.
    async fn page(
        &self,
        session: &Session,
        here: Here,
        title: &str,
        version: &str,
        typed: bool,
        main: &Html,
    ) -> Result<Response, Refusal> {
        let waiting = self.engine.status().await?.waiting;
        let frame = Frame { session, here, title, version, typed, waiting };
        Ok(html::page(&frame, main).into_response())
    }
}

/// Every route of the pages. `/p/<secret>` stands before all but the door and the assets.
pub fn router(web: Web) -> Router {
    Router::new()
        .route("/enter/{code}", get(enter))
        .route("/p/{session}/", get(inbox::show))
        .route("/p/{session}/runs", get(runs::show))
        .route("/p/{session}/runs/{run}", get(run::show))
        .route("/p/{session}/runs/{run}/decide", post(decide::decide))
        .route("/p/{session}/runs/{run}/end", post(decide::end))
        .route("/p/{session}/runs/{run}/resume", post(run::resume))
        .route("/p/{session}/runs/{run}/connect", post(connect::connect))
        .route("/p/{session}/runs/{run}/answer", post(answer::answer))
        .route("/p/{session}/sources", get(sources::list))
        .route("/p/{session}/sources/{source}", get(sources::show))
        .route("/p/{session}/sources/{source}/refresh", post(sources::refresh))
        .route("/p/{session}/rules", get(rules::show))
        .route("/p/{session}/rules/unset", post(rules::unset))
        .route("/p/{session}/rules/narrow", post(rules::narrower))
        .route("/p/{session}/clients", get(clients::show))
        .route("/p/{session}/clients/revoke", post(clients::revoke))
        .with_state(web)
        .route("/assets/style.css", get(assets::style))
        .route("/assets/live.js", get(assets::live))
        .route("/assets/icon.svg", get(assets::icon))
        .layer(DefaultBodyLimit::max(PAGE_FORM_BYTES))
        .layer(from_fn(closed))
}

/// No script but ours, nothing from elsewhere, in nobody's frame, kept nowhere.
async fn closed(request: Request, next: Next) -> Response {
    let closed = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; \
             connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        ),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // Within the hub a form has to say where it comes from; nobody else hears a word.
        (header::REFERRER_POLICY, "same-origin"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    let mut response = next.run(request).await;
    for (name, value) in closed {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A one-time code becomes a session. The answer is a page that goes on by itself: a redirect
/// would still count as coming from the file that forwarded here, and get no strict cookie.
async fn enter(State(web): State<Web>, Path(code): Path<String>) -> Response {
    let Some(Entered { cookie, to }) = web.pages.enter(&code) else {
        let mut main = Html::new();
        main.raw("<h1>This link was used, or is too old</h1><p>Open the pages again with ")
            .raw("<code>capabilities hub open</code>.</p>");
        return (StatusCode::FORBIDDEN, html::bare("Too late", main, None)).into_response();
    };
    let mut main = Html::new();
    main.raw("<h1>Opening…</h1><p><a href=\"").text(&to).raw("\">Go on</a></p>");
    let page = html::bare("Opening", main, Some(&to));
    ([(header::SET_COOKIE, cookie)], page).into_response()
}

/// A refusal as a page.
pub enum Refusal {
    /// Whoever asks has no way in, or there is no such thing: the same words.
    Nothing,
    /// The form did not come from our own page.
    Foreign,
    /// The engine refused.
    Engine(EngineError),
}

impl From<EngineError> for Refusal {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let error = match self {
            Self::Nothing => ApiError::new(ErrorKind::NotFound, "nothing is served here"),
            Self::Foreign => ApiError::new(ErrorKind::Forbidden, "this form is not from here")
                .hint("Load the page again and repeat."),
            Self::Engine(error) => error.into(),
        };
        let status = error.kind.status();
        let mut main = Html::new();
        main.raw("<h1>Not done</h1><p class=\"warn\">").foreign(&error.message, 1_000).raw("</p>");
        if let Some(hint) = &error.hint {
            main.raw("<p>").text(hint).raw("</p>");
        }
        main.raw("<p class=\"quiet\">Go back to where you were; nothing was changed.</p>");
        (status, html::bare("Not done", main, None)).into_response()
    }
}

/// The fields of a form that was sent.
#[derive(serde::Deserialize)]
#[serde(transparent)]
struct Fields(HashMap<String, String>);

impl Fields {
    /// What stands in one of them; nothing where it is not there.
    fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }
}

/// Tells one state of a page from the next by what is shown of its parts.
fn version(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().collect();
    Digest::of_parts(parts.iter().map(String::as_bytes)).to_string()
}

/// Back to a page of the session after a form.
fn back(session: &Session, to: &str) -> Response {
    Redirect::to(&format!("{}{to}", session.base())).into_response()
}
