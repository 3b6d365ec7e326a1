//! Messages across redirects: what just happened, and secrets that are shown once. They travel in short-lived cookies,
//! so that any server can show them; the page that shows them takes them back.

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use serde::{Deserialize, Serialize};

use super::{
    cookies::{self, Lasts},
    views::{channels::NewSecret, shell::Flash},
};
use crate::state::Web;

/// Longest message, in characters: browsers keep about 4 KB of a cookie, escaped.
const LONGEST: usize = 400;

/// What the next page is to tell.
#[derive(Debug, Clone)]
pub(crate) enum Note {
    Good(String),
    Bad(String),
    /// A new secret, shown on the next page only.
    Once(NewSecret),
}

#[derive(Serialize, Deserialize)]
struct Once {
    what: String,
    secret: String,
    hint: String,
}

impl Note {
    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self::Good(text.into())
    }

    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self::Bad(text.into())
    }

    /// The header that carries it.
    pub(crate) fn cookie(&self, web: &Web) -> HeaderValue {
        let cut = |text: &str| text.chars().take(LONGEST).collect::<String>();
        let (name, value) = match self {
            Self::Good(text) => (cookies::FLASH, format!("+{}", cut(text))),
            Self::Bad(text) => (cookies::FLASH, format!("-{}", cut(text))),
            Self::Once(NewSecret { what, secret, hint }) => {
                let once = Once { what: cut(what), secret: cut(secret), hint: cut(hint) };
                (cookies::ONCE, serde_json::to_string(&once).unwrap_or_default())
            }
        };
        cookies::set(web, name, &value, Lasts::Briefly)
    }
}

/// The message that a request brings for its page.
pub(crate) fn flash(headers: &HeaderMap) -> Option<Flash> {
    let value = cookies::read(headers, cookies::FLASH)?;
    let text = value.strip_prefix(['+', '-'])?;
    Some(Flash { bad: value.starts_with('-'), text: text.chars().take(LONGEST).collect() })
}

/// The secret that a request brings for its page.
pub(crate) fn once(headers: &HeaderMap) -> Option<NewSecret> {
    let once: Once = serde_json::from_str(&cookies::read(headers, cookies::ONCE)?).ok()?;
    Some(NewSecret { what: once.what, secret: once.secret, hint: once.hint })
}

/// Takes back what a whole page has shown by now.
pub(crate) async fn forget(State(web): State<Web>, request: Request, next: Next) -> Response {
    let shown: Vec<&str> = [cookies::FLASH, cookies::ONCE]
        .into_iter()
        .filter(|name| cookies::read(request.headers(), name).is_some())
        .collect();
    let is_part = request.headers().contains_key("hx-request");
    let mut response = next.run(request).await;
    if is_part || response.status().is_redirection() {
        return response;
    }
    for name in shown {
        response.headers_mut().append(header::SET_COOKIE, cookies::set(&web, name, "", Lasts::NoMore));
    }
    response
}
