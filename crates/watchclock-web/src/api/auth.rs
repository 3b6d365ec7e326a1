//! Who calls: the key of a request, what it may do, and the one project that it opens.

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, StatusCode, header, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};
use uuid::Uuid;
use watchclock_service::key::{ApiKey, KeyRole};

use super::refusal::Refusal;
use crate::state::Web;

/// The key that a request came with.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) key: ApiKey,
    pub(super) role: KeyRole,
}

impl Caller {
    pub(super) fn project(&self) -> Uuid {
        self.key.project_id
    }

    pub(super) fn may_write(&self) -> bool {
        self.role == KeyRole::Write
    }

    /// How the story of an incident names the caller.
    pub(super) fn name(&self) -> String {
        format!("API key {}", self.key.name)
    }
}

/// Lets only requests with a key through. Without one, nothing is told about what exists.
pub(super) async fn check(State(web): State<Web>, mut request: Request, next: Next) -> Response {
    match caller(&web, request.headers()).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

async fn caller(web: &Web, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let token = token(headers).ok_or_else(|| {
        refused("send an API key: `Authorization: Bearer wc_…`", "Bearer realm=\"watchclock\"")
    })?;
    match web.watchclock().authenticate(token).await? {
        Some((key, role)) => Ok(Caller { key, role }),
        None => Err(refused(
            "this API key is not known here",
            "Bearer realm=\"watchclock\", error=\"invalid_token\"",
        )),
    }
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn refused(detail: &str, challenge: &str) -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, detail).with_header(header::WWW_AUTHENTICATE, challenge)
}

/// A caller that may read.
#[derive(Debug)]
pub(super) struct Reader(pub(super) Caller);

/// A caller that may change things.
#[derive(Debug)]
pub(super) struct Writer(pub(super) Caller);

impl FromRequestParts<Web> for Reader {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, Refusal> {
        with_role(parts, KeyRole::Read).map(Self)
    }
}

impl FromRequestParts<Web> for Writer {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, Refusal> {
        with_role(parts, KeyRole::Write).map(Self)
    }
}

fn with_role(parts: &Parts, needed: KeyRole) -> Result<Caller, Refusal> {
    let caller = parts.extensions.get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| refused("this needs an API key", "Bearer realm=\"watchclock\""))?;
    if caller.role >= needed {
        return Ok(caller);
    }
    let (has, needed) = (caller.role.word(), needed.word());
    let detail = format!("this needs a key with the role `{needed}`; this key has `{has}`");
    Err(Refusal::new(StatusCode::FORBIDDEN, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_by_bearer_in_any_case() {
        for (sent, token_of) in [
            ("Bearer wc_a", Some("wc_a")),
            ("bearer  wc_a ", Some("wc_a")),
            ("Basic wc_a", None),
            ("wc_a", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(header::AUTHORIZATION, sent.parse().unwrap())]);
            assert_eq!(token(&headers), token_of, "{sent}");
        }
        assert_eq!(token(&HeaderMap::new()), None);
    }
}
