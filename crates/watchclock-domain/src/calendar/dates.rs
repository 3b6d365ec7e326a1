//! A list of dates, one a line: `2026-12-25`, `2026-12-24..2026-12-26 Christmas`, and `12-25` for every year. What a line consists of
//! is found in `dates_range`.

use std::sync::Arc;

use chrono::{Datelike as _, NaiveDate};

use super::{
    Days, MAX_ENTRIES, MAX_PROBLEMS, MAX_RANGE,
    dates_range::{self, Entry},
    day_set,
};
use crate::problem::Problem;

/// Longest name of a day, in characters.
const MAX_NAME: usize = 100;

/// Reads all lines; blank ones and those that begin with `#` say nothing.
pub(super) fn parse(text: &str) -> Result<Days, Vec<Problem>> {
    let (mut days, mut problems) = (Days::default(), Vec::new());
    let (mut at, mut entries) = (0, 0);
    for (line, number) in text.split('\n').zip(1..) {
        let entry = line.trim();
        if !entry.is_empty() && !entry.starts_with('#') {
            entries += 1;
            if let Err(message) = add(entry, &mut days) {
                let blanks = line.chars().take_while(|c| c.is_whitespace()).count();
                let message = format!("line {number}: {message}");
                problems.push(Problem::at(at + blanks, entry.chars().count(), message));
            }
        }
        at += line.chars().count() + 1;
    }
    if entries > MAX_ENTRIES {
        let message = format!("a list has at most {MAX_ENTRIES} entries; this has {entries}");
        problems.insert(0, Problem::new("", message));
    } else if entries == 0 {
        problems
            .push(Problem::new("", "give at least one date, such as 2026-12-25, or 12-25 for every year"));
    }
    problems.truncate(MAX_PROBLEMS);
    if problems.is_empty() { Ok(days) } else { Err(problems) }
}

/// A date as written: with a year, or of every year.
#[derive(Debug, Clone, Copy)]
pub(super) enum Written {
    Once(NaiveDate),
    /// Month and day.
    Yearly(u32, u32),
}

fn add(entry: &str, days: &mut Days) -> Result<(), String> {
    let Entry { first, last, name } = dates_range::split(entry)?;
    if name.chars().count() > MAX_NAME {
        return Err(format!("the name of a day has at most {MAX_NAME} characters"));
    }
    let name: Option<Arc<str>> = (!name.is_empty()).then(|| name.into());
    let range = if last == first { first.to_owned() } else { format!("{first}..{last}") };
    match (date(first)?, date(last)?) {
        (Written::Once(first), Written::Once(last)) => {
            let (first, last) = (first.to_epoch_days(), last.to_epoch_days());
            if last < first {
                return Err(format!("{range} ends before it begins"));
            }
            if last - first >= MAX_RANGE {
                return Err(format!("a range has at most {MAX_RANGE} days; this has {}", last - first + 1));
            }
            (first..=last).for_each(|day| days.add(day, name.as_ref()));
        }
        (Written::Yearly(month, day), Written::Yearly(to_month, to_day)) => {
            let turns = i32::from((to_month, to_day) < (month, day));
            for year in 1970 - turns..2300 {
                let first = on_or_after(year, month, day);
                let last = on_or_before(year + turns, to_month, to_day);
                let both = first.zip(last);
                let row = both.map(|(first, last)| first.to_epoch_days()..=last.to_epoch_days());
                row.into_iter().flatten().for_each(|day| days.add(day, name.as_ref()));
            }
        }
        _ => return Err(format!("{range}: give both ends with a year, or both without for every year")),
    }
    Ok(())
}

/// The date in a year, or the one after it where that year has no 29 February.
fn on_or_after(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).or_else(|| NaiveDate::from_ymd_opt(year, 3, 1))
}

fn on_or_before(year: i32, month: u32, day: u32) -> Option<NaiveDate> {
    NaiveDate::from_ymd_opt(year, month, day).or_else(|| NaiveDate::from_ymd_opt(year, 2, 28))
}

pub(super) fn date(text: &str) -> Result<Written, String> {
    let shown: String = text.chars().take(30).collect();
    let wrong = || {
        format!(
            "\"{shown}\" is no date: write YEAR-MONTH-DAY such as 2026-12-25, or MONTH-DAY for every year"
        )
    };
    let number = |part: &&str, length: usize| {
        let plain = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        if plain { part.parse::<u32>().ok() } else { None }
    };
    let parts: Vec<&str> = text.split('-').collect();
    match parts.as_slice() {
        [year, month, day] => {
            let (year, month, day) = number(year, 4)
                .and_then(|year| Some((i32::try_from(year).ok()?, number(month, 2)?, number(day, 2)?)))
                .ok_or_else(wrong)?;
            let date = NaiveDate::from_ymd_opt(year, month, day).ok_or(format!("there is no day {shown}"))?;
            let days = day_set::FIRST..=day_set::LAST;
            if !days.contains(&date.to_epoch_days()) {
                return Err(format!("{} lies outside of the years 1970 to 2299", date.year()));
            }
            Ok(Written::Once(date))
        }
        [month, day] => {
            let (month, day) = number(month, 2).zip(number(day, 2)).ok_or_else(wrong)?;
            // a leap year has every day that there is
            NaiveDate::from_ymd_opt(2000, month, day).ok_or(format!("there is no day {shown}"))?;
            Ok(Written::Yearly(month, day))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(text: &str) -> Vec<String> {
        let from = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
        let days = parse(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
        let show = |(date, name): (NaiveDate, Option<&str>)| format!("{date} {}", name.unwrap_or("-"));
        days.upcoming(from, 5).into_iter().map(show).collect()
    }

    #[test]
    fn a_stored_line_that_is_refused_by_now_hides_no_other() {
        let text = "2026-12-24\n12-24 10-12 shift\n2026-12-26";
        assert!(Days::parse(crate::calendar::Kind::Dates, text).is_err());
        let days = Days::of_stored(crate::calendar::Kind::Dates, text);
        let from = NaiveDate::from_ymd_opt(2026, 1, 1).unwrap();
        assert_eq!(days.upcoming(from, 5).len(), 2);
    }

    #[test]
    fn reads_dates_ranges_and_yearly_ones() {
        assert_eq!(
            days("2026-12-24..2026-12-26 Christmas\n\n # moved\n2026-05-01"),
            ["2026-05-01 -", "2026-12-24 Christmas", "2026-12-25 Christmas", "2026-12-26 Christmas"]
        );
        assert_eq!(days("05-01 Labour Day")[..2], ["2026-05-01 Labour Day", "2027-05-01 Labour Day"]);
        assert_eq!(days("02-29")[..2], ["2028-02-29 -", "2032-02-29 -"]);
        assert_eq!(
            days("12-30..01-02"),
            ["2026-01-01 -", "2026-01-02 -", "2026-12-30 -", "2026-12-31 -", "2027-01-01 -"]
        );
    }

    #[test]
    fn says_the_line_and_what_to_do() {
        let problems = parse("2026-12-25\n  25.12.2026\n2026-02-30\n2026-12-26..2026-12-24\n12-25..2026-12-26\n2500-01-01\n2026-01-01..2027-06-01").unwrap_err();
        let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "line 2: \"25.12.2026\" is no date: write YEAR-MONTH-DAY such as 2026-12-25, or MONTH-DAY for every year",
                "line 3: there is no day 2026-02-30",
                "line 4: 2026-12-26..2026-12-24 ends before it begins",
                "line 5: 12-25..2026-12-26: give both ends with a year, or both without for every year",
                "line 6: 2500 lies outside of the years 1970 to 2299",
                "line 7: a range has at most 366 days; this has 517",
            ]
        );
        assert_eq!((problems[0].at, problems[0].len), (Some(13), 10));
        assert!(parse(" \n#\n").unwrap_err()[0].message.starts_with("give at least one date"));
        assert!(parse(&"12-25\n".repeat(1001)).is_err());
    }
}
