//! A reader of the words of schedules: what they say must be what the expression does, minute by minute and day by day.

use std::collections::BTreeSet;

use jiff::civil;
use watchclock_domain::schedule::{Kind, Schedule, ScheduleText};

use super::{
    calendar_oracle::Calendar,
    generate::{Random, cases},
    oracle::{Cron, Matches},
};

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What the words say, as far as it takes to say whether a minute is meant.
struct Said {
    minutes: BTreeSet<u32>,
    days: String,
}

impl Said {
    fn new(words: &str) -> Self {
        let words = words.strip_suffix(", UTC").unwrap();
        // the days begin at the first word that no time uses
        let starts = [" every day", " on ", " in every ", " in "];
        let time_end = starts
            .iter()
            .filter_map(|start| {
                words.match_indices(start).map(|(at, _)| at).find(|at| {
                    let rest = &words[*at..];
                    !rest.starts_with(" in hour") && !rest.starts_with(" in every hour")
                })
            })
            .min()
            .unwrap_or(words.len());
        let (time, days) = words.split_at(time_end);
        let days = days.strip_prefix(" every day").unwrap_or(days);
        Self { minutes: minutes(time), days: days.trim_start().to_owned() }
    }

    fn date(&self, date: civil::Date) -> bool {
        let mut days = self.days.as_str();
        let mut during = None;
        if let Some(rest) = days.strip_prefix("in ") {
            (days, during) = ("", Some(rest));
        } else if let Some((first, rest)) =
            days.rsplit_once(", only in ").or_else(|| days.rsplit_once(" in "))
        {
            (days, during) = (first, Some(rest));
        }
        let in_time = during.is_none_or(|during| {
            let (months, years) = match during.rsplit_once(" of ") {
                Some((months, years)) => (Some(months), Some(years)),
                None if during.contains(char::is_numeric) => (None, Some(during)),
                None => (Some(during), None),
            };
            months.is_none_or(|months| in_list(months, u32::try_from(date.month()).unwrap(), month))
                && years.is_none_or(|years| in_years(years, u32::try_from(date.year()).unwrap()))
        });
        in_time && day(days, date)
    }
}

fn number(text: &str) -> u32 {
    text.trim_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .unwrap_or_else(|_| panic!("a number in {text:?}"))
}

fn month(name: &str) -> u32 {
    let index = MONTHS.iter().position(|month| *month == name).unwrap_or_else(|| panic!("month {name:?}"));
    u32::try_from(index).unwrap() + 1
}

/// `a, b–c and d`.
fn in_list(names: &str, value: u32, read: impl Fn(&str) -> u32) -> bool {
    names.replace(" and ", ", ").split(", ").any(|item| {
        let (first, last) = item.split_once('–').unwrap_or((item, item));
        (read(first)..=read(last)).contains(&value)
    })
}

fn in_years(text: &str, year: u32) -> bool {
    match text.strip_prefix("every ") {
        Some(rest) => every_nth(rest, " year from ", year),
        None => in_list(text, year, number),
    }
}

/// `2nd day from day 1 to day 31`.
fn every_nth(text: &str, between: &str, value: u32) -> bool {
    let (step, range) = text.split_once(between).unwrap_or_else(|| panic!("{between:?} in {text:?}"));
    let (first, last) = range.split_once(" to ").unwrap();
    let (step, first, last) = (number(step), number(first), number(last));
    (first..=last).contains(&value) && (value - first).is_multiple_of(step)
}

/// The minutes of the day that a time names.
fn minutes(time: &str) -> BTreeSet<u32> {
    let clock = |text: &str| {
        let (hour, minute) = text.split_once(':').unwrap_or_else(|| panic!("a time in {time:?}"));
        number(hour) * 60 + number(minute)
    };
    let (time, hours) = match time.split_once(" in hour") {
        Some((time, list)) => (time, Some(list.trim_start_matches('s').trim_start().to_owned())),
        None => (time, None),
    };
    let within = |minute: &u32| hours.as_ref().is_none_or(|list| in_list(list, minute / 60, number));
    if let Some(list) = time
        .strip_prefix("every hour at ")
        .or_else(|| time.strip_prefix("at ").filter(|at| at.starts_with(':')))
    {
        return (0..1440).filter(|minute| in_list(list, minute % 60, number)).filter(within).collect();
    }
    if let Some(times) = time.strip_prefix("at ") {
        return times.replace(" and ", ", ").split(", ").map(clock).collect();
    }
    // within the hour
    if let Some((every, range)) = time.split_once(" from :") {
        let step = number(every.strip_prefix("every ").unwrap().split(' ').next().unwrap());
        let (first, last) = range.trim_end_matches(" of every hour").split_once(" to ").unwrap();
        let (first, last) = (number(first), number(last));
        return (0..1440)
            .filter(|at| (first..=last).contains(&(at % 60)) && (at % 60 - first).is_multiple_of(step))
            .filter(within)
            .collect();
    }
    let (every, range) = match time.split_once(" from ") {
        Some((every, range)) => (every, range.split_once(" to ")),
        None => (time, None),
    };
    let (first, last) = range.map_or((0, 1439), |(first, last)| (clock(first), clock(last)));
    let every = every.strip_prefix("every ").unwrap_or_else(|| panic!("every in {time:?}"));
    let count = if every.starts_with(|c: char| c.is_ascii_digit()) { number(every) } else { 1 };
    let step = if every.contains("hour") { count * 60 } else { count };
    (first..=last).filter(|minute| (minute - first).is_multiple_of(step)).filter(within).collect()
}

fn day(days: &str, date: civil::Date) -> bool {
    let Some(days) = days.strip_prefix("on ") else {
        assert_eq!(days, "");
        return true;
    };
    if let Some((dates, weekdays)) = days.split_once(" and also on ") {
        return named_days(dates, date) || named_days(weekdays, date);
    }
    for both in [" that fall on ", " if it falls on ", " if they fall on "] {
        if let Some((weekdays, dates)) = days.split_once(both) {
            return named_days(weekdays, date) && named_days(&dates.replace(" or ", " and "), date);
        }
    }
    // `29 February 2024`
    if days.starts_with(|c: char| c.is_ascii_digit()) {
        let parts: Vec<&str> = days.splitn(3, ' ').collect();
        let year = parts.get(2).is_none_or(|years| in_years(years, u32::try_from(date.year()).unwrap()));
        return year
            && number(parts[0]) == u32::try_from(date.day()).unwrap()
            && month(parts[1]) == u32::try_from(date.month()).unwrap();
    }
    named_days(days, date)
}

/// A list of days. Numbers belong to the `day` or `days` before them, everything else stands alone.
fn named_days(text: &str, date: civil::Date) -> bool {
    let day = u32::try_from(date.day()).unwrap();
    let last = u32::try_from(date.days_in_month()).unwrap();
    let weekday = date.weekday().to_sunday_zero_offset();
    let mut any = false;
    let mut in_days = None;
    let text = text.replace(" and ", ", ");
    let items: Vec<&str> = text.split(", ").collect();
    for (index, item) in items.iter().enumerate() {
        let mut item = *item;
        if let Some(rest) = item.strip_prefix("days ").or_else(|| item.strip_prefix("day ")) {
            // what follows the list says from which end it counts
            let end = items[index..].iter().find(|item| item.ends_with("of the month")).unwrap();
            in_days = Some(if end.contains("from the end") { last + 1 - day } else { day });
            item = rest;
        }
        let wanted = |name: &str| {
            DAYS.iter().position(|day| *day == name).and_then(|day| i8::try_from(day).ok()) == Some(weekday)
        };
        any |= if let Some(value) = in_days {
            let numbers = item.trim_end_matches(" of the month").trim_end_matches(" from the end");
            in_list(numbers, value, number)
        } else if let Some(rest) = item.strip_prefix("every ") {
            every_nth(rest.trim_end_matches(" of the month"), " day from ", day)
        } else if item == "weekdays" || item == "weekends" {
            (item == "weekends") == (weekday % 6 == 0)
        } else if let Some(rest) = item.strip_prefix("the ") {
            ranked(rest.strip_suffix(" of the month").unwrap(), date, wanted)
        } else {
            let singular = |name: &str| name.strip_suffix('s').unwrap().to_owned();
            match item.split_once(" to ") {
                None => wanted(&singular(item)),
                Some((first, to)) => {
                    let at =
                        |name: &str| (DAYS.iter().position(|day| *day == singular(name)).unwrap() + 6) % 7;
                    (at(first)..=at(to))
                        .contains(&usize::try_from(date.weekday().to_monday_zero_offset()).unwrap())
                }
            }
        };
        if item.ends_with("of the month") {
            in_days = None;
        }
    }
    any
}

/// `last day`, `3rd to last day`, `last 7 days`, `last weekday`, `weekday nearest to day 15`, `2nd Monday`, `last Friday`.
fn ranked(text: &str, date: civil::Date, wanted: impl Fn(&str) -> bool) -> bool {
    let day = u32::try_from(date.day()).unwrap();
    let last = u32::try_from(date.days_in_month()).unwrap();
    let from_end = last + 1 - day;
    if let Some(target) = text.strip_prefix("weekday nearest to day ") {
        return Cron::new(&format!("0 0 {target}W * *")).date(date);
    }
    match text {
        "last day" => return from_end == 1,
        "last weekday" => return Cron::new("0 0 LW * *").date(date),
        _ => {}
    }
    if let Some(rank) = text.strip_suffix(" to last day") {
        return from_end == number(rank);
    }
    if let Some(count) = text.strip_prefix("last ").and_then(|rest| rest.strip_suffix(" days")) {
        return from_end <= number(count);
    }
    let (rank, name) = text.split_once(' ').unwrap();
    wanted(name) && if rank == "last" { from_end <= 7 } else { day.div_ceil(7) == number(rank) }
}

fn check(text: &str, written: &ScheduleText, expression: &impl Matches) {
    let Ok(schedule) = Schedule::compile(written) else { return };
    let words = schedule.words();
    let said = Said::new(&words);
    let minutes: BTreeSet<u32> =
        (0..1440).filter(|minute| expression.minute(minute / 60, minute % 60)).collect();
    assert_eq!(said.minutes, minutes, "{text}: {words}");
    // five years hold every month length, and every weekday for it
    let mut date = civil::date(2024, 1, 1);
    while date.year() < 2029 {
        assert_eq!(said.date(date), expression.date(date), "{text}: {words}: {date}");
        date = date.tomorrow().unwrap();
    }
}

#[test]
fn words_say_what_expressions_do() {
    let mut random = Random::of(6);
    for _ in 0..cases(60).min(5000) {
        let text = random.cron();
        check(&text, &ScheduleText::cron(&text, "UTC"), &Cron::new(&text));
        let text = random.calendar();
        let lines = vec![text.clone()];
        let written = ScheduleText { kind: Kind::OnCalendar, every: None, lines, tz: "UTC".to_owned() };
        check(&text, &written, &Calendar::new(&text));
    }
}

#[test]
fn words_read_well() {
    for (text, expected) in [
        ("30 2 * * 1-5", "at 02:30 on weekdays"),
        ("*/5 * * * *", "every 5 minutes"),
        ("* * * * *", "every minute"),
        ("0 * * * *", "every hour"),
        ("30 * * * *", "every hour at :30"),
        ("0,30 * * * *", "every 30 minutes"),
        ("0-21/7 * * * *", "every hour at :00, :07, :14 and :21"),
        ("0-49/7 3-5 * * *", "at :00, :07, :14, :21, :28, :35, :42 and :49 in hours 03–05 every day"),
        ("1-59/2 * * * *", "every 2 minutes from :01 to :59 of every hour"),
        ("3/5 9-17 * * 1-5", "every 5 minutes from :03 to :58 in hours 09–17 on weekdays"),
        ("10-50/4 3 * * *", "every 4 minutes from :10 to :50 in hour 03"),
        ("0 3 * * *", "at 03:00 every day"),
        ("0 3 * * 0", "at 03:00 on Sundays"),
        ("0 3 * * 6,0", "at 03:00 on weekends"),
        ("0 3 * * 1-4", "at 03:00 on Mondays to Thursdays"),
        ("0 */2 * * *", "every 2 hours from 00:00 to 22:00"),
        ("*/15 9-17 * * *", "every 15 minutes from 09:00 to 17:45"),
        ("0,20 1-3,9 * * *", "at :00 and :20 in hours 01–03 and 09 every day"),
        ("0 9 1,15 * *", "at 09:00 on days 1 and 15 of the month"),
        ("0 9 1 * 1", "at 09:00 on day 1 of the month and also on Mondays"),
        ("0 9 */2 * 1", "at 09:00 on Mondays that fall on every 2nd day from day 1 to day 31 of the month"),
        ("0 0 1-7 * */7", "at 00:00 on Sundays that fall on days 1–7 of the month"),
        ("0 0 */100,15 * 1", "at 00:00 on Mondays that fall on day 1 or 15 of the month"),
        (
            "0 0 */2,2-8 * 1",
            "at 00:00 on Mondays that fall on days 1–9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29 or 31 of the month",
        ),
        (
            "0 0 */100,29 2 MON#5",
            "at 00:00 on the 5th Monday of the month if it falls on day 1 or 29 of the month in February",
        ),
        (
            "0 0 */100,2,3 * 1#1,5L",
            "at 00:00 on the 1st Monday of the month and the last Friday of the month if they fall on days 1–3 of the month",
        ),
        ("0 0 29 2 *", "at 00:00 on 29 February"),
        ("0 0 L * *", "at 00:00 on the last day of the month"),
        ("0 0 LW * *", "at 00:00 on the last weekday of the month"),
        ("0 0 15W * *", "at 00:00 on the weekday nearest to day 15 of the month"),
        ("0 0 * * 5L", "at 00:00 on the last Friday of the month"),
        ("0 9 * 6-8 MON#1", "at 09:00 on the 1st Monday of the month in June–August"),
        ("0 0 1-31 * 1", "at 00:00 every day"),
        ("0 0 13 1 5", "at 00:00 on day 13 of the month and also on Fridays, only in January"),
    ] {
        let schedule = Schedule::compile(&ScheduleText::cron(text, "Europe/Berlin")).unwrap();
        assert_eq!(schedule.words(), format!("{expected}, Europe/Berlin"), "{text}");
    }
    let words = |text: &str| {
        let written = ScheduleText::from_shorthand(text, Some("Europe/Riga")).unwrap();
        Schedule::compile(&written).unwrap().words()
    };
    for (text, expected) in [
        ("Mon..Fri *-*-* 02:30", "at 02:30 on weekdays, Europe/Riga"),
        ("*-*~3..5 4:00", "at 04:00 on days 3–5 from the end of the month, Europe/Riga"),
        ("Sun *-*~7,9", "at 00:00 on Sundays that fall on day 7 or 9 from the end of the month, Europe/Riga"),
        ("Sun *-*~7/1", "at 00:00 on Sundays that fall on the last 7 days of the month, Europe/Riga"),
        ("2030-1-1", "at 00:00 on 1 January 2030, Europe/Riga"),
        ("quarterly", "at 00:00 on day 1 of the month in January, April, July and October, Europe/Riga"),
        ("*:*:0/10", "every 10 seconds, Europe/Riga"),
        ("*:5:0/20", "every 20 seconds of minute :05 in every hour, Europe/Riga"),
        ("12:00:30", "at 12:00:30 every day, Europe/Riga"),
        ("2..3:*:15", "at second 15 of every minute in hours 02 and 03 every day, Europe/Riga"),
        ("00:00 UTC\n03:00", "at 00:00 every day, UTC; also at 03:00 every day, Europe/Riga"),
        ("every 5m", "every 5 min"),
        ("every 1h30m", "every 1 h 30 min"),
        ("every 1d", "every day"),
        ("none", "no schedule: runs are judged, never expected"),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}
