//! The day fields of a cron expression with their special values: `L`, `LW`, `15W`, `5L`, `MON#2`. Plain values are in `cron_field`.

use super::{
    cron_field::{DAY, WEEKDAY, each_item},
    days::{ALL_DAYS, ALL_WEEKDAYS, Days},
    text::Piece,
};
use crate::problem::Problem;

/// The day-of-month and day-of-week fields together.
pub(super) fn days(dates: Piece<'_>, weekdays: Piece<'_>, problems: &mut Vec<Problem>) -> Days {
    let mut days =
        Days { dates: 0, weekdays: 0, either: !starred(dates) && !starred(weekdays), ..Days::every() };
    if matches!(dates.text, "*" | "?") {
        days.dates = ALL_DAYS;
    } else {
        each_item(&DAY, dates, problems, |item| add_date(&mut days, item));
    }
    if matches!(weekdays.text, "*" | "?") {
        days.weekdays = ALL_WEEKDAYS;
    } else {
        each_item(&WEEKDAY, weekdays, problems, |item| add_weekday(&mut days, item));
    }
    days
}

/// Debian's cron calls a field unrestricted when it *starts with* a star, also `*/2`.
pub(super) fn starred(field: Piece<'_>) -> bool {
    field.text.starts_with('*') || field.text == "?"
}

fn add_date(days: &mut Days, item: Piece<'_>) -> Result<(), Problem> {
    if !item.text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        days.dates |= u32::try_from(DAY.item(item)?).unwrap_or(0);
        return Ok(());
    }
    let upper = item.text.to_ascii_uppercase();
    // the last day and workday have nothing to step through; a step after them changes nothing
    let base = match item.split_once("/") {
        Some((last, step))
            if ["L", "LW"].iter().any(|known| last.text.eq_ignore_ascii_case(known))
                && step.number().is_some_and(|step| step > 0) =>
        {
            upper.split('/').next().unwrap_or("")
        }
        _ => upper.as_str(),
    };
    if base == upper.as_str()
        && let Some(problem) = stepped(item, add_date)
    {
        return Err(problem);
    }
    match base {
        "L" => days.from_end |= 1 << 1,
        "LW" => days.last_workday = true,
        _ if upper.starts_with("L-") => {
            // the last day is number 1 there
            let before = item.skip(2).number().filter(|days| *days < 28).map_or(4, |days| days + 1);
            return Err(item.problem(format!(
                "\"{}\" is not understood by cron: L is the last day of the month; for days before it use an OnCalendar schedule such as *-*~{before}",
                item.text
            )));
        }
        _ if upper.len() > 1 && upper.ends_with('W') && item.take(upper.len() - 1).is_number() => {
            let day = item.take(upper.len() - 1);
            days.nearest |= u32::try_from(DAY.item(day)?).unwrap_or(0);
        }
        _ if upper.ends_with('W') => {
            return Err(item.problem(format!(
                "\"{}\" is no day-of-month: W follows one day, as in 15W (the weekday nearest to the 15th), or L",
                item.text
            )));
        }
        _ => days.dates |= u32::try_from(DAY.item(item)?).unwrap_or(0),
    }
    Ok(())
}

/// A single day, as `15W`, `5L` or `MON#2`, with a step behind it.
fn stepped(item: Piece<'_>, add: impl Fn(&mut Days, Piece<'_>) -> Result<(), Problem>) -> Option<Problem> {
    let (day, _) = item.split_once("/")?;
    let is_single = day.text.contains(['W', 'w', 'L', 'l', '#']) && !day.text.contains('-');
    (is_single
        && !WEEKDAY.names.iter().any(|name| name.eq_ignore_ascii_case(day.text))
        && add(&mut Days::every(), day).is_ok())
    .then(|| item.problem(format!("\"{0}\" is one day and takes no step: did you mean \"{0}\"?", day.text)))
}

fn add_weekday(days: &mut Days, item: Piece<'_>) -> Result<(), Problem> {
    if let Some(problem) = stepped(item, add_weekday) {
        return Err(problem);
    }
    if let Some((weekday, rank)) = item.split_once("#") {
        let set = one_weekday(item, weekday, "MON#2")?;
        return match rank.number() {
            Some(rank @ 1..=5) => {
                days.nth[usize::try_from(rank - 1).unwrap_or(0)] |= set;
                Ok(())
            }
            _ => Err(item.problem(format!(
                "\"{}\" is no day-of-week: the number after # is 1 to 5, the first to fifth of that weekday in the month",
                item.text
            ))),
        };
    }
    if item.text.ends_with(['l', 'L']) && !item.text.eq_ignore_ascii_case("jul") {
        let weekday = item.take(item.len() - 1);
        if weekday.text.is_empty() {
            return Err(item.problem("\"L\" is no day-of-week: write 5L for the last Friday of the month"));
        }
        if !weekday.is_number() {
            let meant = WEEKDAY.names.iter().position(|name| name.eq_ignore_ascii_case(weekday.text));
            let hint = meant.map_or_else(String::new, |number| format!(": did you mean \"{number}L\"?"));
            return Err(
                item.problem(format!("\"{}\" is no day-of-week: L follows a number{hint}", item.text))
            );
        }
        days.last |= one_weekday(item, weekday, "5L")?;
        return Ok(());
    }
    days.weekdays |= fold_sunday(WEEKDAY.item(item)?);
    Ok(())
}

/// The one weekday that `#` or `L` speaks of.
fn one_weekday(item: Piece<'_>, weekday: Piece<'_>, example: &str) -> Result<u8, Problem> {
    if weekday.text.is_empty() {
        return Err(
            item.problem(format!("\"{}\" lacks the weekday before the #, such as {example}", item.text))
        );
    }
    if weekday.text.contains(['-', '/', '*']) {
        return Err(item.problem(format!(
            "\"{}\" is no day-of-week: write each weekday on its own, such as {example}",
            item.text
        )));
    }
    WEEKDAY.item(weekday).map(fold_sunday)
}

/// Bit 7 is Sunday too.
fn fold_sunday(set: u64) -> u8 {
    u8::try_from((set | set >> 7) & u64::from(ALL_WEEKDAYS)).unwrap_or(0)
}
