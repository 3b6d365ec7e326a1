//! Random expressions in zones with unusual clock changes, against the walk over real minutes; and `next` against `prev`.

use chrono::TimeDelta;
use jiff::{Timestamp, civil};
use watchclock_domain::{
    Time,
    schedule::{Kind, Schedule, ScheduleText},
};

use super::{
    calendar_oracle::Calendar,
    generate::{Random, ZONES, cases},
    oracle::{self, Cron, Matches, Minutes},
};

const HOUR: i64 = 3600;

/// Three days around a clock change of a zone.
struct Window {
    zone: &'static str,
    from: i64,
    to: i64,
    minutes: Minutes,
}

/// Some changes of every zone since 1975, the last ones and, in long runs, many more; a plain window where there are none.
fn windows() -> Vec<Window> {
    let per_zone = if cases(0) > 0 { 40 } else { 3 };
    let mut windows = Vec::new();
    for zone in ZONES {
        let reader = oracle::zone(zone);
        let since: Timestamp = "1975-01-01T00:00:00Z".parse().unwrap();
        let end: Timestamp = "2040-01-01T00:00:00Z".parse().unwrap();
        let mut changes: Vec<i64> = reader
            .following(since)
            .map(|change| change.timestamp())
            .take_while(|at| *at < end)
            .map(Timestamp::as_second)
            .collect();
        changes.extend(changes.is_empty().then_some(1_800_000_000));
        let step = changes.len().div_ceil(per_zone);
        for at in changes.into_iter().rev().step_by(step) {
            let (from, to) = (at - 36 * HOUR, at + 36 * HOUR);
            windows.push(Window { zone, from, to, minutes: Minutes::walk(&reader, from, to) });
        }
    }
    windows
}

fn moment(second: i64) -> Time {
    Time::from_timestamp(second, 0).unwrap()
}

/// All slots of a window, forwards, backwards and from moments in between.
fn compare(random: &mut Random, text: &str, schedule: &Schedule, window: &Window, expected: &[Time]) {
    let (from, to) = (moment(window.from), moment(window.to));
    let context = format!("{text} in {} from {from}", window.zone);
    let second = TimeDelta::seconds(1);
    let forth: Vec<Time> = std::iter::successors(schedule.next(from - second), |slot| schedule.next(*slot))
        .take_while(|slot| *slot <= to)
        .collect();
    assert_eq!(forth, expected, "next: {context}");
    let mut back: Vec<Time> = std::iter::successors(schedule.prev(to + second), |slot| schedule.prev(*slot))
        .take_while(|slot| *slot >= from)
        .collect();
    back.reverse();
    assert_eq!(back, expected, "prev: {context}");
    for _ in 0..20 {
        let now = random.moment(window.from, window.to);
        let next = expected.iter().copied().find(|slot| *slot > now);
        assert_eq!(schedule.next(now).filter(|slot| *slot <= to), next, "next after {now}: {context}");
        let prev = expected.iter().copied().rfind(|slot| *slot < now);
        assert_eq!(schedule.prev(now).filter(|slot| *slot >= from), prev, "prev before {now}: {context}");
        let within = now + TimeDelta::milliseconds(1);
        assert_eq!(schedule.next(within), schedule.next(now), "a fraction later: {context}");
        assert_eq!(schedule.prev(within), schedule.prev(now + second), "a fraction later: {context}");
    }
}

/// Refused, although well-formed: it names no date in any year.
fn assert_never_fires(text: &str, expression: &impl Matches) {
    let mut date = civil::date(2000, 1, 1);
    while date.year() < 2028 {
        // a day of month that no selected month has is refused even where the weekday would do
        let dates = text.split_whitespace().nth(2).unwrap_or("");
        assert!(
            !expression.date(date) || dates.starts_with("30") || dates.starts_with("31"),
            "{text} fires on {date}"
        );
        date = date.tomorrow().unwrap();
    }
}

#[test]
fn cron_agrees_with_a_walk_over_real_minutes() {
    let (mut random, windows) = (Random::of(1), windows());
    for _ in 0..cases(250) {
        let (window, text) = (random.pick(&windows), random.cron());
        let expression = Cron::new(&text);
        match Schedule::compile(&ScheduleText::cron(&text, window.zone)) {
            Ok(schedule) => {
                let expected = window.minutes.slots(&expression);
                compare(&mut random, &text, &schedule, window, &expected);
            }
            Err(problems) => {
                assert!(
                    problems[0].message.contains("never run") || problems[0].message.contains("none of"),
                    "{text}"
                );
                assert_never_fires(&text, &expression);
            }
        }
    }
}

#[test]
fn calendar_expressions_agree_with_a_walk_over_real_minutes() {
    let (mut random, windows) = (Random::of(2), windows());
    for case in 0..cases(250) {
        // seconds make windows long, so fewer of them
        let text = if case % 8 == 0 { random.calendar_with_seconds() } else { random.calendar() };
        let window = random.pick(&windows);
        let expression = Calendar::new(&text);
        let lines = vec![text.clone()];
        let written = ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: window.zone.to_owned() };
        match Schedule::compile(&written) {
            Ok(schedule) => {
                let expected = window.minutes.slots(&expression);
                compare(&mut random, &text, &schedule, window, &expected);
            }
            Err(problems) => {
                assert!(problems[0].message.contains("never run"), "{text}: {problems:?}");
                assert_never_fires(&text, &expression);
            }
        }
    }
}

/// The first minute of an expression after a moment in UTC, searched date by date for sixty years.
fn first_in_utc(expression: &impl Matches, after: Time) -> Option<Time> {
    let start = Timestamp::from_second(after.timestamp()).unwrap().to_zoned_datetime(jiff::tz::TimeZone::UTC);
    let mut date = start.date();
    for _ in 0..60 * 366 {
        if expression.date(date) {
            for minute in (0..1440).filter(|minute| expression.minute(minute / 60, minute % 60)) {
                let midnight =
                    date.to_zoned_datetime(jiff::tz::TimeZone::UTC).unwrap().timestamp().as_second();
                let found = moment(midnight + i64::from(minute) * 60);
                if found > after {
                    return Some(found);
                }
            }
        }
        date = date.tomorrow().unwrap();
    }
    None
}

#[test]
fn rare_slots_are_found_however_far() {
    let mut random = Random::of(3);
    let mut texts = vec![
        "0 0 29 2 *".to_owned(),
        "0 0 */100,29 2 */7".to_owned(),
        "0 0 * 2 MON#5".to_owned(),
        "59 23 31 12 *".to_owned(),
    ];
    texts.extend((0..cases(150).min(3000)).map(|_| random.cron()));
    for text in texts {
        let Ok(schedule) = Schedule::compile(&ScheduleText::cron(&text, "UTC")) else { continue };
        let after = random.moment(1_500_000_000, 4_500_000_000);
        let next = first_in_utc(&Cron::new(&text), after);
        assert!(next.is_some(), "{text} never fires but was accepted");
        assert_eq!(schedule.next(after), next, "{text} after {after}");
    }
}

#[test]
fn prev_undoes_next_everywhere() {
    let mut random = Random::of(4);
    let names: Vec<&str> = watchclock_domain::schedule::zone_names().collect();
    for case in 0..cases(500) {
        let zone = *random.pick(&names);
        let written = if case % 2 == 0 {
            ScheduleText::cron(random.cron(), zone)
        } else {
            let lines = vec![random.calendar(), random.calendar()];
            ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: zone.to_owned() }
        };
        let Ok(schedule) = Schedule::compile(&written) else { continue };
        let now = random.moment(0, 4_500_000_000);
        let context = format!("{written:?} at {now}");
        if let Some(next) = schedule.next(now) {
            let prev = schedule.prev(next);
            assert!(next > now && prev.is_none_or(|prev| prev <= now), "{context}");
            assert!(prev.is_none_or(|prev| schedule.next(prev) == Some(next)), "{context}");
        }
        if let Some(prev) = schedule.prev(now) {
            let next = schedule.next(prev);
            assert!(prev < now && next.is_none_or(|next| next >= now), "{context}");
            assert!(next.is_none_or(|next| schedule.prev(next) == Some(prev)), "{context}");
        }
    }
}
