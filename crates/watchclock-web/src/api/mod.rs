//! The native API under `/v1`: a folder or file for each noun, named as in the layers below.
//!
//! The way of a request: `auth` knows its key, `repeat` answers what was asked before, the noun's handler reads
//! (`params`, `sent`, `fields`), calls one use case and answers with its shape. `refusal` says no.

mod auth;
mod calendar;
mod channel;
mod delivery;
mod document;
mod etag;
mod fields;
mod incident;
mod input;
mod key;
mod maintenance;
mod monitor;
mod params;
mod project;
mod refusal;
mod repeat;
mod rule;
mod run;
mod schedule;
mod sent;
mod shape;
mod snooze;

use axum::{
    Router,
    body::Body,
    extract::{DefaultBodyLimit, Request},
    http::Uri,
    middleware,
    response::{IntoResponse, Response},
    routing::{any, get},
};
use tower::ServiceExt as _;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

use self::refusal::Refusal;
use crate::{app::in_time, state::Web};

/// Everything below `/v1` but pings.
pub(crate) fn routes(web: &Web) -> Router<Web> {
    let (nouns, document) = nouns().split_for_parts();
    let document = document::finish(document, web.settings().version, &web.url(""));
    let document = document.to_string();
    let nouns = nouns
        .layer(middleware::from_fn_with_state(web.clone(), repeat::once))
        .layer(middleware::from_fn_with_state(web.clone(), auth::check))
        .layer(DefaultBodyLimit::max(sent::LIMIT))
        .route("/v1/openapi.json", get(move || async move { document::answer(&document) }));
    let nouns = contained(nouns);
    let again = nouns.clone().fallback(nothing_here).with_state(web.clone());
    let rest = any(move |request| without_slash(again, request));
    nouns.route("/v1", any(nothing_here)).route("/v1/", any(nothing_here)).route("/v1/{*rest}", rest)
}

/// What runs too long, panics or is refused by the framework is answered in our form, too.
fn contained<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    routes
        .layer(middleware::from_fn(in_time))
        .layer(CatchPanicLayer::new())
        .layer(middleware::map_response(refusal::in_our_form))
}

/// The routes, each with its description.
fn nouns() -> OpenApiRouter<Web> {
    OpenApiRouter::with_openapi(document::around())
        .routes(routes!(monitor::list, monitor::create))
        .routes(routes!(monitor::show, monitor::update, monitor::delete))
        .routes(routes!(monitor::pause))
        .routes(routes!(monitor::resume))
        .routes(routes!(run::list))
        .routes(routes!(run::show))
        .routes(routes!(run::output))
        .routes(routes!(incident::list))
        .routes(routes!(incident::show))
        .routes(routes!(incident::acknowledge))
        .routes(routes!(incident::resolve))
        .routes(routes!(incident::comment))
        .routes(routes!(snooze::snooze))
        .routes(routes!(maintenance::list, maintenance::create))
        .routes(routes!(maintenance::show, maintenance::update, maintenance::delete))
        .routes(routes!(channel::list, channel::create))
        .routes(routes!(channel::show, channel::update, channel::delete))
        .routes(routes!(channel::test))
        .routes(routes!(calendar::list, calendar::create))
        .routes(routes!(calendar::show, calendar::update, calendar::delete))
        .routes(routes!(schedule::preview))
        .routes(routes!(rule::try_rule))
        .routes(routes!(rule::convert::convert))
        .routes(routes!(rule::suggest::suggestions))
        .routes(routes!(project::list))
        .routes(routes!(project::show, project::update))
        .routes(routes!(key::list, key::create))
        .routes(routes!(key::show, key::delete))
}

/// A path with a slash at its end means the one without.
async fn without_slash(nouns: Router, request: Request) -> Response {
    let path = request.uri().path();
    let trimmed = path.trim_end_matches('/');
    if trimmed == path {
        return nothing_here().await.into_response();
    }
    let query = request.uri().query().map_or_else(String::new, |query| format!("?{query}"));
    let Ok(uri) = format!("{trimmed}{query}").parse::<Uri>() else {
        return nothing_here().await.into_response();
    };
    // A new request, so that nothing of the route that led here is left in it.
    let (parts, body) = request.into_parts();
    let mut request = Request::new(Body::new(body));
    (*request.method_mut(), *request.uri_mut(), *request.headers_mut()) = (parts.method, uri, parts.headers);
    nouns.oneshot(request).await.into_response()
}

async fn nothing_here() -> Refusal {
    Refusal::not_found("there is nothing at this path; /v1/openapi.json tells what there is")
}

#[cfg(test)]
mod tests {
    use axum::{body::to_bytes, http::header};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn time_outs_and_panics_are_told_in_our_form() {
        async fn panics() {
            panic!("on purpose")
        }
        let routes =
            Router::new().route("/hangs", get(std::future::pending::<()>)).route("/panics", get(panics));
        let routes = contained(routes);
        for (path, status, retry) in [("/hangs", 503, true), ("/panics", 500, false)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = routes.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status);
            assert_eq!(response.headers()[header::CONTENT_TYPE], refusal::MEDIA_TYPE);
            assert_eq!(response.headers().contains_key(header::RETRY_AFTER), retry);
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
            let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!((&problem["status"], &problem["errors"]), (&status.into(), &serde_json::json!([])));
        }
    }
}
