//! `/v1/keys`: keys of the API. Only keys that may write see and make them.

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::{
    ServiceError,
    key::{ApiKey, KeyRole},
};

use super::{
    auth::Writer,
    fields::{Fields, Problems},
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::{At, Listing},
};
use crate::state::Web;

/// A key of the API, as it is kept.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Key)]
pub(super) struct KeyShape {
    id: Uuid,
    name: String,
    #[schema(example = "read", pattern = "^(ping|read|write)$")]
    role: String,
    /// Its first characters.
    #[schema(example = "wc_k3Vh1x")]
    shown: String,
    created_at: At,
    last_used_at: Option<At>,
}

/// A key just made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewKey)]
pub(super) struct NewShape {
    #[serde(flatten)]
    kept: KeyShape,
    /// The key itself: shown this once.
    #[schema(example = "wc_…")]
    key: String,
}

/// What is to be set on a new key.
#[derive(Debug, ToSchema)]
#[schema(as = KeyInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct KeyInput {
    /// `read` sees everything, `write` changes everything, `ping` may only ping.
    #[schema(example = "read", pattern = "^(ping|read|write)$")]
    role: String,
    #[schema(example = "Grafana")]
    name: Option<String>,
}

/// Fields of a new key.
pub(super) const FIELDS: [&str; 2] = ["role", "name"];

impl KeyShape {
    fn of(key: ApiKey) -> Self {
        Self {
            id: key.id,
            name: key.name,
            role: key.role,
            shown: key.shown,
            created_at: At(key.created_at),
            last_used_at: key.last_used_at.map(At),
        }
    }
}

/// Lists keys
///
/// Newest first; the keys themselves are not kept.
#[utoipa::path(get, path = "/v1/keys", tag = "keys", operation_id = "listKeys",
    params(
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<KeyShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
) -> Result<Answer<Listing<KeyShape>>, Refusal> {
    let params = query.paging();
    let keys = web.watchclock().keys(caller.project()).await?;
    let (next, keys) = params.page(keys, |key| key.id)?;
    Ok(Answer(Listing::new(next, keys.into_iter().map(KeyShape::of).collect())))
}

/// Shows a key
#[utoipa::path(get, path = "/v1/keys/{id}", tag = "keys", operation_id = "getKey",
    params(("id" = Uuid, Path, description = "The key's id")),
    responses((status = 200, body = KeyShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<KeyShape>, Refusal> {
    query.none()?;
    let id = known(&id)?;
    let key = web.watchclock().keys(caller.project()).await?.into_iter().find(|key| key.id == id);
    Ok(Answer(KeyShape::of(key.ok_or(ServiceError::NotFound)?)))
}

/// Makes a key
///
/// The key itself is in this answer and never shown again.
#[utoipa::path(post, path = "/v1/keys", tag = "keys", operation_id = "createKey",
    request_body(content = KeyInput, example = json!({"role": "read", "name": "Grafana"})),
    responses((status = 201, body = NewShape)))]
pub(super) async fn create(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let read = Fields::of(sent.json()?, "", &FIELDS, &mut problems).and_then(|mut fields| {
        fields.drop_nulls();
        let name = fields.text("name").unwrap_or_default();
        if !fields.has("role") {
            fields.wrong("role", "must be one of `ping`, `read`, `write`");
        }
        Some((fields.word("role", &KeyRole::ALL, KeyRole::word)?, name))
    });
    let Some((role, name)) = read.filter(|_| problems.is_empty()) else {
        return Err(Refusal::wrong(problems));
    };
    let (kept, key) = web.watchclock().add_key(caller.project(), &name, role).await?;
    let shape = NewShape { kept: KeyShape::of(kept), key };
    Ok((StatusCode::CREATED, Answer(shape)).into_response())
}

/// Revokes a key
///
/// Also the one that this is sent with.
#[utoipa::path(delete, path = "/v1/keys/{id}", tag = "keys", operation_id = "deleteKey",
    params(("id" = Uuid, Path, description = "The key's id")),
    responses((status = 204, description = "It does not work any more")))]
pub(super) async fn delete(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    query.none()?;
    web.watchclock().remove_key(caller.project(), known(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}
