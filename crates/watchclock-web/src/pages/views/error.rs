//! A page instead of the page: what went wrong and what to do.

use askama::Template;

use super::{parts::Link, shell::Shell};

/// Any refusal to a browser. [`ErrorPage::of`] knows the words of the usual ones.
#[derive(Debug, Template)]
#[template(path = "error.html")]
pub struct ErrorPage {
    pub shell: Shell,
    /// HTTP status.
    pub status: u16,
    /// `There is nothing here`.
    pub title: String,
    /// What happened, one or two sentences.
    pub text: String,
    /// What to do, one sentence each.
    pub advice: Vec<String>,
    /// Ways on; with base.
    pub links: Vec<Link>,
    /// Number of the request in the log; may be empty.
    pub request_id: String,
}

/// The usual refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    NotFound,
    Forbidden,
    /// A form came from another site, or through a proxy that hides which site it came from.
    CrossSite,
    Broken,
    Unavailable,
}

impl ErrorPage {
    /// A page with the usual words for a refusal.
    pub fn of(mut shell: Shell, refusal: Refusal, request_id: &str) -> Self {
        let (status, title, text, advice): (u16, &str, &str, &[&str]) = match refusal {
            Refusal::NotFound => (
                404,
                "There is nothing here",
                "This address leads nowhere, or what it showed was deleted, or it belongs to another project.",
                &[
                    "If a mail led you here, the monitor may be gone: look in the list.",
                    "Another project? Switch in the menu at the top right.",
                ],
            ),
            Refusal::Forbidden => (
                403,
                "You may look, but not change this",
                "Your role in this project does not allow it. Nothing was changed.",
                &["Ask an admin of the project to do it, or to change your role in Settings, Members."],
            ),
            Refusal::CrossSite => (
                403,
                "This form did not come from this site",
                "For your safety Watchclock only accepts forms that its own pages sent. Nothing was changed.",
                &[
                    "Go back, reload the page and send the form again.",
                    "If this happens every time, the proxy in front hides the real host: set WATCHCLOCK_BASE_URL to the address in your browser, and let the proxy pass the Host header.",
                ],
            ),
            Refusal::Broken => (
                500,
                "Something broke on our side",
                "The request was not carried out. Pings are recorded apart from pages and are not affected by this.",
                &["Try again; if it stays, the server's log names this request by the number below."],
            ),
            Refusal::Unavailable => (
                503,
                "Watchclock cannot reach its database",
                "Pages come back as soon as the database answers. Until then nothing is evaluated; what falls into this time will be marked unknown, not missed.",
                &[
                    "This page is safe to reload.",
                    "Whoever runs this server: /readyz and the log say what is missing.",
                ],
            ),
        };
        let home = Link { href: format!("{}/", shell.base), text: "All monitors".to_owned(), current: false };
        title.clone_into(&mut shell.title);
        Self {
            shell,
            status,
            title: title.to_owned(),
            text: text.to_owned(),
            advice: advice.iter().map(|&line| line.to_owned()).collect(),
            links: vec![home],
            request_id: request_id.to_owned(),
        }
    }
}
