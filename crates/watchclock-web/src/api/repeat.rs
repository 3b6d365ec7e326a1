//! `Idempotency-Key`: a POST that is sent again with the same key is answered as the first time, and done once.

use std::{fmt::Write as _, time::Duration};

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{FromRequest as _, Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, header, response::Builder},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use watchclock_domain::problem::Problem;
use watchclock_service::idempotency::{Held, KeptAnswer, Repeat};

use super::{auth::Caller, refusal::Refusal};
use crate::state::Web;

const KEY: &str = "idempotency-key";
/// How often the answer to a request that is being carried out is looked for, and how many times.
const GLANCE: Duration = Duration::from_millis(50);
const PATIENCE: u32 = 200;
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Headers that belong to an answer as much as its body.
const KEPT: [HeaderName; 3] = [header::CONTENT_TYPE, header::LOCATION, header::ETAG];

/// Stands around everything that needs a key of the API.
pub(super) async fn once(State(web): State<Web>, request: Request, next: Next) -> Response {
    let key = request.headers().get(KEY).filter(|_| request.method() == Method::POST).cloned();
    let caller = request.extensions().get::<Caller>().cloned();
    let (Some(key), Some(caller)) = (key, caller) else { return next.run(request).await };
    match taken(&web, &caller, &key, request).await {
        // Carried out even if the caller hangs up: that is when a request is sent again.
        Ok(Taken::New(held, request)) => {
            let done = tokio::spawn(async move { carry_out(&web, *held, request, next).await }).await;
            done.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        }
        Ok(Taken::Answered(answer)) => answer,
        Err(refusal) => refusal.into_response(),
    }
}

enum Taken {
    New(Box<Held>, Request),
    Answered(Response),
}

async fn taken(web: &Web, caller: &Caller, key: &HeaderValue, request: Request) -> Result<Taken, Refusal> {
    let key =
        key.to_str().ok().map(str::trim).filter(|key| (1..=255).contains(&key.len())).ok_or_else(|| {
            Refusal::wrong(vec![Problem::new("Idempotency-Key", "must be 1 to 255 characters of ASCII")])
        })?;
    let (parts, body) = request.into_parts();
    let body = Bytes::from_request(Request::from_parts(parts.clone(), body), web).await.map_err(|error| {
        let detail = match error.status() {
            StatusCode::PAYLOAD_TOO_LARGE => "a body has at most 1 MiB",
            _ => "the body did not arrive as a whole",
        };
        Refusal::new(error.status(), detail)
    })?;
    let mut hash = Sha256::new();
    hash.update(parts.uri.to_string());
    hash.update([0]);
    hash.update(&body);
    let fingerprint = hash.finalize().iter().fold(String::new(), |mut hex, byte| {
        _ = write!(hex, "{byte:02x}");
        hex
    });
    let mut waited = 0;
    loop {
        match web.watchclock().take_key(caller.key.id, key, &fingerprint).await? {
            Repeat::New(held) => {
                return Ok(Taken::New(Box::new(held), Request::from_parts(parts, Body::from(body))));
            }
            Repeat::Answered(answer) => return Ok(Taken::Answered(again(answer))),
            // The first one will be answered soon, and then this one is.
            Repeat::Open if waited < PATIENCE => {
                waited += 1;
                tokio::time::sleep(GLANCE).await;
            }
            Repeat::Open => {
                let detail = "the request with this Idempotency-Key is still being carried out; ask again";
                return Err(Refusal::new(StatusCode::CONFLICT, detail).with_header(header::RETRY_AFTER, "5"));
            }
            Repeat::Other => {
                let message =
                    "this key came with another request in the last 24 hours; a new request needs a new key";
                return Err(Refusal::wrong(vec![Problem::new("Idempotency-Key", message)]));
            }
        }
    }
}

/// Keeps the answer if something was done; after a refusal the key is free for the corrected request.
async fn carry_out(web: &Web, held: Held, request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let kept = parts.status.is_success().then(|| KeptAnswer {
        status: parts.status.as_u16(),
        headers: KEPT
            .iter()
            .filter_map(|name| Some((name.to_string(), parts.headers.get(name)?.to_str().ok()?.to_owned())))
            .collect(),
        body: String::from_utf8_lossy(&body).into_owned(),
    });
    if let Err(error) = web.watchclock().settle_key(held, kept).await {
        tracing::warn!(%error, "the answer to a request with an Idempotency-Key could not be kept");
    }
    Response::from_parts(parts, Body::from(body))
}

fn again(answer: KeptAnswer) -> Response {
    let start = Builder::new().status(answer.status).header(REPLAYED, "true");
    let builder = answer.headers.iter().fold(start, |builder, (name, value)| builder.header(name, value));
    builder
        .body(Body::from(answer.body))
        .unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
