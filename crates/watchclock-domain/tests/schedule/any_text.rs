//! Whatever is typed or pasted: no panic, no endless search, and problems that point into the text.

use proptest::prelude::*;
use watchclock_domain::{
    Time,
    problem::Problem,
    schedule::{Kind, Schedule, ScheduleText, Zone},
    span,
};

fn points_into(text: &str, problems: &[Problem]) {
    assert!(!problems.is_empty(), "{text:?} is refused without a reason");
    let length = text.chars().count();
    for problem in problems {
        assert!(!problem.message.is_empty() && problem.message.chars().count() < 800, "{text:?}: {problem}");
        // a caret may stand behind the end, where something is missing
        let inside = problem
            .at
            .is_none_or(|at| at <= length && problem.len >= 1 && at + problem.len <= length.max(at + 1));
        assert!(inside, "{text:?}: {problem:?}");
    }
}

fn try_all(text: &str) {
    let now = "2026-10-25T00:30:00Z".parse::<Time>().unwrap();
    for kind in [Kind::Cron, Kind::OnCalendar] {
        let lines = vec![text.to_owned()];
        match Schedule::compile(&ScheduleText { kind, every: None, lines, tz: "Europe/Berlin".to_owned() }) {
            Ok(schedule) => {
                let slots = schedule.preview(now, 5);
                assert!(slots.is_sorted_by(|a, b| a < b) && slots.iter().all(|slot| *slot > now), "{text:?}");
                assert!(schedule.prev(now).is_none_or(|prev| prev < now), "{text:?}");
                assert!(!schedule.words().contains("  "), "{text:?}: {}", schedule.words());
                // what is stored compiles to the same
                assert_eq!(Schedule::compile(schedule.text()).as_ref(), Ok(&schedule));
            }
            Err(problems) => points_into(text, &problems),
        }
    }
    match ScheduleText::from_shorthand(text, None) {
        Ok(written) => assert!(Schedule::compile(&written).is_ok(), "{text:?}"),
        Err(problems) => points_into(text, &problems),
    }
    if let Err(problem) = span::parse(text) {
        points_into(text, &[problem]);
    }
    if let Err(problem) = Zone::named(text) {
        points_into(text, &[problem]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(super::generate::cases(80).min(2000)) })]

    #[test]
    fn any_characters(text in ".{0,60}") {
        try_all(&text);
    }

    #[test]
    fn the_signs_of_cron(text in "[-0-9*/,#LWH?@ \t\nSUNMOJAtz=]{0,40}") {
        try_all(&text);
    }

    #[test]
    fn five_words(text in "(CRON_TZ=UTC )?([0-9*/,?LW#-]{1,6}[ \t]){4}[0-9*/,L#MONSU-]{1,6}( #.{0,5})?") {
        try_all(&text);
    }

    #[test]
    fn blanks_within_fields(text in "(TZ=UTC )?(([0-9*]|MON) ?([,/-] ?[0-9]{1,2}){0,2} ){3,6}(# x|/bin/x|UTC|,)?") {
        try_all(&text);
        for problem in Schedule::compile(&ScheduleText::cron(&text, "UTC")).err().into_iter().flatten() {
            if problem.message.contains("blank inside the")
                && let Some(line) = super::blanks::suggested(&problem.message)
            {
                assert!(Schedule::compile(&ScheduleText::cron(line, "UTC")).is_ok(), "{text:?}: {problem}");
            }
        }
    }

    #[test]
    fn any_number_of_words(text in "[ \t]?((CRON_)?TZ ?= ?(UTC|Europe/Berln|X)? ?)?([0-9*/,-]{1,3}[ \t]){0,7}(@?daily|every 5m|02:30|UTC|2030|# x|/bin/x y|a=b)? ?") {
        try_all(&text);
    }

    #[test]
    fn the_signs_of_calendars(text in "((Mon|Tue|Sat|sunday)[.,-]{0,2} ?){0,2}[0-9*/.,~-]{0,12} ?[0-9*/.,:]{0,10}( UTC| europe/riga)?") {
        try_all(&text);
    }

    #[test]
    fn spans(text in "(every ?)?[0-9PTWDHMS.,]{0,9} ?(ms|s|m|h|d|w|min|y)?") {
        try_all(&text);
    }
}
