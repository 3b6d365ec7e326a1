//! One incident: what happened, who was told and what their server answered, and what one can do.

use askama::Template;

use super::{
    parts::{Choice, Field, Link, Said, When},
    shell::Shell,
};

/// `GET /incidents/{id}`; posts to `…/acknowledge`, `…/resolve`, `…/comment` (`text`).
#[derive(Debug, Template)]
#[template(path = "incidents/page.html")]
pub struct IncidentPage {
    pub shell: Shell,
    pub id: String,
    pub monitor: Link,
    pub kind: String,
    pub severity: String,
    /// `open`, `acknowledged`, `snoozed`, `resolved`.
    pub state: String,
    pub summary: Vec<Said>,
    /// What it means and what resolves it, in sentences.
    pub meaning: String,
    pub opened: When,
    pub resolved: Option<When>,
    /// Why it closed: `run #415 succeeded`, `by hand, admin@example.com`; empty while open.
    pub resolved_by: String,
    pub lasted: String,
    /// Zone of the times.
    pub zone: String,
    /// What the decision read when it opened.
    pub facts: Vec<(String, Vec<Said>)>,
    pub runbook: String,
    pub runbook_is_link: bool,
    /// The last lines of the output of the run that opened it.
    pub output_tail: String,
    /// Oldest first.
    pub events: Vec<Event>,
    pub runs: Vec<IncidentRun>,
    pub more_runs: u64,
    pub deliveries: Vec<Delivery>,
    pub comment: Field,
    pub may_acknowledge: bool,
    pub may_resolve: bool,
    /// Until when it is quiet.
    pub snoozed: Option<When>,
    /// For how long it can be made quiet; empty for whoever may not, and once it is over.
    pub snoozes: Vec<Choice>,
    pub may_comment: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Event {
    /// `opened`, `reminder`, `escalated`, `acknowledged`, `snoozed`, `commented`, `added`, `resolved`.
    pub event: String,
    pub at: When,
    /// Who did it; empty for Watchclock itself.
    pub by: String,
    /// One line, or a comment of several lines.
    pub text: Vec<Said>,
}

#[derive(Debug, Clone, Default)]
pub struct IncidentRun {
    pub number: i64,
    pub href: String,
    pub status: String,
    pub when: When,
    pub duration: String,
}

#[derive(Debug, Clone, Default)]
pub struct Delivery {
    pub channel: Link,
    /// Kind of the channel: `email`, `webhook`.
    pub kind: String,
    /// Which alert: `opened`, `reminder`, `escalated`, `resolved`.
    pub event: String,
    /// `queued`, `sent`, `retry`, `gave_up`, `cancelled`.
    pub status: String,
    /// `in 40 s, attempt 3`; empty unless it waits for another attempt.
    pub next_attempt: String,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
}

impl Delivery {
    /// The status for people: `gave up`.
    pub fn words(&self) -> String {
        self.status.replace('_', " ")
    }
}

#[derive(Debug, Clone, Default)]
pub struct Attempt {
    pub at: When,
    pub ok: bool,
    /// What the server said: `250 2.0.0 Ok: queued as 4F1A`, `503 Service Unavailable`, `timed out after 30 s`.
    pub answer: String,
    /// `210 ms`.
    pub took: String,
}
