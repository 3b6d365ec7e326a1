//! The list of monitors: how all is, what fails first; neighbour: [`super::monitor_page`] shows one.

use askama::Template;

use super::{
    parts::{Choice, When},
    shell::Shell,
};
use crate::pages::mini::MiniTape;

/// `GET /` with `?q=&tag=&health=&after=`.
#[derive(Debug, Template)]
#[template(path = "monitors/list.html")]
pub struct MonitorList {
    pub shell: Shell,
    /// One per health in this order: failing, late, healthy, waiting, paused; also those with none.
    pub counts: Vec<HealthCount>,
    /// All monitors of the project, whatever the filter.
    pub total: u64,
    /// What was searched for.
    pub q: String,
    /// Every tag in use, the first choice being `""` → "all tags".
    pub tags: Vec<Choice>,
    /// The health asked for, or empty; kept when searching.
    pub health: String,
    /// Failing first, then late, then by name.
    pub rows: Vec<MonitorRow>,
    /// Path and query of this very page, with base; polled so that the list stays true.
    pub here: String,
    /// Path and query of the next page of rows, with base; empty on the last.
    pub next: String,
    /// A ready curl line that makes a first monitor, for the empty project.
    pub first_ping: String,
    /// Whether this person may make monitors.
    pub may_change: bool,
}

impl MonitorList {
    pub fn is_filtered(&self) -> bool {
        !self.q.is_empty()
            || !self.health.is_empty()
            || self.tags.iter().any(|tag| tag.chosen && !tag.value.is_empty())
    }
}

#[derive(Debug, Clone, Default)]
pub struct HealthCount {
    /// `failing`, `late`, `healthy`, `waiting`, `paused`.
    pub health: String,
    pub count: u64,
    /// The list with only these, or with all again when it is chosen already.
    pub href: String,
    pub chosen: bool,
}

#[derive(Debug, Clone, Default)]
pub struct MonitorRow {
    pub href: String,
    pub name: String,
    pub health: String,
    /// What is wrong, in a few words, from the newest open incident: `records_processed is 0`; empty when nothing is.
    pub trouble: String,
    /// Of a late one which slot it waits for: `expected 03:30, 4 min ago`; else empty.
    pub awaited: String,
    /// How many incidents are open.
    pub open_incidents: u64,
    pub tags: Vec<String>,
    /// In words: `at 03:00 every day, Europe/Berlin`.
    pub schedule: String,
    pub last: Option<LastRun>,
    /// When the next run is expected; none for monitors without a schedule or paused.
    pub next_slot: Option<When>,
    /// How many runs are active now.
    pub running: u64,
    pub tape: MiniTape,
}

#[derive(Debug, Clone, Default)]
pub struct LastRun {
    pub href: String,
    pub status: String,
    pub when: When,
    /// `4 min 07 s`; empty when unknown.
    pub duration: String,
}
