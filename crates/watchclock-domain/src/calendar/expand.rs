//! The days that a repetition rule comes to, period by period, with an end to the work. The rule is read in `recur`.

use chrono::{Datelike as _, Days, NaiveDate, Weekday};

use super::recur::{Frequency, Rule};

/// After this year nothing is expected anyway.
const LAST_YEAR: i32 = 2299;
/// Most days that are looked at for one calendar: a second's work at the very most.
const MAX_LOOKS: u32 = 5_000_000;

/// How many more days may be looked at.
#[derive(Debug)]
pub(super) struct Budget(u32);

impl Default for Budget {
    fn default() -> Self {
        Self(MAX_LOOKS)
    }
}

/// There is more than can be looked at.
#[derive(Debug)]
pub(super) struct TooMany;

impl Budget {
    fn spend(&mut self, looks: u32) -> Result<(), TooMany> {
        self.0 = self.0.checked_sub(looks).ok_or(TooMany)?;
        Ok(())
    }
}

/// Gives every day of the rule that begins on `start`, in order.
pub(super) fn expand(
    rule: &Rule,
    start: NaiveDate,
    budget: &mut Budget,
    take: &mut impl FnMut(NaiveDate),
) -> Result<(), TooMany> {
    let mut left = rule.count.unwrap_or(u32::MAX);
    let last = NaiveDate::from_ymd_opt(LAST_YEAR, 12, 31).unwrap_or(NaiveDate::MAX);
    let last = rule.until.unwrap_or(last).min(last);
    for period in (0..).map(|period: u32| period.saturating_mul(rule.interval)) {
        let Some(days) = days_of(rule, start, period, budget)? else { return Ok(()) };
        let (Some(first), days) = days else { return Ok(()) };
        if first > last {
            return Ok(());
        }
        for day in positioned(rule, days).into_iter().filter(|day| *day >= start) {
            if day > last || left == 0 {
                return Ok(());
            }
            left -= 1;
            take(day);
        }
    }
    Ok(())
}

/// The first day of a period, and those of its days that the rule names; nothing after the last year.
type Period = (Option<NaiveDate>, Vec<NaiveDate>);

fn days_of(
    rule: &Rule,
    start: NaiveDate,
    period: u32,
    budget: &mut Budget,
) -> Result<Option<Period>, TooMany> {
    let year_after = |years: u32| i32::try_from(years).ok().and_then(|years| start.year().checked_add(years));
    let period = match rule.frequency {
        Frequency::Daily => {
            budget.spend(1)?;
            let Some(day) = start.checked_add_days(Days::new(period.into())) else { return Ok(None) };
            let is_named = in_months(rule, day)
                && on_month_days(rule, day)
                && (rule.weekdays.is_empty() || on_weekdays(rule, day));
            (Some(day), Vec::from_iter(is_named.then_some(day)))
        }
        Frequency::Weekly => {
            budget.spend(7)?;
            let back = start.weekday().days_since(rule.week_start);
            let monday = start.checked_sub_days(Days::new(back.into()));
            let Some(first) = monday.and_then(|day| day.checked_add_days(Days::new(u64::from(period) * 7)))
            else {
                return Ok(None);
            };
            let is_named = |day: &NaiveDate| {
                in_months(rule, *day)
                    && if rule.weekdays.is_empty() {
                        day.weekday() == start.weekday()
                    } else {
                        on_weekdays(rule, *day)
                    }
            };
            (Some(first), first.iter_days().take(7).filter(is_named).collect())
        }
        Frequency::Monthly => {
            let months = start.month0().checked_add(period);
            let Some(year) = months.and_then(|months| year_after(months / 12)) else { return Ok(None) };
            let month = months.unwrap_or(0) % 12 + 1;
            let first = NaiveDate::from_ymd_opt(year, month, 1);
            let wanted = rule.months.is_empty() || rule.months.contains(&month);
            let days = if wanted { month_days(rule, start, year, month, budget)? } else { Vec::new() };
            budget.spend(1)?;
            (first, days)
        }
        Frequency::Yearly => {
            let Some(year) = year_after(period) else { return Ok(None) };
            let first = NaiveDate::from_ymd_opt(year, 1, 1);
            budget.spend(1)?;
            (first, year_days(rule, start, year, budget)?)
        }
    };
    Ok(Some(period))
}

fn year_days(
    rule: &Rule,
    start: NaiveDate,
    year: i32,
    budget: &mut Budget,
) -> Result<Vec<NaiveDate>, TooMany> {
    let any_month = rule.months.is_empty();
    if any_month && rule.month_days.is_empty() && !rule.weekdays.is_empty() {
        // numbers count within the year
        budget.spend(366)?;
        let first = NaiveDate::from_ymd_opt(year, 1, 1);
        let days =
            first.into_iter().flat_map(|first| first.iter_days().take_while(move |day| day.year() == year));
        let length = if NaiveDate::from_ymd_opt(year, 2, 29).is_some() { 366 } else { 365 };
        let named = |day: &NaiveDate| is_nth(rule, day.weekday(), day.ordinal0(), length);
        return Ok(days.filter(named).collect());
    }
    let months: Vec<u32> = if !any_month {
        let mut months = rule.months.clone();
        months.sort_unstable();
        months.dedup();
        months
    } else if rule.month_days.is_empty() {
        vec![start.month()]
    } else {
        (1..=12).collect()
    };
    let mut days = Vec::new();
    for month in months {
        days.extend(month_days(rule, start, year, month, budget)?);
    }
    Ok(days)
}

/// The days of a month that the rule names; numbered weekdays count within it.
fn month_days(
    rule: &Rule,
    start: NaiveDate,
    year: i32,
    month: u32,
    budget: &mut Budget,
) -> Result<Vec<NaiveDate>, TooMany> {
    if rule.month_days.is_empty() && rule.weekdays.is_empty() {
        budget.spend(1)?;
        return Ok(Vec::from_iter(NaiveDate::from_ymd_opt(year, month, start.day())));
    }
    budget.spend(31)?;
    let days: Vec<NaiveDate> = (1..=31).map_while(|day| NaiveDate::from_ymd_opt(year, month, day)).collect();
    let length = u32::try_from(days.len()).unwrap_or(31);
    let named = |day: &NaiveDate| {
        on_month_days(rule, *day)
            && (rule.weekdays.is_empty() || is_nth(rule, day.weekday(), day.day0(), length))
    };
    Ok(days.into_iter().filter(named).collect())
}

fn in_months(rule: &Rule, day: NaiveDate) -> bool {
    rule.months.is_empty() || rule.months.contains(&day.month())
}

fn on_month_days(rule: &Rule, day: NaiveDate) -> bool {
    let from_start = i32::try_from(day.day()).unwrap_or(0);
    let from_end = from_start - i32::from(day.num_days_in_month()) - 1;
    rule.month_days.is_empty() || rule.month_days.iter().any(|n| *n == from_start || *n == from_end)
}

fn on_weekdays(rule: &Rule, day: NaiveDate) -> bool {
    rule.weekdays.iter().any(|(_, weekday)| *weekday == day.weekday())
}

/// Whether the day at `index` (from 0) of a period of `length` days is one of the numbered weekdays.
fn is_nth(rule: &Rule, weekday: Weekday, index: u32, length: u32) -> bool {
    let nth = i32::try_from(index / 7 + 1).unwrap_or(0);
    let from_end = -i32::try_from((length - 1 - index) / 7 + 1).unwrap_or(0);
    let is = |(wanted, day): &(Option<i32>, Weekday)| {
        *day == weekday && wanted.is_none_or(|wanted| wanted == nth || wanted == from_end)
    };
    rule.weekdays.iter().any(is)
}

/// Only the days at the positions that the rule asks for.
fn positioned(rule: &Rule, days: Vec<NaiveDate>) -> Vec<NaiveDate> {
    if rule.positions.is_empty() {
        return days;
    }
    let count = i32::try_from(days.len()).unwrap_or(0);
    let is = |position: i32| rule.positions.iter().any(|n| *n == position || *n == position - count - 1);
    (1..).zip(days).filter(|(position, _)| is(*position)).map(|(_, day)| day).collect()
}
