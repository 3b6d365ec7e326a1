//! The docs inside the server; neighbour: the files under `docs/` are what they show.

use askama::Template;

use super::shell::Shell;

/// `GET /docs`.
#[derive(Debug, Template)]
#[template(path = "docs/list.html")]
pub struct DocsList {
    pub shell: Shell,
    pub docs: Vec<DocLink>,
}

#[derive(Debug, Clone, Default)]
pub struct DocLink {
    pub href: String,
    pub title: String,
    /// One sentence.
    pub about: String,
}

/// `GET /docs/{name}`.
#[derive(Debug, Template)]
#[template(path = "docs/page.html")]
pub struct DocPage {
    pub shell: Shell,
    pub title: String,
    /// As written, in Markdown.
    pub text: String,
}
