//! `/v1/projects`: the one project that a key opens, and how long it keeps what happened.

use axum::{
    Json as Answer,
    extract::{Path, State},
};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::{
    ServiceError,
    keep::{Keep, KeepChange},
    project::Project,
};

use super::{
    auth::{Caller, Reader, Writer},
    fields::{Fields, Problems},
    params::Query,
    refusal::Refusal,
    sent::Sent,
    shape::{At, Listing},
};
use crate::state::Web;

/// Owns monitors, channels and keys.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Project)]
pub(super) struct ProjectShape {
    id: Uuid,
    #[schema(example = "default")]
    slug: String,
    name: String,
    /// Part of ping URLs by slug, `/ping/{ping_key}/{slug}`. Only for keys that may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    ping_key: Option<String>,
    keep: KeepShape,
    created_at: At,
}

/// How long runs are kept. Failures, runs that incidents name, and incidents stay four times as long; active and hung runs
/// and those of open incidents always.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Keep)]
struct KeepShape {
    /// Runs of each monitor.
    #[schema(example = 500)]
    runs: i32,
    #[schema(example = 90)]
    days: i32,
    /// Null: output stays as long as its run.
    output_days: Option<i32>,
}

/// What is to be set on a project.
#[derive(Debug, ToSchema)]
#[schema(as = ProjectInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct ProjectInput {
    name: Option<String>,
    keep: Option<KeepInput>,
}

/// How long runs are to be kept.
#[derive(Debug, ToSchema)]
#[schema(as = KeepInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct KeepInput {
    #[schema(minimum = 10, maximum = 1_000_000)]
    runs: Option<i32>,
    #[schema(minimum = 1, maximum = 3650)]
    days: Option<i32>,
    /// Null: as long as its run.
    #[schema(minimum = 1, maximum = 3650)]
    output_days: Option<i32>,
}

pub(super) const FIELDS: [&str; 2] = ["name", "keep"];
pub(super) const KEEP_FIELDS: [&str; 3] = ["runs", "days", "output_days"];
const READ_ONLY: [&str; 4] = ["id", "slug", "ping_key", "created_at"];

/// Lists the key's project
///
/// A key belongs to one project, so there is one entry.
#[utoipa::path(get, path = "/v1/projects", tag = "projects", operation_id = "listProjects",
    params(
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<ProjectShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<ProjectShape>>, Refusal> {
    let params = query.paging();
    let (next, projects) = params.page(vec![shape(&web, &caller).await?], |project| project.id)?;
    Ok(Answer(Listing::new(next, projects)))
}

/// Shows the key's project
#[utoipa::path(get, path = "/v1/projects/{id}", tag = "projects", operation_id = "getProject",
    params(("id" = String, Path, description = "Id or slug of the key's project")),
    responses((status = 200, body = ProjectShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<ProjectShape>, Refusal> {
    query.none()?;
    let shape = shape(&web, &caller).await?;
    if !names(&id, shape.id, &shape.slug) {
        return Err(ServiceError::NotFound.into());
    }
    Ok(Answer(shape))
}

/// Whether a path names a project, by its id or slug.
fn names(named: &str, id: Uuid, slug: &str) -> bool {
    named == slug || Uuid::try_parse(named).ok() == Some(id)
}

/// Changes the key's project
///
/// What is left out stays. What is older than is to be kept goes within the hour.
#[utoipa::path(patch, path = "/v1/projects/{id}", tag = "projects", operation_id = "updateProject",
    params(("id" = String, Path, description = "Id or slug of the key's project")),
    request_body(content = ProjectInput, example = json!({"keep": {"runs": 1000, "days": 30, "output_days": 7}})),
    responses((status = 200, body = ProjectShape)))]
pub(super) async fn update(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<ProjectShape>, Refusal> {
    query.none()?;
    let project = web.watchclock().project(caller.project()).await?;
    if !names(&id, project.id, &project.slug) {
        return Err(ServiceError::NotFound.into());
    }
    let mut problems = Problems::new();
    let (name, keep) = read(sent.json()?, &mut problems);
    if !problems.is_empty() {
        return Err(Refusal::wrong(problems));
    }
    // What is kept was checked just now; a name may still be refused, and then nothing is to happen.
    if let Some(name) = name {
        web.watchclock().rename_project(project.id, &name).await?;
    }
    if let Some(keep) = keep {
        web.watchclock().change_keep(project.id, keep).await?;
    }
    Ok(Answer(shape(&web, &caller).await?))
}

fn read(json: Json, problems: &mut Problems) -> (Option<String>, Option<KeepChange>) {
    let Some(mut fields) = Fields::with_read_only(json, "", (&FIELDS, &READ_ONLY), problems) else {
        return (None, None);
    };
    fields.fill_nulls(|name| {
        (name == "keep").then(|| KEEP_FIELDS.map(|name| (name.to_owned(), Json::Null)).into_iter().collect())
    });
    let name = fields.text("name");
    let keep = fields.take("keep").and_then(|json| {
        let mut keep = Fields::of(json, "keep", &KEEP_FIELDS, fields.problems)?;
        keep.fill_nulls(|name| match name {
            "runs" => Some(Json::from(Keep::default().runs)),
            "days" => Some(Json::from(Keep::default().days)),
            _ => None,
        });
        let output_days = match keep.take("output_days") {
            Some(Json::Null) => Some(None),
            Some(Json::Number(number)) if number.is_i64() => Some(number.as_i64()),
            Some(_) => {
                keep.wrong("output_days", "must be a whole number of days, or null");
                None
            }
            None => None,
        };
        Some(KeepChange {
            runs: keep.whole("runs", 10..=1_000_000),
            days: keep.whole("days", 1..=3_650),
            output_days,
        })
    });
    (name, keep)
}

async fn shape(web: &Web, caller: &Caller) -> Result<ProjectShape, Refusal> {
    let project: Project = web.watchclock().project(caller.project()).await?;
    let keep: Keep = web.watchclock().keep(project.id).await?;
    Ok(ProjectShape {
        id: project.id,
        slug: project.slug,
        name: project.name,
        ping_key: caller.may_write().then_some(project.ping_key),
        keep: KeepShape { runs: keep.runs, days: keep.days, output_days: keep.output_days },
        created_at: At(project.created_at),
    })
}
