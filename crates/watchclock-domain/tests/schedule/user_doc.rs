//! Runs the tables of `docs/schedules.md`.

use watchclock_domain::{
    Time,
    schedule::{Schedule, ScheduleText},
};

const DOC: &str = include_str!("../../../../docs/schedules.md");

/// The rows of all tables whose head has these cells.
fn rows(head: &str) -> Vec<Vec<&'static str>> {
    let mut rows = Vec::new();
    let mut within = false;
    for line in DOC.lines() {
        within = line == head || within && line.starts_with('|');
        if within && line != head && !line.starts_with("|---") {
            rows.push(
                line.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect(),
            );
        }
    }
    assert!(!rows.is_empty(), "{head}");
    rows
}

fn compile(text: &str, tz: &str) -> Schedule {
    let written = ScheduleText::from_shorthand(text, Some(tz))
        .unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    Schedule::compile(&written).unwrap()
}

#[test]
fn expressions_mean_what_the_tables_say() {
    for row in rows("| expression | in words |") {
        assert_eq!(compile(row[0], "UTC").words(), format!("{}, UTC", row[1]), "{}", row[0]);
    }
    for row in rows("| kind | example | a run is expected |") {
        assert_eq!(Some(compile(row[1], "UTC").text().kind.word()), kind(row[0]), "{}", row[1]);
    }
}

fn kind(name: &str) -> Option<&'static str> {
    let kinds = [("interval", "every"), ("cron", "cron"), ("OnCalendar", "oncalendar"), ("none", "none")];
    kinds.iter().find(|(known, _)| *known == name).map(|(_, word)| *word)
}

#[test]
fn clock_changes_are_as_the_table_says() {
    for row in rows("| expression | in Europe/Berlin after | comes at |") {
        let after: Time = row[1].replace('Z', ":00Z").parse().unwrap();
        let schedule = compile(row[0], "Europe/Berlin");
        let expected: Vec<&str> = row[2].split(", ").collect();
        let slots = schedule.preview(after, expected.len());
        let shown: Vec<String> = slots.iter().map(|slot| schedule.zone().show(*slot)).collect();
        assert_eq!(shown, expected, "{} after {after}", row[0]);
    }
}

#[test]
fn what_is_not_guessed_is_answered_so() {
    for row in rows("| expression | answer |") {
        let problems = ScheduleText::from_shorthand(row[0], None).unwrap_err();
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages, [row[1]], "{}", row[0]);
    }
    assert!(ScheduleText::from_shorthand("0 9 31 2 1", None).is_err());
}
