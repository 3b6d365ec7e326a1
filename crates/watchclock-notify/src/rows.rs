//! The facts of an alert, each with its label, in the order in which somebody woken up by them asks. `letter` holds them.

use chrono::{DateTime, Utc};
use watchclock_domain::value::{grouped, reported};

use crate::alert::{Alert, AlertEvent};
use crate::text;

/// A mail that leaves later than this after its event says so.
const LATE_AFTER_SECONDS: i64 = 120;

/// More rows than this help nobody; the incident's page has them all.
const MOST_VALUES: usize = 30;

/// A message about a gap lists what could not be watched, as far as a mail can.
const MOST_MONITORS: usize = 1_000;

/// How wide the column of labels is in the text part, in characters; the one of the HTML part holds as many.
const TEXT_COLUMN: usize = 12;

/// One fact: a label and its values, one a line.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) values: Vec<String>,
    /// Values as a machine wrote them.
    pub(crate) code: bool,
}

impl Row {
    fn words(label: &str, value: &str) -> Option<Self> {
        let value = text::one_line(value, 500);
        (!value.is_empty()).then(|| Self { label: label.to_owned(), values: vec![value], code: false })
    }

    /// The label, padded for the text part.
    pub(crate) fn padded(&self) -> String {
        format!("{:<width$}", self.label, width = TEXT_COLUMN)
    }

    /// Whether a word of the label is too long for its column, so that the values stand below it.
    pub(crate) fn is_wide(&self) -> bool {
        self.label.split(' ').any(|word| word.chars().count() > TEXT_COLUMN)
    }
}

/// The facts in the order in which somebody woken up by them asks.
pub(crate) fn rows(alert: &Alert, now: DateTime<Utc>) -> Vec<Row> {
    let mut rows = Vec::new();
    match alert.event {
        AlertEvent::Test => rows.extend(Row::words("Sent", &alert.opened_local)),
        AlertEvent::Resolved | AlertEvent::Unwatched => {
            rows.extend(Row::words("From", &alert.opened_local));
            rows.extend(alert.resolved_local.as_deref().and_then(|until| Row::words("Until", until)));
            rows.extend(alert.lasted.as_deref().and_then(|lasted| Row::words("Lasted", lasted)));
        }
        _ => rows.extend(Row::words("Since", &alert.opened_local)),
    }
    if let Some(missed) = alert.missed_runs.filter(|missed| *missed > 0) {
        let words =
            if missed == 1 { "1 run".to_owned() } else { format!("{} runs", grouped(&missed.to_string())) };
        rows.extend(Row::words("Missed", &words));
    }
    rows.extend(alert.expected.as_deref().and_then(|expected| Row::words("Expected", expected)));
    let reported: Vec<String> =
        alert.reported.iter().take(MOST_VALUES).map(|(name, value)| pair(name, value)).collect();
    if !reported.is_empty() {
        rows.push(Row { label: "Reported".to_owned(), values: reported, code: true });
    }
    rows.extend(rule(alert));
    rows.extend(facts(alert));
    rows.extend(alert.fine_before.as_deref().and_then(|before| Row::words("Fine before", before)));
    if !alert.monitor.schedule_words.is_empty() {
        let words = &alert.monitor.schedule_words;
        let tells_zone = words.contains(&alert.monitor.tz) || words.starts_with("no schedule");
        let schedule = if tells_zone { words.clone() } else { format!("{words} ({})", alert.monitor.tz) };
        rows.extend(Row::words("Schedule", &schedule));
    }
    if let Some(run) = &alert.run {
        let rid =
            run.rid.as_deref().map(|rid| format!(" ({})", text::one_line(rid, 100))).unwrap_or_default();
        rows.extend(Row::words("Run", &format!("#{}{rid}", run.number)));
    }
    rows.extend(Row::words("Project", &alert.project));
    let late = (now - alert.at).num_seconds();
    if late > LATE_AFTER_SECONDS {
        let happened = alert.at.format("%Y-%m-%d %H:%M:%S UTC");
        rows.extend(Row::words("Late", &format!("this was at {happened}; the mail could not leave earlier")));
    }
    rows
}

/// The rule by its name and by what it says, which are the same where nobody gave it a name.
fn rule(alert: &Alert) -> Option<Row> {
    let says = alert.facts.iter().find(|(name, _)| name == "rule").map(|(_, value)| value);
    let mut values: Vec<String> = alert
        .rule
        .iter()
        .chain(says)
        .map(|text| text::one_line(text, 500))
        .filter(|text| !text.is_empty())
        .collect();
    values.dedup();
    (!values.is_empty()).then(|| Row { label: "Rule".to_owned(), values, code: false })
}

/// What is known beside what the run reported: a value that stands there is not told again, the less when the run that
/// resolved the incident reported another.
fn facts(alert: &Alert) -> impl Iterator<Item = Row> {
    let is_unwatched = alert.event == AlertEvent::Unwatched;
    let most = if is_unwatched { MOST_MONITORS } else { MOST_VALUES };
    let is_reported = |name: &str| alert.reported.iter().take(MOST_VALUES).any(|(other, _)| other == name);
    let told =
        alert.facts.iter().filter(move |(name, _)| is_unwatched || name != "rule" && !is_reported(name));
    told.take(most).filter_map(move |(name, value)| {
        // Names of monitors, and of values that jobs chose, stay as they are.
        let is_ours = !is_unwatched && (alert.kind != "rule" || name.starts_with("usual"));
        let label = text::one_line(name, 60);
        if is_ours {
            Row::words(&capitalized(&label), value)
        } else {
            Row::words(&label, &reported(name, value))
        }
    })
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn pair(name: &str, value: &str) -> String {
    format!("{} = {}", text::one_line(name, 60), text::one_line(&reported(name, value), 300))
}
