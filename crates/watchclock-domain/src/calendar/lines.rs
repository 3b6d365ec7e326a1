//! Content lines of an iCalendar text: folded lines joined, name, parameters and value apart. What they mean is read in `ical`.

use chrono::{Days, NaiveDate};

use crate::problem::Problem;

/// A content line (RFC 5545, 3.1): `DTSTART;VALUE=DATE:20261225`.
#[derive(Debug, Clone)]
pub(super) struct Content {
    /// In upper case.
    pub(super) name: String,
    pub(super) value: String,
    /// The line of the text, from 1, and its place in characters.
    pub(super) number: usize,
    at: usize,
    len: usize,
}

impl Content {
    pub(super) fn problem(&self, message: impl AsRef<str>) -> Problem {
        Problem::at(self.at, self.len, format!("line {}: {}", self.number, message.as_ref()))
    }
}

/// Splits a text into its content lines; those that are none are problems.
pub(super) fn contents(text: &str) -> Vec<Result<Content, Problem>> {
    let mut logical: Vec<(String, usize, usize)> = Vec::new();
    let mut at = 0;
    for (line, number) in text.split('\n').zip(1..) {
        let length = line.chars().count() + 1;
        let line = line.trim_end_matches('\r');
        match (line.strip_prefix([' ', '\t']), logical.last_mut()) {
            (Some(rest), Some((joined, _, _))) => joined.push_str(rest),
            _ if line.trim().is_empty() => {}
            _ => logical.push((line.to_owned(), number, at)),
        }
        at += length;
    }
    logical.into_iter().map(|(line, number, at)| content(&line, number, at)).collect()
}

fn content(line: &str, number: usize, at: usize) -> Result<Content, Problem> {
    let len = line.chars().count();
    let mut quoted = false;
    let colon = line.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ':' && !quoted
    });
    let Some((colon, _)) = colon else {
        let shown: String = line.chars().take(40).collect();
        return Err(Problem::at(
            at,
            len,
            format!("line {number}: \"{shown}\" is no iCalendar line: it has no colon"),
        ));
    };
    let name = line[..colon].split(';').next().unwrap_or_default().trim().to_ascii_uppercase();
    Ok(Content { name, value: line[colon + 1..].trim().to_owned(), number, at, len })
}

/// A date, or a moment of which the date counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moment {
    pub(super) date: NaiveDate,
    /// Whether it is the beginning of its day: a plain date, or midnight.
    pub(super) is_midnight: bool,
}

/// Reads `20261225`, `20261225T080000` or `20261225T080000Z`.
pub(super) fn moment(text: &str) -> Option<Moment> {
    let (date, time) = text.split_once('T').map_or((text, None), |(date, time)| (date, Some(time)));
    if date.len() != 8 || !date.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let date = NaiveDate::parse_from_str(date, "%Y%m%d").ok()?;
    let is_midnight = match time {
        None => true,
        Some(time) => {
            let digits = time.strip_suffix('Z').unwrap_or(time);
            if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            digits == "000000"
        }
    };
    Some(Moment { date, is_midnight })
}

/// Whole days of a duration: `P3D`, `P1W`, `P1DT0H`; nothing for one that has other parts.
pub(super) fn whole_days(text: &str) -> Option<u64> {
    let rest = text.strip_prefix('+').unwrap_or(text).strip_prefix('P')?;
    let (date, time) = rest.split_once('T').unwrap_or((rest, ""));
    if time.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        return None;
    }
    let (count, unit) = date.split_at_checked(date.len().checked_sub(1)?)?;
    let count: u64 = count.parse().ok()?;
    match unit {
        "D" => Some(count),
        "W" => count.checked_mul(7),
        _ => None,
    }
}

/// The day after so many.
pub(super) fn later(date: NaiveDate, days: u64) -> Option<NaiveDate> {
    date.checked_add_days(Days::new(days))
}

/// Text as people wrote it: escapes undone, on one line, at most 100 characters.
pub(super) fn text(value: &str) -> String {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 'N') => text.push(' '),
                Some(other) => text.push(other),
                None => {}
            },
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text.trim().chars().take(100).collect()
}
