//! Maintenance windows: when the opening of incidents is suppressed, never recording and never resolution.
//! Neighbour: [`crate::timeline`] judges afresh when one ends.

use chrono::Duration;
use uuid::Uuid;

use crate::{
    Time,
    schedule::{Schedule, Zone},
};

/// Windows that follow each other without a pause are one, up to so many.
const MAX_CHAINED: usize = 100;

/// When a window is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum When {
    Once {
        from: Time,
        /// Exclusive.
        to: Time,
        /// Where it was planned, so that people read it back on the same clock.
        zone: Zone,
    },
    Recurring {
        /// Each slot begins one.
        starts: Schedule,
        /// Measured on the wall clock: from 22:00, 8 h end at 06:00 whatever the clocks do in between.
        lasts: Duration,
    },
}

/// Which monitors of its project a window covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MonitorChoice {
    /// Every monitor, also those made later.
    All,
    Some(Vec<Uuid>),
}

impl MonitorChoice {
    pub fn covers(&self, monitor: Uuid) -> bool {
        match self {
            Self::All => true,
            Self::Some(ids) => ids.contains(&monitor),
        }
    }
}

/// One maintenance window as configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub id: Uuid,
    /// What is done then.
    pub name: String,
    pub monitors: MonitorChoice,
    pub when: When,
}

/// One time at which a window is on; `to` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    pub from: Time,
    pub to: Time,
}

impl Window {
    /// The span that holds a moment.
    pub fn span_at(&self, at: Time) -> Option<Span> {
        let span = match &self.when {
            When::Once { from, to, .. } => Span { from: *from, to: *to },
            When::Recurring { starts, lasts } => {
                // The latest start has the latest end: no clock is set back further than it ran.
                let from = starts.prev(at.checked_add_signed(Duration::microseconds(1))?)?;
                Span { from, to: end(starts, from, *lasts)? }
            }
        };
        (span.from <= at && at < span.to).then_some(span)
    }

    /// The span that holds a moment, else the next one.
    pub fn span_from(&self, at: Time) -> Option<Span> {
        self.span_at(at).or_else(|| match &self.when {
            When::Once { from, to, .. } => (at < *from).then_some(Span { from: *from, to: *to }),
            When::Recurring { starts, lasts } => {
                let from = starts.next(at)?;
                Some(Span { from, to: end(starts, from, *lasts)? })
            }
        })
    }
}

/// When a span ends: so much later on the clocks of its zone.
fn end(starts: &Schedule, from: Time, lasts: Duration) -> Option<Time> {
    let zone = starts.zone();
    let civil = zone.local(from).naive_local().checked_add_signed(lasts)?;
    let to = zone.at_civil(civil);
    // Of an hour that is shown twice, the first is found; a span that began in the second ends in it.
    if to > from { Some(to) } else { from.checked_add_signed(lasts) }
}

/// The windows that cover one monitor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Maintenance {
    pub windows: Vec<Window>,
    /// Grows with every change of the project's windows.
    pub version: i64,
}

impl Maintenance {
    /// The window that is on at a moment.
    pub fn at(&self, at: Time) -> Option<&Window> {
        self.windows.iter().find(|window| window.span_at(at).is_some())
    }

    /// The times within a stretch at which a window is or will be on, of each window at most 100.
    pub fn spans(&self, from: Time, to: Time) -> Vec<(&Window, Span)> {
        const MOST: usize = 100;
        let mut all = Vec::new();
        for window in &self.windows {
            let next = |span: &Span| window.span_from(span.to).filter(|next| next.from > span.from);
            let spans = std::iter::successors(window.span_from(from), next);
            all.extend(spans.take_while(|span| span.from < to).take(MOST).map(|span| (window, span)));
        }
        all
    }

    /// When the maintenance that is on at a moment ends, all windows together; none when none is on.
    pub fn quiet_until(&self, at: Time) -> Option<Time> {
        let ends =
            |at: Time| self.windows.iter().filter_map(|window| window.span_at(at)).map(|span| span.to).max();
        let mut until = ends(at)?;
        for _ in 0..MAX_CHAINED {
            let Some(later) = ends(until) else { break };
            until = later;
        }
        Some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::ScheduleText;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn recurring(cron: &str, tz: &str, lasts: Duration) -> Window {
        let starts = Schedule::compile(&ScheduleText::cron(cron, tz)).unwrap();
        let when = When::Recurring { starts, lasts };
        Window { id: Uuid::nil(), name: "night".to_owned(), monitors: MonitorChoice::All, when }
    }

    #[test]
    fn the_spans_of_a_stretch_are_found() {
        let night = recurring("0 22 * * *", "UTC", Duration::hours(8));
        let maintenance = Maintenance { windows: vec![night], version: 1 };
        let spans = maintenance.spans(at("2027-01-04T00:00:00Z"), at("2027-01-05T23:00:00Z"));
        let starts: Vec<String> =
            spans.iter().map(|(_, span)| span.from.format("%d %H").to_string()).collect();
        assert_eq!(starts, ["03 22", "04 22", "05 22"]);
    }

    #[test]
    fn a_night_ends_in_the_morning_whatever_the_clocks_do() {
        let night = recurring("0 22 * * *", "Europe/Berlin", Duration::hours(8));
        for (inside, from, to) in [
            ("2027-01-04T23:00:00Z", "2027-01-04T21:00:00Z", "2027-01-05T05:00:00Z"),
            ("2027-03-28T00:30:00Z", "2027-03-27T21:00:00Z", "2027-03-28T04:00:00Z"),
            ("2026-10-25T01:30:00Z", "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"),
        ] {
            let span = Span { from: at(from), to: at(to) };
            assert_eq!(night.span_at(at(inside)), Some(span));
            assert_eq!(night.span_at(span.from), Some(span), "its start is in it");
            assert_eq!(night.span_at(span.to), None, "its end is not");
        }
    }

    #[test]
    fn a_span_that_begins_in_a_repeated_hour_never_ends_before_it_begins() {
        let often = recurring("0 * * * *", "Europe/Berlin", Duration::minutes(10));
        let second = at("2026-10-25T01:00:00Z");
        assert_eq!(often.span_at(second).unwrap().to, at("2026-10-25T01:10:00Z"));
    }

    #[test]
    fn windows_that_follow_each_other_are_one() {
        let once = |from: &str, to: &str| Window {
            when: When::Once { from: at(from), to: at(to), zone: Zone::utc() },
            ..recurring("0 0 * * *", "UTC", Duration::hours(1))
        };
        let windows = vec![
            once("2027-01-04T01:00:00Z", "2027-01-04T02:00:00Z"),
            once("2027-01-04T02:00:00Z", "2027-01-04T03:00:00Z"),
        ];
        let maintenance = Maintenance { windows, version: 1 };
        assert_eq!(maintenance.quiet_until(at("2027-01-04T01:30:00Z")), Some(at("2027-01-04T03:00:00Z")));
        assert_eq!(maintenance.quiet_until(at("2027-01-04T03:00:00Z")), None);
        let always =
            Maintenance { windows: vec![recurring("0 0 * * *", "UTC", Duration::hours(24))], version: 1 };
        assert!(always.quiet_until(at("2027-01-04T01:30:00Z")) > Some(at("2027-01-14T00:00:00Z")));
    }
}
