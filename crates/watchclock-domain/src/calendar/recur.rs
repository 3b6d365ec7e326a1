//! A repetition rule of iCalendar as written: `FREQ=MONTHLY;BYDAY=-1FR;COUNT=3`. What it comes to is in `expand`.

use chrono::{NaiveDate, Weekday};

use super::lines;
use crate::problem::did_you_mean;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// RFC 5545, 3.3.10, as far as it names days.
#[derive(Debug, Clone)]
pub(super) struct Rule {
    pub(super) frequency: Frequency,
    /// At least 1.
    pub(super) interval: u32,
    pub(super) count: Option<u32>,
    /// The last day.
    pub(super) until: Option<NaiveDate>,
    pub(super) months: Vec<u32>,
    /// Days of the month, negative from its end.
    pub(super) month_days: Vec<i32>,
    /// Weekdays; with a number only that one of the month or year, negative from its end.
    pub(super) weekdays: Vec<(Option<i32>, Weekday)>,
    /// Which of a period's days are taken, negative from its end.
    pub(super) positions: Vec<i32>,
    pub(super) week_start: Weekday,
}

const PARTS: [&str; 9] =
    ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYMONTH", "BYMONTHDAY", "BYDAY", "BYSETPOS", "WKST"];

impl Rule {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut frequency = None;
        let mut rule = Self {
            frequency: Frequency::Yearly,
            interval: 1,
            count: None,
            until: None,
            months: Vec::new(),
            month_days: Vec::new(),
            weekdays: Vec::new(),
            positions: Vec::new(),
            week_start: Weekday::Mon,
        };
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, value) =
                part.split_once('=').ok_or_else(|| format!("RRULE: \"{part}\" is no NAME=VALUE"))?;
            let wrong = || format!("RRULE: {name}={value} cannot be read");
            match name.to_ascii_uppercase().as_str() {
                "FREQ" => frequency = Some(frequency_of(value)?),
                "INTERVAL" => {
                    rule.interval =
                        value.parse().ok().filter(|n| (1..=10_000).contains(n)).ok_or_else(wrong)?;
                }
                "COUNT" => rule.count = Some(value.parse().ok().filter(|n| *n > 0).ok_or_else(wrong)?),
                "UNTIL" => rule.until = Some(lines::moment(value).ok_or_else(wrong)?.date),
                "BYMONTH" => {
                    rule.months =
                        numbers(value, 1, 12).ok_or_else(wrong)?.iter().map(|n| n.unsigned_abs()).collect();
                }
                "BYMONTHDAY" => rule.month_days = numbers(value, -31, 31).ok_or_else(wrong)?,
                "BYSETPOS" => rule.positions = numbers(value, -366, 366).ok_or_else(wrong)?,
                "BYDAY" => {
                    rule.weekdays = value.split(',').map(weekday).collect::<Option<_>>().ok_or_else(wrong)?;
                }
                "WKST" => rule.week_start = weekday(value).ok_or_else(wrong)?.1,
                other => {
                    let hint = did_you_mean(other, PARTS);
                    let hint = hint.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
                    return Err(format!("RRULE: {other} is not understood here{hint}"));
                }
            }
        }
        rule.frequency = frequency.ok_or("RRULE: it does not say FREQ")?;
        let by_number = rule.weekdays.iter().any(|(nth, _)| nth.is_some());
        if by_number && matches!(rule.frequency, Frequency::Daily | Frequency::Weekly) {
            return Err("RRULE: a numbered BYDAY belongs to FREQ=MONTHLY or FREQ=YEARLY".to_owned());
        }
        Ok(rule)
    }
}

fn frequency_of(word: &str) -> Result<Frequency, String> {
    match word.to_ascii_uppercase().as_str() {
        "DAILY" => Ok(Frequency::Daily),
        "WEEKLY" => Ok(Frequency::Weekly),
        "MONTHLY" => Ok(Frequency::Monthly),
        "YEARLY" => Ok(Frequency::Yearly),
        "HOURLY" | "MINUTELY" | "SECONDLY" => {
            Err(format!("RRULE: FREQ={word} repeats within a day, and days off are whole days"))
        }
        _ => Err(format!("RRULE: FREQ={word} is none of YEARLY, MONTHLY, WEEKLY, DAILY")),
    }
}

/// Numbers without zero.
fn numbers(text: &str, least: i32, most: i32) -> Option<Vec<i32>> {
    let number = |text: &str| text.trim().parse().ok().filter(|n| (least..=most).contains(n) && *n != 0);
    text.split(',').map(number).collect()
}

/// `MO`, `1MO`, `-1FR`
fn weekday(text: &str) -> Option<(Option<i32>, Weekday)> {
    let text = text.trim();
    let (nth, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let day = match day.to_ascii_uppercase().as_str() {
        "MO" => Weekday::Mon,
        "TU" => Weekday::Tue,
        "WE" => Weekday::Wed,
        "TH" => Weekday::Thu,
        "FR" => Weekday::Fri,
        "SA" => Weekday::Sat,
        "SU" => Weekday::Sun,
        _ => return None,
    };
    match nth {
        "" => Some((None, day)),
        nth => Some((Some(nth.parse().ok().filter(|n| (-53..=53).contains(n) && *n != 0)?), day)),
    }
}
