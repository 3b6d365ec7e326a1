//! What is to be set on a maintenance window, checked as a whole: every problem at once, each under its field.

use chrono::{Datelike as _, Duration};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::{MonitorChoice, When, Window},
    problem::Problem,
    schedule::{Kind, Schedule, ScheduleText, Zone},
};

const SHORTEST: Duration = Duration::minutes(1);
const LONGEST: Duration = Duration::days(31);

/// How often a window comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comes {
    Once,
    AgainAndAgain,
}

/// What is to be set on a window; what is unset stays. `from` and `to` make one that comes once, `cron` and `lasts` one that
/// recurs; `tz` goes with both.
#[derive(Debug, Clone, Default)]
pub struct WindowChange {
    /// Told by what is set unless said: what cannot be read is unset and still tells.
    pub comes: Option<Comes>,
    pub name: Option<String>,
    pub monitors: Option<MonitorChoice>,
    pub from: Option<Time>,
    pub to: Option<Time>,
    pub cron: Option<Vec<String>>,
    pub tz: Option<String>,
    pub lasts: Option<Duration>,
}

impl WindowChange {
    /// The window after the change, or everything that is wrong with it. Of one that is broken, only name and monitors
    /// are known: when it is on must be said anew.
    pub(super) fn apply(
        self,
        before: Option<(&Window, bool)>,
        id: Uuid,
        now: Time,
    ) -> Result<Window, Vec<Problem>> {
        let mut problems = Vec::new();
        let known_when = before.filter(|(_, broken)| !broken).map(|(window, _)| &window.when);
        let before = before.map(|(window, _)| window);
        let name = self.name.as_deref().or(before.map(|window| window.name.as_str())).unwrap_or("").trim();
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            let message = "a window needs a name of at most 100 characters, on one line: what is done then";
            problems.push(Problem::new("name", message));
        }
        let name = name.to_owned();
        let monitors = self.monitors.clone().or_else(|| before.map(|window| window.monitors.clone()));
        if matches!(&monitors, Some(MonitorChoice::Some(ids)) if ids.is_empty()) {
            problems.push(Problem::new("monitors", "name at least one monitor, or [\"*\"] for all"));
        }
        let when = self.when(known_when, now, &mut problems);
        match when {
            Some(when) if problems.is_empty() => Ok(Window {
                id: before.map_or(id, |window| window.id),
                name,
                monitors: monitors.unwrap_or(MonitorChoice::All),
                when,
            }),
            _ => Err(problems),
        }
    }

    fn when(self, before: Option<&When>, now: Time, problems: &mut Vec<Problem>) -> Option<When> {
        match self.comes {
            Some(Comes::Once) => return self.once(before, now, problems),
            Some(Comes::AgainAndAgain) => return self.recurring(before, now, problems),
            None => {}
        }
        let once = self.from.is_some() || self.to.is_some();
        let mut recurring = self.cron.is_some() || self.lasts.is_some();
        // A zone alone belongs to what the window is already.
        recurring |= self.tz.is_some() && !once && !matches!(before, Some(When::Once { .. }));
        let once = once || (self.tz.is_some() && !recurring);
        match (once, recurring, before) {
            (true, true, _) => {
                let message = "give either `from` and `to`, or `cron` and `lasts`";
                problems.push(Problem::new(if self.from.is_some() { "from" } else { "to" }, message));
                None
            }
            (false, false, Some(before)) => Some(before.clone()),
            (false, false, None) => {
                let message = "say when: `from` and `to`, or `cron` (its starts) and `lasts`";
                problems.push(Problem::new("from", message));
                None
            }
            (true, false, _) => self.once(before, now, problems),
            (false, true, _) => self.recurring(before, now, problems),
        }
    }

    fn once(self, before: Option<&When>, now: Time, problems: &mut Vec<Problem>) -> Option<When> {
        let (known_from, known_to, known_zone) = match before {
            Some(When::Once { from, to, zone }) => (Some(*from), Some(*to), *zone),
            _ => (None, None, Zone::utc()),
        };
        let zone = self.tz.as_deref().map_or(Ok(known_zone), Zone::named);
        let is_new = before.is_none();
        let (from, to) = (self.from.or(known_from), self.to.or(known_to));
        for (field, time) in [("from", from), ("to", to)] {
            if time.is_none() {
                problems.push(Problem::new(field, "is missing: a window has both ends"));
            }
        }
        let given = [("from", self.from), ("to", self.to)];
        problems.extend(given.into_iter().filter_map(|(field, time)| out_of_years(field, time?)));
        // Without its zone, a moment may have been read on another clock.
        match (from, to) {
            (Some(from), Some(to)) if to <= from => problems.push(Problem::new("to", "must be after `from`")),
            (_, Some(to)) if is_new && to <= now && zone.is_ok() && out_of_years("to", to).is_none() => {
                problems.push(Problem::new("to", "lies in the past"));
            }
            _ => {}
        }
        match zone {
            Ok(zone) => Some(When::Once { from: from?, to: to?, zone }),
            Err(problem) => {
                problems.push(problem.in_field("tz"));
                None
            }
        }
    }

    fn recurring(self, before: Option<&When>, now: Time, problems: &mut Vec<Problem>) -> Option<When> {
        let (known, known_lasts) = match before {
            Some(When::Recurring { starts, lasts }) => (Some(starts.text().clone()), Some(*lasts)),
            _ => (None, None),
        };
        let lasts = self.lasts.or(known_lasts);
        match lasts {
            None => problems.push(Problem::new("lasts", "is missing: how long it goes on")),
            Some(lasts) if !(SHORTEST..=LONGEST).contains(&lasts) => {
                problems.push(Problem::new("lasts", "must be from a minute to 31 days"));
            }
            Some(lasts) if lasts.subsec_nanos() != 0 => {
                problems.push(Problem::new("lasts", "must be a whole number of seconds"));
            }
            Some(_) => {}
        }
        let lasts = lasts.filter(|lasts| (SHORTEST..=LONGEST).contains(lasts));
        let lines = self.cron.or_else(|| known.as_ref().map(|text| text.lines.clone()));
        let tz = self.tz.or_else(|| known.map(|text| text.tz)).unwrap_or_else(|| "UTC".to_owned());
        let Some(lines) = lines.filter(|lines| !lines.is_empty()) else {
            problems.push(Problem::new("cron", "is missing: when it starts, `0 22 * * *`"));
            return None;
        };
        match Schedule::compile(&ScheduleText { kind: Kind::Cron, every: None, lines, tz }) {
            Ok(starts) => {
                if starts.next(now).is_none() {
                    problems.push(Problem::new("cron", "this never fires, so the window would never come"));
                }
                let when = When::Recurring { starts, lasts: lasts? };
                problems.extend(when.endless(now).map(|message| Problem::new("lasts", message)));
                Some(when)
            }
            Err(found) => {
                problems.extend(found);
                None
            }
        }
    }
}

/// Why a moment is none that a window can have: beyond these years no schedule expects anything.
fn out_of_years(field: &str, time: Time) -> Option<Problem> {
    let message = "must lie in the years 1970 to 2299: before and after them nothing is expected";
    (!(1970..2300).contains(&time.year())).then(|| Problem::new(field, message))
}
