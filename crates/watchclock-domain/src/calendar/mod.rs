//! Calendars of exceptions: days on which nothing is expected. Written as a list of dates (`dates`) or as iCalendar (`ical`);
//! [`crate::schedule`] skips them.

mod dates;
mod dates_range;
mod day_set;
mod expand;
mod ical;
mod lines;
mod recur;

use std::{collections::BTreeMap, sync::Arc};

use chrono::NaiveDate;

pub use day_set::{DaySet, DaysOff};

use crate::problem::Problem;

/// Most entries in a list of dates.
pub const MAX_ENTRIES: usize = 1_000;
/// Longest text of a calendar, in bytes.
pub const MAX_BYTES: usize = 1_000_000;
/// Most days that one range or event covers.
const MAX_RANGE: i32 = 366;
/// Most problems that one text is told of.
const MAX_PROBLEMS: usize = 20;

/// Where a calendar's days come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A list of dates: `2026-12-24..2026-12-26 Christmas`, `12-25` for every year.
    Dates,
    /// An iCalendar text (RFC 5545).
    ICalendar,
    /// An iCalendar that is fetched every day.
    Url,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Dates, Self::ICalendar, Self::Url];

    /// The word used in tables and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Dates => "dates",
            Self::ICalendar => "icalendar",
            Self::Url => "url",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The days that a text names, with their names where they have some.
#[derive(Debug, Clone, Default)]
pub struct Days {
    set: DaySet,
    names: BTreeMap<i32, Arc<str>>,
    /// Events of an iCalendar that cover no whole day; they take nothing off.
    pub timed_events: usize,
}

impl Days {
    /// Reads the text of a calendar. Problems have their place in `text`, say the line, and have no field.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > MAX_BYTES {
            let message = format!("a calendar has at most {MAX_BYTES} bytes; this has {}", text.len());
            return Err(vec![Problem::new("", message)]);
        }
        match kind {
            Kind::Dates => dates::parse(text),
            Kind::ICalendar | Kind::Url => ical::parse(text),
        }
    }

    /// The same of a text that was read before, perhaps by an older version that asked for less: of a list of dates, the
    /// lines that can be read.
    pub fn of_stored(kind: Kind, text: &str) -> Self {
        let lines =
            || text.lines().filter(|line| Self::parse(kind, line).is_ok()).collect::<Vec<_>>().join("\n");
        let rest = |_| if kind == Kind::Dates { Self::parse(kind, &lines()) } else { Err(Vec::new()) };
        Self::parse(kind, text).or_else(rest).unwrap_or_default()
    }

    /// The days alone, as schedules need them.
    pub fn into_set(self) -> DaySet {
        self.set
    }

    /// The first days from `from` on, at most `count`.
    pub fn upcoming(&self, from: NaiveDate, count: usize) -> Vec<(NaiveDate, Option<&str>)> {
        let days = self.set.days_from(from.to_epoch_days()).take(count);
        let name = |day: &i32| self.names.get(day).map(AsRef::as_ref);
        days.filter_map(|day| Some((NaiveDate::from_epoch_days(day)?, name(&day)))).collect()
    }

    fn add(&mut self, day: i32, name: Option<&Arc<str>>) {
        if self.set.insert(day)
            && let Some(name) = name
        {
            self.names.entry(day).or_insert_with(|| Arc::clone(name));
        }
    }
}
