//! Choosing a password right after signing in by a link. Neighbour: `account` changes one that is known.

use axum::{extract::State, response::Response};
use chrono::Duration;
use watchclock_domain::problem::Problem;
use watchclock_service::account::{LEAST_PASSWORD, check_password};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    problems::Problems,
    respond,
    session::{Guest, Member},
    views::{parts::Field, sign_in::SetPassword},
};
use crate::state::Web;

/// A session this young has proved who it is; an older one must give the old password.
const FRESH: Duration = Duration::minutes(15);

/// `GET /password`
pub(crate) async fn show(State(web): State<Web>, guest: Guest, member: Member) -> PageResult {
    if !is_fresh(&web, &member).await? {
        return Ok(respond::to(&web, "/settings/account"));
    }
    Ok(respond::page(&view(&web, &guest, &member, Problems::default())))
}

/// `POST /password`
pub(crate) async fn save(
    State(web): State<Web>,
    guest: Guest,
    member: Member,
    Form(form): Form,
) -> PageResult<Response> {
    if !is_fresh(&web, &member).await? {
        return Ok(respond::to(&web, "/settings/account"));
    }
    let password = form.raw("password").unwrap_or_default();
    let mut problems = new_problems(&form);
    if problems.is_empty() {
        match web.watchclock().set_password(member.user.id, password, Some(&member.token)).await {
            Ok(()) => return Ok(respond::to_with(&web, "/", &Note::good("Your password is saved."))),
            Err(error) => problems = Problems::of(error)?,
        }
    }
    Ok(respond::wrong(&view(&web, &guest, &member, problems)))
}

/// What is wrong with a new password and its repetition.
pub(super) fn new_problems(form: &Fields) -> Problems {
    let password = form.raw("password").unwrap_or_default();
    let mut problems = Problems::default();
    problems.extend(check_password(password));
    if form.raw("again") != Some(password) {
        problems.push(Problem::new("again", "this is not the same"));
    }
    problems
}

async fn is_fresh(web: &Web, member: &Member) -> PageResult<bool> {
    let now = web.watchclock().now();
    let sessions = web.watchclock().sessions(member.user.id, &member.token).await?;
    Ok(sessions.iter().any(|session| session.is_this && now - session.started_at < FRESH))
}

fn view(web: &Web, guest: &Guest, member: &Member, mut problems: Problems) -> SetPassword {
    SetPassword {
        shell: guest.shell(web, "Choose a password"),
        email: member.user.email.clone(),
        password: Field { value: String::new(), ..problems.field("password", "") },
        again: problems.field("again", ""),
        least: LEAST_PASSWORD,
        may_skip: true,
    }
}
