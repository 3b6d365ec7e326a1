//! Maintenance windows: the list, the form, the question before deleting; neighbour: [`super::incidents`] is what they hold back.

use askama::Template;

use super::{
    parts::{Choice, Field, Link, Problem, When},
    shell::Shell,
};

/// `GET /maintenance`
#[derive(Debug, Template)]
#[template(path = "maintenance/list.html")]
pub struct WindowList {
    pub shell: Shell,
    /// Those that cannot be read, then those that are on, then those that come, then those that are over.
    pub rows: Vec<WindowRow>,
    pub may_change: bool,
}

#[derive(Debug, Clone, Default)]
pub struct WindowRow {
    pub id: String,
    pub name: String,
    /// `broken`, `on`, `planned`, `over`.
    pub state: String,
    /// `from 22:00 every day, Europe/Berlin, for 8 h`.
    pub words: String,
    /// Why what is stored of it cannot be read.
    pub broken: Option<String>,
    /// Of the span that is on, else the next one.
    pub from: Option<When>,
    pub to: Option<When>,
    /// Empty: every monitor.
    pub monitors: Vec<Link>,
    /// Of one that comes once and is on; a time of one that recurs cannot be ended alone.
    pub may_end: bool,
}

impl WindowRow {
    /// The mark that stands for its state.
    pub fn mark(&self) -> &str {
        match self.state.as_str() {
            "broken" => "failed",
            "on" => "paused",
            "planned" => "waiting",
            _ => "cancelled",
        }
    }
}

/// `GET /maintenance/new` (posts to `/maintenance`) and `GET /maintenance/{id}/edit` (posts to the same path).
#[derive(Debug, Template)]
#[template(path = "maintenance/form.html")]
pub struct WindowForm {
    pub shell: Shell,
    /// Empty for a new one.
    pub id: String,
    pub stored_name: String,
    pub problems: Vec<Problem>,
    pub name: Field,
    /// `once` or `recurring`, sent as `kind`.
    pub kinds: Vec<Choice>,
    /// `2026-12-24T22:00`, in `tz`.
    pub from: Field,
    pub to: Field,
    /// One expression a line.
    pub cron: Field,
    pub lasts: Field,
    pub tz: Field,
    pub zones: Vec<String>,
    pub all_monitors: bool,
    pub monitors: Vec<Choice>,
    pub monitors_problem: Option<Problem>,
    /// The stored version that is edited; empty for a new one.
    pub version: String,
}

impl WindowForm {
    pub fn is_new(&self) -> bool {
        self.id.is_empty()
    }
}

/// `GET /maintenance/{id}/delete`; posts to the same path.
#[derive(Debug, Template)]
#[template(path = "maintenance/delete.html")]
pub struct WindowDelete {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    pub is_on: bool,
}
