//! `/v1/projects`: the one project that a key opens.

use axum::{
    Json as Answer,
    extract::{Path, State},
};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_service::{ServiceError, project::Project};

use super::{
    auth::{Caller, Reader},
    params::Query,
    refusal::Refusal,
    run::known,
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
    created_at: At,
}

impl ProjectShape {
    fn of(project: Project, caller: &Caller) -> Self {
        Self {
            id: project.id,
            slug: project.slug,
            name: project.name,
            ping_key: caller.may_write().then_some(project.ping_key),
            created_at: At(project.created_at),
        }
    }
}

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
    let project = web.watchclock().project(caller.project()).await?;
    let (next, projects) = params.page(vec![project], |project| project.id)?;
    let items = projects.into_iter().map(|project| ProjectShape::of(project, &caller)).collect();
    Ok(Answer(Listing::new(next, items)))
}

/// Shows the key's project
#[utoipa::path(get, path = "/v1/projects/{id}", tag = "projects", operation_id = "getProject",
    params(("id" = String, Path, description = "Id or slug")),
    responses((status = 200, body = ProjectShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<ProjectShape>, Refusal> {
    query.none()?;
    let project = web.watchclock().project(caller.project()).await?;
    if project.slug != id && known(&id)? != project.id {
        return Err(ServiceError::NotFound.into());
    }
    Ok(Answer(ProjectShape::of(project, &caller)))
}
