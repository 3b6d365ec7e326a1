//! The door for pings: address, decode, store, answer. Everything that names a monitor is recorded.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::{
    body::Body,
    extract::{ConnectInfo, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;
use watchclock_domain::{ping_limit::TooSoon, run::Run};
use watchclock_service::ping::{CreateMissing, PingAnswer, PingError, PingRequest, PingTo};

use super::{Address, BadAddress, Patience, Settings, Target, decode};
use crate::state::Web;

/// Kept of a run's output, in bytes; told in `Ping-Body-Limit`.
const OUTPUT_LIMIT: usize = 100_000;

/// `/ping/…`
pub(crate) async fn ping(State(web): State<Web>, request: Request) -> Response {
    take(&web, request, false).await
}

/// `/v1/ping/…`: the same, answered as JSON.
pub(crate) async fn ping_v1(State(web): State<Web>, request: Request) -> Response {
    take(&web, request, true).await
}

async fn take(web: &Web, request: Request, as_json: bool) -> Response {
    let (parts, body) = request.into_parts();
    let method = parts.method;
    if method == Method::OPTIONS {
        let allowed = [
            (header::ALLOW, METHODS),
            (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
            (header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Content-Type, Idempotency-Key"),
            (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        return with_headers((StatusCode::NO_CONTENT, allowed).into_response());
    }
    if !matches!(method, Method::GET | Method::HEAD | Method::POST | Method::PUT) {
        return with_headers(
            (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, METHODS)], "use GET, HEAD, POST or PUT")
                .into_response(),
        );
    }
    // Inside a nested router the path has lost its prefix; either way what follows `/ping/` counts.
    let path = parts.uri.path();
    let path = path.split_once("/ping/").map_or("", |(_, address)| address);
    let address = match Address::parse(path) {
        Ok(address) => address,
        Err(BadAddress::InvalidFormat) => {
            return with_headers((StatusCode::BAD_REQUEST, "invalid url format").into_response());
        }
        Err(BadAddress::NotFound) => {
            return with_headers((StatusCode::NOT_FOUND, "not found").into_response());
        }
    };
    let peer = parts
        .extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |ConnectInfo(peer)| peer.ip());
    let decoded = decode(
        super::Request {
            action: address.action,
            query: parts.uri.query(),
            headers: &parts.headers,
            body,
            peer,
        },
        Settings {
            trusted: &web.settings().trusted_proxies,
            output_limit: OUTPUT_LIMIT,
            patience: Patience::default(),
        },
        || web.watchclock().now(),
    )
    .await;
    let as_json = as_json || decoded.wants_json;
    let request = PingRequest {
        to: match address.target {
            Target::Uuid(id) => PingTo::Id(id),
            Target::Slug { ping_key, slug } => PingTo::Slug { ping_key, slug: slug.to_lowercase() },
        },
        ping: decoded.ping,
        create: decoded.create.map(|create| CreateMissing {
            schedule: create.schedule,
            tz: create.tz,
            grace: create.grace,
            name: create.name,
        }),
        is_get: matches!(method, Method::GET | Method::HEAD),
    };
    with_headers(answer(web, web.watchclock().ping(request).await, as_json))
}

const METHODS: &str = "GET, HEAD, POST, PUT, OPTIONS";

fn answer(web: &Web, answer: Result<PingAnswer, PingError>, as_json: bool) -> Response {
    match answer {
        Ok(answer) => match &answer.refused_by {
            Some(active) => refused(web, &answer, active, as_json),
            None => taken(&answer, as_json),
        },
        Err(PingError::NotFound) => (StatusCode::NOT_FOUND, "not found").into_response(),
        Err(PingError::PostOnly) => (
            StatusCode::METHOD_NOT_ALLOWED,
            [(header::ALLOW, "POST, PUT")],
            "this monitor takes pings by POST only",
        )
            .into_response(),
        Err(error @ PingError::TooSoon(too_soon)) => turned_away(&error.to_string(), too_soon, as_json),
        Err(PingError::Unavailable) => (
            StatusCode::SERVICE_UNAVAILABLE,
            [(header::RETRY_AFTER, "5")],
            "the ping could not be stored; send it again",
        )
            .into_response(),
    }
}

fn taken(answer: &PingAnswer, as_json: bool) -> Response {
    let (status, word) =
        if answer.created { (StatusCode::CREATED, "Created") } else { (StatusCode::OK, "OK") };
    if as_json {
        let monitor = &answer.monitor;
        let body = json!({
            "run": answer.run.as_ref().map(run_json),
            "monitor": { "id": monitor.id, "slug": monitor.slug, "name": monitor.name },
        });
        return (status, axum::Json(body)).into_response();
    }
    let mut response = (status, word).into_response();
    // The number serves the winner of a refusing monitor as a fencing token.
    if let Some(number) =
        answer.run.as_ref().and_then(|run| HeaderValue::from_str(&run.number.to_string()).ok())
    {
        response.headers_mut().insert("watchclock-run", number);
    }
    response
}

fn run_json(run: &Run) -> serde_json::Value {
    json!({
        "id": run.id,
        "number": run.number,
        "rid": run.run_id.as_ref().map(|id| &id.shown),
        "status": run.status.word(),
        "overlaps": run.overlaps,
    })
}

/// A start that the overlap policy refuses: who is active, since when and where, and when to ask again.
fn refused(web: &Web, answer: &PingAnswer, active: &Run, as_json: bool) -> Response {
    let since = active
        .started_at
        .map_or_else(String::new, |at| format!(" since {}", at.format("%Y-%m-%dT%H:%M:%SZ")));
    let host = active.source.host.as_ref().map_or_else(String::new, |host| format!(" on {host}"));
    let text = format!("refused: run #{} is active{since}{host}", active.number);
    let lease = active.limit_at.map_or(60, |limit| (limit - web.watchclock().now()).num_seconds().max(1));
    let retry = [(header::RETRY_AFTER, lease.to_string())];
    if as_json {
        let body = json!({
            "refused": text,
            "active": {
                "id": active.id, "number": active.number, "rid": active.run_id.as_ref().map(|id| &id.shown),
                "started_at": active.started_at, "host": active.source.host, "lease_ends": active.limit_at,
            },
            "run": answer.run.as_ref().map(run_json),
        });
        return (StatusCode::CONFLICT, retry, axum::Json(body)).into_response();
    }
    (StatusCode::CONFLICT, retry, text).into_response()
}

/// A ping past the limit of its monitor: what the limit is, and when to send it again.
fn turned_away(text: &str, too_soon: TooSoon, as_json: bool) -> Response {
    let status = StatusCode::TOO_MANY_REQUESTS;
    let retry = [(header::RETRY_AFTER, too_soon.wait_seconds.to_string())];
    if as_json {
        let body = json!({ "refused": text, "ping_limit": too_soon.limit.per_minute() });
        return (status, retry, axum::Json(body)).into_response();
    }
    (status, retry, text.to_owned()).into_response()
}

fn with_headers(mut response: Response<Body>) -> Response {
    let headers = response.headers_mut();
    headers.insert("ping-body-limit", HeaderValue::from_static("100000"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
