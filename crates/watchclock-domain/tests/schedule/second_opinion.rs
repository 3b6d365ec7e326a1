//! The croner crate's answers for the same expressions. In UTC, so that only the reading of expressions is compared; clocks are compared in `random`.

use std::collections::BTreeMap;

use croner::parser::CronParser;
use watchclock_domain::{
    Time,
    schedule::{Schedule, ScheduleText},
};

use super::generate::{Random, cases};

/// Why croner and Debian's cron read an expression differently.
fn explained(text: &str) -> Option<&'static str> {
    let fields: Vec<&str> = text.split(' ').collect();
    let starred = |field: &str| field.starts_with('*') || field == "?";
    let plain = |field: &str| field == "*" || field == "?";
    let (date, weekday) = (fields[2], fields[4]);
    if (starred(date) && !plain(date) && !plain(weekday))
        || (starred(weekday) && !plain(weekday) && !plain(date))
    {
        return Some("`*/n` counts as a star: both day fields have to match (crontab(5))");
    }
    if weekday.starts_with("*,") {
        return Some("croner takes no `*` in a list with `#`");
    }
    let one = |item: &str| {
        let range = item.split_once('/').map(|(range, _)| range.to_uppercase());
        range.is_some_and(|range| range.split_once('-').is_some_and(|(first, last)| first == last))
    };
    if fields.iter().any(|field| field.split(',').any(one)) {
        return Some("`3-3/2` goes on to the maximum like `3/2` (a vector of cronsim says so)");
    }
    if weekday.to_lowercase().contains("-sun") {
        return Some("croner takes SUN at the end of a range for 7, cronsim for 0");
    }
    if date.contains('L') && date.contains('/') {
        return Some("a step after L changes nothing");
    }
    if date.contains('L') && date.contains(',') || weekday.contains('L') && weekday.contains('#') {
        return Some("croner takes L with other items of a list in its own way");
    }
    None
}

#[test]
fn croner_differs_only_where_that_is_explained() {
    let mut random = Random::of(5);
    let parser =
        CronParser::builder().seconds(croner::parser::Seconds::Disallowed).sloppy_ranges(true).build();
    let mut differences: BTreeMap<&str, u32> = BTreeMap::new();
    let mut compared = 0;
    for _ in 0..cases(1000) {
        let text = random.cron();
        let Ok(schedule) = Schedule::compile(&ScheduleText::cron(&text, "UTC")) else { continue };
        let after = random.moment(1_000_000_000, 4_000_000_000);
        let ours = schedule.preview(after, 4);
        let theirs = parser.parse(&text).map(|cron| cron.iter_after(after).take(4).collect::<Vec<Time>>());
        compared += 1;
        if theirs.as_ref().ok() != Some(&ours) {
            let reason = explained(&text);
            assert!(reason.is_some(), "{text} after {after}: {ours:?}, but croner: {theirs:?}");
            *differences.entry(reason.unwrap()).or_default() += 1;
        }
    }
    println!("{compared} compared; {differences:#?}");
    assert!(differences.values().sum::<u32>() * 5 < compared, "{differences:#?}");
}
