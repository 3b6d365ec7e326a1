//! Something is wrong with a monitor: opened, perhaps acknowledged, resolved. Neighbour: [`crate::timeline`] opens and resolves.

use uuid::Uuid;

use crate::{Time, rule::Severity};

/// What kind of wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Missed,
    Failed,
    Hung,
    Overlap,
    Rule,
    Fast,
    Slow,
    Unscheduled,
}

impl Kind {
    pub const ALL: [Self; 8] = [
        Self::Missed,
        Self::Failed,
        Self::Hung,
        Self::Overlap,
        Self::Rule,
        Self::Fast,
        Self::Slow,
        Self::Unscheduled,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Missed => "missed",
            Self::Failed => "failed",
            Self::Hung => "hung",
            Self::Overlap => "overlap",
            Self::Rule => "rule",
            Self::Fast => "fast",
            Self::Slow => "slow",
            Self::Unscheduled => "unscheduled",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Most runs that an incident names, the most recent; the count goes on.
pub const MAX_RUNS_NAMED: usize = 50;

/// One incident. At most one is open per monitor, kind and rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    pub id: Uuid,
    pub monitor: Uuid,
    pub kind: Kind,
    pub rule: Option<Uuid>,
    pub rule_name: Option<String>,
    pub severity: Severity,
    /// One line: `records_processed is 0`.
    pub summary: String,
    /// What the decision used, in the order in which it reads well.
    pub facts: Vec<(String, String)>,
    /// The runs it is about, oldest first, at most [`MAX_RUNS_NAMED`].
    pub runs: Vec<Uuid>,
    pub run_count: i64,
    /// Hung runs that have not ended yet.
    pub pending: Vec<Uuid>,
    /// Good runs in a row towards its resolution, where its kind counts them here.
    pub progress: i32,
    pub opened_at: Time,
    pub acknowledged_at: Option<Time>,
    pub acknowledged_by: Option<String>,
    pub resolved_at: Option<Time>,
    pub resolved_by: Option<String>,
    /// Opened without an alert, since the message about our own downtime told of it already.
    pub hushed: bool,
    /// Quiet until then.
    pub snoozed_until: Option<Time>,
    pub snoozed_by: Option<String>,
    /// How many reminders were told.
    pub reminders: i32,
}

/// One thing that happened to an incident, shown on its page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentEvent {
    pub incident: Uuid,
    pub at: Time,
    /// `opened`, `again`, `resolved`, `acknowledged`, `comment` …
    pub event: &'static str,
    /// Who did it; none for Watchclock itself.
    pub by: Option<String>,
    pub text: String,
}

/// What people should hear of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AlertEvent {
    Opened,
    /// It is still open.
    Reminder,
    Resolved,
}

impl AlertEvent {
    pub fn word(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Reminder => "reminder",
            Self::Resolved => "resolved",
        }
    }
}

/// An alert to be queued with the change that caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertDue {
    pub incident: Uuid,
    pub event: AlertEvent,
    /// 1, 2, 3 … of this event of this incident: each is told once.
    pub sequence: i32,
    pub at: Time,
    /// The run that tells most about it.
    pub run: Option<Uuid>,
    /// Not before this moment (`alert_after`).
    pub due_at: Time,
}
