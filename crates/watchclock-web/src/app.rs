//! The flat list of routes, and the layers around them.

use std::time::Duration;

use axum::{
    Router,
    extract::Request,
    http::{HeaderName, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Redirect, Response},
    routing::{any, get},
};
use tower_http::{catch_panic::CatchPanicLayer, set_header::SetResponseHeaderLayer};
use watchclock_service::Watchclock;

use crate::{
    api, assets, health, metrics, pages, ping,
    state::{Web, WebSettings},
};

/// No inline script, no inline style, nothing from elsewhere.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// The whole HTTP side of an instance.
pub fn app(watchclock: Watchclock, settings: WebSettings) -> Router {
    let web = Web::new(watchclock, settings);
    let routes = Router::new()
        .route("/static/{*path}", get(asset))
        .merge(api::routes(&web))
        .merge(pages::routes(&web).layer(middleware::from_fn(in_time)))
        .layer(middleware::map_response(secure))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ));
    // Outside the layers above: pings are many and small, and have headers of their own.
    let routes = routes
        .route("/ping/{*address}", any(ping::door::ping))
        // What a base URL with a slash at its end makes of it; a ping is not lost over one.
        .route("//ping/{*address}", any(ping::door::ping))
        .route("/v1/ping/{*address}", any(ping::door::ping_v1))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(metrics::show))
        .layer(middleware::from_fn_with_state(web.clone(), metrics::count))
        .layer(CatchPanicLayer::new());
    let base = web.base_path().to_owned();
    let routes = routes.with_state(web);
    if base.is_empty() {
        return routes;
    }
    // With the slash, so that the list of monitors stands at `/watch/`, where every page links to it.
    let root = format!("{base}/");
    Router::new().nest(&root, routes).route(&base, any(move || async move { Redirect::permanent(&root) }))
}

/// A page or an API call that takes this long has gone wrong.
pub(crate) async fn in_time(request: Request, next: Next) -> Response {
    match tokio::time::timeout(Duration::from_secs(30), next.run(request)).await {
        Ok(response) => response,
        Err(_) => axum::http::StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

async fn secure(mut response: Response) -> Response {
    const SECURE: [(HeaderName, &str); 4] = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in SECURE {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

/// A file that belongs to the pages; its name changes with its content, so it may be kept for ever.
async fn asset(axum::extract::Path(path): axum::extract::Path<String>, request: Request) -> Response {
    let Some(asset) = assets::find(&path) else {
        return axum::http::StatusCode::NOT_FOUND.into_response();
    };
    let gzip = request
        .headers()
        .get(header::ACCEPT_ENCODING)
        .and_then(|accepted| accepted.to_str().ok())
        .is_some_and(|accepted| accepted.contains("gzip"));
    let headers = [
        (header::CONTENT_TYPE, asset.content_type.to_owned()),
        (header::CACHE_CONTROL, assets::CACHE_CONTROL.to_owned()),
        (header::ETAG, asset.etag()),
        (header::VARY, "accept-encoding".to_owned()),
    ];
    match &asset.gzip {
        Some(packed) if gzip => {
            (headers, [(header::CONTENT_ENCODING, "gzip")], packed.as_slice()).into_response()
        }
        _ => (headers, asset.body).into_response(),
    }
}
