//! The docs, as they stand in the repository, for people whose network ends at this server.

use axum::{
    extract::{Path, State},
    http::HeaderMap,
};

use super::{
    errors::{PageError, PageResult},
    markdown, respond,
    session::{Guest, Member},
    views::{
        docs::{Block, Blocks, DocLink, DocPage, DocsList, Span},
        parts::Link,
        shell::{Section, Shell},
    },
};
use crate::state::Web;

struct Doc {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    text: &'static str,
}

macro_rules! doc {
    ($name:literal, $title:literal, $about:literal) => {
        Doc {
            name: $name,
            title: $title,
            about: $about,
            text: include_str!(concat!("../../../../docs/", $name, ".md")),
        }
    };
}

const DOCS: [Doc; 8] = [
    doc!("pings", "Pings", "How a job tells that it started, ended, failed, and what it did."),
    doc!(
        "schedules",
        "Schedules",
        "Cron, OnCalendar and intervals: what is understood, what clock changes do, which slot a run fills."
    ),
    doc!(
        "runs",
        "Runs",
        "Which run an end belongs to, limits, two runs at once, when incidents open and are over."
    ),
    doc!("rules", "Rules", "How to say what is wrong with a result: operators, history, what unknown means."),
    doc!(
        "calendars",
        "Days off",
        "Holidays and other days on which nothing is expected, and whether the time zone is right."
    ),
    doc!("webhooks", "Webhooks", "What is posted, and how to check that it came from here."),
    doc!("api", "API", "Everything that the pages do, for scripts: keys, calls, values, what answers mean."),
    doc!("operate", "Operate", "Settings, backups, updates, and what to do when something stands still."),
];

/// `GET /docs`
pub(crate) async fn list(State(web): State<Web>, headers: HeaderMap) -> PageResult {
    let shell = frame(&web, &headers, "Docs").await;
    let docs = DOCS.iter().map(|doc| DocLink {
        href: format!("{}/docs/{}", shell.base, doc.name),
        title: doc.title.to_owned(),
        about: doc.about.to_owned(),
    });
    Ok(respond::page(&DocsList { docs: docs.collect(), shell }))
}

/// `GET /docs/{name}`
pub(crate) async fn show(State(web): State<Web>, headers: HeaderMap, Path(name): Path<String>) -> PageResult {
    let name = name.strip_suffix(".md").unwrap_or(&name);
    let doc = DOCS.iter().find(|doc| doc.name == name).ok_or(PageError::NotFound)?;
    let shell = frame(&web, &headers, doc.title).await;
    let body = markdown::read(doc.text);
    Ok(respond::page(&DocPage { is_api: doc.name == "api", contents: contents(&body), body, shell }))
}

/// The sections of a text.
fn contents(body: &Blocks) -> Vec<Link> {
    let section = |block: &Block| match block {
        Block::Heading(2, id, title) => {
            let words = title.iter().map(|span| match span {
                Span::Text(text)
                | Span::Code(text)
                | Span::Strong(text)
                | Span::Emphasis(text)
                | Span::Link(text, _) => text.as_str(),
            });
            Some(Link { href: format!("#{id}"), text: words.collect(), current: false })
        }
        _ => None,
    };
    body.0.iter().filter_map(section).collect()
}

/// Anybody may read the docs; who is signed in keeps the navigation.
async fn frame(web: &Web, headers: &HeaderMap, title: &str) -> Shell {
    if let Ok(member) = Member::of(web, headers, None).await
        && let Ok(shell) = member.shell(web, title, Section::Nowhere).await
    {
        return shell;
    }
    Guest::of(headers).shell(web, title)
}
