//! Days off against a plain walk over the slots, and how long the worst of them takes.

use std::{sync::Arc, time::Instant};

use chrono::Datelike as _;
use watchclock_domain::{
    Time,
    calendar::{Days, DaysOff, Kind},
    schedule::{Schedule, ScheduleText},
};

fn at(text: &str) -> Time {
    text.parse().expect("a time")
}

fn off(kind: Kind, text: &str) -> DaysOff {
    let days = Days::parse(kind, text).unwrap_or_else(|problems| panic!("{problems:?}"));
    DaysOff::of([Arc::new(days.into_set())])
}

/// Every slot of a schedule with days off is one without them whose day is not off, and none is left out.
#[test]
fn slots_with_days_off_are_those_without_less_the_days() {
    let dates = "03-28..03-29\n10-25\n2027-01-01..2027-01-03\n02-29\n12-24..01-02";
    let is_off = |day: chrono::NaiveDate| {
        let (month, date) = (day.month(), day.day());
        matches!((month, date), (3, 28 | 29) | (10, 25) | (2, 29) | (12, 24..) | (1, 1 | 2))
            || (day.year(), month, date) == (2027, 1, 3)
    };
    for (line, tz) in [
        ("30 2 * * *", "Europe/Berlin"),
        ("*/20 1-3 * * *", "Europe/Berlin"),
        ("0 0 * * 1-5", "America/Sao_Paulo"),
        ("15 23 28-31 * *", "Australia/Lord_Howe"),
        ("0 12 1,29 * 1", "Asia/Kathmandu"),
    ] {
        let bare = Schedule::compile(&ScheduleText::cron(line, tz)).expect("a good line");
        let schedule = bare.clone().with_days_off(off(Kind::Dates, dates));
        let after = at("2026-09-01T00:00:00Z");
        let free = |slot: &Time| !is_off(bare.zone().local(*slot).date_naive());
        let expected: Vec<Time> = bare.preview(after, 3_000).into_iter().filter(free).collect();
        let found = schedule.preview(after, expected.len());
        assert_eq!(found, expected, "{line} {tz}");
        let back = std::iter::successors(found.last().copied(), |slot| schedule.prev(*slot));
        let mut back: Vec<Time> = back.take(expected.len()).collect();
        back.reverse();
        assert_eq!(back, expected, "{line} {tz} backwards");
    }
}

#[test]
fn the_worst_calendars_are_asked_soon() {
    let sundays =
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:19700104\nRRULE:FREQ=WEEKLY\nEND:VEVENT\nEND:VCALENDAR";
    let after = at("2026-01-01T00:00:00Z");
    for (line, off) in [
        ("0 3 * * 0", off(Kind::ICalendar, sundays)),
        ("* * * * *", off(Kind::Dates, "01-01..12-31")),
        ("0 3 25 12 *", off(Kind::Dates, "12-25")),
    ] {
        let schedule = Schedule::compile(&ScheduleText::cron(line, "Europe/Berlin")).expect("a good line");
        let schedule = schedule.with_days_off(off);
        let started = Instant::now();
        assert_eq!((schedule.next(after), schedule.prev(after)), (None, None), "{line}");
        let took = started.elapsed();
        println!("{line}: {took:?}");
        assert!(took.as_millis() < 1_000, "{line}: {took:?}");
    }
}
