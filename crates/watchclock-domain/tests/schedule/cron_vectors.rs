//! Every vector of cronsim 2.7: what is accepted, and when it fires around unusual clock changes.

use chrono::{DateTime, NaiveDateTime};
use serde_json::Value;
use watchclock_domain::{
    Time,
    schedule::{Schedule, ScheduleText},
};

use super::oracle::{self, Minutes};

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/cron-vectors.json")).unwrap()
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

#[test]
fn syntax_is_accepted_or_refused_alike() {
    // cronsim does not know `?`, which our dialect reads as `*`
    let ours = ["0 0 ? * *"];
    let start = "2024-02-27T13:45:30Z".parse::<Time>().unwrap();
    for vector in vectors()["syntax"].as_array().unwrap() {
        let text = vector["expr"].as_str().unwrap();
        let compiled = Schedule::compile(&ScheduleText::cron(text, "UTC"));
        // cronsim reads six fields, the door of its own users does not
        let accepted = vector["api_ok_as_cron"].as_bool().unwrap() || ours.contains(&text);
        assert_eq!(compiled.is_ok(), accepted, "{text:?}: {compiled:?}");
        if let (Ok(schedule), Some(next)) = (compiled, vector.get("next_naive_from_2024-02-27T13:45:30")) {
            let expected: Vec<Time> = texts(next)
                .into_iter()
                .map(|time| time.parse::<NaiveDateTime>().unwrap().and_utc())
                .collect();
            assert_eq!(schedule.preview(start, expected.len()), expected, "{text:?}");
            walk_back(&schedule, &expected, text);
        }
    }
}

/// The way back is the way forth: no vector says what came before, so it is the one that came.
pub(crate) fn walk_back(schedule: &Schedule, slots: &[Time], context: &str) {
    for pair in slots.windows(2) {
        let between = schedule.preview(pair[0], 40);
        let before = between.iter().copied().rfind(|slot| *slot < pair[1]).unwrap_or(pair[0]);
        assert_eq!(schedule.prev(pair[1]), Some(before), "back from {}: {context}", pair[1]);
    }
}

#[test]
fn slots_around_clock_changes_are_the_same() {
    let mut wrong = Vec::new();
    for vector in vectors()["dst"].as_array().unwrap() {
        let (text, tz) = (vector["expr"].as_str().unwrap(), vector["tz"].as_str().unwrap());
        let local = vector["start_local"].as_str().unwrap();
        let start = DateTime::parse_from_rfc3339(local).unwrap().to_utc();
        let expected: Vec<Time> =
            texts(&vector["next_utc"]).iter().map(|time| time.parse().unwrap()).collect();
        let schedule = Schedule::compile(&ScheduleText::cron(text, tz)).unwrap();
        // the vectors for every minute keep the first and the last three of 40
        let abridged = text == "* * * * *";
        let mut slots = schedule.preview(start, if abridged { 40 } else { expected.len() });
        if abridged {
            slots.drain(3..37);
        }
        walk_back(&schedule, &slots, &format!("{text} in {tz} from {local}"));
        if slots == expected {
            continue;
        }
        let last = expected.iter().chain(&slots).max().unwrap().timestamp();
        let mut walked =
            Minutes::walk(&oracle::zone(tz), start.timestamp() + 60, last).slots(&oracle::Cron::new(text));
        walked.truncate(expected.len());
        assert_eq!(
            slots, walked,
            "{text} in {tz} from {local}: neither the vector nor a walk over real minutes"
        );
        wrong.push(format!("{tz} {local} {text}"));
    }
    wrong.sort_unstable();
    assert_eq!(wrong, WRONG_VECTORS, "vectors that a walk over real minutes proves wrong");
}

/// Jobs that follow the real minutes where clocks change by half an hour. At 15:00Z on 2024-04-06 Lord Howe's clocks go from
/// 02:00 (+11) back to 01:30 (+10:30), so 02:00 comes at 15:30Z: cronsim jumps whole hours and finds no minute before 16:00Z.
/// At 15:30Z on 2024-10-05 they go from 02:00 (+10:30) to 02:30 (+11): cronsim jumps over that very 02:30.
const WRONG_VECTORS: [&str; 4] = [
    "Australia/Lord_Howe 2024-04-06T22:00:00+11:00 * 2 * * *",
    "Australia/Lord_Howe 2024-04-06T22:00:00+11:00 */20 2 * * *",
    "Australia/Lord_Howe 2024-04-06T22:00:00+11:00 0 */2 * * *",
    "Australia/Lord_Howe 2024-10-05T22:00:00+10:30 30 * * * *",
];
