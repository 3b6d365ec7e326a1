//! `/healthz` and `/readyz`: whether the process answers, and whether it does its work.

use axum::{extract::State, http::StatusCode, response::IntoResponse};

use crate::state::Web;

pub(crate) async fn healthz() -> impl IntoResponse {
    "OK"
}

/// 200 only while the database answers, the loops tick and deliveries go out; else 503 and why.
pub(crate) async fn readyz(State(web): State<Web>) -> impl IntoResponse {
    match web.watchclock().troubles().await {
        Ok(troubles) if troubles.0.is_empty() => (StatusCode::OK, "OK".to_owned()),
        Ok(troubles) => (StatusCode::SERVICE_UNAVAILABLE, troubles.0.join("\n")),
        Err(error) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    }
}
