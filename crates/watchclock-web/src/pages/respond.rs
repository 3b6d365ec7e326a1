//! Answers of handlers: a page, a fragment of one, or the way to another page, perhaps with a message for it.

use askama::Template;
use axum::{
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
};

use super::{errors::PageError, flash::Note};
use crate::state::Web;

/// A page.
pub(crate) fn page(view: &impl Template) -> Response {
    page_with(StatusCode::OK, view)
}

/// A page that says what is wrong with a form.
pub(crate) fn wrong(view: &impl Template) -> Response {
    page_with(StatusCode::UNPROCESSABLE_ENTITY, view)
}

/// A page with a status.
pub(crate) fn page_with(status: StatusCode, view: &impl Template) -> Response {
    match view.render() {
        Ok(text) => (status, Html(text)).into_response(),
        Err(error) => PageError::broken(&error).into_response(),
    }
}

/// To another page of ours: a path below the base URL.
pub(crate) fn to(web: &Web, path: &str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, format!("{}{path}", web.base_path()))]).into_response()
}

/// To another page, which tells what happened.
pub(crate) fn to_with(web: &Web, path: &str, note: &Note) -> Response {
    let mut response = to(web, path);
    response.headers_mut().append(header::SET_COOKIE, note.cookie(web));
    response
}
