//! The job's side: sends pings. It never makes a job fail for longer than its time-out.

use std::time::{Duration, Instant};

use reqwest::{
    StatusCode,
    header::{HeaderMap, RETRY_AFTER},
};

/// Why a ping was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PingError {
    #[error("`{0}` is a slug; give the project's ping key with --ping-key or WATCHCLOCK_PING_KEY")]
    NoPingKey(String),
    #[error("the server could not be reached: {0}")]
    Unreachable(String),
    #[error("the server answered {status}: {text}")]
    Refused { status: u16, text: String },
}

/// The ping URL of a monitor that is named by its id, by its slug, or by the URL itself.
pub fn monitor_url(base_url: &str, monitor: &str, ping_key: Option<&str>) -> Result<String, PingError> {
    let base = base_url.trim_end_matches('/');
    let is_id = monitor.len() >= 32 && monitor.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    if monitor.starts_with("http://") || monitor.starts_with("https://") {
        Ok(monitor.trim_end_matches('/').to_owned())
    } else if is_id {
        Ok(format!("{base}/ping/{monitor}"))
    } else {
        let key = ping_key.ok_or_else(|| PingError::NoPingKey(monitor.to_owned()))?;
        Ok(format!("{base}/ping/{key}/{monitor}"))
    }
}

/// How long after the first try of a ping the last one may begin.
const PATIENCE: Duration = Duration::from_secs(30);
/// Seconds to wait before each further try, where the server does not say how long.
const WAITS: [u64; 2] = [1, 2];

/// Sends one ping and returns the answer. `rid`, `msg` and other parameters of pings mean what they say among the pairs;
/// the rest is metadata. Tried three times while the server is not reached or answers 5xx or 429, after as long as it asks
/// for in `Retry-After`, where that is within half a minute.
pub async fn ping(monitor_url: &str, signal: &str, pairs: &[(String, String)]) -> Result<String, PingError> {
    let slash = if signal.is_empty() { "" } else { "/" };
    let url = format!("{monitor_url}{slash}{signal}");
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(10))
        .user_agent(concat!("watchclock/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| PingError::Unreachable(error.to_string()))?;
    let body = form(pairs);
    let until = Instant::now() + PATIENCE;
    let mut waits = WAITS.into_iter();
    loop {
        let (error, asked) = match client.post(&url).body(body.clone()).send().await {
            Ok(answer) if answer.status().is_success() => return Ok(answer.text().await.unwrap_or_default()),
            Ok(answer) => {
                let (status, asked) = (answer.status(), retry_after(answer.headers()));
                let text = answer.text().await.unwrap_or_default();
                let error = PingError::Refused { status: status.as_u16(), text };
                if !status.is_server_error() && status != StatusCode::TOO_MANY_REQUESTS {
                    return Err(error);
                }
                (error, asked)
            }
            Err(error) => (PingError::Unreachable(error.without_url().to_string()), None),
        };
        let left = until.saturating_duration_since(Instant::now());
        let wait = waits.next().map(|usual| Duration::from_secs(asked.unwrap_or(usual)));
        // Rather than come too early, or keep the job waiting, it is given up.
        let Some(wait) = wait.filter(|wait| *wait < left) else { return Err(error) };
        tokio::time::sleep(wait).await;
    }
}

/// The seconds that a server asks to wait; the other form, a date, is not ours.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()
}

fn form(pairs: &[(String, String)]) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    for (key, value) in pairs {
        form.append_pair(key, value);
    }
    form.finish()
}
