//! People of the project: listing, inviting by a one-time link, removing.

use axum::extract::{Path, State};
use watchclock_service::{ServiceError, member::Role};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    moments::Moments,
    problems::Problems,
    respond,
    runs::id,
    session::Member,
    views::{
        channels::NewSecret,
        parts::Choice,
        settings::{MemberRow, MemberSettings},
        shell::Section,
    },
};
use crate::state::Web;

/// `GET /settings/members`
pub(crate) async fn show(State(web): State<Web>, mut member: Member) -> PageResult {
    let once = member.once.take();
    Ok(respond::page(&view(&web, &member, once, &Fields::default(), Problems::default()).await?))
}

async fn view(
    web: &Web,
    member: &Member,
    new_link: Option<NewSecret>,
    form: &Fields,
    mut problems: Problems,
) -> PageResult<MemberSettings> {
    let moments = Moments::utc(web.watchclock().now());
    let members = web.watchclock().members(member.project.id).await?;
    let role = form.some("role").unwrap_or("member");
    Ok(MemberSettings {
        shell: member.shell(web, "Members", Section::Settings).await?,
        members: members
            .into_iter()
            .map(|row| MemberRow {
                id: row.user_id.to_string(),
                is_you: row.user_id == member.user.id,
                email: row.email,
                role: row.role,
                last_seen: row.last_seen_at.map(|at| moments.short(at)),
            })
            .collect(),
        email: problems.field("email", form.get("email")),
        roles: ["viewer", "member", "owner"].map(|each| Choice::of(each, each, each == role)).into(),
        new_link,
        may_edit: member.owns().is_ok(),
    })
}

/// `POST /settings/members`
pub(crate) async fn add(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    member.owns()?;
    let role = Role::from_word(form.get("role")).unwrap_or(Role::Viewer);
    let email = form.get("email");
    let problems = match web.watchclock().invite(member.project.id, email, role).await {
        Ok(Some(link)) => {
            let once = Note::Once(NewSecret {
                what: format!("One-time sign-in link for {email}"),
                secret: web.url(&link),
                hint: "It works once, for a day. Pass it on by a way that only they read.".to_owned(),
            });
            return Ok(respond::to_with(&web, "/settings/members", &once));
        }
        Ok(None) => {
            let note = Note::good(format!("{email} has an account here already and is a member now."));
            return Ok(respond::to_with(&web, "/settings/members", &note));
        }
        Err(ServiceError::Taken(taken)) => Problems::one("email", &taken.message),
        Err(error) => Problems::of(error)?,
    };
    Ok(respond::wrong(&view(&web, &member, None, &form, problems).await?))
}

/// `POST /settings/members/{id}/remove`
pub(crate) async fn remove(State(web): State<Web>, member: Member, Path(user): Path<String>) -> PageResult {
    member.owns()?;
    let note = match web.watchclock().remove_member(member.project.id, id(&user)?).await {
        Ok(()) => Note::good("They are no longer a member."),
        Err(ServiceError::Conflict(text)) => Note::bad(text),
        Err(error) => return Err(error.into()),
    };
    Ok(respond::to_with(&web, "/settings/members", &note))
}
