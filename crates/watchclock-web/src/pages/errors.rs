//! Why a page cannot be shown, and the page that is shown instead.

use axum::{
    extract::{OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tower_http::csrf::ProtectionError;
use watchclock_service::{ServiceError, secret};

use super::{
    elsewhere::Wanted,
    respond,
    session::{Guest, Member},
    views::{
        error::{ErrorPage, Refusal},
        parts::Link,
        shell::{Section, Shell},
    },
};
use crate::state::Web;

pub(crate) type PageResult<T = Response> = Result<T, PageError>;

/// Why there is no page.
#[derive(Debug, Clone)]
pub(crate) enum PageError {
    /// Nobody is signed in; `next` is where to go afterwards, empty for the start page.
    SignIn {
        next: String,
    },
    NotFound,
    Forbidden,
    /// The form came from another site.
    CrossSite,
    /// The address takes no such request: a page that only takes forms was opened, say.
    Method,
    /// Too many tries; to be tried again after so many seconds.
    TooMany {
        seconds: i64,
    },
    /// The person belongs to no project.
    NoProject,
    TooLarge,
    /// It was well-formed and is refused, for this reason.
    Refused(String),
    /// Our fault; the number is in the log.
    Broken {
        request: String,
    },
    Unavailable,
}

impl PageError {
    /// Our fault: logged with a number that the page shows.
    pub(crate) fn broken(error: &dyn std::fmt::Display) -> Self {
        let request: String = secret::new_ping_key().chars().take(8).collect();
        tracing::error!(%error, request, "a page could not be made");
        Self::Broken { request }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::SignIn { .. } => StatusCode::SEE_OTHER,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Forbidden | Self::CrossSite | Self::NoProject => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::TooMany { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Refused(_) => StatusCode::CONFLICT,
            Self::Broken { .. } => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    fn page(&self, shell: Shell) -> ErrorPage {
        match self {
            Self::NotFound | Self::SignIn { .. } => ErrorPage::of(shell, Refusal::NotFound, ""),
            Self::Forbidden => ErrorPage::of(shell, Refusal::Forbidden, ""),
            Self::CrossSite => ErrorPage::of(shell, Refusal::CrossSite, ""),
            Self::Broken { request } => ErrorPage::of(shell, Refusal::Broken, request),
            Self::Unavailable => ErrorPage::of(shell, Refusal::Unavailable, ""),
            Self::Method => self.plain(
                shell,
                "This address only takes forms",
                "It does something when a form is sent to it; there is no page to open here. Nothing was changed.",
                &["Go back to the page with the button, or to the list of monitors."],
            ),
            Self::TooMany { seconds } => {
                let wait = format!("Wait {seconds} seconds and try again.");
                self.plain(
                    shell,
                    "Too many tries",
                    "Somebody tried to sign in here too often in the last minutes, so the door is closed for a while.",
                    &[&wait, "Whoever runs this server can print a one-time sign-in link: watchclock user passwd."],
                )
            }
            Self::NoProject => self.plain(
                shell,
                "You belong to no project",
                "You are signed in, but no project has you as a member.",
                &["Ask an owner of the project to add you under Settings, Members."],
            ),
            Self::TooLarge => self.plain(
                shell,
                "That was too much",
                "The form was larger than two megabytes. Nothing was changed.",
                &["Shorten the text and send it again."],
            ),
            Self::Refused(reason) => {
                self.plain(shell, "That did not work", reason, &["Go back and look at it again."])
            }
        }
    }

    fn plain(&self, mut shell: Shell, title: &str, text: &str, advice: &[&str]) -> ErrorPage {
        title.clone_into(&mut shell.title);
        let home = Link { href: format!("{}/", shell.base), text: "All monitors".to_owned(), current: false };
        ErrorPage {
            shell,
            status: self.status().as_u16(),
            title: title.to_owned(),
            text: text.to_owned(),
            advice: advice.iter().map(|&line| line.to_owned()).collect(),
            links: vec![home],
            request_id: String::new(),
        }
    }
}

impl From<ServiceError> for PageError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::NotFound => Self::NotFound,
            ServiceError::Unavailable(error) => {
                tracing::warn!(%error, "the database does not answer");
                Self::Unavailable
            }
            ServiceError::Store(error) => Self::broken(&error),
            ServiceError::Invalid(_)
            | ServiceError::Conflict(_)
            | ServiceError::Taken(_)
            | ServiceError::Stale
            | ServiceError::Forbidden(_) => Self::Refused(error.to_string()),
        }
    }
}

/// A bare answer that remembers why; [`dress`] makes a page of it.
impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives refusals of the pages their designed page.
pub(crate) async fn dress(State(web): State<Web>, request: Request, next: Next) -> Response {
    let headers = request.headers().clone();
    let wanted = Wanted::of(&web, &request);
    let mut response = next.run(request).await;
    if response.extensions().get::<ProtectionError>().is_some() {
        response.extensions_mut().insert(PageError::CrossSite);
    }
    let Some(error) = response.extensions().get::<PageError>().cloned() else { return response };
    if let PageError::SignIn { next } = &error {
        return to_sign_in(&web, &headers, next);
    }
    if let (PageError::NotFound, Some(wanted)) = (&error, wanted)
        && let Some(response) = wanted.lead(&web, &headers).await
    {
        return response;
    }
    let shell = shell(&web, &headers, &error).await;
    let mut page = respond::page_with(error.status(), &error.page(shell));
    if let PageError::TooMany { seconds } = error {
        page.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    page
}

/// The frame of a refusal: of the person who is signed in, if the database can tell.
async fn shell(web: &Web, headers: &HeaderMap, error: &PageError) -> Shell {
    if !matches!(error, PageError::Unavailable | PageError::CrossSite | PageError::NoProject)
        && let Ok(member) = Member::of(web, headers, None).await
        && let Ok(shell) = member.shell(web, "", Section::Nowhere).await
    {
        return shell;
    }
    Guest::of(headers).shell(web, "")
}

fn to_sign_in(web: &Web, headers: &HeaderMap, next: &str) -> Response {
    // A part of a page that asks again cannot follow to another page; the whole page can.
    if headers.contains_key("hx-request") {
        return (StatusCode::UNAUTHORIZED, [("hx-refresh", "true")]).into_response();
    }
    if next.is_empty() {
        return respond::to(web, "/sign-in");
    }
    let query = url::form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
    respond::to(web, &format!("/sign-in?{query}"))
}

/// Whatever no route takes. What belongs to programs gets a bare answer.
pub(crate) async fn nowhere(OriginalUri(uri): OriginalUri, State(web): State<Web>) -> Response {
    let path = uri.path().strip_prefix(web.base_path()).unwrap_or(uri.path());
    let programs = ["/v1/", "/api/", "/ping/", "/static/"];
    if programs.iter().any(|prefix| path.starts_with(prefix)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    PageError::NotFound.into_response()
}

/// An address that exists, asked in a way that it does not take.
pub(crate) async fn wrong_method(method: Method) -> Response {
    if method == Method::OPTIONS {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    PageError::Method.into_response()
}
