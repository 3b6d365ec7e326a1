//! The list of incidents; neighbour: [`super::incident_page`] shows one.

use askama::Template;

use super::{
    parts::{Link, When},
    shell::Shell,
};

/// `GET /incidents` with `?open=true|false&kind=&before=`.
#[derive(Debug, Template)]
#[template(path = "incidents/list.html")]
pub struct IncidentList {
    pub shell: Shell,
    /// Open, all.
    pub tabs: Vec<Link>,
    /// The open ones are shown.
    pub only_open: bool,
    pub rows: Vec<IncidentRow>,
    pub older: String,
}

#[derive(Debug, Clone, Default)]
pub struct IncidentRow {
    pub href: String,
    /// `missed`, `failed`, `hung`, `overlap`, `rule`, `fast`, `slow`, `unscheduled`.
    pub kind: String,
    /// `critical` or `warning`.
    pub severity: String,
    /// `open`, `acknowledged`, `snoozed`, `resolved`.
    pub state: String,
    pub summary: String,
    pub monitor: Link,
    pub opened: When,
    /// How long it took, or takes so far: `lasted 12 min`, `for 12 min`.
    pub lasted: String,
    /// What became of its alerts: `2 sent`, `1 gave up`.
    pub deliveries: String,
    /// An alert did not arrive.
    pub undelivered: bool,
}
