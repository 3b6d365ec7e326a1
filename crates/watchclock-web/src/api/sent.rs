//! The body of a request as JSON. What its fields mean is read by [`super::fields`].

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use serde_json::Value as Json;
use watchclock_domain::problem::Problem;

use super::refusal::Refusal;

/// Longest body, in bytes.
pub(super) const LIMIT: usize = 1024 * 1024;

/// What was sent: a body that is JSON, whatever it calls itself.
#[derive(Debug)]
pub(super) struct Sent {
    body: Bytes,
    content_type: Option<String>,
}

impl<S: Send + Sync> FromRequest<S> for Sent {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let text = |headers: &HeaderMap, name| {
            headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let content_type = text(request.headers(), header::CONTENT_TYPE);
        if let Some(encoding) = text(request.headers(), header::CONTENT_ENCODING)
            && !encoding.eq_ignore_ascii_case("identity")
        {
            let detail = format!("bodies are not unpacked here: send it without Content-Encoding {encoding}");
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
        }
        match Bytes::from_request(request, state).await {
            Ok(body) => Ok(Self { body, content_type }),
            Err(refused) if refused.status() == StatusCode::PAYLOAD_TOO_LARGE => {
                Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "a body has at most 1 MiB"))
            }
            Err(_) => Err(Refusal::new(StatusCode::BAD_REQUEST, "the body did not arrive as a whole")),
        }
    }
}

impl Sent {
    /// The JSON; an empty body is none.
    pub(super) fn json(&self) -> Result<Json, Refusal> {
        let body = self.body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.body);
        if body.iter().all(u8::is_ascii_whitespace) {
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "the body is empty: send a JSON object"));
        }
        serde_json::from_slice(body).map_err(|error| self.no_json(&error))
    }

    /// The JSON of a request whose body may be left out.
    pub(super) fn json_or_nothing(&self) -> Result<Json, Refusal> {
        if self.body.trim_ascii().is_empty() { Ok(Json::Object(serde_json::Map::new())) } else { self.json() }
    }

    fn no_json(&self, error: &serde_json::Error) -> Refusal {
        // `-d a=b` of curl and the like: not broken JSON, but something else.
        let other = self.content_type.as_deref().filter(|kind| !kind.to_ascii_lowercase().contains("json"));
        let starts_so = self.body.trim_ascii_start().first().is_some_and(|byte| b"{[".contains(byte));
        let said = match other.filter(|_| !starts_so) {
            Some(kind) => format!("send a JSON object, not {kind}"),
            None => format!("the body is no valid JSON: {error}"),
        };
        Refusal::new(StatusCode::BAD_REQUEST, said.clone()).with_error(Problem::new("", said))
    }
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;

    use super::*;

    fn json(content_type: Option<&str>, body: &'static str) -> Result<Json, StatusCode> {
        let sent = Sent { body: Bytes::from(body), content_type: content_type.map(str::to_owned) };
        sent.json().map_err(|refusal| refusal.into_response().status())
    }

    #[test]
    fn json_is_json_whatever_it_calls_itself() {
        let form = Some("application/x-www-form-urlencoded");
        assert_eq!(json(None, "{}"), Ok(serde_json::json!({})));
        assert_eq!(json(form, " {\"a\": 1}"), Ok(serde_json::json!({"a": 1})));
        assert_eq!(json(None, "\u{feff}[]"), Ok(serde_json::json!([])));
        assert_eq!(json(form, "name=x"), Err(StatusCode::BAD_REQUEST));
        assert_eq!(json(form, "{name: x}"), Err(StatusCode::BAD_REQUEST));
        assert_eq!(json(Some("application/json"), "name=x"), Err(StatusCode::BAD_REQUEST));
        assert_eq!(json(None, " \n"), Err(StatusCode::BAD_REQUEST));
    }

    #[test]
    fn broken_json_is_told_by_place() {
        let sent = Sent { body: Bytes::from_static(b"{\n  \"a\": 1,,\n}"), content_type: None };
        let refusal = sent.json().unwrap_err();
        assert!(format!("{refusal:?}").contains("line 2 column"), "{refusal:?}");
    }
}
