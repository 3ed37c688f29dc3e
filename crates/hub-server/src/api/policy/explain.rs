//! Which rule or default decides about calls of an address.

use crate::api::{Answer, Api, Call};
use crate::error::{ApiError, ErrorKind};
use hub_core::owner::{ClientKey, Owner};
use hub_engine::{Caller, Explained, Forms};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explain {
    /// `namespace.tool`.
    pub address: String,
    /// Through this connection.
    #[serde(default)]
    pub connection: Option<String>,
    /// With these arguments.
    #[serde(default)]
    pub arguments: Option<Value>,
    /// For this client (its name, or the id of its key).
    #[serde(default)]
    pub client: Option<String>,
}

impl Call for Explain {
    const PATH: &'static str = "/api/policy/explain";
    type Answer = Explained;
}

pub(crate) async fn explain(api: Api, request: Explain) -> Answer<Explain> {
    let Explain { address, connection, arguments, client } = request;
    let caller = match client {
        Some(client) => Some(caller(&api, &client).await?),
        None => None,
    };
    let connection = connection.as_deref();
    Ok(api.engine.explain(caller.as_ref(), &address, connection, arguments.as_ref()).await?)
}

async fn caller(api: &Api, client: &str) -> Result<Caller, ApiError> {
    let keys = api.engine.keys().await?;
    let named = |key: &ClientKey| {
        key.revoked_at.is_none() && (key.id.as_str() == client || key.client == client)
    };
    let key = keys.into_iter().find(named).ok_or_else(|| {
        ApiError::new(ErrorKind::NotFound, "no such client")
            .hint("`capabilities client list` shows them.")
    })?;
    let profile = Owner::DEFAULT_PROFILE.to_owned();
    Ok(Caller {
        owner: Owner { principal: key.principal, key: key.id, profile },
        client: key.client,
        mode: key.mode,
        dedupe: key.dedupe,
        forms: Forms::None,
    })
}
