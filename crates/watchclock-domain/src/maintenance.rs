//! Maintenance windows: when the opening of incidents is suppressed, never recording and never resolution.
//! Neighbour: [`crate::timeline`] judges afresh when one ends.

use chrono::Duration;
use uuid::Uuid;

use crate::{
    Time,
    schedule::{Schedule, Zone},
    span,
};

/// Windows that follow each other without a pause are one; so many spans of windows are looked at for its end.
const MAX_LOOKS: usize = 20_000;
/// A window that is on for longer without a pause counts to have no end; what comes every year has had its pause by then.
const ENDLESS: Duration = Duration::days(366);

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
        self.when.span_at(at)
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

    /// The same, and where the window comes again before or just when it ends, on to where it is really over.
    pub fn stretch_from(&self, at: Time) -> Option<Span> {
        let Span { from, to } = self.span_from(at)?;
        let (Chain::Ends(to) | Chain::Endless { seen: to }) = chain(from, to, &[&self.when]);
        Some(Span { from, to })
    }
}

impl When {
    /// Why this would be on for ever once it is on, judged by what comes after a moment.
    pub fn endless(&self, after: Time) -> Option<String> {
        let Self::Recurring { starts, lasts } = self else { return None };
        let first = starts.next(after)?;
        let Chain::Endless { seen } = chain(first, end(starts, first, *lasts)?, &[self]) else {
            return None;
        };
        let again = starts.next(first).map_or(*lasts, |again| again - first);
        let how_long = if seen - first > ENDLESS {
            "it would never end".to_owned()
        } else {
            format!("it would go on for {} and more", span::words(seen - first))
        };
        Some(format!(
            "{how_long}: it starts again after {} and lasts {}; let it last less, or start less often",
            span::words(again),
            span::words(*lasts)
        ))
    }

    /// The span that holds a moment.
    fn span_at(&self, at: Time) -> Option<Span> {
        let span = match self {
            Self::Once { from, to, .. } => Span { from: *from, to: *to },
            Self::Recurring { starts, lasts } => {
                // The latest start has the latest end: no clock is set back further than it ran.
                let from = starts.prev(at.checked_add_signed(Duration::microseconds(1))?)?;
                Span { from, to: end(starts, from, *lasts)? }
            }
        };
        (span.from <= at && at < span.to).then_some(span)
    }
}

/// How far spans reach that follow each other without a pause.
enum Chain {
    Ends(Time),
    Endless {
        /// How far was looked.
        seen: Time,
    },
}

fn chain(from: Time, first_end: Time, windows: &[&When]) -> Chain {
    let mut until = first_end;
    let mut looks = 0;
    loop {
        looks += windows.len();
        let ends = windows.iter().filter_map(|when| when.span_at(until));
        match ends.map(|span| span.to).max() {
            None => return Chain::Ends(until),
            Some(later) => until = later,
        }
        if looks >= MAX_LOOKS || until - from > ENDLESS {
            return Chain::Endless { seen: until };
        }
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
        let first = self.windows.iter().filter_map(|window| window.span_at(at)).map(|span| span.to).max()?;
        let all: Vec<&When> = self.windows.iter().map(|window| &window.when).collect();
        let (Chain::Ends(until) | Chain::Endless { seen: until }) = chain(at, first, &all);
        Some(until)
    }
}

#[cfg(test)]
#[path = "maintenance_tests.rs"]
mod tests;
