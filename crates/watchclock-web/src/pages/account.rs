//! One's own account: password and sessions. Neighbour: `password` sets one right after a one-time link.

use axum::extract::{Path, State};
use watchclock_domain::problem::Problem;
use watchclock_service::{account::LEAST_PASSWORD, session::Session};

use super::{
    errors::{PageError, PageResult},
    fields::Form,
    flash::Note,
    moments::Moments,
    password,
    problems::Problems,
    respond,
    session::{Member, Visitor},
    views::{
        parts::Field,
        settings::{AccountSettings, SessionRow},
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// `GET /settings/account`
pub(crate) async fn show(State(web): State<Web>, member: Member) -> PageResult {
    Ok(respond::page(&view(&web, &member, Problems::default()).await?))
}

async fn view(web: &Web, member: &Member, mut problems: Problems) -> PageResult<AccountSettings> {
    let moments = Moments::utc(web.watchclock().now());
    let sessions = web.watchclock().sessions(member.user.id, &member.token).await?;
    // Passwords are never filled back.
    let mut field = |name: &str| Field { value: String::new(), ..problems.field(name, "") };
    Ok(AccountSettings {
        shell: member.shell(web, "Your account", Section::Settings).await?,
        current: field("current"),
        password: field("password"),
        again: field("again"),
        least: LEAST_PASSWORD,
        has_password: member.user.password_hash.is_some(),
        sessions: sessions.iter().map(|session| row(session, &moments)).collect(),
    })
}

fn row(session: &Session, moments: &Moments) -> SessionRow {
    SessionRow {
        id: session.id.clone(),
        device: device(&session.user_agent),
        started: moments.short(session.started_at),
        last_seen: moments.short(session.last_seen_at),
        is_this: session.is_this,
    }
}

/// `POST /settings/account/password`
pub(crate) async fn change(
    State(web): State<Web>,
    member: Member,
    visitor: Visitor,
    Form(form): Form,
) -> PageResult {
    let watchclock = web.watchclock();
    let password = form.raw("password").unwrap_or_default();
    let mut problems = password::new_problems(&form);
    if member.user.password_hash.is_some() {
        let now = watchclock.now();
        let tries = web.attempts().count(&visitor.addr, &member.user.email, now);
        tries.map_err(|seconds| PageError::TooMany { seconds })?;
        if watchclock.is_password(&member.user, form.raw("current").unwrap_or_default()).await? {
            web.attempts().succeeded(&visitor.addr, &member.user.email);
        } else {
            problems.push(Problem::new("current", "this is not your password"));
        }
    }
    if problems.is_empty() {
        match watchclock.set_password(member.user.id, password, Some(&member.token)).await {
            Ok(()) => {
                let note = Note::good("Your password is changed, and you are signed out everywhere else.");
                return Ok(respond::to_with(&web, "/settings/account", &note));
            }
            Err(error) => problems = Problems::of(error)?,
        }
    }
    Ok(respond::wrong(&view(&web, &member, problems).await?))
}

/// `POST /settings/account/sessions/{id}/end`
pub(crate) async fn end_session(
    State(web): State<Web>,
    member: Member,
    Path(session): Path<String>,
) -> PageResult {
    web.watchclock().end_session(member.user.id, &session).await?;
    Ok(respond::to_with(&web, "/settings/account", &Note::good("The session is ended.")))
}

/// `POST /settings/account/sessions/end-others`
pub(crate) async fn end_others(State(web): State<Web>, member: Member) -> PageResult {
    let ended = web.watchclock().end_other_sessions(member.user.id, &member.token).await?;
    let note = Note::good(format!("{} ended.", words::count(ended, "other session")));
    Ok(respond::to_with(&web, "/settings/account", &note))
}

/// What a user agent is called: `Firefox on Linux`. Browsers name others beside themselves, so the order counts.
fn device(user_agent: &str) -> String {
    const BROWSERS: [(&str, &str); 8] = [
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"),
        ("CriOS/", "Chrome"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ];
    const SYSTEMS: [(&str, &str); 7] = [
        ("iPhone", "iOS"),
        ("iPad", "iPadOS"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("CrOS", "ChromeOS"),
        ("Linux", "Linux"),
    ];
    let find = |names: &[(&str, &'static str)]| {
        names.iter().find(|(sign, _)| user_agent.contains(sign)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) if user_agent.trim().is_empty() => "unknown".to_owned(),
        (None, None) => user_agent.chars().take(40).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_the_names_that_people_know() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
        assert_eq!(device(chrome), "Chrome on Linux");
        assert_eq!(device(&format!("{chrome} Edg/140.0")), "Edge on Linux");
        assert_eq!(device("curl/8.5.0"), "curl");
        assert_eq!(device(""), "unknown");
    }
}
