//! Is the time zone right? Runs that keep arriving at a constant offset from their slots fit the slots of another zone.

use chrono::{Offset as _, TimeDelta};

use super::{Kind, Schedule, ScheduleText, Zone};
use crate::{Time, span};

/// How many of the last runs are looked at.
pub const RUNS_LOOKED_AT: usize = 5;
/// How many of them must fit the other zone.
const MUST_FIT: usize = 4;
/// How far from a slot a run may start and still fit it.
const TOLERANCE: TimeDelta = TimeDelta::minutes(5);
/// With more offsets than this that explain the same, none does.
const MOST_OFFSETS: usize = 2;
/// How many zones are named.
const NAMED: usize = 3;

/// Zones that people live in, the likeliest first; every offset in use is among them.
const LIKELY: [&str; 61] = [
    "UTC",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Paris",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Tokyo",
    "Asia/Singapore",
    "Australia/Sydney",
    "America/Sao_Paulo",
    "Europe/Athens",
    "Europe/Kyiv",
    "Europe/Istanbul",
    "Europe/Moscow",
    "Asia/Dubai",
    "Africa/Johannesburg",
    "Africa/Lagos",
    "Africa/Cairo",
    "Africa/Nairobi",
    "Africa/Casablanca",
    "Asia/Jerusalem",
    "Asia/Tehran",
    "Asia/Kabul",
    "Asia/Karachi",
    "Asia/Kathmandu",
    "Asia/Dhaka",
    "Asia/Yangon",
    "Asia/Bangkok",
    "Asia/Jakarta",
    "Asia/Seoul",
    "Asia/Vladivostok",
    "Asia/Kamchatka",
    "Australia/Perth",
    "Australia/Eucla",
    "Australia/Darwin",
    "Australia/Adelaide",
    "Australia/Brisbane",
    "Australia/Lord_Howe",
    "Pacific/Noumea",
    "Pacific/Auckland",
    "Pacific/Chatham",
    "Pacific/Tongatapu",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Pacific/Honolulu",
    "Pacific/Marquesas",
    "America/Anchorage",
    "America/Phoenix",
    "America/Mexico_City",
    "America/Bogota",
    "America/Halifax",
    "America/St_Johns",
    "America/Nuuk",
    "America/Santiago",
    "America/Argentina/Buenos_Aires",
    "Atlantic/Azores",
    "Atlantic/Cape_Verde",
];

/// Another zone would fit better.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZoneHint {
    /// How long after their slots runs arrive; negative before them.
    pub late_by: TimeDelta,
    /// Seconds east of UTC that would fit at the last run that was not on time.
    pub utc_offset: i32,
    /// Zones with that offset in which the runs come on time, the likeliest first.
    pub zones: Vec<&'static str>,
}

impl ZoneHint {
    /// `+02:00`
    pub fn utc_offset_words(&self) -> String {
        let minutes = self.utc_offset.unsigned_abs() / 60;
        let sign = if self.utc_offset < 0 { '-' } else { '+' };
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// One or two sentences for people.
    pub fn words(&self) -> String {
        let (length, side) = (
            span::words(self.late_by.abs()),
            if self.late_by < TimeDelta::zero() { "before" } else { "after" },
        );
        let offset = self.utc_offset_words();
        format!(
            "Runs arrive {length} {side} each slot: is the time zone right? UTC{offset} would fit, as in {}.",
            self.zones.join(", ")
        )
    }
}

/// Looks whether the last runs, by when they started, would fit another zone. Of the moments the newest count, in any order.
///
/// A job that is late by varying amounts fits none; where many offsets would explain the same (`*/30`), none is named.
pub fn zone_hint(schedule: &Schedule, starts: &[Time]) -> Option<ZoneHint> {
    let text = schedule.text();
    if !matches!(text.kind, Kind::Cron | Kind::OnCalendar) {
        return None;
    }
    let mut starts: Vec<Time> = starts.to_vec();
    starts.sort_unstable_by(|a, b| b.cmp(a));
    starts.truncate(RUNS_LOOKED_AT);
    // days off say nothing about zones: runs may well come on them
    let bare = schedule.clone().with_days_off(crate::calendar::DaysOff::none());
    if starts.len() < MUST_FIT || fitting(&bare, &starts) > RUNS_LOOKED_AT - MUST_FIT {
        return None;
    }
    // after a clock change, the newest may be on time in both zones
    let last = starts.iter().copied().find(|start| !fits(&bare, *start))?;
    let mut hints: Vec<ZoneHint> = Vec::new();
    for name in LIKELY {
        let Ok(other) = Schedule::compile(&ScheduleText { tz: name.to_owned(), ..text.clone() }) else {
            continue;
        };
        // lines that name their own zone are not moved by another
        if other.zone().name() != name || fitting(&other, &starts) < MUST_FIT {
            continue;
        }
        let late_by =
            TimeDelta::seconds(i64::from(offset(schedule.zone(), last) - offset(other.zone(), last)));
        if let Some(hint) = hints.iter_mut().find(|hint| hint.late_by == late_by) {
            hint.zones.push(name);
        } else {
            let utc_offset = offset(other.zone(), last);
            hints.push(ZoneHint { late_by, utc_offset, zones: vec![name] });
        }
    }
    if hints.len() > MOST_OFFSETS {
        return None;
    }
    let mut hint = hints.into_iter().min_by_key(|hint| hint.late_by.abs())?;
    hint.zones.truncate(NAMED);
    Some(hint)
}

/// How many runs started near a slot.
fn fitting(schedule: &Schedule, starts: &[Time]) -> usize {
    starts.iter().filter(|start| fits(schedule, **start)).count()
}

fn fits(schedule: &Schedule, start: Time) -> bool {
    schedule.prev(start + TOLERANCE).is_some_and(|slot| start - slot <= TOLERANCE)
}

fn offset(zone: &Zone, at: Time) -> i32 {
    zone.local(at).offset().fix().local_minus_utc()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(schedule: &str, tz: &str, starts: &[&str]) -> Option<String> {
        let text = ScheduleText::from_shorthand(schedule, Some(tz)).unwrap();
        let schedule = Schedule::compile(&text).unwrap();
        let starts: Vec<Time> = starts.iter().map(|start| start.parse().unwrap()).collect();
        zone_hint(&schedule, &starts).map(|hint| hint.words())
    }

    /// On so many days of January 2027, at some time in UTC.
    fn daily(times: &[&str]) -> Vec<String> {
        times.iter().zip(4..).map(|(time, day)| format!("2027-01-{day:02}T{time}Z")).collect()
    }

    fn hint_daily(schedule: &str, tz: &str, times: &[&str]) -> Option<String> {
        let starts = daily(times);
        hint(schedule, tz, &starts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn every_likely_zone_exists_and_every_offset_in_use_is_among_them() {
        let now: Time = "2027-01-15T12:00:00Z".parse().unwrap();
        let offset_of = |name: &str| offset(&Zone::named(name).unwrap(), now);
        let likely: Vec<i32> = LIKELY.map(offset_of).to_vec();
        let inhabited = |name: &&str| !name.starts_with("Etc/") && !name.starts_with("Antarctica/");
        for name in super::super::zone_names().filter(inhabited) {
            assert!(likely.contains(&offset_of(name)), "{name}");
        }
    }

    #[test]
    fn a_job_that_runs_in_another_zone_is_told() {
        assert_eq!(
            hint_daily("0 3 * * *", "Europe/Berlin", &["03:00:09", "03:00:02", "03:01:30", "02:59:59"])
                .unwrap(),
            "Runs arrive 1 h after each slot: is the time zone right? UTC+00:00 would fit, as in UTC, Europe/London, Africa/Casablanca."
        );
        assert_eq!(
            hint_daily("0 3 * * *", "UTC", &["08:00:09", "12:34:00", "08:01:30", "08:00:01", "08:00:02"])
                .unwrap(),
            "Runs arrive 5 h after each slot: is the time zone right? UTC-05:00 would fit, as in America/New_York, America/Bogota."
        );
        assert_eq!(
            hint_daily("Mon..Sun 03:00", "UTC", &["21:15:00"; 5]).unwrap(),
            "Runs arrive 5 h 45 min before each slot: is the time zone right? UTC+05:45 would fit, as in Asia/Kathmandu."
        );
        assert!(hint_daily("0 3 * * *", "UTC", &["21:30:00"; 5]).unwrap().contains("Asia/Kolkata"));
    }

    #[test]
    fn what_explains_nothing_is_not_told() {
        for (schedule, tz, times) in [
            ("0 3 * * *", "UTC", ["03:00:00"; 5]),
            ("0 3 * * *", "UTC", ["03:31:00", "04:10:00", "05:00:00", "03:12:00", "06:44:00"]),
            ("0 3 * * *", "UTC", ["03:20:00"; 5]),
            ("0 3 * * *", "Europe/Berlin", ["02:30:00"; 5]),
            ("0 3 * * *", "UTC", ["03:00:00", "03:00:00", "05:00:00", "05:00:00", "05:00:00"]),
            ("*/30 * * * *", "UTC", ["03:15:00"; 5]),
            ("0 * * * *", "UTC", ["03:30:00"; 5]),
            ("0 */6 * * *", "UTC", ["02:00:00"; 5]),
            ("0 8,20 * * *", "UTC", ["07:00:00"; 5]),
            ("every 1d", "UTC", ["05:00:00"; 5]),
            ("none", "UTC", ["05:00:00"; 5]),
        ] {
            assert_eq!(hint_daily(schedule, tz, &times), None, "{schedule} {tz} {times:?}");
        }
        assert_eq!(hint_daily("0 3 * * *", "Europe/Berlin", &["03:00:00"; 3]), None, "three are too few");
        assert_eq!(hint_daily("0 3 * * *", "Europe/Berlin", &[]), None);
    }

    #[test]
    fn runs_around_a_clock_change_are_understood() {
        let days = |last: [&str; 2]| {
            let last = last.map(|hour| format!("{hour}:00:00Z"));
            let starts = [
                "2027-03-26T07:00:00Z".to_owned(),
                "2027-03-27T07:00:00Z".to_owned(),
                format!("2027-03-28T{}", last[0]),
                format!("2027-03-29T{}", last[1]),
            ];
            hint("0 8 * * *", "UTC", &starts.each_ref().map(String::as_str)).unwrap()
        };
        assert!(days(["06", "06"]).contains("UTC+02:00 would fit, as in Europe/Berlin, Europe/Paris"));
        assert!(days(["07", "07"]).contains("UTC+01:00 would fit, as in Africa/Lagos"));
    }

    /// A job in UTC, expected in London: since clocks were set back it is on time.
    #[test]
    fn the_offset_is_that_of_a_run_which_was_not_on_time() {
        let starts = [21, 22, 23, 24, 25].map(|day| format!("2026-10-{day}T03:00:00Z"));
        let words = hint("0 3 * * *", "Europe/London", &starts.each_ref().map(String::as_str)).unwrap();
        assert!(words.contains("arrive 1 h after each slot") && words.contains("UTC+00:00"), "{words}");
    }
}
