//! `/v1/monitors`: making, changing and looking at scheduled jobs.

mod input;
mod rules;
mod shape;

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
#[cfg(test)]
pub(super) use input::FIELDS;
#[cfg(test)]
pub(super) use rules::FIELDS as RULE_FIELDS;
pub(super) use shape::MonitorShape;
use uuid::Uuid;
use watchclock_domain::{Time, monitor::Health};
use watchclock_service::monitor::{MonitorChange, MonitorFilter, MonitorPlace, MonitorView};

use super::{
    auth::{Caller, Reader, Writer},
    etag,
    fields::{self, Fields, Problems},
    input::MonitorInput,
    params::Query,
    refusal::Refusal,
    sent::Sent,
    shape::Listing,
};
use crate::state::Web;

/// Lists monitors
///
/// Newest first.
#[utoipa::path(get, path = "/v1/monitors", tag = "monitors", operation_id = "listMonitors",
    params(
        ("tag" = Option<String>, Query, description = "Only monitors with this tag"),
        ("health" = Option<String>, Query, description = "`waiting`, `healthy`, `late`, `failing` or `paused`"),
        ("q" = Option<String>, Query, description = "Part of name, slug or description, in any case"),
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<MonitorShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<MonitorShape>>, Refusal> {
    let mut params = query.params(&["tag", "health", "q", "limit", "cursor"]);
    let filter = MonitorFilter {
        tag: params.text("tag"),
        health: params.word("health", &Health::ALL, Health::word),
        query: params.text("q"),
    };
    let limit = usize::try_from(params.limit()).unwrap_or(1);
    let after = params.cursor(read_cursor);
    params.done()?;
    let (views, next) = web.watchclock().monitors_page(caller.project(), &filter, after, limit).await?;
    let next = next.map(|(at, id)| format!("{}.{id}", at.timestamp_micros()));
    Ok(Answer(Listing { items: views.iter().map(|view| MonitorShape::of(&web, view)).collect(), next }))
}

fn read_cursor(text: &str) -> Option<MonitorPlace> {
    let (micros, id) = text.split_once('.')?;
    Some((Time::from_timestamp_micros(micros.parse().ok()?)?, Uuid::try_parse(id).ok()?))
}

/// Makes a monitor
///
/// A name or a slug is enough. Every problem of what was sent comes back at once.
#[utoipa::path(post, path = "/v1/monitors", tag = "monitors", operation_id = "createMonitor",
    request_body(content = MonitorInput, example = json!({
        "name": "Nightly sync", "schedule": {"cron": ["0 3 * * *"], "tz": "Europe/Berlin"}, "grace": "10m",
        "max_duration": "1h", "overlap": "alert", "rules": ["records_processed eq 0"], "tags": ["etl"]})),
    responses((status = 201, body = MonitorShape,
        headers(("ETag" = String, description = "The version"), ("Location" = String, description = "Its path")))))]
pub(super) async fn create(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let change = input::read(sent.json()?, None, &mut problems);
    if !problems.is_empty() {
        let more = web.watchclock().monitor_problems(caller.project(), None, change).await?;
        fields::add(&mut problems, more);
        return Err(Refusal::wrong(problems));
    }
    let view = web.watchclock().create_monitor(caller.project(), change).await?;
    let location = format!("{}/v1/monitors/{}", web.base_path(), view.monitor.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], shown(&web, &view)).into_response())
}

/// Shows a monitor
#[utoipa::path(get, path = "/v1/monitors/{id}", tag = "monitors", operation_id = "getMonitor",
    params(("id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = MonitorShape, headers(("ETag" = String, description = "The version")))))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    query.none()?;
    Ok(shown(&web, &find(&web, &caller, &id).await?).into_response())
}

/// Changes a monitor
///
/// What is left out stays; null sets what a new monitor has. Rules are replaced together: one with the same `id`, condition or
/// name keeps its identity. An edited schedule starts counting from now.
#[utoipa::path(patch, path = "/v1/monitors/{id}", tag = "monitors", operation_id = "updateMonitor",
    params(("id" = String, Path, description = "Id or slug"),
        ("If-Match" = Option<String>, Header, description = "Change only this version, by its ETag")),
    request_body(content = MonitorInput, example = json!({"grace": "15m", "max_duration": null})),
    responses((status = 200, body = MonitorShape, headers(("ETag" = String, description = "The version")))))]
pub(super) async fn update(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    headers: HeaderMap,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let json = sent.json()?;
    let before = find(&web, &caller, &id).await?.monitor;
    let version = etag::insisted(&headers, before.version)?;
    let mut problems = Problems::new();
    let change: MonitorChange = input::read(json, Some(&before), &mut problems);
    if !problems.is_empty() {
        let more = web.watchclock().monitor_problems(caller.project(), Some(&before), change).await?;
        fields::add(&mut problems, more);
        return Err(Refusal::wrong(problems));
    }
    let view = web.watchclock().update_monitor(caller.project(), before.id, version, change).await?;
    Ok(shown(&web, &view).into_response())
}

/// Deletes a monitor with its runs and incidents
#[utoipa::path(delete, path = "/v1/monitors/{id}", tag = "monitors", operation_id = "deleteMonitor",
    params(("id" = String, Path, description = "Id or slug"),
        ("If-Match" = Option<String>, Header, description = "Delete only this version, by its ETag")),
    responses((status = 204, description = "It is gone")))]
pub(super) async fn delete(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<StatusCode, Refusal> {
    query.none()?;
    let before = find(&web, &caller, &id).await?.monitor;
    let version = etag::insisted(&headers, before.version)?;
    web.watchclock().delete_monitor_if(caller.project(), before.id, version).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pauses a monitor
///
/// No deadlines and no alerts; pings are recorded. A ping resumes it unless `manual_resume` is set.
#[utoipa::path(post, path = "/v1/monitors/{id}/pause", tag = "monitors", operation_id = "pauseMonitor",
    params(("id" = String, Path, description = "Id or slug"),
        ("If-Match" = Option<String>, Header, description = "Only this version, by its ETag")),
    responses((status = 200, body = MonitorShape, headers(("ETag" = String, description = "The version")))))]
pub(super) async fn pause(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    headers: HeaderMap,
    sent: Sent,
) -> Result<Response, Refusal> {
    nothing_sent(&query, &sent)?;
    set_paused(&web, &caller, &id, &headers, true).await
}

/// Resumes a monitor
///
/// Slots count from now on.
#[utoipa::path(post, path = "/v1/monitors/{id}/resume", tag = "monitors", operation_id = "resumeMonitor",
    params(("id" = String, Path, description = "Id or slug"),
        ("If-Match" = Option<String>, Header, description = "Only this version, by its ETag")),
    responses((status = 200, body = MonitorShape, headers(("ETag" = String, description = "The version")))))]
pub(super) async fn resume(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    headers: HeaderMap,
    sent: Sent,
) -> Result<Response, Refusal> {
    nothing_sent(&query, &sent)?;
    set_paused(&web, &caller, &id, &headers, false).await
}

async fn set_paused(
    web: &Web,
    caller: &Caller,
    id: &str,
    headers: &HeaderMap,
    paused: bool,
) -> Result<Response, Refusal> {
    let before = find(web, caller, id).await?.monitor;
    let version = etag::insisted(headers, before.version)?;
    let change = MonitorChange { paused: Some(paused), ..MonitorChange::default() };
    let view = web.watchclock().update_monitor(caller.project(), before.id, version, change).await?;
    Ok(shown(web, &view).into_response())
}

/// For calls that take no fields: no body, or an empty object.
pub(super) fn nothing_sent(query: &Query, sent: &Sent) -> Result<(), Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    Fields::of(sent.json_or_nothing()?, "", &[], &mut problems);
    if problems.is_empty() { Ok(()) } else { Err(Refusal::wrong(problems)) }
}

/// A monitor of the caller's project by id or slug.
pub(super) async fn find(web: &Web, caller: &Caller, id_or_slug: &str) -> Result<MonitorView, Refusal> {
    let missing = || {
        let shown: String = id_or_slug.chars().filter(|c| !c.is_control()).take(100).collect();
        Refusal::not_found(format!("there is no monitor `{shown}` in this project"))
    };
    let plain = id_or_slug.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if !plain {
        return Err(missing());
    }
    match web.watchclock().monitor(caller.project(), id_or_slug).await {
        Err(watchclock_service::ServiceError::NotFound) => Err(missing()),
        found => Ok(found?),
    }
}

fn shown(web: &Web, view: &MonitorView) -> impl IntoResponse + use<> {
    ([(header::ETAG, etag::of(view.monitor.version))], Answer(MonitorShape::of(web, view)))
}
