//! The native API under `/v1`.

use axum::Router;

use crate::state::Web;

pub(crate) fn routes(_web: &Web) -> Router<Web> {
    Router::new()
}
