//! What a monitor's form says, and how problems find their rows.

use super::*;

fn form(text: &str) -> Fields {
    Fields::parse(text.as_bytes())
}

#[test]
fn empty_rows_are_dropped_and_problems_find_the_row_they_came_from() {
    let fields = form("rules[0].when=&rules[1].when=x+eq+1&rules[4].when=y+gtt+2&rules[4].for=3");
    let read = read(&fields, None);
    let rules = read.change.rules.as_ref().unwrap();
    assert_eq!((rules.len(), rules[1].for_runs), (2, 3));
    let mut problems = read.problems(vec![Problem::new("rules[1].when", "unknown operator")]);
    assert!(problems.take("rules[1].when", "").is_none());
    assert!(problems.take("rules[4].when", "").is_some());
}

#[test]
fn what_cannot_be_read_is_a_problem_beside_the_rest() {
    let fields = form("schedule.kind=every&schedule.every=soon&grace=x&thresholds.failed=many&max_duration=");
    let read = read(&fields, None);
    assert!(!read.is_readable() && read.change.schedule.is_none() && read.change.grace.is_none());
    assert_eq!(read.change.max_duration, Some(None));
    assert_eq!(read.problems(Vec::new()).fields(), 3);
}

#[test]
fn an_interval_loses_nothing_in_silence() {
    let read = read(&form("schedule.kind=every&schedule.every=90.5"), None);
    assert!(!read.is_readable() && read.change.schedule.is_none());
    assert_eq!(read.problems(Vec::new()).fields(), 1);
}

#[test]
fn no_channel_ticked_means_nobody() {
    assert_eq!(read(&form("name=x"), None).change.channels, Some(ChannelChoice::Some(Vec::new())));
    assert_eq!(read(&form("channels_all=yes"), None).change.channels, Some(ChannelChoice::All));
}

#[test]
fn tags_are_separated_by_commas_or_blanks() {
    assert_eq!(tags("database, nightly  etl,"), ["database", "nightly", "etl"]);
}
