//! The hub's pages: where a person sees what waits and decides.
//!
//! Nobody but the person's own browser gets in (`access`), nothing foreign becomes markup
//! (`html`), and every page works without its script. To add a page: a file with its content,
//! a line in [`router`].

mod access;
mod answer;
mod assets;
mod connect;
mod decide;
mod html;
mod inbox;
mod run;
mod runs;
pub(crate) mod time;

pub use access::{Pages, PagesConfig};

use crate::error::{ApiError, ErrorKind};
use access::{Entered, Session};
use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use html::Html;
use http::{HeaderName, HeaderValue, StatusCode, header};
use hub_core::limits::PAGE_FORM_BYTES;
use hub_engine::{Engine, EngineError};

/// What the handlers work with.
#[derive(Clone)]
pub struct Web {
    /// The engine.
    pub engine: Engine,
    /// Who may see.
    pub pages: Pages,
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
        .route("/p/{session}/runs/{run}/connect", post(connect::connect))
        .route("/p/{session}/runs/{run}/answer", post(answer::answer))
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
        main.raw("<h1>").text(&error.message).raw("</h1>");
        if let Some(hint) = &error.hint {
            main.raw("<p>").text(hint).raw("</p>");
        }
        (status, html::bare("Refused", main, None)).into_response()
    }
}

/// Back to a page of the session after a form.
fn back(session: &Session, to: &str) -> Response {
    Redirect::to(&format!("{}{to}", session.base())).into_response()
}
