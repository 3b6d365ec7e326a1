//! What an alert says: a snapshot taken when something happened to an incident; `letter.rs` and `webhook.rs` turn it into words.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use watchclock_domain::value::grouped;

/// What happened to the incident.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum AlertEvent {
    Opened,
    Reminder,
    Escalated,
    Resolved,
    /// Nobody watched for a while: Watchclock itself was down. Belongs to no incident.
    Unwatched,
    /// Somebody pressed the test button of a channel.
    Test,
}

impl AlertEvent {
    /// The event as stored and as the webhook's `type` names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Reminder => "reminder",
            Self::Escalated => "escalated",
            Self::Resolved => "resolved",
            Self::Unwatched => "unwatched",
            Self::Test => "test",
        }
    }

    /// The state that a subject begins with.
    pub fn state(self) -> &'static str {
        match self {
            Self::Opened => "failing",
            Self::Reminder => "still failing",
            Self::Escalated => "escalated",
            Self::Resolved => "resolved",
            Self::Unwatched => "not watched",
            Self::Test => "test",
        }
    }
}

/// The monitor an alert is about, as it was then.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct MonitorRef {
    pub id: Uuid,
    pub name: String,
    pub slug: String,
    /// "every day at 03:00", for people.
    pub schedule_words: String,
    /// Time zone of the schedule: `Europe/Berlin`.
    pub tz: String,
}

/// The run that the alert points at.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct RunRef {
    pub number: i64,
    /// The job's own name for the run, where it gave one.
    pub rid: Option<String>,
    /// `/runs/{id}`; the sender puts its base URL before it.
    pub path: String,
}

/// Everything an alert says. It is stored with its delivery, so that a late or repeated send says what was true then.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Alert {
    pub event: AlertEvent,
    pub incident: Uuid,
    /// `missed`, `failed`, `hung`, `overlap`, `rule`, `fast`, `slow`, `unscheduled`.
    pub kind: String,
    /// The rule's name, for the kind `rule`.
    pub rule: Option<String>,
    /// `critical` or `warning`.
    pub severity: String,
    /// Name of the project.
    pub project: String,
    pub monitor: MonitorRef,
    /// What is wrong, in one line: "records_processed is 0".
    pub summary: String,
    /// When this event happened.
    pub at: DateTime<Utc>,
    pub opened_at: DateTime<Utc>,
    #[serde(default)]
    pub resolved_at: Option<DateTime<Utc>>,
    /// `opened_at` in the monitor's zone, with its offset, ready to print.
    pub opened_local: String,
    #[serde(default)]
    pub resolved_local: Option<String>,
    /// "12 min", once resolved.
    #[serde(default)]
    pub lasted: Option<String>,
    /// What should have happened.
    #[serde(default)]
    pub expected: Option<String>,
    /// What the run reported: name and value.
    #[serde(default)]
    pub reported: Vec<(String, String)>,
    /// Further facts of the incident: name and value.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
    /// "12 days, 340 runs".
    #[serde(default)]
    pub fine_before: Option<String>,
    /// How many runs were missed while the incident was open.
    #[serde(default)]
    pub missed_runs: Option<i64>,
    /// The last part of the run's output; only its end is sent.
    #[serde(default)]
    pub output_tail: Option<String>,
    #[serde(default)]
    pub run: Option<RunRef>,
    /// The monitor's runbook: a link or a few words.
    #[serde(default)]
    pub runbook: Option<String>,
    /// `/incidents/{id}`; the sender puts its base URL before it.
    pub path: String,
}

impl Alert {
    /// The alert of a channel's test button. It takes the same way as any other; `id` names it in mail threads.
    pub fn test(id: Uuid, project: &str, channel_name: &str, at: DateTime<Utc>, at_local: &str) -> Self {
        Self {
            event: AlertEvent::Test,
            incident: id,
            kind: "test".to_owned(),
            rule: None,
            severity: "warning".to_owned(),
            project: project.to_owned(),
            monitor: MonitorRef {
                id: Uuid::nil(),
                name: channel_name.to_owned(),
                slug: "test".to_owned(),
                schedule_words: String::new(),
                tz: "UTC".to_owned(),
            },
            summary: "this channel works".to_owned(),
            at,
            opened_at: at,
            resolved_at: None,
            opened_local: at_local.to_owned(),
            resolved_local: None,
            lasted: None,
            expected: None,
            reported: Vec::new(),
            facts: Vec::new(),
            fine_before: None,
            missed_runs: None,
            output_tail: None,
            run: None,
            runbook: None,
            path: "/channels".to_owned(),
        }
    }

    /// The message about a span in which nobody watched: what could not be watched (`monitors`: slug and words), from
    /// when to when. `id` is the gap's own and names it in mail threads.
    pub fn unwatched(id: Uuid, project: &str, span: &UnwatchedSpan, monitors: Vec<(String, String)>) -> Self {
        let count = monitors.len();
        let them = if count == 1 {
            "1 monitor was".to_owned()
        } else {
            format!("{} monitors were", grouped(&count.to_string()))
        };
        Self {
            event: AlertEvent::Unwatched,
            kind: "unwatched".to_owned(),
            monitor: MonitorRef {
                id: Uuid::nil(),
                name: "Watchclock".to_owned(),
                slug: "watchclock".to_owned(),
                schedule_words: String::new(),
                tz: "UTC".to_owned(),
            },
            summary: format!("{them} not watched for {}", span.lasted),
            at: span.to,
            opened_at: span.from,
            resolved_at: Some(span.to),
            opened_local: span.from_local.clone(),
            resolved_local: Some(span.to_local.clone()),
            lasted: Some(span.lasted.clone()),
            expected: Some(
                "each may still start a run until its grace has passed once more; those that stay silent are shown as missed"
                    .to_owned(),
            ),
            facts: monitors,
            path: "/".to_owned(),
            ..Self::test(id, project, "", span.to, "")
        }
    }
}

/// A span in which nobody watched, also in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwatchedSpan {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    pub from_local: String,
    pub to_local: String,
    /// "3 h".
    pub lasted: String,
}
