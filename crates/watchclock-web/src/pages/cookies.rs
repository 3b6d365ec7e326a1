//! Cookies as the pages use them: what they are called, how far they reach, and how they are written.

use axum::http::{HeaderMap, HeaderValue};
use axum_extra::extract::cookie::CookieJar;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::state::Web;

/// Longest that browsers keep a cookie: 400 days. The server ends sessions sooner by itself.
const LONGEST: u32 = 34_560_000;

/// Light or dark; the script writes it too.
pub(crate) const THEME: &str = "theme";
/// Slug of the project that was chosen last.
pub(crate) const PROJECT: &str = "project";
/// What just happened, until the next page tells it.
pub(crate) const FLASH: &str = "flash";
/// A secret that was just made, until the next page shows it.
pub(crate) const ONCE: &str = "once";

/// Name of the session's cookie: with the prefix that lets no other host or path set it, where that is possible.
pub(crate) fn session(web: &Web) -> &'static str {
    if web.is_https() && web.base_path().is_empty() { "__Host-watchclock" } else { "watchclock" }
}

/// The value of a cookie of a request.
pub(crate) fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    let jar = CookieJar::from_headers(headers);
    let value = jar.get(name)?.value();
    Some(percent_decode_str(value).decode_utf8().ok()?.into_owned())
}

/// How long a cookie lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lasts {
    /// As long as browsers allow.
    Long,
    /// Until the page after the next redirect.
    Briefly,
    /// It is removed.
    NoMore,
}

/// The header that sets a cookie. All but the theme are out of reach of scripts.
pub(crate) fn set(web: &Web, name: &str, value: &str, lasts: Lasts) -> HeaderValue {
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    let seconds = match lasts {
        Lasts::Long => LONGEST,
        Lasts::Briefly => 60,
        Lasts::NoMore => 0,
    };
    let path = web.base_path();
    let secure = if web.is_https() { "; Secure" } else { "" };
    let http_only = if name == THEME { "" } else { "; HttpOnly" };
    let cookie = format!("{name}={value}; Path={path}/; Max-Age={seconds}; SameSite=Lax{http_only}{secure}");
    HeaderValue::try_from(cookie).unwrap_or_else(|_| HeaderValue::from_static(""))
}
