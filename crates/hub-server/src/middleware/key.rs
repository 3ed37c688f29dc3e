//! The bearer key.

use crate::door::Door;
use crate::error::{ApiError, ErrorKind};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, header};
use hub_core::owner::ClientKey;

/// The key behind the request, or the refusal.
pub async fn read(door: &dyn Door, headers: &HeaderMap) -> Result<ClientKey, Box<Response>> {
    let Some(token) = bearer(headers) else {
        return Err(refuse("this needs a key", "Bearer realm=\"capabilities\""));
    };
    match door.authenticate(token).await {
        Ok(Some(key)) if key.revoked_at.is_none() => Ok(key),
        Ok(_) => {
            let challenge = "Bearer realm=\"capabilities\", error=\"invalid_token\"";
            Err(refuse("this key opens nothing", challenge))
        }
        Err(error) => Err(Box::new(ApiError::from(error).into_response())),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (all.next(), all.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
}

fn refuse(message: &str, challenge: &'static str) -> Box<Response> {
    let error = ApiError::new(ErrorKind::Unauthorized, message)
        .hint("`capabilities client connect` makes a key for a client.");
    let mut response = error.into_response();
    let challenge = HeaderValue::from_static(challenge);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    Box::new(response)
}
