//! What every handler can reach. Neighbour: `app` lists the routes.

use std::sync::Arc;

use ipnet::IpNet;
use watchclock_service::Watchclock;

use crate::{metrics::Metrics, pages::Attempts};

/// How the HTTP side is set up.
#[derive(Debug, Clone, Default)]
pub struct WebSettings {
    /// Peers whose `X-Forwarded-*` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Whether anyone may register.
    pub signup_open: bool,
    /// Shown on the about page: `0.1.0`.
    pub version: &'static str,
}

/// The state of handlers; cheap to clone.
#[derive(Debug, Clone)]
pub struct Web {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    watchclock: Watchclock,
    settings: WebSettings,
    metrics: Metrics,
    attempts: Attempts,
    base_path: String,
}

impl Web {
    pub fn new(watchclock: Watchclock, settings: WebSettings) -> Self {
        let base_path = base_path(&watchclock.settings().base_url);
        let metrics = Metrics::new(settings.version);
        Self {
            inner: Arc::new(Inner {
                watchclock,
                settings,
                metrics,
                attempts: Attempts::default(),
                base_path,
            }),
        }
    }

    pub fn watchclock(&self) -> &Watchclock {
        &self.inner.watchclock
    }

    pub fn settings(&self) -> &WebSettings {
        &self.inner.settings
    }

    pub fn metrics(&self) -> &Metrics {
        &self.inner.metrics
    }

    /// Tries to sign in.
    pub(crate) fn attempts(&self) -> &Attempts {
        &self.inner.attempts
    }

    /// The path part of the base URL, without a slash at its end: empty, or `/watch`.
    pub fn base_path(&self) -> &str {
        &self.inner.base_path
    }

    /// Whether browsers reach us by TLS, so that cookies may insist on it.
    pub fn is_https(&self) -> bool {
        self.inner.watchclock.settings().base_url.starts_with("https://")
    }

    /// A full address of ours: `https://watch.example.com/watch` and the path.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.inner.watchclock.settings().base_url)
    }
}

fn base_path(base_url: &str) -> String {
    url::Url::parse(base_url)
        .map_or_else(|_| String::new(), |url| url.path().trim_end_matches('/').to_owned())
}
