//! What a browser remembers for its reader: light or dark, and the project that was chosen.

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::Response,
};

use super::{
    cookies::{self, Lasts},
    errors::{PageError, PageResult},
    fields::Form,
    respond,
    session::Member,
    sign_in,
};
use crate::state::Web;

/// `POST /theme`
pub(crate) async fn theme(State(web): State<Web>, headers: HeaderMap, Form(form): Form) -> Response {
    let cookie = match form.get("theme") {
        theme @ ("light" | "dark") => cookies::set(&web, cookies::THEME, theme, Lasts::Long),
        _ => cookies::set(&web, cookies::THEME, "", Lasts::NoMore),
    };
    let mut response = respond::to(&web, &came_from(&web, &headers));
    response.headers_mut().append(header::SET_COOKIE, cookie);
    response
}

/// `POST /project`
pub(crate) async fn project(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    let slug = form.get("project");
    if !member.sees(slug) {
        return Err(PageError::NotFound);
    }
    let mut response = respond::to(&web, "/");
    let cookie = cookies::set(&web, cookies::PROJECT, slug, Lasts::Long);
    response.headers_mut().append(header::SET_COOKIE, cookie);
    Ok(response)
}

/// The page of ours with the form, or the start page.
fn came_from(web: &Web, headers: &HeaderMap) -> String {
    let referer = headers.get(header::REFERER).and_then(|referer| referer.to_str().ok());
    let url = referer.and_then(|referer| url::Url::parse(referer).ok());
    let path = url.map(|url| url[url::Position::BeforePath..url::Position::AfterQuery].to_owned());
    path.as_deref().and_then(|path| sign_in::local(web, path)).unwrap_or("/").to_owned()
}
