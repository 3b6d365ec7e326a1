//! The words of calendar expressions with seconds, read back: each second of the day is meant or not. Days are read in `words`.

use std::collections::BTreeSet;

use watchclock_domain::schedule::{Kind, Schedule, ScheduleText};

use super::{
    calendar_oracle::Calendar,
    generate::{Random, cases},
    oracle::Matches,
};

fn number(text: &str) -> u32 {
    text.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .unwrap_or_else(|_| panic!("a number in {text:?}"))
}

/// `a, b–c and d`.
fn numbers(names: &str) -> BTreeSet<u32> {
    let ranges = names.replace(" and ", ", ");
    let ranges = ranges.split(", ").map(|item| item.split_once('–').unwrap_or((item, item)));
    ranges.flat_map(|(first, last)| number(first)..=number(last)).collect()
}

/// The seconds of the day that the words name.
fn seconds(time: &str) -> BTreeSet<u32> {
    if let Some(times) =
        time.strip_prefix("at ").filter(|times| times.starts_with(|c: char| c.is_ascii_digit()))
    {
        let clock = |text: &str| text.split(':').fold(0, |sum, part| sum * 60 + number(part));
        return times.replace(" and ", ", ").split(", ").map(clock).collect();
    }
    let (rest, hours) = match time.split_once(" in hour") {
        Some((rest, list)) => (rest, numbers(list)),
        None => (time.trim_end_matches(" in every hour"), (0..24).collect()),
    };
    let (each, minutes) = match rest.split_once(" of minutes ").or_else(|| rest.split_once(" of minute ")) {
        Some((each, list)) => (each, numbers(list)),
        None => (rest.trim_end_matches(" of every minute"), (0..60).collect()),
    };
    let within: BTreeSet<u32> = match each.strip_prefix("every ") {
        Some("second") => (0..60).collect(),
        Some(step) => (0..60).step_by(usize::try_from(number(step)).unwrap()).collect(),
        None => numbers(each.strip_prefix("at second").unwrap().trim_start_matches('s')),
    };
    let at = |hour: u32, minute: u32| within.iter().map(move |second| hour * 3600 + minute * 60 + second);
    hours.iter().flat_map(|hour| minutes.iter().flat_map(move |minute| at(*hour, *minute))).collect()
}

#[test]
fn words_name_each_second_that_comes() {
    let mut random = Random::of(7);
    for _ in 0..cases(60).min(5_000) {
        let text = random.calendar_with_seconds();
        // the time alone
        let time = text.split_whitespace().last().unwrap().to_owned();
        let calendar = Calendar::new(&time);
        // full minutes are told as such, see `words`
        if calendar.seconds() == [0] {
            continue;
        }
        let lines = vec![time.clone()];
        let written = ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: "UTC".to_owned() };
        let words = Schedule::compile(&written).unwrap().words();
        let said = words.strip_suffix(", UTC").unwrap();
        let said = said.strip_suffix(" every day").unwrap_or(said);
        let meant: BTreeSet<u32> = (0..1440)
            .filter(|minute| calendar.minute(minute / 60, minute % 60))
            .flat_map(|minute| calendar.seconds().into_iter().map(move |second| minute * 60 + second))
            .collect();
        assert_eq!(seconds(said), meant, "{time}: {words}");
    }
}
