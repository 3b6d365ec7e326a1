//! The webhook channel: its settings, their check, and sending one; the JSON is in `payload.rs`, the wire and its guard in `http.rs`.

use chrono::{DateTime, Utc};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use url::Url;
use watchclock_domain::problem::Problem;

use crate::delivery::{Delivery, Outcome};
use crate::http::Http;
use crate::{guard, payload, signature};

/// Headers that are ours to set, or the connection's.
const RESERVED: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "host",
    "te",
    "transfer-encoding",
    "webhook-id",
    "webhook-signature",
    "webhook-timestamp",
];

const MOST_HEADERS: usize = 20;

/// A part of a path this long is a key rather than a word.
const TOKEN_LENGTH: usize = 16;

/// Where a webhook goes; the signing secret is kept apart.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct WebhookSettings {
    pub url: String,
    /// Own headers: name and value.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
}

/// Address and headers often hold a key.
impl std::fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookSettings").finish_non_exhaustive()
    }
}

impl WebhookSettings {
    /// Every problem of these settings.
    pub fn check(&self, allow_private_targets: bool) -> Vec<Problem> {
        let mut problems = Vec::new();
        match parse_url(&self.url) {
            Err(said) => problems.push(Problem::new("url", said)),
            Ok(url) if !allow_private_targets => {
                problems
                    .extend(guard::check_literal(&url).err().map(|no| Problem::new("url", no.to_string())));
            }
            Ok(_) => {}
        }
        if self.headers.len() > MOST_HEADERS {
            problems.push(Problem::new("headers", format!("at most {MOST_HEADERS} headers")));
        }
        for (name, value) in self.headers.iter().take(MOST_HEADERS) {
            let field = format!("headers.{}", crate::text::one_line(name, 60));
            problems.extend(parse_header(name, value).err().map(|said| Problem::new(field, said)));
        }
        problems
    }

    /// What is wrong with a signing secret that somebody brings along.
    pub fn check_secret(secret: &str) -> Vec<Problem> {
        signature::key(secret).err().map(|said| Problem::new("secret", said)).into_iter().collect()
    }
}

/// Posts an alert.
pub(crate) async fn send(
    http: &Http,
    delivery: &Delivery,
    (url, secret, own_headers): (&str, &str, &[(String, String)]),
    base_url: &str,
    now: DateTime<Utc>,
) -> Outcome {
    let url = match parse_url(url) {
        Ok(url) => url,
        Err(said) => return Outcome::GaveUp(said),
    };
    let key = match signature::key(secret) {
        Ok(key) => key,
        Err(said) => return Outcome::GaveUp(said.to_owned()),
    };
    let body = payload::json(&delivery.alert, base_url);
    let id = delivery.id.to_string();
    let mut headers = HeaderMap::new();
    for (name, value) in own_headers {
        match parse_header(name, value) {
            Ok((name, value)) => headers.append(name, value),
            Err(said) => {
                return Outcome::GaveUp(format!("header {}: {said}", crate::text::one_line(name, 60)));
            }
        };
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let signature = signature::sign(&key, &id, now.timestamp(), &body);
    for (name, value) in [
        ("webhook-id", id),
        ("webhook-timestamp", now.timestamp().to_string()),
        ("webhook-signature", signature),
    ] {
        headers.insert(name, value.parse().expect("ids, numbers and base64 are fit for a header"));
    }
    let secrets = secrets(&url, secret, own_headers);
    http.post(url, headers, body, &secrets).await
}

/// What an answer must not show, whatever the receiver echoes: the signing secret, header values and keys after a
/// scheme (`Bearer …`), and the parts of an address that look like one.
fn secrets(url: &Url, secret: &str, headers: &[(String, String)]) -> Vec<String> {
    let mut secrets = vec![secret.to_owned()];
    for (_, value) in headers {
        secrets.push(value.clone());
        secrets.extend(value.split_once(' ').map(|(_, key)| key.to_owned()));
    }
    secrets.extend(url.query().map(str::to_owned));
    secrets.extend(url.query_pairs().map(|(_, value)| value.into_owned()));
    secrets.extend(url.path().split('/').filter(|part| part.len() >= TOKEN_LENGTH).map(str::to_owned));
    if let Some(password) = url.password() {
        secrets.extend([format!("{}:{password}", url.username()), password.to_owned()]);
    }
    secrets
}

fn parse_url(written: &str) -> Result<Url, String> {
    let url = Url::parse(written.trim()).map_err(|error| format!("this is not a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        _ => Err("a webhook goes to an http:// or https:// address".to_owned()),
    }
}

fn parse_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed =
        HeaderName::from_bytes(name.as_bytes()).map_err(|_| "this is no name for a header".to_owned())?;
    if RESERVED.contains(&parsed.as_str()) {
        return Err("this header is set by Watchclock itself".to_owned());
    }
    let mut value = HeaderValue::from_str(value)
        .map_err(|_| "a header's value is one line of printable ASCII characters".to_owned())?;
    value.set_sensitive(true);
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, headers: &[(&str, &str)]) -> Vec<String> {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let settings = WebhookSettings { url: url.to_owned(), headers };
        settings.check(false).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn good_settings_have_no_problem() {
        assert!(check("https://hooks.example.org/x?y=1", &[("Authorization", "Bearer abc")]).is_empty());
    }

    #[test]
    fn all_problems_come_at_once() {
        let problems = check("ftp://x", &[("Host", "y"), ("bad name", "z"), ("X-A", "a\r\nb")]);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(problems[1].starts_with("headers.Host: "));
    }

    #[test]
    fn a_private_literal_names_the_setting() {
        let problems = check("http://2130706433/hook", &[]);
        assert!(problems[0].contains("127.0.0.1") && problems[0].contains(guard::SETTING), "{problems:?}");
        let settings = WebhookSettings { url: "http://127.0.0.1/".to_owned(), headers: Vec::new() };
        assert!(settings.check(true).is_empty());
    }
}
