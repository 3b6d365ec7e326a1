//! What browsers see: handlers, the view structs that they fill, and the geometry of the drawings in them.
//!
//! A handler extracts, calls the service, builds a view and responds. Refusals are bare until [`errors`] dresses them.

mod attempts;
mod channel_words;
pub mod chart;
mod cookies;
mod errors;
mod fields;
mod flash;
pub mod mini;
mod moments;
mod monitor_chart;
mod monitor_check;
mod monitor_fill;
mod monitor_form;
mod monitor_page;
mod monitor_read;
mod monitor_runs;
mod monitor_tape;
mod monitors;
mod overlap;
mod password;
mod preferences;
mod problems;
mod respond;
mod run_words;
mod runs;
mod session;
mod sign_in;
pub mod snippets;
pub mod tape;
mod verdicts;
pub mod views;
pub mod words;

use axum::{
    Router, middleware,
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use tower_http::csrf::{CsrfLayer, ProtectionError};

pub(crate) use self::attempts::Attempts;
use crate::state::Web;

/// Every page. Only posts change anything, and only those that come from pages of ours.
pub(crate) fn routes(web: &Web) -> Router<Web> {
    Router::new()
        .route("/", get(monitors::list))
        .route("/monitors", get(monitors::to_list).post(monitor_form::create))
        .route("/monitors/new", get(monitor_form::new))
        .route("/monitors/check", post(monitor_check::check))
        .route("/monitors/{id}", get(monitor_page::show))
        .route("/monitors/{id}/edit", get(monitor_form::edit).post(monitor_form::update))
        .route("/monitors/{id}/pause", post(monitor_form::pause))
        .route("/monitors/{id}/resume", post(monitor_form::resume))
        .route("/monitors/{id}/delete", get(monitor_form::ask_delete).post(monitor_form::delete))
        .route("/runs/{id}", get(runs::show))
        .route("/runs/{id}/output", get(runs::output))
        .route("/sign-in", get(sign_in::show).post(sign_in::sign_in))
        .route("/sign-in/{token}", get(sign_in::show_link).post(sign_in::use_link))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/sign-up", get(sign_in::show_sign_up).post(sign_in::sign_up))
        .route("/password", get(password::show).post(password::save))
        .route("/theme", post(preferences::theme))
        .route("/project", post(preferences::project))
        .fallback(errors::nowhere)
        .method_not_allowed_fallback(errors::wrong_method)
        .layer(same_site(web))
        .layer(middleware::from_fn_with_state(web.clone(), errors::dress))
        .layer(middleware::from_fn_with_state(web.clone(), flash::forget))
}

/// Refuses forms that other sites send. The base URL's origin counts as ours, whatever a proxy makes of the host.
fn same_site(web: &Web) -> CsrfLayer<impl FnMut(ProtectionError) -> Response + Clone + use<>> {
    let origin =
        url::Url::parse(&web.watchclock().settings().base_url).map(|url| url.origin().ascii_serialization());
    let layer = CsrfLayer::new();
    let layer = match origin {
        Ok(origin) => layer.clone().add_trusted_origin(origin).unwrap_or(layer),
        Err(_) => layer,
    };
    layer.with_rejection_response(|_| errors::PageError::CrossSite.into_response())
}
