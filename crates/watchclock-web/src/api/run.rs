//! `/v1/runs`: what jobs did.

use std::collections::BTreeMap;

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::header,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::run::{Run, RunFlag, RunStatus};
use watchclock_service::run::RunFilter;

use super::{
    auth::Reader,
    monitor,
    params::Query,
    refusal::Refusal,
    shape::{At, Listing, Seconds, meta},
};
use crate::state::Web;

/// One execution, or a slot that nothing filled.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Run)]
pub(super) struct RunShape {
    id: Uuid,
    /// The id of its monitor.
    monitor: Uuid,
    /// Grows by one per monitor.
    number: i64,
    /// The job's own name for it, as it was first given.
    rid: Option<String>,
    #[schema(example = "success", pattern = "^(running|success|failed|hung|missed|skipped|unknown)$")]
    status: &'static str,
    /// Any of `overlapped`, `late_start`, `unscheduled`, `too_fast`, `too_slow`, `rule_broken`, `pairing_assumed`,
    /// `hung_until`.
    flags: Vec<&'static str>,
    /// The most recent runs that it overlapped, at most 20.
    overlaps: Vec<Uuid>,
    /// How many it overlapped: all that were active when it started, and up to 20 that started after it.
    overlap_count: i64,
    /// The slot that it fills.
    slot: Option<At>,
    started_at: Option<At>,
    ended_at: Option<At>,
    first_seen_at: At,
    /// When it was declared hung.
    hung_at: Option<At>,
    /// Known when both ends are.
    duration: Option<Seconds>,
    exit_code: Option<u8>,
    message: Option<String>,
    /// What the job reported; numbers are exact.
    #[schema(value_type = Object, example = json!({"records_processed": 1204}))]
    meta: BTreeMap<String, Json>,
    source: SourceShape,
    /// In bytes, as it was sent.
    output_size: u64,
    /// What was assumed, dropped or contradicted.
    notes: Vec<String>,
}

/// Where the pings of a run came from.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Source)]
struct SourceShape {
    addr: Option<String>,
    user_agent: Option<String>,
    host: Option<String>,
    env: Option<String>,
}

impl RunShape {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            id: run.id,
            monitor: run.monitor,
            number: run.number,
            rid: run.run_id.as_ref().map(|id| id.shown.clone()),
            status: run.status.word(),
            flags: run.flags.iter().map(|flag| flag.word()).collect(),
            overlaps: run.overlaps.clone(),
            overlap_count: run.overlap_count,
            slot: run.slot.map(At),
            started_at: run.started_at.map(At),
            ended_at: run.ended_at.map(At),
            first_seen_at: At(run.first_seen_at),
            hung_at: run.hung_at.map(At),
            duration: run.duration().map(Seconds),
            exit_code: run.exit_code,
            message: run.message.clone(),
            meta: meta(&run.meta),
            source: SourceShape {
                addr: run.source.addr.clone(),
                user_agent: run.source.user_agent.clone(),
                host: run.source.host.clone(),
                env: run.source.env.clone(),
            },
            output_size: run.output_size,
            notes: run.notes.clone(),
        }
    }
}

/// Lists runs
///
/// Newest first.
#[utoipa::path(get, path = "/v1/runs", tag = "runs", operation_id = "listRuns",
    params(
        ("monitor" = Option<String>, Query, description = "Only runs of this monitor, by id or slug"),
        ("status" = Option<String>, Query,
            description = "`running`, `success`, `failed`, `hung`, `missed`, `skipped` or `unknown`"),
        ("flag" = Option<String>, Query, description = "Only runs with this flag, as `overlapped`"),
        ("from" = Option<String>, Query, description = "Only runs first heard of at this time or later"),
        ("to" = Option<String>, Query, description = "Only runs first heard of before this time"),
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<RunShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<RunShape>>, Refusal> {
    let mut params = query.params(&["monitor", "status", "flag", "from", "to", "limit", "cursor"]);
    let of = params.text("monitor");
    let mut filter = RunFilter {
        monitor: None,
        status: params.word("status", &RunStatus::ALL, RunStatus::word),
        flag: params.word("flag", &RunFlag::ALL, RunFlag::word),
        from: params.time("from"),
        to: params.time("to"),
        before: params.id_cursor(),
        limit: params.limit(),
    };
    params.done()?;
    if let Some(of) = of {
        filter.monitor = Some(monitor::find(&web, &caller, &of).await?.monitor.id);
    }
    let page = web.watchclock().runs(caller.project(), &filter).await?;
    Ok(Answer(Listing::new(page.next, page.items.iter().map(RunShape::of).collect())))
}

/// Shows a run
#[utoipa::path(get, path = "/v1/runs/{id}", tag = "runs", operation_id = "getRun",
    params(("id" = Uuid, Path, description = "The run's id")),
    responses((status = 200, body = RunShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<RunShape>, Refusal> {
    query.none()?;
    Ok(Answer(RunShape::of(&web.watchclock().run(caller.project(), known(&id)?).await?)))
}

/// Shows what a run printed
///
/// The last part of it, at most 100,000 bytes; empty when it printed nothing. `Watchclock-Output-Cut` tells how many
/// bytes were cut off before.
#[utoipa::path(get, path = "/v1/runs/{id}/output", tag = "runs", operation_id = "getRunOutput",
    params(("id" = Uuid, Path, description = "The run's id")),
    responses((status = 200, body = String, content_type = "text/plain",
        headers(("Watchclock-Output-Cut" = u64, description = "Bytes that are not kept")))))]
pub(super) async fn output(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    query.none()?;
    let output = web.watchclock().output(caller.project(), known(&id)?).await?.unwrap_or_default();
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    let cut = [("watchclock-output-cut", output.cut.to_string())];
    Ok((headers, cut, output.text()).into_response())
}

/// An id out of a path; what is none cannot exist.
pub(super) fn known(id: &str) -> Result<Uuid, Refusal> {
    Uuid::try_parse(id).map_err(|_| watchclock_service::ServiceError::NotFound.into())
}
