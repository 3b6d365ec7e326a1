//! `/v1/channels`: where alerts go. Secrets go in and never come out, but for one that is made here: it is shown once.

mod input;
mod shape;

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
#[cfg(test)]
pub(super) use input::{EMAIL, WEBHOOK};
use serde::Serialize;
pub(super) use shape::ChannelShape;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::channel::{ChannelChange, ChannelView};

use super::{
    auth::{Reader, Writer},
    fields::{self, Problems},
    monitor::nothing_sent,
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::Listing,
};
use crate::state::Web;

/// A channel just made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NewChannel)]
pub(super) struct NewShape {
    #[serde(flatten)]
    channel: ChannelShape,
    /// The signing secret of a webhook that brought none: shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_…")]
    secret: Option<String>,
}

/// What came of a test.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChannelTest)]
pub(super) struct TestShape {
    /// Null while it is still being sent.
    ok: Option<bool>,
    /// What the receiver said.
    #[schema(example = "200 OK")]
    answer: String,
    /// The id of the delivery.
    delivery: Uuid,
}

/// Lists channels
///
/// Newest first.
#[utoipa::path(get, path = "/v1/channels", tag = "channels", operation_id = "listChannels",
    params(
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<ChannelShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<ChannelShape>>, Refusal> {
    let params = query.paging();
    let channels = web.watchclock().channels(caller.project()).await?;
    let (next, channels) = params.page(channels, |view| view.id)?;
    let shape = |view| ChannelShape::of(view, caller.may_write());
    Ok(Answer(Listing::new(next, channels.iter().map(shape).collect())))
}

/// Makes a channel
///
/// A webhook that brings no `secret` gets one; it is in this answer and never shown again.
#[utoipa::path(post, path = "/v1/channels", tag = "channels", operation_id = "createChannel",
    request_body(content = input::ChannelInput, examples(
        ("email" = (value = json!({"kind": "email", "name": "Ops", "to": ["ops@example.org"]}))),
        ("webhook" = (value = json!({"kind": "webhook", "name": "Pager", "url": "https://pager.example.org/hook",
            "headers": {"x-team": "ops"}}))))),
    responses((status = 201, body = NewShape, headers(("Location" = String, description = "Its path")))))]
pub(super) async fn create(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let change = input::read_new(sent.json()?, &mut problems);
    let change = checked(&web, change, problems)?;
    let (view, secret) = web.watchclock().create_channel(caller.project(), change).await?;
    let location = format!("{}/v1/channels/{}", web.base_path(), view.id);
    let shape = NewShape { channel: ChannelShape::of(&view, true), secret };
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(shape)).into_response())
}

/// Shows a channel
#[utoipa::path(get, path = "/v1/channels/{id}", tag = "channels", operation_id = "getChannel",
    params(("id" = Uuid, Path, description = "The channel's id")),
    responses((status = 200, body = ChannelShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<ChannelShape>, Refusal> {
    query.none()?;
    let view = web.watchclock().channel(caller.project(), known(&id)?).await?;
    Ok(Answer(ChannelShape::of(&view, caller.may_write())))
}

/// Changes a channel
///
/// What is left out stays; the kind cannot change. `headers` are replaced together.
#[utoipa::path(patch, path = "/v1/channels/{id}", tag = "channels", operation_id = "updateChannel",
    params(("id" = Uuid, Path, description = "The channel's id")),
    request_body(content = input::ChannelInput, example = json!({"enabled": false})),
    responses((status = 200, body = ChannelShape)))]
pub(super) async fn update(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<ChannelShape>, Refusal> {
    query.none()?;
    let json = sent.json()?;
    let edit = |before: &ChannelView| {
        let mut problems = Problems::new();
        let change = Some(input::read_change(json, before, &mut problems));
        checked(&web, change, problems)
    };
    let view = web.watchclock().change_channel(caller.project(), known(&id)?, edit).await?;
    Ok(Answer(ChannelShape::of(&view, true)))
}

/// What was read, if nothing is wrong with it.
fn checked(
    web: &Web,
    change: Option<ChannelChange>,
    mut problems: Problems,
) -> Result<ChannelChange, Refusal> {
    if let Some(change) = &change {
        fields::add(&mut problems, web.watchclock().channel_problems(change));
    }
    change.filter(|_| problems.is_empty()).ok_or_else(|| Refusal::wrong(problems))
}

/// Deletes a channel
///
/// What is on its way to it is cancelled; incidents keep what it was told.
#[utoipa::path(delete, path = "/v1/channels/{id}", tag = "channels", operation_id = "deleteChannel",
    params(("id" = Uuid, Path, description = "The channel's id")),
    responses((status = 204, description = "It is gone")))]
pub(super) async fn delete(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    query.none()?;
    web.watchclock().delete_channel(caller.project(), known(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a test alert
///
/// The way that alerts go; answers with what the receiver said.
#[utoipa::path(post, path = "/v1/channels/{id}/test", tag = "channels", operation_id = "testChannel",
    params(("id" = Uuid, Path, description = "The channel's id")),
    responses((status = 200, body = TestShape)))]
pub(super) async fn test(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<TestShape>, Refusal> {
    nothing_sent(&query, &sent)?;
    let result = web.watchclock().test_channel(caller.project(), known(&id)?).await?;
    Ok(Answer(TestShape { ok: result.ok, answer: result.answer, delivery: result.delivery }))
}
