//! Calendars of days off: the list, the form, the question before deleting; neighbour: [`super::monitor_form`] chooses among them.

use askama::Template;

use super::{
    parts::{Choice, Field, Link, Problem, When},
    shell::Shell,
};

/// `GET /settings/calendars`
#[derive(Debug, Template)]
#[template(path = "calendars/list.html")]
pub struct CalendarList {
    pub shell: Shell,
    pub rows: Vec<CalendarRow>,
    pub may_change: bool,
}

#[derive(Debug, Clone, Default)]
pub struct CalendarRow {
    pub id: String,
    pub name: String,
    /// `a list of dates`, `iCalendar text`, `fetched daily from calendar.example.org`.
    pub source: String,
    /// The next few days: `Fri 25 Dec 2026`, and what it is called.
    pub upcoming: Vec<(String, String)>,
    /// Counts for every monitor of the project that does not opt out.
    pub project_wide: bool,
    /// Monitors that skip its days.
    pub monitors: Vec<Link>,
    /// `3 events with a time of day are left out`; may be empty.
    pub left_out: String,
    /// When it was last fetched.
    pub fetched: Option<When>,
    /// Why the last fetch failed.
    pub problem: Option<String>,
}

/// `GET /settings/calendars/new` (posts to `/settings/calendars`) and `GET /settings/calendars/{id}/edit` (posts to the same path).
#[derive(Debug, Template)]
#[template(path = "calendars/form.html")]
pub struct CalendarForm {
    pub shell: Shell,
    /// Empty for a new one.
    pub id: String,
    pub stored_name: String,
    pub problems: Vec<Problem>,
    pub name: Field,
    /// `dates`, `icalendar` or `url`, sent as `kind`.
    pub kinds: Vec<Choice>,
    /// One day or range a line.
    pub dates: Field,
    pub icalendar: Field,
    pub url: Field,
    pub project_wide: bool,
    /// The stored version that is edited; empty for a new one.
    pub version: String,
}

impl CalendarForm {
    pub fn is_new(&self) -> bool {
        self.id.is_empty()
    }
}

/// `GET /settings/calendars/{id}/delete`; posts to the same path.
#[derive(Debug, Template)]
#[template(path = "calendars/delete.html")]
pub struct CalendarDelete {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    /// `3 monitors`.
    pub used_by: String,
}
