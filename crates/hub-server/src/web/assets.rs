//! Style and script, the same for everybody: nothing of a person stands in them.

use axum::response::IntoResponse;
use http::header;

const STYLE: &str = include_str!("assets/style.css");
const LIVE: &str = include_str!("assets/live.js");
const ICON: &str = include_str!("assets/icon.svg");

pub async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

pub async fn live() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], LIVE)
}

pub async fn icon() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "image/svg+xml")], ICON)
}
