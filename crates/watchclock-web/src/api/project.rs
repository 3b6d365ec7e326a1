//! `/v1/projects`: the one project that a key opens.

use axum::{Json as Answer, extract::State};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    auth::Reader,
    params::Query,
    refusal::Refusal,
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

/// Lists the key's project
///
/// A key belongs to one project, so there is one entry.
#[utoipa::path(get, path = "/v1/projects", tag = "projects", operation_id = "listProjects",
    responses((status = 200, body = Listing<ProjectShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<ProjectShape>>, Refusal> {
    query.none()?;
    let project = web.watchclock().project(caller.project()).await?;
    Ok(Answer(Listing::whole(vec![ProjectShape {
        id: project.id,
        slug: project.slug,
        name: project.name,
        ping_key: caller.may_write().then_some(project.ping_key),
        created_at: At(project.created_at),
    }])))
}
