//! The docs inside the server; neighbour: [`crate::pages::markdown`] reads them from the files under `docs/`.

use askama::Template;

use super::{parts::Link, shell::Shell};

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
    /// Whether the OpenAPI document belongs to it.
    pub is_api: bool,
    /// Its sections; links within the page.
    pub contents: Vec<Link>,
    pub body: Blocks,
}

/// Blocks of text, one below the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Template)]
#[template(path = "docs/blocks.html")]
pub struct Blocks(pub Vec<Block>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// Its level from 1, the id that links name, its words.
    Heading(usize, String, Vec<Span>),
    Paragraph(Vec<Span>),
    Code(String),
    /// Whether its items are numbered.
    List(bool, Vec<Blocks>),
    /// The head, and rows.
    Table(Vec<Vec<Span>>, Vec<Vec<Vec<Span>>>),
}

/// A stretch of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    Text(String),
    Code(String),
    Strong(String),
    Emphasis(String),
    /// Words and address.
    Link(String, String),
}
