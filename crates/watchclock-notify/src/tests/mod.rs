//! Sample alerts, and tests of what they look like as a mail and as a webhook. Real conversations are in watchclock-tests.

mod mail;
mod payload;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::alert::{Alert, AlertEvent, MonitorRef, RunRef};
use crate::delivery::{Delivery, Target};

pub(crate) const BASE_URL: &str = "https://clock.example.org/watch";

pub(crate) fn at() -> DateTime<Utc> {
    "2026-11-28T02:04:12Z".parse().unwrap()
}

pub(crate) fn opened() -> Alert {
    Alert {
        event: AlertEvent::Opened,
        incident: Uuid::from_u128(0xa11),
        kind: "rule".to_owned(),
        rule: Some("records_processed eq 0".to_owned()),
        severity: "critical".to_owned(),
        project: "default".to_owned(),
        monitor: MonitorRef {
            id: Uuid::from_u128(0xb22),
            name: "nightly-sync".to_owned(),
            slug: "nightly-sync".to_owned(),
            schedule_words: "every day at 03:00".to_owned(),
            tz: "Europe/Berlin".to_owned(),
        },
        summary: "records_processed is 0".to_owned(),
        at: at(),
        opened_at: at(),
        resolved_at: None,
        opened_local: "2026-11-28 03:04:12 +01:00".to_owned(),
        resolved_local: None,
        lasted: None,
        expected: Some("records_processed above 0".to_owned()),
        reported: vec![pair("records_processed", "0"), pair("rows_skipped", "1204"), pair("source", "s3://in/è")],
        facts: vec![pair("Usual value", "11,800 to 12,400 over the last 30 runs")],
        fine_before: Some("12 days, 12 runs".to_owned()),
        missed_runs: None,
        output_tail: Some(
            "connecting to warehouse … ok\nreading batch 2026-11-27\n\u{1b}[33mwarning:\u{1b}[0m batch is empty\n.\ndone in 4.1 s\n"
                .to_owned(),
        ),
        run: Some(RunRef { number: 4711, rid: Some("sync-0412".to_owned()), path: "/runs/4711".to_owned() }),
        runbook: Some("https://wiki.example.org/runbooks/nightly-sync".to_owned()),
        path: "/incidents/a11".to_owned(),
    }
}

pub(crate) fn resolved() -> Alert {
    Alert {
        event: AlertEvent::Resolved,
        at: at() + TimeDelta::minutes(12),
        resolved_at: Some(at() + TimeDelta::minutes(12)),
        resolved_local: Some("2026-11-28 03:16:12 +01:00".to_owned()),
        lasted: Some("12 min".to_owned()),
        missed_runs: Some(3),
        output_tail: None,
        reported: vec![pair("records_processed", "12011")],
        ..opened()
    }
}

/// Everything that a job and its owner could do to break a message.
pub(crate) fn hostile() -> Alert {
    let mut alert = opened();
    alert.monitor.name = "night\r\nBcc: all@example.org\r\n\r\nly <b>sync</b> è 🦀".to_owned();
    alert.project = "a \"project\"\nX-Evil: 1".to_owned();
    alert.summary = "{{ 7*7 }} </title><script>alert(1)</script>\u{202e}\0".to_owned();
    alert.runbook = Some("javascript:alert(1)".to_owned());
    alert.reported = vec![pair("a\r\nb", "<img src=x>"), pair("long", &"w".repeat(20_000))];
    let megabyte = "x".repeat(1_000_000);
    let line = "y".repeat(9_000);
    alert.output_tail = Some(format!("{megabyte}\n{line}\n.\r\n..\r\nFrom me\n<script>è 🦀\0\u{7}\r\nend"));
    alert
}

pub(crate) fn mail_to(alert: Alert, to: &[&str]) -> Delivery {
    let target = Target::Email { to: to.iter().map(|to| (*to).to_owned()).collect() };
    Delivery::new(Uuid::from_u128(0xc33), "Ops mail", target, alert)
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}
