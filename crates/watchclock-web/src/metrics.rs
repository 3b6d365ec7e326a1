//! `/metrics`: what the instance does, for Prometheus.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    http::header,
    middleware::Next,
    response::{IntoResponse, Response},
};
use prometheus_client::{
    encoding::{EncodeLabelSet, text::encode},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram},
    registry::Registry,
};

use crate::state::Web;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Version {
    version: &'static str,
}

/// The registry of one instance, so that two in one process do not share counters.
#[derive(Debug, Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    requests: Family<Route, Counter>,
    ping_seconds: Histogram,
    ready: Gauge,
}

impl Metrics {
    pub(crate) fn new(version: &'static str) -> Self {
        let mut registry = Registry::with_prefix("watchclock");
        let requests = Family::<Route, Counter>::default();
        // 0.5 ms … 8 s
        let ping_seconds = Histogram::new((0..15).map(|n| 0.0005 * f64::from(1 << n)));
        let ready = Gauge::default();
        let build = Family::<Version, Gauge>::default();
        build.get_or_create(&Version { version }).set(1);
        registry.register("http_requests", "Requests answered, by route and status", requests.clone());
        registry.register("ping_seconds", "From a ping's headers to its answer", ping_seconds.clone());
        registry.register("ready", "1 while the instance does its work, as /readyz tells", ready.clone());
        registry.register("build_info", "The version that runs", build);
        Self { registry: Arc::new(registry), requests, ping_seconds, ready }
    }
}

/// Counts every request; times pings.
pub(crate) async fn count(State(web): State<Web>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let started = std::time::Instant::now();
    let response = next.run(request).await;
    let metrics = web.metrics();
    if route.contains("/ping/") {
        metrics.ping_seconds.observe(started.elapsed().as_secs_f64());
    }
    metrics.requests.get_or_create(&Route { route, status: response.status().as_u16() }).inc();
    response
}

pub(crate) async fn show(State(web): State<Web>) -> Response {
    let troubles = web.watchclock().troubles().await;
    web.metrics().ready.set(i64::from(troubles.is_ok_and(|troubles| troubles.0.is_empty())));
    let mut text = String::new();
    match encode(&mut text, &web.metrics().registry) {
        Ok(()) => {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            ([(header::CONTENT_TYPE, kind)], text).into_response()
        }
        Err(error) => {
            tracing::error!(%error, "metrics could not be written");
            axum::http::StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
