//! When a run is expected. Expressions are read by `cron` and `oncalendar`, walked by `walk`; what a missed slot means is in [`crate::run`].

mod calendar_field;
mod calendar_slips;
mod compile;
mod cron;
mod cron_blanks;
mod cron_days;
mod cron_field;
mod cron_meant;
mod cron_names;
mod cron_slips;
mod days;
mod off;
mod oncalendar;
mod pattern;
mod shorthand;
mod text;
mod walk;
mod words;
mod words_days;
mod zone;
mod zone_hint;
mod zone_names;
mod zone_near;

use std::sync::Arc;

use chrono::{DateTime, TimeDelta};

pub use zone::{Zone, tzdb_version};
pub use zone_hint::{RUNS_LOOKED_AT, ZoneHint, zone_hint};
pub use zone_names::zone_names;

use crate::{Time, calendar::DaysOff, problem::Problem, span};
use walk::{Line, Shift};

/// Shortest interval, in seconds.
pub const MIN_EVERY: u32 = 60;
/// Longest interval, in seconds: five years of 365 days and the two leap days that they may hold.
pub const MAX_EVERY: u32 = (5 * 365 + 2) * 86_400;
/// Most expressions that one schedule unites.
pub const MAX_LINES: usize = 20;

/// How a schedule says when runs are expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An interval, counted from the last run.
    Every,
    /// Cron expressions.
    Cron,
    /// Calendar expressions of systemd.time(7).
    OnCalendar,
    /// Runs are judged, never expected.
    None,
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Every, Self::Cron, Self::OnCalendar, Self::None];

    /// The word used in tables, URLs, pages and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Cron => "cron",
            Self::OnCalendar => "oncalendar",
            Self::None => "none",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// A schedule as it is written, stored and shown.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ScheduleText {
    pub kind: Kind,
    /// The interval in seconds; only for [`Kind::Every`].
    pub every: Option<u32>,
    /// Expressions of which the earliest wins; only for [`Kind::Cron`] and [`Kind::OnCalendar`].
    pub lines: Vec<String>,
    /// Name of the time zone in which expressions are read.
    pub tz: String,
}

impl ScheduleText {
    /// A schedule without expectations, in UTC.
    pub fn none() -> Self {
        Self { kind: Kind::None, every: None, lines: Vec::new(), tz: "UTC".to_owned() }
    }

    /// An interval in seconds.
    pub fn every(seconds: u32) -> Self {
        Self { kind: Kind::Every, every: Some(seconds), ..Self::none() }
    }

    /// One cron expression.
    pub fn cron(line: impl Into<String>, tz: impl Into<String>) -> Self {
        Self { kind: Kind::Cron, every: None, lines: vec![line.into()], tz: tz.into() }
    }

    /// Reads what people type in one field: a cron expression, `every 5m`, `none`, `@daily`, or OnCalendar text; several lines unite.
    ///
    /// `tz` is UTC unless given; a leading `CRON_TZ=` decides over it. The result compiles. Problems have their place
    /// in `text` and no field, except those with `tz`.
    pub fn from_shorthand(text: &str, tz: Option<&str>) -> Result<Self, Vec<Problem>> {
        shorthand::parse(text, tz)
    }
}

/// A schedule ready to be asked. Cloning shares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    compiled: Arc<Compiled>,
    off: DaysOff,
}

#[derive(Debug)]
struct Compiled {
    text: ScheduleText,
    zone: Zone,
    when: When,
}

#[derive(Debug)]
enum When {
    Every(TimeDelta),
    Lines(Vec<Line>),
    Never,
}

impl Schedule {
    /// Checks a schedule and prepares it. All problems are returned at once, each with its field relative to the schedule: `cron[0]`, `oncalendar[1]`, `every`, `tz`.
    pub fn compile(text: &ScheduleText) -> Result<Self, Vec<Problem>> {
        compile::compile(text).map(|compiled| Self { compiled: Arc::new(compiled), off: DaysOff::none() })
    }

    /// The same schedule, expecting nothing on some days of its zone.
    #[must_use]
    pub fn with_days_off(self, off: DaysOff) -> Self {
        Self { off, ..self }
    }

    pub fn days_off(&self) -> &DaysOff {
        &self.off
    }

    /// The schedule as it was written; the zone in the database's spelling, each expression on a line of its own.
    pub fn text(&self) -> &ScheduleText {
        &self.compiled.text
    }

    /// The zone in which to show slots: the one that all lines are read in, else that of the schedule.
    pub fn zone(&self) -> &Zone {
        &self.compiled.zone
    }

    /// The first slot strictly after a moment; an interval later for `every`. None when there is none before the year 2300,
    /// or days off leave none for 40 years.
    pub fn next(&self, after: Time) -> Option<Time> {
        match &self.compiled.when {
            When::Never => None,
            When::Every(interval) => after.checked_add_signed(*interval).and_then(|due| self.moved(due)),
            When::Lines(lines) => {
                let second = after.timestamp();
                let next = |line: &Line| {
                    if self.off.is_none() { line.next(second) } else { line.next_on(second, &self.off) }
                };
                lines.iter().filter_map(next).min().and_then(moment)
            }
        }
    }

    /// The last slot strictly before a moment; an interval earlier for `every`. None when there is none since the year 1900.
    pub fn prev(&self, before: Time) -> Option<Time> {
        match &self.compiled.when {
            When::Never => None,
            When::Every(interval) => off::moved_back(before, *interval, &self.compiled.zone, &self.off),
            When::Lines(lines) => {
                // a slot at the full second is before any fraction of it
                let second = before.timestamp() + i64::from(before.timestamp_subsec_nanos() > 0);
                let prev = |line: &Line| {
                    if self.off.is_none() { line.prev(second) } else { line.prev_on(second, &self.off) }
                };
                lines.iter().filter_map(prev).max().and_then(moment)
            }
        }
    }

    /// When a run is due whose interval would be over at a moment: then, or with the first moment after the days off; none
    /// when they leave no day for 40 years.
    pub fn moved(&self, due: Time) -> Option<Time> {
        off::moved(due, &self.compiled.zone, &self.off)
    }

    /// Whether a moment lies on a day off of this schedule's zone.
    pub fn is_off(&self, at: Time) -> bool {
        self.off.contains(self.compiled.zone.day(at.timestamp()))
    }

    /// Whether a slot that was planned is still one, as far as days off go.
    pub fn takes_place(&self, slot: Time) -> bool {
        match &self.compiled.when {
            When::Lines(_) if !self.off.is_none() => {
                self.next(slot - TimeDelta::microseconds(1)).is_some_and(|next| next == slot)
            }
            _ => self.moved(slot) == Some(slot),
        }
    }

    /// The last moment at which a slot's run may be expected to start; the slot itself on ordinary days.
    ///
    /// Schedulers differ where a fixed time is skipped or repeated by a clock change: a run may come after the gap, or as
    /// much later as the clock was changed, at the first of two equal times or at the second. All of them are on time.
    pub fn latest(&self, slot: Time) -> Time {
        match &self.compiled.when {
            When::Never | When::Every(_) => slot,
            When::Lines(lines) => {
                let second = slot.timestamp();
                lines.iter().map(|line| line.latest(second)).max().and_then(moment).unwrap_or(slot)
            }
        }
    }

    /// What a clock change did to a slot, in words: `02:30 was skipped: clocks went from 02:00 to 03:00`.
    pub fn clock_change(&self, slot: Time) -> Option<String> {
        let When::Lines(lines) = &self.compiled.when else { return None };
        let clock = |civil: i64| Some(DateTime::from_timestamp(civil, 0)?.format("%H:%M").to_string());
        lines.iter().find_map(|line| line.shift(slot.timestamp())).and_then(|shift| match shift {
            Shift::Skipped { civil, gap } => Some(format!(
                "{} was skipped: clocks went from {} to {}",
                clock(civil)?,
                clock(gap.0)?,
                clock(gap.1)?
            )),
            Shift::Repeated { civil, .. } => {
                Some(format!("{} came twice: clocks were set back", clock(civil)?))
            }
        })
    }

    /// The next slots after a moment, at most `count`.
    pub fn preview(&self, after: Time, count: usize) -> Vec<Time> {
        std::iter::successors(self.next(after), |slot| self.next(*slot)).take(count).collect()
    }

    /// The schedule in words: `at 02:30 on weekdays, Europe/Berlin`.
    pub fn words(&self) -> String {
        match &self.compiled.when {
            When::Never => "no schedule: runs are judged, never expected".to_owned(),
            When::Every(interval) => match interval.num_seconds() {
                60 => "every minute".to_owned(),
                3600 => "every hour".to_owned(),
                86_400 => "every day".to_owned(),
                _ => format!("every {}", span::exact(*interval)),
            },
            When::Lines(lines) => words::lines(lines),
        }
    }
}

impl PartialEq for Compiled {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Compiled {}

fn moment(second: i64) -> Option<Time> {
    DateTime::from_timestamp(second, 0)
}
