//! A calendar expression of systemd.time(7): `Mon..Fri *-*-* 02:30 Europe/Berlin`. Single fields are in `calendar_field`.
//!
//! Understood are shorthands, weekdays, `[YEAR-]MONTH-DAY`, `MONTH~DAY` counted from the month's end, `HOUR:MINUTE[:SECOND]`
//! and a time zone as the last word, as in Python's `oncalendar` library. Fractions of seconds and `@epoch` are refused.

use super::{
    calendar_field::{
        DAY, DAY_FROM_END, HOUR, MINUTE, MONTH, SECOND, Values, YEAR, is_half_of_day, weekdays,
    },
    calendar_slips,
    days::{ALL_DAYS, Days},
    pattern::{ALL_HOURS, ALL_MONTHS, ALL_SIXTY, Pattern, Years},
    text::{self, Piece},
    zone::Zone,
    zone_names,
};
use crate::problem::Problem;

/// An expression and the zone that it names itself.
#[derive(Debug)]
pub(super) struct OnCalendar {
    pub(super) pattern: Pattern,
    pub(super) zone: Option<Zone>,
}

pub(super) const SHORTHANDS: [(&str, &str); 9] = [
    ("minutely", "*-*-* *:*:00"),
    ("hourly", "*-*-* *:00:00"),
    ("daily", "*-*-* 00:00:00"),
    ("monthly", "*-*-01 00:00:00"),
    ("weekly", "Mon *-*-* 00:00:00"),
    ("yearly", "*-01-01 00:00:00"),
    ("annually", "*-01-01 00:00:00"),
    ("quarterly", "*-01,04,07,10-01 00:00:00"),
    ("semiannually", "*-01,07-01 00:00:00"),
];

/// Reads one expression. All its problems are returned at once, with their places in `line`.
pub(super) fn parse(line: &str) -> Result<OnCalendar, Vec<Problem>> {
    text::check(line)?;
    let mut words = Piece { text: line, at: 0 }.words();
    let mut problems = Vec::new();
    problems.extend(calendar_slips::comment(line, &mut words));
    let commented = !problems.is_empty();
    let zone = take_zone(&mut words).unwrap_or_else(|problem| {
        problems.push(problem);
        None
    });
    if let [word] = words.as_slice()
        && Zone::find(word.text).is_some()
    {
        return Err(vec![word.problem("a time zone alone says no time: write for example 02:30 before it")]);
    }
    if words.is_empty() && commented {
        return Err(problems);
    }
    if words.is_empty() {
        let message = "give a calendar expression, such as \"Mon..Fri 02:30\" or \"*-*-01 04:00\"";
        return Err(vec![Problem::at(0, line.len(), message)]);
    }
    if let [word] = words.as_slice()
        && let Some((_, long)) = SHORTHANDS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.text))
    {
        words = Piece { text: long, at: 0 }.words();
    }
    let pattern = fields(words, &mut problems);
    if !problems.is_empty()
        && !commented
        && let Some(meant) = calendar_slips::meant(&Piece { text: line, at: 0 }.words())
    {
        problems = vec![meant];
    }
    problems.sort_by_key(|problem| problem.at);
    if problems.is_empty() && !may_fire(&pattern) {
        let message = "no day satisfies these weekdays and dates together, so this would never run";
        problems.push(Problem::at(0, line.len(), message));
    }
    if problems.is_empty() { Ok(OnCalendar { pattern, zone }) } else { Err(problems) }
}

/// A date of one year is over some day, or names a day that this year lacks: whoever saves it knows the present and may ask for
/// the next slot. Anything that claims to come again has to.
fn may_fire(pattern: &Pattern) -> bool {
    matches!(&pattern.years, Years::Some(years) if years.len() == 1) || pattern.ever_fires()
}

/// Removes a time zone at the end. A zone alone is no expression.
fn take_zone(words: &mut Vec<Piece<'_>>) -> Result<Option<Zone>, Problem> {
    let Some(last) = words.last().copied().filter(|_| words.len() > 1) else {
        return Ok(None);
    };
    if last.text.starts_with(|c: char| c.is_ascii_digit() || c == '*') {
        return Ok(None);
    }
    if is_half_of_day(last.text) {
        words.pop();
        return Err(last.problem("hours go from 0 to 23, without am and pm"));
    }
    let zone = Zone::find(last.text);
    // after a time, and with a slash, nothing else can be meant
    if zone.is_some() || last.text.contains('/') || words[words.len() - 2].text.contains(':') {
        words.pop();
        return match zone {
            Some(zone) => Ok(Some(zone)),
            None => Err(Problem { at: Some(last.at), ..zone_names::unknown(last.text) }),
        };
    }
    Ok(None)
}

/// Weekdays, date and time, each of which may be missing, in this order.
fn fields(mut words: Vec<Piece<'_>>, problems: &mut Vec<Problem>) -> Pattern {
    let mut pattern = Pattern {
        seconds: 1,
        minutes: 1,
        hours: 1,
        days: Days::every(),
        months: ALL_MONTHS,
        years: Years::All,
    };
    if let Some(time) = words.pop_if(|word| word.text.contains(':')) {
        read_time(time, &mut pattern, problems);
    } else if let Some(hour) = words.pop_if(|word| word.number().is_some_and(|hour| hour < 24)) {
        let message = format!("\"{0}\" alone is no time: did you mean \"{0}:00\"?", hour.text);
        problems.push(hour.problem(message));
    }
    if let Some(date) = words.pop_if(|word| {
        word.text.contains(['-', '~']) && word.text.starts_with(|c: char| c.is_ascii_digit() || c == '*')
    }) {
        read_date(date, &mut pattern, problems);
    }
    match words.as_slice() {
        [] => {}
        [word] => {
            let mut found = Vec::new();
            pattern.days.weekdays = weekdays(*word, &mut found);
            // what it may have been meant to be takes longer to find out than the whole expression
            match (!found.is_empty()).then(|| calendar_slips::no_weekday(*word)).flatten() {
                Some(problem) => problems.push(problem),
                None => problems.append(&mut found),
            }
        }
        [first, .., last] => problems.push(Problem::at(
            first.at,
            last.at + last.len() - first.at,
            "a calendar expression has weekdays, a date, a time and a zone, at most one of each and without blanks inside",
        )),
    }
    pattern
}

fn read_time(time: Piece<'_>, pattern: &mut Pattern, problems: &mut Vec<Problem>) {
    let parts: Vec<_> = time.split(|byte| byte == b':').collect();
    let (hour, minute, second) = match parts.as_slice() {
        [hour, minute] => (hour, minute, None),
        [hour, minute, second] => (hour, minute, Some(second)),
        _ => {
            problems.push(time.problem("a time is HOUR:MINUTE or HOUR:MINUTE:SECOND"));
            return;
        }
    };
    pattern.hours = HOUR.values(*hour, problems).set(ALL_HOURS);
    pattern.minutes = MINUTE.values(*minute, problems).set(ALL_SIXTY);
    if let Some(second) = second {
        pattern.seconds = SECOND.values(*second, problems).set(ALL_SIXTY);
    }
}

fn read_date(date: Piece<'_>, pattern: &mut Pattern, problems: &mut Vec<Problem>) {
    let parts: Vec<_> = date.split(|byte| matches!(byte, b'-' | b'~')).collect();
    let separators: String = date.text.chars().filter(|c| matches!(c, '-' | '~')).collect();
    let (year, month, day) = match (parts.as_slice(), separators.as_str()) {
        ([month, day], _) => (None, month, day),
        ([year, month, day], "--" | "-~") => (Some(year), month, day),
        _ => {
            problems.push(
                date.problem("a date is [YEAR-]MONTH-DAY, or MONTH~DAY for days before the month's end"),
            );
            return;
        }
    };
    if let Some(year) = year
        && let Values::Some(mut years) = YEAR.values(*year, problems)
    {
        years.sort_unstable();
        years.dedup();
        pattern.years = Years::Some(years.into_iter().filter_map(|year| i32::try_from(year).ok()).collect());
    }
    pattern.months = MONTH.values(*month, problems).set(ALL_MONTHS);
    if separators.ends_with('~') {
        if let from_end @ Values::Some(_) = DAY_FROM_END.values(*day, problems) {
            (pattern.days.dates, pattern.days.from_end) = (0, days_of(from_end));
        }
    } else {
        pattern.days.dates = days_of(DAY.values(*day, problems));
    }
}

fn days_of(values: Values) -> u32 {
    u32::try_from(values.set(u64::from(ALL_DAYS))).unwrap_or(ALL_DAYS)
}
