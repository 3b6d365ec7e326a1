//! What browsers see: handlers, the view structs that they fill, and the geometry of the drawings in them.
//!
//! A handler extracts, calls the service, builds a view and responds. Refusals are bare until [`errors`] dresses them.

mod about;
mod account;
mod attempts;
mod awaited;
mod bench;
mod calendar_form;
mod calendars;
mod channel_fields;
mod channel_form;
mod channel_words;
mod channels;
pub mod chart;
mod cookies;
pub mod curve;
mod docs;
mod elsewhere;
mod errors;
mod extractor_rows;
mod extractor_try;
mod fields;
mod flash;
mod incident_page;
mod incident_words;
mod incidents;
mod keys;
mod maintenance;
mod maintenance_form;
mod markdown;
mod members;
pub mod mini;
mod moments;
mod monitor_chart;
mod monitor_check;
mod monitor_curves;
mod monitor_fill;
mod monitor_form;
mod monitor_hints;
mod monitor_page;
mod monitor_read;
mod monitor_runs;
mod monitor_tape;
mod monitors;
mod names;
mod overlap;
mod password;
mod preferences;
mod problems;
mod respond;
mod row_buttons;
mod rule_import;
mod rule_rows;
mod rule_try;
mod run_words;
mod runs;
mod said;
mod session;
mod settings;
mod sign_in;
pub mod snippets;
mod snooze;
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
        .route("/incidents", get(incidents::list))
        .route("/incidents/{id}", get(incident_page::show))
        .route("/incidents/{id}/acknowledge", post(incident_page::acknowledge))
        .route("/incidents/{id}/resolve", post(incident_page::resolve))
        .route("/incidents/{id}/comment", post(incident_page::comment))
        .route("/maintenance", get(maintenance::list).post(maintenance_form::create))
        .route("/maintenance/new", get(maintenance_form::new))
        .route("/maintenance/{id}/edit", get(maintenance_form::edit).post(maintenance_form::update))
        .route("/maintenance/{id}/end", post(maintenance::end))
        .route("/maintenance/{id}/delete", get(maintenance::ask_delete).post(maintenance::delete))
        .route("/incidents/{id}/snooze", post(snooze::snooze))
        .route("/channels", get(channels::list).post(channel_form::create))
        .route("/channels/new", get(channel_form::new))
        .route("/channels/{id}/edit", get(channel_form::edit).post(channel_form::update))
        .route("/channels/{id}/delete", get(channels::ask_delete).post(channels::delete))
        .route("/channels/{id}/test", post(channels::test))
        .route("/channels/{id}/enable", post(channels::enable))
        .route("/channels/{id}/disable", post(channels::disable))
        .route("/settings", get(settings::show))
        .route("/settings/project", post(settings::save))
        .route("/settings/keep", post(settings::keep))
        .route("/settings/ping-key/rotate", post(settings::rotate))
        .route("/settings/keys", get(keys::show).post(keys::add))
        .route("/settings/keys/{id}/revoke", post(keys::revoke))
        .route("/settings/members", get(members::show).post(members::add))
        .route("/settings/members/{id}/remove", post(members::remove))
        .route("/settings/calendars", get(calendars::list).post(calendar_form::create))
        .route("/settings/calendars/new", get(calendar_form::new))
        .route("/settings/calendars/{id}/edit", get(calendar_form::edit).post(calendar_form::update))
        .route("/settings/calendars/{id}/delete", get(calendars::ask_delete).post(calendars::delete))
        .route("/settings/account", get(account::show))
        .route("/settings/account/password", post(account::change))
        .route("/settings/account/sessions/{id}/end", post(account::end_session))
        .route("/settings/account/sessions/end-others", post(account::end_others))
        .route("/settings/about", get(about::show))
        .route("/docs", get(docs::list))
        .route("/docs/{name}", get(docs::show))
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
