//! Settings of the project: its name and its ping key. Neighbours: `keys`, `members`, `account`, `about`.

use axum::extract::State;
use watchclock_service::member::Role;

use super::{
    errors::PageResult,
    fields::Form,
    flash::Note,
    problems::Problems,
    respond,
    session::Member,
    views::{settings::ProjectSettings, shell::Section},
};
use crate::state::Web;

/// `GET /settings`
pub(crate) async fn show(State(web): State<Web>, member: Member) -> PageResult {
    let name = member.project.name.clone();
    Ok(respond::page(&view(&web, &member, &name, Problems::default()).await?))
}

async fn view(web: &Web, member: &Member, name: &str, mut problems: Problems) -> PageResult<ProjectSettings> {
    // Whoever may only look must not be able to ping.
    let ping_key =
        if member.role >= Role::Member { member.project.ping_key.clone() } else { "…".to_owned() };
    Ok(ProjectSettings {
        shell: member.shell(web, "Settings", Section::Settings).await?,
        name: problems.field("name", name),
        slug: member.project.slug.clone(),
        ping_prefix: web.url(&format!("/ping/{ping_key}/")),
        ping_key,
        may_edit: member.role == Role::Owner,
    })
}

/// `POST /settings/project`
pub(crate) async fn save(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    member.owns()?;
    let name = form.get("name");
    match web.watchclock().rename_project(member.project.id, name).await {
        Ok(()) => Ok(respond::to_with(&web, "/settings", &Note::good("The project is saved."))),
        Err(error) => Ok(respond::wrong(&view(&web, &member, name, Problems::of(error)?).await?)),
    }
}

/// `POST /settings/ping-key/rotate`
pub(crate) async fn rotate(State(web): State<Web>, member: Member) -> PageResult {
    member.owns()?;
    web.watchclock().rotate_ping_key(member.project.id).await?;
    let note = Note::good("The ping key is changed. Jobs that ping by slug need the new address below.");
    Ok(respond::to_with(&web, "/settings", &note))
}
