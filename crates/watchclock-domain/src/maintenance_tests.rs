//! Windows of maintenance: when they are on, when they end, and which never would.

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
    let starts: Vec<String> = spans.iter().map(|(_, span)| span.from.format("%d %H").to_string()).collect();
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

fn endless(cron: &str, tz: &str, lasts: Duration) -> Option<String> {
    recurring(cron, tz, lasts).when.endless(at("2027-01-04T00:00:00Z"))
}

#[test]
fn a_window_that_leaves_no_pause_is_told() {
    for (cron, tz, lasts) in [
        ("* * * * *", "UTC", Duration::hours(1)),
        ("0 22 * * *", "UTC", Duration::hours(25)),
        ("0 22 * * *", "Europe/Berlin", Duration::hours(24)),
        ("*/30 * * * *", "Europe/Berlin", Duration::minutes(30)),
        ("0 0 1 * *", "UTC", Duration::days(31)),
        ("0 0 * * 1", "Europe/Berlin", Duration::days(7)),
    ] {
        let told = endless(cron, tz, lasts).unwrap_or_else(|| panic!("{cron} {lasts}"));
        assert!(told.starts_with("it would never end: it starts again after "), "{told}");
    }
    assert_eq!(
        endless("0 22 * * *", "UTC", Duration::hours(25)).unwrap(),
        "it would never end: it starts again after 1 d and lasts 1 d 1 h; let it last less, or start less often"
    );
    let told = endless("* * * * *", "UTC", Duration::minutes(1)).unwrap();
    assert!(told.starts_with("it would go on for 13 d 21 h and more: "), "{told}");
}

#[test]
fn a_window_that_ever_pauses_is_none_of_those() {
    for (cron, lasts) in [
        ("0 22 * * *", Duration::minutes(24 * 60 - 1)),
        ("0 0 * 7,8 *", Duration::hours(24)),
        ("0 0 * * 6,0", Duration::hours(24)),
        ("0 * * 1-11 *", Duration::hours(1)),
        ("0 0 1 * *", Duration::days(28)),
    ] {
        assert_eq!(endless(cron, "Europe/Berlin", lasts), None, "{cron}");
    }
}

#[test]
fn a_window_that_comes_again_at_its_end_is_over_at_the_end_of_the_last() {
    let weekend = recurring("0 0 * * 6,0", "UTC", Duration::hours(24));
    let stretch = Span { from: at("2027-01-09T00:00:00Z"), to: at("2027-01-11T00:00:00Z") };
    assert_eq!(weekend.stretch_from(at("2027-01-04T00:00:00Z")), Some(stretch));
    assert_eq!(weekend.stretch_from(at("2027-01-09T10:00:00Z")), Some(stretch));
    let summer = recurring("0 * * 7,8 *", "UTC", Duration::minutes(90));
    let to = summer.stretch_from(at("2027-01-04T00:00:00Z")).unwrap().to;
    assert_eq!(to, at("2027-09-01T00:30:00Z"));
    let maintenance = Maintenance { windows: vec![summer], version: 1 };
    assert_eq!(maintenance.quiet_until(at("2027-07-01T05:00:00Z")), Some(to));
}
