//! An alert in words: subject, heading, output. `rows` has its facts, `templates/mail/` lays it out.

use askama::Template;
use chrono::{DateTime, Utc};

use crate::alert::{Alert, AlertEvent};
use crate::delivery::Delivery;
use crate::rows::{Row, rows};
use crate::settings::address;
use crate::text::{self, Tail};

/// One alert, ready to be laid out. Every text in it is printable; only the output has several lines.
#[derive(Debug)]
pub(crate) struct Letter {
    pub(crate) subject: String,
    /// The state in a word or two, for the coloured badge.
    pub(crate) badge: &'static str,
    pub(crate) tone: Tone,
    /// The monitor's name.
    pub(crate) name: String,
    /// Name and state in one sentence.
    pub(crate) heading: String,
    pub(crate) summary: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) output: Option<Tail>,
    pub(crate) runbook: Option<Runbook>,
    pub(crate) url: String,
    pub(crate) url_label: &'static str,
    pub(crate) run_url: Option<String>,
    pub(crate) project: String,
    pub(crate) channel: String,
    pub(crate) home: String,
    pub(crate) unsubscribe_url: Option<String>,
}

/// A runbook is a link only where it is a web address.
#[derive(Debug)]
pub(crate) struct Runbook {
    pub(crate) text: String,
    pub(crate) is_link: bool,
}

/// The colours of a state: in light mode and in dark mode.
#[derive(Debug)]
pub(crate) struct Tone {
    pub(crate) ink: &'static str,
    pub(crate) tint: &'static str,
    pub(crate) dark_ink: &'static str,
    pub(crate) dark_tint: &'static str,
}

const RED: Tone = Tone { ink: "#b3261e", tint: "#fbe9e7", dark_ink: "#ff9d92", dark_tint: "#46201c" };
const AMBER: Tone = Tone { ink: "#8a5200", tint: "#fdf0d9", dark_ink: "#ffc46b", dark_tint: "#3f2d0d" };
const GREEN: Tone = Tone { ink: "#17693f", tint: "#e3f4e9", dark_ink: "#7fd6a2", dark_tint: "#173524" };
const BLUE: Tone = Tone { ink: "#1f56a8", tint: "#e6effb", dark_ink: "#93bdf7", dark_tint: "#182f50" };

/// The subject, which is also the one-line form of an alert elsewhere: `[failing] nightly-sync: records_processed is 0`.
pub(crate) fn subject(alert: &Alert) -> String {
    let name = text::one_line(&alert.monitor.name, 100);
    let summary = text::one_line(&alert.summary, 200);
    let lasted = match (&alert.lasted, alert.event) {
        (Some(lasted), AlertEvent::Resolved) => format!(", lasted {}", text::one_line(lasted, 60)),
        _ => String::new(),
    };
    format!("[{}] {name}: {summary}{lasted}", alert.event.state())
}

impl Letter {
    pub(crate) fn new(delivery: &Delivery, base_url: &str, now: DateTime<Utc>) -> Self {
        let alert = &delivery.alert;
        let name = text::one_line(&alert.monitor.name, 100);
        let (badge, heading) = match alert.event {
            AlertEvent::Opened => ("failing", format!("{name} is failing")),
            AlertEvent::Reminder => ("still failing", format!("{name} is still failing")),
            AlertEvent::Escalated => {
                ("failing, not acknowledged", format!("{name} is failing and nobody has acknowledged it"))
            }
            AlertEvent::Resolved => ("fine again", format!("{name} is fine again")),
            AlertEvent::Unwatched => ("not watched", "Watchclock did not watch for a while".to_owned()),
            AlertEvent::Test => ("test", format!("This is a test of {name}")),
        };
        let summary = match alert.event {
            AlertEvent::Test => "Alerts will reach you here, laid out like this message.".to_owned(),
            AlertEvent::Resolved => format!("It was: {}", text::one_line(&alert.summary, 500)),
            _ => text::one_line(&alert.summary, 500),
        };
        let tone = match alert.event {
            AlertEvent::Resolved => GREEN,
            AlertEvent::Test => BLUE,
            _ if alert.severity == "warning" => AMBER,
            _ => RED,
        };
        Self {
            subject: subject(alert),
            badge,
            name,
            tone,
            heading,
            summary,
            rows: rows(alert, now),
            output: alert.output_tail.as_deref().and_then(text::tail),
            runbook: alert.runbook.as_deref().and_then(runbook),
            url: address(base_url, &alert.path),
            url_label: match alert.event {
                AlertEvent::Test => "Open the channels",
                AlertEvent::Unwatched => "Open the monitors",
                _ => "Open the incident",
            },
            run_url: alert.run.as_ref().map(|run| address(base_url, &run.path)),
            project: text::one_line(&alert.project, 100),
            channel: text::one_line(&delivery.channel_name, 100),
            home: base_url.trim_end_matches('/').to_owned(),
            unsubscribe_url: delivery.unsubscribe_url.clone(),
        }
    }

    /// The text part.
    pub(crate) fn text(&self) -> Result<String, askama::Error> {
        TextMail { letter: self }.render()
    }

    /// The HTML part.
    pub(crate) fn html(&self) -> Result<String, askama::Error> {
        HtmlMail { letter: self }.render()
    }
}

#[derive(Template)]
#[template(path = "alert.txt")]
struct TextMail<'a> {
    letter: &'a Letter,
}

#[derive(Template)]
#[template(path = "alert.html")]
struct HtmlMail<'a> {
    letter: &'a Letter,
}

fn runbook(written: &str) -> Option<Runbook> {
    let text = text::one_line(written, 1_000);
    let is_link = (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(' ');
    (!text.is_empty()).then_some(Runbook { text, is_link })
}
