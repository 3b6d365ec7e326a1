//! Deliveries in real conversations on loopback: what is sent, what is tried again, what is given up.

mod email;
mod fetch;
mod webhook;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use watchclock_notify::{Alert, AlertEvent, Delivery, MonitorRef, Notifier, NotifySettings, Outcome, Target};

fn settings() -> NotifySettings {
    NotifySettings {
        allow_private_targets: true,
        total_timeout: std::time::Duration::from_secs(2),
        ..NotifySettings::new("https://clock.example.org")
    }
}

fn notifier(settings: NotifySettings) -> Notifier {
    Notifier::new(settings).expect("the settings are good")
}

fn delivery(target: Target) -> Delivery {
    Delivery::new(Uuid::now_v7(), "Ops", target, alert())
}

fn alert() -> Alert {
    let at: DateTime<Utc> = "2026-11-28T02:04:12Z".parse().expect("this is a time");
    Alert {
        event: AlertEvent::Opened,
        incident: Uuid::now_v7(),
        kind: "rule".to_owned(),
        rule: Some("records_processed eq 0".to_owned()),
        severity: "critical".to_owned(),
        monitor: MonitorRef {
            id: Uuid::now_v7(),
            name: "nightly-sync".to_owned(),
            slug: "nightly-sync".to_owned(),
            schedule_words: "every day at 03:00".to_owned(),
            tz: "Europe/Berlin".to_owned(),
        },
        summary: "records_processed is 0".to_owned(),
        output_tail: Some("è 🦀\0\r\n.\r\n<b>done</b>".to_owned()),
        path: "/incidents/1".to_owned(),
        ..Alert::test(Uuid::now_v7(), "default", "Ops", at, "2026-11-28 03:04:12 +01:00")
    }
}

#[track_caller]
fn sent(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Sent(answer) => answer,
        other => panic!("expected Sent, got {other:?}"),
    }
}

#[track_caller]
fn retry(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Retry(answer) => answer,
        other => panic!("expected Retry, got {other:?}"),
    }
}

#[track_caller]
fn gave_up(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::GaveUp(answer) => answer,
        other => panic!("expected GaveUp, got {other:?}"),
    }
}
