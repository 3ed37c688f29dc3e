//! The API for the command line: JSON over `hub.sock`, which only the hub's own user opens.
//!
//! A request type names its path and its answer ([`Call`]); the hub and the command line share
//! it. One file per verb: `api/<noun>/<verb>.rs` is `POST /api/<noun>/<verb>`. To add one: write
//! the file, name it in its noun's module, and add its line to `router`.

pub mod connections;
pub mod hub;
pub mod keys;
pub mod policy;
pub mod runs;
pub mod sources;
pub mod tools;
pub mod waiting;

use crate::error::{ApiError, ErrorKind};
use crate::peers::{Above, Clients, Peer, unseen};
use axum::body::Bytes;
use axum::extract::{ConnectInfo, State};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Extension, Json, Router};
use hub_core::id::{KeyId, PrincipalId};
use hub_core::owner::{ElicitationMode, Owner};
use hub_engine::{Caller, Engine, Forms};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;

/// A request of the API.
pub trait Call: Serialize + DeserializeOwned + Send + 'static {
    /// Where it is posted.
    const PATH: &'static str;
    /// What comes back.
    type Answer: Serialize + DeserializeOwned;
}

/// An answer that says nothing but that it was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Done {}

/// What the handlers work with.
#[derive(Clone)]
pub(crate) struct Api {
    pub engine: Engine,
    pub pages: Option<crate::web::Pages>,
    pub stop: CancellationToken,
    pub addresses: Arc<[std::net::SocketAddr]>,
    pub started: Instant,
    pub clients: Clients,
    /// The process that asks.
    pub peer: Peer,
}

impl Api {
    /// Refuses what would widen rights where it is asked from below a client. Every handler that
    /// widens begins with it; that a person said yes is the command line's part of the gate.
    pub async fn gate(&self, what: &str) -> Result<(), ApiError> {
        self.clients.refuse_below(self.peer.0, what).await
    }

    /// Who asks: the person at the terminal, or the client below which the command runs, with
    /// that client's rules and runs. Such programs always run anew, and the hub's page or
    /// a second terminal asks about their calls.
    pub async fn caller(&self, what: &str) -> Result<Caller, ApiError> {
        match self.clients.above(self.peer.0).await {
            Above::Nobody => Ok(caller(
                PrincipalId::new(Owner::LOCAL_PRINCIPAL),
                KeyId::new(Owner::TERMINAL_KEY),
                Owner::TERMINAL_KEY.to_owned(),
            )),
            Above::Unseen => Err(unseen(what)),
            Above::Client { told, key } => {
                let keys = self.engine.keys().await?;
                let key = keys.into_iter().find(|k| k.id == key && k.revoked_at.is_none());
                let key = key.ok_or_else(|| {
                    let told = format!("the key of {told} was taken away, and this is below it");
                    ApiError::new(ErrorKind::Forbidden, told)
                })?;
                Ok(caller(key.principal, key.id, key.client))
            }
        }
    }
}

fn caller(principal: PrincipalId, key: KeyId, client: String) -> Caller {
    Caller {
        owner: Owner { principal, key, profile: Owner::DEFAULT_PROFILE.to_owned() },
        client,
        mode: ElicitationMode::Browser,
        dedupe: false,
        forms: Forms::None,
    }
}

type Answer<C> = Result<<C as Call>::Answer, ApiError>;

/// Every route of the API.
pub(crate) fn router(api: Api) -> Router {
    let router = Router::new();
    let router = verb(router, sources::list::list);
    let router = verb(router, sources::show::show);
    let router = verb(router, sources::add::add);
    let router = verb(router, sources::keep::keep);
    let router = verb(router, sources::update::update);
    let router = verb(router, sources::refresh::refresh);
    let router = verb(router, sources::remove::remove);
    let router = verb(router, connections::list::list);
    let router = verb(router, connections::put::put);
    let router = verb(router, connections::make_default::make_default);
    let router = verb(router, connections::remove::remove);
    let router = verb(router, policy::list::list);
    let router = verb(router, policy::set::set);
    let router = verb(router, policy::unset::unset);
    let router = verb(router, policy::explain::explain);
    let router = verb(router, policy::history::history);
    let router = verb(router, policy::replace_file::replace_file);
    let router = verb(router, keys::issue::issue);
    let router = verb(router, keys::list::list);
    let router = verb(router, keys::revoke::revoke);
    let router = verb(router, runs::list::list);
    let router = verb(router, runs::show::show);
    let router = verb(router, runs::cancel::cancel);
    let router = verb(router, runs::resume::resume);
    let router = verb(router, runs::replay::replay);
    let router = verb(router, waiting::list::list);
    let router = verb(router, waiting::decide::decide);
    let router = verb(router, tools::search::search);
    let router = verb(router, tools::describe::describe);
    let router = verb(router, tools::execute::execute);
    let router = verb(router, hub::gate::gate);
    let router = verb(router, hub::open::open);
    let router = verb(router, hub::status::status);
    let router = verb(router, hub::stop::stop);
    router.with_state(api)
}

fn verb<C, F, W>(router: Router<Api>, work: F) -> Router<Api>
where
    C: Call,
    F: Fn(Api, C) -> W + Clone + Send + Sync + 'static,
    W: Future<Output = Answer<C>> + Send,
{
    type Asking = Extension<ConnectInfo<Peer>>;
    let handle = move |State(api): State<Api>, peer: Option<Asking>, body: Bytes| async move {
        // None only where a test calls the router by itself.
        let peer = peer.map_or_else(Peer::default, |Extension(ConnectInfo(peer))| peer);
        match read::<C>(&body) {
            Ok(request) => answer(work(Api { peer, ..api }, request).await),
            Err(refusal) => refusal.into_response(),
        }
    };
    router.route(C::PATH, post(handle))
}

fn read<C: Call>(body: &[u8]) -> Result<C, ApiError> {
    let body = if body.trim_ascii().is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(|error| {
        ApiError::new(ErrorKind::Invalid, format!("{} does not take this: {error}", C::PATH))
            .hint("The command line and the hub may be of different versions: restart the hub.")
    })
}

fn answer<T: Serialize>(answer: Result<T, ApiError>) -> Response {
    match answer {
        Ok(answer) => Json(answer).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}
