//! Every vector of oncalendar 1.1: what is accepted, and when it fires around unusual clock changes.

use chrono::DateTime;
use serde_json::Value;
use watchclock_domain::{
    Time,
    schedule::{Kind, Schedule, ScheduleText},
};

use super::cron_vectors::walk_back;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/oncalendar-vectors.json")).unwrap()
}

fn times(value: &Value) -> Vec<Time> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).map(|time| time.parse().unwrap()).collect()
}

/// The lines of an expression; the vectors write several in one text.
fn schedule(text: &str, tz: &str) -> Result<Schedule, Vec<watchclock_domain::problem::Problem>> {
    let lines = text.split('\n').map(str::to_owned).collect();
    let split = ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: tz.to_owned() };
    let whole = ScheduleText { lines: vec![text.to_owned()], ..split.clone() };
    assert_eq!(Schedule::compile(&split).ok(), Schedule::compile(&whole).ok(), "{text:?}");
    Schedule::compile(&split)
}

#[test]
fn syntax_is_accepted_or_refused_alike() {
    let start = "2024-02-27T13:45:30Z".parse::<Time>().unwrap();
    for vector in vectors()["syntax"].as_array().unwrap() {
        let text = vector["expr"].as_str().unwrap();
        let compiled = schedule(text, "UTC");
        assert_eq!(compiled.is_ok(), vector["ok"].as_bool().unwrap(), "{text:?}: {compiled:?}");
        let Ok(schedule) = compiled else { continue };
        let next = &vector["next_utc_from_2024-02-27T13:45:30Z"];
        // a null marks the end of what comes
        let (expected, count) = (times(next), next.as_array().unwrap().len());
        assert_eq!(schedule.preview(start, count), expected, "{text:?}");
        walk_back(&schedule, &expected, text);
    }
}

#[test]
fn slots_around_clock_changes_are_the_same() {
    for vector in vectors()["dst"].as_array().unwrap() {
        let (text, tz) = (vector["expr"].as_str().unwrap(), vector["tz"].as_str().unwrap());
        let local = vector["start_local"].as_str().unwrap();
        let start = DateTime::parse_from_rfc3339(local).unwrap().to_utc();
        let expected = times(&vector["next_utc"]);
        let schedule = schedule(text, tz).unwrap();
        assert_eq!(schedule.preview(start, expected.len()), expected, "{text} in {tz} from {local}");
        walk_back(&schedule, &expected, &format!("{text} in {tz} from {local}"));
    }
}
