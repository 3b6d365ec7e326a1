//! Signing in and out: by password, by one-time link, by registering where that is open.

use axum::{
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::Response,
};
use watchclock_service::{ServiceError, account::LEAST_PASSWORD};

use super::{
    cookies::{self, Lasts},
    errors::{PageError, PageResult},
    fields::{Fields, Form, Query},
    flash::Note,
    problems::Problems,
    respond,
    session::{self, Guest, Member, Visitor},
    views::{
        parts::Field,
        sign_in::{OneTime, SignIn, SignUp},
    },
};
use crate::state::Web;

/// `GET /sign-in`
pub(crate) async fn show(
    State(web): State<Web>,
    guest: Guest,
    Query(query): Query,
    headers: HeaderMap,
) -> Response {
    let next = local(&web, query.get("next")).unwrap_or_default();
    if Member::of(&web, &headers, None).await.is_ok() {
        return respond::to(&web, if next.is_empty() { "/" } else { next });
    }
    respond::page(&door(&web, &guest, Field::default(), next))
}

/// `POST /sign-in`
pub(crate) async fn sign_in(
    State(web): State<Web>,
    guest: Guest,
    visitor: Visitor,
    Form(form): Form,
) -> PageResult {
    let (email, password) = (form.get("email"), form.raw("password").unwrap_or_default());
    count(&web, &visitor, email)?;
    let next = local(&web, form.get("next")).unwrap_or_default();
    if let Some(token) = web.watchclock().sign_in(email, password, &visitor.user_agent).await? {
        web.attempts().succeeded(&visitor.addr, email);
        return Ok(enter(&web, &token, if next.is_empty() { "/" } else { next }));
    }
    let email = Field::of(email).wrong("E-mail or password is not right.");
    Ok(respond::page_with(StatusCode::UNAUTHORIZED, &door(&web, &guest, email, next)))
}

fn door(web: &Web, guest: &Guest, email: Field, next: &str) -> SignIn {
    let next = if next.is_empty() { String::new() } else { format!("{}{next}", web.base_path()) };
    SignIn { shell: guest.shell(web, "Sign in"), email, next, signup: web.settings().signup_open }
}

/// `GET /sign-in/{token}`: opening it changes nothing, so that a preview of the link does not use it up.
pub(crate) async fn show_link(State(web): State<Web>, guest: Guest, Path(token): Path<String>) -> PageResult {
    let user = web.watchclock().sign_in_link_user(&token).await?;
    let email = user.map(|user| user.email).unwrap_or_default();
    Ok(respond::page(&OneTime { shell: guest.shell(&web, "Sign in"), email, token }))
}

/// `POST /sign-in/{token}`
pub(crate) async fn use_link(
    State(web): State<Web>,
    guest: Guest,
    visitor: Visitor,
    Path(token): Path<String>,
) -> PageResult {
    count(&web, &visitor, "")?;
    if let Some(session) = web.watchclock().sign_in_by_link(&token, &visitor.user_agent).await? {
        web.attempts().succeeded(&visitor.addr, "");
        return Ok(enter(&web, &session, "/password"));
    }
    let used = OneTime { shell: guest.shell(&web, "Sign in"), email: String::new(), token };
    Ok(respond::page_with(StatusCode::GONE, &used))
}

/// `POST /sign-out`
pub(crate) async fn sign_out(State(web): State<Web>, headers: HeaderMap) -> PageResult {
    if let Some(token) = session::token(&web, &headers) {
        web.watchclock().sign_out(&token).await?;
    }
    let mut response = respond::to_with(&web, "/sign-in", &Note::good("You are signed out."));
    let gone = cookies::set(&web, cookies::session(&web), "", Lasts::NoMore);
    response.headers_mut().append(header::SET_COOKIE, gone);
    Ok(response)
}

/// `GET /sign-up`
pub(crate) async fn show_sign_up(State(web): State<Web>, guest: Guest) -> PageResult {
    open(&web)?;
    Ok(respond::page(&registration(&web, &guest, &Fields::default(), Problems::default())))
}

/// `POST /sign-up`
pub(crate) async fn sign_up(
    State(web): State<Web>,
    guest: Guest,
    visitor: Visitor,
    Form(form): Form,
) -> PageResult {
    open(&web)?;
    count(&web, &visitor, "")?;
    let (email, password) = (form.get("email"), form.raw("password").unwrap_or_default());
    let problems = match web.watchclock().sign_up(email, password).await {
        Ok(_) => {
            let token = web.watchclock().sign_in(email, password, &visitor.user_agent).await?;
            return Ok(enter(&web, &token.ok_or(PageError::NotFound)?, "/"));
        }
        Err(ServiceError::Taken(taken)) => Problems::one("email", &taken.message),
        Err(error) => Problems::of(error)?,
    };
    Ok(respond::wrong(&registration(&web, &guest, &form, problems)))
}

fn open(web: &Web) -> PageResult<()> {
    if web.settings().signup_open { Ok(()) } else { Err(PageError::NotFound) }
}

fn registration(web: &Web, guest: &Guest, form: &Fields, mut problems: Problems) -> SignUp {
    SignUp {
        shell: guest.shell(web, "Create an account"),
        email: problems.field("email", form.get("email")),
        password: Field { value: String::new(), ..problems.field("password", "") },
        least: LEAST_PASSWORD,
    }
}

/// Counts a try; one too many is refused.
fn count(web: &Web, visitor: &Visitor, email: &str) -> PageResult<()> {
    let now = web.watchclock().now();
    web.attempts().count(&visitor.addr, email, now).map_err(|seconds| PageError::TooMany { seconds })
}

/// Sets the session's cookie and goes on.
fn enter(web: &Web, token: &str, path: &str) -> Response {
    let mut response = respond::to(web, path);
    let cookie = cookies::set(web, cookies::session(web), token, Lasts::Long);
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// A path of this server below its base path, from what a link or form brings; none for anything that leads elsewhere.
pub(crate) fn local<'a>(web: &Web, next: &'a str) -> Option<&'a str> {
    below(web.base_path(), next)
}

fn below<'a>(base: &str, next: &'a str) -> Option<&'a str> {
    let path = next.strip_prefix(base)?;
    let plain = !path.contains(|letter: char| letter.is_control() || letter == '\\');
    (path.starts_with('/') && !path.starts_with("//") && plain).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leads_to_another_site() {
        assert_eq!(below("", "/incidents?open=true"), Some("/incidents?open=true"));
        assert_eq!(below("/watch", "/watch/runs/1"), Some("/runs/1"));
        for next in
            ["", "//example.com", "/\\example.com", "https://example.com/", "/a\nb", "javascript:alert(1)"]
        {
            assert_eq!(below("", next), None, "{next}");
        }
        assert_eq!(below("/watch", "/watch//example.com"), None);
        assert_eq!(below("/watch", "/other"), None);
        assert_eq!(below("/watch", "/watcher"), None);
    }
}
