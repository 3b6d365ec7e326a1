//! What is refused, through both doors, where the problem lies, what it suggests, and that nothing makes the engine hang.

use std::time::{Duration, Instant};

use watchclock_domain::{
    problem::Problem,
    schedule::{Kind, MAX_EVERY, Schedule, ScheduleText},
};

pub(crate) fn cron(text: &str) -> Vec<Problem> {
    Schedule::compile(&ScheduleText::cron(text, "UTC")).expect_err(text)
}

pub(crate) fn calendar(text: &str) -> Vec<Problem> {
    let lines = vec![text.to_owned()];
    let written = ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: "UTC".to_owned() };
    Schedule::compile(&written).expect_err(text)
}

/// Text, what is wrong in it, and a part of the message.
pub(crate) type Case = (&'static str, &'static str, &'static str);

pub(crate) fn check(cases: &[Case], field: &str, compile: fn(&str) -> Vec<Problem>) {
    for (text, wrong, part) in cases {
        let problems = compile(text);
        let [problem] = problems.as_slice() else { panic!("{text:?}: one problem, not {problems:?}") };
        assert_eq!(problem.field, field, "{text:?}");
        let place: String = text.chars().skip(problem.at.unwrap()).take(problem.len).collect();
        assert_eq!(place, *wrong, "{text:?}: {problem}");
        assert!(problem.message.contains(part), "{text:?}: {problem}");
    }
}

const CRON: [Case; 44] = [
    ("60 * * * *", "60", "minute goes from 0 to 59"),
    ("0 24 * * *", "24", "hour goes from 0 to 23"),
    ("0 0 0 * *", "0", "day-of-month goes from 1 to 31"),
    ("0 0 * 13 *", "13", "month goes from 1 to 12"),
    ("0 0 * * 8", "8", "day-of-week goes from 0 to 7"),
    ("0 0 * * 99999999999999999999", "99999999999999999999", "out of range"),
    ("*/0 * * * *", "0", "at least 1"),
    ("*/ * * * *", "*/", "missing"),
    ("/5 * * * *", "/5", "did you mean \"*/5\""),
    ("1/2/3 * * * *", "2/3", "no step"),
    ("1,,2 * * * *", ",", "empty item"),
    ("1, * * * *", ",", "empty item"),
    (",1 * * * *", ",", "empty item"),
    ("10-5 * * * *", "10-5", "did you mean \"10-59,0-5\""),
    ("0 22-2 * * *", "22-2", "did you mean \"22-23,0-2\""),
    ("0 0 * * FRI-MON", "FRI-MON", "did you mean \"5-7,1\""),
    ("0 0 * * SAT-SUN", "SAT-SUN", "did you mean \"6-7\""),
    ("-1 * * * *", "-1", "negative"),
    ("1- * * * *", "1-", "both ends"),
    ("** * * * *", "**", "stands alone"),
    ("1_0 * * * *", "1_0", "number from 0 to 59"),
    ("0 0 * January *", "January", "did you mean \"JAN\""),
    ("0 0 * * Tuesday", "Tuesday", "did you mean \"TUE\""),
    ("0 0 * * MNO", "MNO", "number from 0 to 7 or a name like MON"),
    ("MON 0 * * *", "MON", "fifth field"),
    ("0 0 JAN * *", "JAN", "fourth field"),
    ("H 2 * * *", "H", "Jenkins"),
    ("H/15 2 * * *", "H", "Jenkins"),
    ("0 0 L-3 * *", "L-3", "OnCalendar"),
    ("0 0 32W * *", "32", "day-of-month goes from 1 to 31"),
    ("0 0 1-5W * *", "1-5W", "W follows one day"),
    ("0 0 * * MONL", "MONL", "did you mean \"1L\""),
    ("0 0 * * L", "L", "5L"),
    ("0 0 * * JUL", "JUL", "fourth field"),
    ("0 0 WL * *", "WL", "number from 1 to 31"),
    ("0 0 * * 1#6", "1#6", "1 to 5"),
    ("0 0 * * MON-FRI#2", "MON-FRI#2", "on its own"),
    ("0 3 * * * # nightly", "# nightly", "comments"),
    ("@daily # nightly", "# nightly", "comments"),
    ("0 3 * * * /bin/backup --all", "/bin/backup --all", "\"0 3 * * *\""),
    ("@dayly", "@dayly", "did you mean @daily"),
    ("@reboot", "@reboot", "\"none\""),
    ("@every 5m", "@every", "\"every 5m\""),
    ("CRON_TZ=Europe/Berln 0 3 * * *", "Europe/Berln", "did you mean Europe/Berlin"),
];

const COUNTS: [Case; 9] = [
    ("*/10 * * * * *", "*/10", "this looks like a crontab with seconds; drop the first field"),
    ("0 15 */1 * * *", "0", "did you mean \"15 */1 * * *\""),
    ("0 0 1 1 * 2030", "2030", "drop the last field"),
    ("0 0 1 1 * 2030-2035", "2030-2035", "drop the last field"),
    ("0 0 12 1 1 ? 2030", "0 0 12 1 1 ? 2030", "drop the first and the last field"),
    ("0 3 * *", "0 3 * *", "this has 4"),
    ("daily", "daily", "did you mean \"@daily\""),
    ("1 2 3 4 5 6 7 8", "1 2 3 4 5 6 7 8", "this has 8"),
    ("", "", "give a cron expression"),
];

const CALENDAR: [Case; 17] = [
    ("24:00", "24", "hour goes from 0 to 23"),
    ("12:60", "60", "minute goes from 0 to 59"),
    ("12:", "", "missing"),
    ("1:2:3:4", "1:2:3:4", "HOUR:MINUTE"),
    ("*:*/5", "*/5", "did you mean \"0/5\""),
    ("*:0/0", "0", "at least 1"),
    ("*:*:30.5", "30.5", "fractions"),
    ("*-*-1-7", "*-*-1-7", "[YEAR-]MONTH-DAY"),
    ("*-*-5..1", "5..1", "backwards"),
    ("*-*~29", "29", "last 28 days"),
    ("2200-1-1", "2200", "year goes from 1970 to 2199"),
    ("Fri..Mon", "Fri..Mon", "did you mean \"Fri..Sun,Mon\""),
    ("Mun 02:30", "Mun", "did you mean \"Mon\""),
    ("wekly", "wekly", "did you mean \"weekly\""),
    ("12:34 Europe/Nope", "Europe/Nope", "no time zone"),
    ("Europe/Riga", "Europe/Riga", "alone"),
    ("@1700000000", "@1700000000", "write the date"),
];

#[test]
fn problems_name_the_field_the_place_and_the_remedy() {
    check(&CRON, "cron[0]", cron);
    check(&COUNTS, "cron[0]", cron);
    check(&CALENDAR, "oncalendar[0]", calendar);
}

#[test]
fn what_people_paste_is_refused_by_name() {
    for (text, at, part) in [
        ("0 3 * * *\u{34F}", 9, "invisible character (U+034F)"),
        ("0\u{A0}3 * * *", 1, "invisible character (U+00A0)"),
        ("\u{FEFF}0 3 * * *", 0, "invisible character (U+FEFF)"),
        ("０ 3 * * *", 0, "did you mean \"0\""),
        ("٣ 3 * * *", 0, "did you mean \"3\""),
        ("0 3 * * 1–5", 9, "did you mean \"-\""),
        ("0 3 * * \u{7}", 8, "invisible character (U+0007)"),
    ] {
        let problem = cron(text).remove(0);
        assert_eq!((problem.at, problem.len), (Some(at), 1), "{text:?}: {problem}");
        assert!(problem.message.contains(part), "{text:?}: {problem}");
    }
}

#[test]
fn all_problems_come_at_once_in_reading_order() {
    let problems = cron("60 25 0 13 8");
    let places: Vec<_> = problems.iter().map(|problem| problem.at.unwrap()).collect();
    assert_eq!(places, [0, 3, 6, 8, 11]);

    let lines = vec!["0 3 * * *".to_owned(), "x 3 * * *".to_owned(), "0 99 * * *".to_owned()];
    let written = ScheduleText { kind: Kind::Cron, every: None, lines, tz: "Mars/Base".to_owned() };
    let problems = Schedule::compile(&written).unwrap_err();
    let fields: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["tz", "cron[1]", "cron[2]"]);
}

#[test]
fn sizes_are_limited() {
    assert!(cron(&"1,".repeat(5000))[0].message.contains("at most 500 characters"));
    let line = format!("{} * * * *", vec!["1"; 245].join(","));
    assert!(Schedule::compile(&ScheduleText::cron(line, "UTC")).is_ok());
    let many = |count| {
        let lines = vec!["0 3 * * *".to_owned(); count];
        Schedule::compile(&ScheduleText { lines, ..ScheduleText::cron("", "UTC") })
    };
    assert!(many(20).is_ok());
    assert!(many(21).unwrap_err()[0].message.contains("at most 20"));
    // blank lines between expressions are none
    let spaced = "0 3 * * *\n\n \r\n\n".repeat(20);
    assert_eq!(Schedule::compile(&ScheduleText::cron(spaced, "UTC")).unwrap().text().lines.len(), 20);
    assert!(many(0).unwrap_err()[0].message.contains("at least one"));
    assert_eq!(many(100_000).unwrap_err().len(), 1);
}

#[test]
fn intervals_have_limits_with_reasons() {
    for (seconds, part) in
        [(0, "too short"), (59, "too short"), (MAX_EVERY + 1, "too long"), (u32::MAX, "too long")]
    {
        let problem = Schedule::compile(&ScheduleText::every(seconds)).unwrap_err().remove(0);
        assert_eq!(problem.field, "every");
        assert!(problem.message.contains(part), "{problem}");
    }
    for seconds in [60, 90, 5 * 365 * 86_400, MAX_EVERY] {
        assert!(Schedule::compile(&ScheduleText::every(seconds)).is_ok());
    }
    let missing = ScheduleText { every: None, ..ScheduleText::every(60) };
    assert!(Schedule::compile(&missing).unwrap_err()[0].message.contains("give the interval"));
}

const NEVER: [&str; 14] = [
    "0 0 31 2 *",
    "0 0 30 2 *",
    "* * 31 2 *",
    "0 0 31 4 *",
    "0 0 31 2,4,6 *",
    "0 0 31 4,6,9,11 *",
    "*/5 * 31 2,4,6,9,11 *",
    "0 0 30 2 1",
    "0 0 31W 2,4 *",
    "1 1 */100 * MON#4",
    "0 0 */100 * 1#2",
    "0 0 31,30 2 *",
    "0 0 31 2 ?",
    "59 23 31 11 *",
];

#[test]
fn what_never_fires_is_refused_at_once() {
    for text in NEVER {
        let problem = cron(text).remove(0);
        assert!(
            problem.message.contains("never") || problem.message.contains("none of"),
            "{text}: {problem}"
        );
        assert!(ScheduleText::from_shorthand(text, None).is_err(), "{text}");
    }
    for text in ["*-02-30", "02-30", "*-4,6-31", "2024..2030-02-30", "*-2~30..31 1:00", "2025..2027-02-29"] {
        assert!(!calendar(text).is_empty(), "{text}");
    }
    let begin = Instant::now();
    for text in NEVER.iter().cycle().take(1000) {
        assert!(Schedule::compile(&ScheduleText::cron(*text, "UTC")).is_err());
    }
    // a tenth of this without optimisation, a thousandth with it
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed() / 1000);
}

#[test]
fn extreme_moments_have_an_end() {
    let texts = ["* * * * *", "0 0 29 2 *", "0 0 29 2 */7", "30 2 * * 1#5"];
    for zone in ["UTC", "Europe/Berlin", "Pacific/Apia", "Asia/Manila"] {
        for text in texts {
            let schedule = Schedule::compile(&ScheduleText::cron(text, zone)).unwrap();
            for year in [-262_143, -1, 1, 1844, 1899, 1969, 2037, 2038, 2240, 2300, 9999, 262_142] {
                let date = chrono::NaiveDate::from_ymd_opt(year, 6, 1).unwrap();
                let now = date.and_hms_opt(0, 0, 0).unwrap().and_utc();
                assert!(schedule.next(now).is_none_or(|next| next > now), "{text} {zone} {year}");
                assert!(schedule.prev(now).is_none_or(|prev| prev < now), "{text} {zone} {year}");
                assert_eq!(schedule.next(now).is_some(), year < 2300, "{text} {zone} {year}");
                assert_eq!(schedule.prev(now).is_some(), year > 1900, "{text} {zone} {year}");
            }
            for edge in [chrono::DateTime::<chrono::Utc>::MIN_UTC, chrono::DateTime::<chrono::Utc>::MAX_UTC] {
                assert!(schedule.next(edge).is_none_or(|next| next > edge));
                assert!(schedule.prev(edge).is_none_or(|prev| prev < edge));
            }
        }
    }
    let every = Schedule::compile(&ScheduleText::every(3600)).unwrap();
    assert_eq!(every.next(chrono::DateTime::<chrono::Utc>::MAX_UTC), None);
    assert_eq!(every.prev(chrono::DateTime::<chrono::Utc>::MIN_UTC), None);
}
