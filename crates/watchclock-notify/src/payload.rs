//! The JSON of a webhook, as docs/webhooks.md describes it to receivers. Fields may be added; these stay.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::alert::{Alert, AlertEvent};
use crate::letter;
use crate::settings::address;
use crate::text;

/// The body of one alert.
pub(crate) fn json(alert: &Alert, base_url: &str) -> Vec<u8> {
    serde_json::to_vec(&Payload::new(alert, base_url)).expect("strings and numbers always fit into JSON")
}

#[derive(Serialize)]
pub(crate) struct Payload {
    r#type: &'static str,
    timestamp: String,
    data: Data,
}

#[derive(Serialize)]
struct Data {
    /// The subject of the mail: the alert in one line.
    text: String,
    event: &'static str,
    project: String,
    incident: Incident,
    monitor: Monitor,
    expected: Option<String>,
    reported: Pairs,
    facts: Pairs,
    fine_before: Option<String>,
    run: Option<Run>,
    output_tail: Option<String>,
    output_cut: bool,
    runbook: Option<String>,
}

#[derive(Serialize)]
struct Incident {
    id: Uuid,
    kind: String,
    rule: Option<String>,
    severity: String,
    summary: String,
    opened_at: String,
    opened_local: String,
    resolved_at: Option<String>,
    resolved_local: Option<String>,
    lasted: Option<String>,
    missed_runs: Option<i64>,
    url: String,
}

#[derive(Serialize)]
struct Monitor {
    id: Uuid,
    name: String,
    slug: String,
    schedule: String,
    tz: String,
}

#[derive(Serialize)]
struct Run {
    number: i64,
    rid: Option<String>,
    url: String,
}

/// Names and values as one JSON object, in their order.
struct Pairs(Vec<(String, String)>);

impl Serialize for Pairs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Payload {
    pub(crate) fn new(alert: &Alert, base_url: &str) -> Self {
        let tail = alert.output_tail.as_deref().and_then(text::tail);
        Self {
            r#type: match alert.event {
                AlertEvent::Opened => "incident.opened",
                AlertEvent::Reminder => "incident.reminder",
                AlertEvent::Escalated => "incident.escalated",
                AlertEvent::Resolved => "incident.resolved",
                AlertEvent::Unwatched => "watch.gap",
                AlertEvent::Test => "channel.test",
            },
            timestamp: utc(alert.at),
            data: Data {
                text: letter::subject(alert),
                event: alert.event.word(),
                project: line(&alert.project),
                incident: Incident {
                    id: alert.incident,
                    kind: line(&alert.kind),
                    rule: alert.rule.as_deref().map(line),
                    severity: line(&alert.severity),
                    summary: line(&alert.summary),
                    opened_at: utc(alert.opened_at),
                    opened_local: line(&alert.opened_local),
                    resolved_at: alert.resolved_at.map(utc),
                    resolved_local: alert.resolved_local.as_deref().map(line),
                    lasted: alert.lasted.as_deref().map(line),
                    missed_runs: alert.missed_runs,
                    url: address(base_url, &alert.path),
                },
                monitor: Monitor {
                    id: alert.monitor.id,
                    name: line(&alert.monitor.name),
                    slug: line(&alert.monitor.slug),
                    schedule: line(&alert.monitor.schedule_words),
                    tz: line(&alert.monitor.tz),
                },
                expected: alert.expected.as_deref().map(line),
                reported: pairs(&alert.reported),
                facts: pairs(&alert.facts),
                fine_before: alert.fine_before.as_deref().map(line),
                run: alert.run.as_ref().map(|run| Run {
                    number: run.number,
                    rid: run.rid.as_deref().map(line),
                    url: address(base_url, &run.path),
                }),
                output_cut: tail.as_ref().is_some_and(|tail| tail.cut),
                output_tail: tail.map(|tail| tail.text),
                runbook: alert.runbook.as_deref().map(line),
            },
        }
    }
}

/// One printable line: receivers put these into databases and chats that choke on NUL and line ends.
fn line(text: &str) -> String {
    text::one_line(text, 2_000)
}

fn pairs(pairs: &[(String, String)]) -> Pairs {
    Pairs(pairs.iter().map(|(name, value)| (line(name), line(value))).collect())
}

fn utc(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
