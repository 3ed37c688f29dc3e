//! A person gives a source its credential: typed here and nowhere else, kept sealed, and never
//! shown again.

use crate::web::access::Session;
use crate::web::decide::BY;
use crate::web::html::Html;
use crate::web::{NAME, Refusal, Web, back};
use axum::extract::{Form, Path, State};
use axum::response::Response;
use http::HeaderMap;
use hub_core::catalog::Transport;
use hub_core::connection::{Credential, Placement, Secret};
use hub_core::digest::Digest;
use hub_core::limits::SECRET_BYTES;
use hub_core::pending::{Channel, Pending, PendingKind};
use hub_engine::{EngineError, NewConnection, PendingView, SourceView};
use std::collections::HashMap;

/// The connection that a source gets first.
const FIRST: &str = "personal";

/// What there is to fill in: a value for each place of the connection as it is, or, where there
/// is none yet, one value and its place.
pub struct Blank {
    source: SourceView,
    connection: String,
    places: Vec<Placement>,
}

impl Blank {
    /// For a pending of kind `connection`.
    pub async fn of(web: &Web, pending: &Pending) -> Result<Self, Refusal> {
        let namespace = pending.address.split('.').next().unwrap_or_default();
        let sources = web.engine.sources().await?;
        let source = sources.into_iter().find(|view| view.source.namespace == namespace);
        let source = source.ok_or(Refusal::Nothing)?;
        let connection = pending.connection.clone().unwrap_or_else(|| FIRST.to_owned());
        let there = source.connections.iter().find(|there| there.name == connection);
        let places = there.map_or_else(Vec::new, |there| {
            there.credentials.iter().map(|credential| credential.placement.clone()).collect()
        });
        Ok(Self { source, connection, places })
    }

    /// The form.
    pub fn show(&self, main: &mut Html, session: &Session, view: &PendingView) {
        main.raw("<p>Type it here and nowhere else, never into a chat. ")
            .raw("This hub keeps it sealed, as <strong>")
            .foreign(&self.connection, NAME)
            .raw("</strong> of <strong>")
            .foreign(&self.source.source.name, NAME)
            .raw("</strong>, sends it to this source only, and shows it to nobody again.</p>")
            .form(session, &format!("runs/{}/connect", view.pending.run))
            .hidden("pending", view.pending.id.as_str());
        for (at, place) in self.places.iter().enumerate() {
            field(main, view, at, &words(place));
        }
        if self.places.is_empty() {
            self.free(main, view);
        }
        main.raw("<div class=\"choices\"><button class=\"primary\">Connect</button></div></form>");
    }

    /// The place is chosen too.
    fn free(&self, main: &mut Html, view: &PendingView) {
        let id = view.pending.id.as_str();
        let is_process = matches!(self.source.source.transport, Transport::Stdio { .. });
        main.raw("<div class=\"field\"><label for=\"place-")
            .text(id)
            .raw("\">Where it goes</label><select id=\"place-");
        main.text(id).raw("\" name=\"place\">");
        if is_process {
            main.raw("<option value=\"env\">environment variable</option>");
        } else {
            main.raw("<option value=\"bearer\">bearer token</option>")
                .raw("<option value=\"header\">header</option>")
                .raw("<option value=\"query\">query parameter</option>");
        }
        main.raw("</select></div><div class=\"field\"><label for=\"name-")
            .text(id)
            .raw("\">Its name");
        if !is_process {
            main.raw(" (not for a bearer token)");
        }
        main.raw("</label><input id=\"name-").text(id).raw("\" name=\"name\" maxlength=\"200\"");
        if is_process {
            main.raw(" required");
        }
        main.raw("></div>");
        field(main, view, 0, "Value");
    }

    /// Under what a value is kept: a connection may be called what no secret may be.
    fn name_of(&self, at: usize) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let connection = match self.connection.chars().all(is_plain) {
            true => self.connection.clone(),
            false => Digest::of(self.connection.as_bytes()).to_string(),
        };
        format!("{}/{connection}/{at}", self.source.source.id)
    }

    /// The places that the form filled, in its order.
    fn filled(&self, fields: &HashMap<String, String>) -> Result<Vec<Placement>, EngineError> {
        if !self.places.is_empty() {
            return Ok(self.places.clone());
        }
        let text = |name: &str| fields.get(name).map(|value| value.trim()).unwrap_or_default();
        let name = text("name");
        let is_token = !name.is_empty()
            && name.len() <= 200
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.~".contains(&b));
        if text("place") != "bearer" && !is_token {
            let say = "the place needs a name of letters, digits, - and _";
            return Err(EngineError::Invalid(say.into()));
        }
        match text("place") {
            "bearer" => Ok(vec![Placement::Bearer]),
            "header" => Ok(vec![Placement::Header(name.to_owned())]),
            "query" => Ok(vec![Placement::Query(name.to_owned())]),
            "env" => Ok(vec![Placement::Env(name.to_owned())]),
            _ => Err(EngineError::Invalid("this place is not offered here".into())),
        }
    }
}

fn field(main: &mut Html, view: &PendingView, at: usize, label: &str) {
    let id = format!("secret-{}-{at}", view.pending.id);
    main.raw("<div class=\"field\"><label for=\"").text(&id).raw("\">").foreign(label, NAME);
    main.raw("</label><input type=\"password\" autocomplete=\"off\" required id=\"")
        .text(&id)
        .raw("\" name=\"secret")
        .number(at)
        .raw("\"></div>");
}

pub fn words(place: &Placement) -> String {
    match place {
        Placement::Bearer => "Bearer token".to_owned(),
        Placement::Header(name) => format!("Header {name}"),
        Placement::Query(name) => format!("Query parameter {name}"),
        Placement::Env(name) => format!("Environment variable {name}"),
    }
}

/// Keeps the values, makes the connection, and lets every call that waited for it go on.
pub async fn connect(
    State(web): State<Web>,
    Path((session, run)): Path<(String, String)>,
    headers: HeaderMap,
    Form(fields): Form<HashMap<String, String>>,
) -> Result<Response, Refusal> {
    let text = |name: &str| fields.get(name).map(String::as_str).unwrap_or_default();
    let session = web.pages.acts(&session, &headers, text("csrf"))?;
    let waiting = web.engine.waiting(Some(&run)).await?;
    let is_asked = |view: &&PendingView| {
        view.pending.id.as_str() == text("pending") && view.pending.kind == PendingKind::Connection
    };
    let Some(view) = waiting.iter().find(is_asked) else {
        return Ok(back(&session, &format!("runs/{run}?said=first")));
    };
    let blank = Blank::of(&web, &view.pending).await?;
    let places = blank.filled(&fields)?;
    let keeper = web.pages.keeper().ok_or(Refusal::Nothing)?;
    let mut credentials = Vec::new();
    for (at, placement) in places.into_iter().enumerate() {
        let value = text(&format!("secret{at}")).trim();
        if value.is_empty() || value.len() > SECRET_BYTES || value.chars().any(char::is_control) {
            let say = format!("a credential is 1 to {SECRET_BYTES} characters on one line");
            return Err(EngineError::Invalid(say).into());
        }
        let kept = keeper.put(&blank.name_of(at), Secret::new(value)).await;
        let value = kept.map_err(|error| {
            tracing::error!(%error, "a credential could not be kept");
            EngineError::Source("the credential could not be kept; the hub's log says why".into())
        })?;
        credentials.push(Credential { placement, value });
    }
    let there = blank.source.connections.iter().find(|there| there.name == blank.connection);
    let new = NewConnection {
        source: blank.source.source.name.clone(),
        name: blank.connection.clone(),
        credentials,
        plain_env: there.map(|there| there.plain_env.clone()).unwrap_or_default(),
        make_default: false,
    };
    web.engine.put_connection_through(new, Channel::Page, BY).await?;
    Ok(back(&session, &format!("runs/{run}?said=connected")))
}
