//! A set of civil times, and the search for the next or previous one; which days count is in `days`, moments are in `walk`.

use chrono::{Datelike, NaiveDate};

use super::days::{Days, Month};

/// Seconds in a civil day. Civil times are seconds from 1970-01-01 00:00 on some clock.
pub(super) const DAY: i64 = 86_400;
/// The first year that any search looks at.
pub(super) const FIRST_YEAR: i32 = 1900;
/// The last one; later moments have no slots.
pub(super) const LAST_YEAR: i32 = 2299;
/// Every minute, or every second, of 60.
pub(super) const ALL_SIXTY: u64 = (1 << 60) - 1;
/// Every hour of a day.
pub(super) const ALL_HOURS: u64 = (1 << 24) - 1;
/// Every month; bit 1 is January.
pub(super) const ALL_MONTHS: u64 = 0b1_1111_1111_1110;

/// The civil times that one expression names. In each set, bit `n` is the value `n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) seconds: u64,
    pub(super) minutes: u64,
    pub(super) hours: u64,
    pub(super) days: Days,
    pub(super) months: u64,
    pub(super) years: Years,
}

/// The years that an expression names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Years {
    /// All that are searched.
    All,
    /// Some, ascending and not empty.
    Some(Box<[i32]>),
}

impl Years {
    fn at_or_after(&self, year: i32) -> Option<i32> {
        match self {
            Self::All => Some(year.max(FIRST_YEAR)).filter(|year| *year <= LAST_YEAR),
            Self::Some(years) => years.get(years.partition_point(|candidate| *candidate < year)).copied(),
        }
    }

    fn at_or_before(&self, year: i32) -> Option<i32> {
        match self {
            Self::All => Some(year.min(LAST_YEAR)).filter(|year| *year >= FIRST_YEAR),
            Self::Some(years) => {
                years[..years.partition_point(|candidate| *candidate <= year)].last().copied()
            }
        }
    }
}

impl Pattern {
    /// The first civil time of the pattern that is not before `civil`.
    pub(super) fn at_or_after(&self, civil: i64) -> Option<i64> {
        let (date, second) = split(civil.max(FIRST_DAY * DAY))?;
        let (mut year, mut month, mut from) = (date.year(), date.month(), date.day());
        if self.years.at_or_after(year) == Some(year) && self.months & 1 << month != 0 {
            let days = self.days.in_month(month_of(year, month)?);
            if days & 1 << from != 0
                && let Some(second) = self.second_at_or_after(second)
            {
                return Some(first_of(year, month)? + day_offset(from) + second);
            }
            from += 1;
        } else {
            from = 1;
        }
        loop {
            let Some(next) =
                (self.years.at_or_after(year) == Some(year)).then(|| next_bit(self.months, month)).flatten()
            else {
                year = self.years.at_or_after(year + 1)?;
                (month, from) = (1, 1);
                continue;
            };
            if next != month {
                (month, from) = (next, 1);
            }
            let days = self.days.in_month(month_of(year, month)?);
            if let Some(day) = next_bit(u64::from(days), from) {
                return Some(first_of(year, month)? + day_offset(day) + self.second_at_or_after(0)?);
            }
            (month, from) = (month + 1, 1);
        }
    }

    /// The last civil time of the pattern that is not after `civil`.
    pub(super) fn at_or_before(&self, civil: i64) -> Option<i64> {
        let (date, second) = split(civil.min((LAST_DAY + 1) * DAY - 1))?;
        let (mut year, mut month, mut to) = (date.year(), date.month(), date.day());
        if self.years.at_or_before(year) == Some(year) && self.months & 1 << month != 0 {
            let days = self.days.in_month(month_of(year, month)?);
            if days & 1 << to != 0
                && let Some(second) = self.second_at_or_before(second)
            {
                return Some(first_of(year, month)? + day_offset(to) + second);
            }
            to -= 1;
        } else {
            to = 31;
        }
        loop {
            let Some(previous) = (self.years.at_or_before(year) == Some(year))
                .then(|| previous_bit(self.months, month))
                .flatten()
            else {
                year = self.years.at_or_before(year - 1)?;
                (month, to) = (12, 31);
                continue;
            };
            if previous != month {
                (month, to) = (previous, 31);
            }
            let days = self.days.in_month(month_of(year, month)?);
            if let Some(day) = previous_bit(u64::from(days), to) {
                return Some(first_of(year, month)? + day_offset(day) + self.second_at_or_before(DAY - 1)?);
            }
            (month, to) = (month - 1, 31);
        }
    }

    /// Whether any date is named at all. Exact: 28 years in a row hold every kind of year.
    pub(super) fn ever_fires(&self) -> bool {
        let fires_in = |year: i32| {
            (1..=12)
                .filter(|month| self.months & 1 << month != 0)
                .any(|month| month_of(year, month).is_some_and(|month| self.days.in_month(month) != 0))
        };
        match &self.years {
            Years::All => (2000..2028).any(fires_in),
            Years::Some(years) => years.iter().copied().any(fires_in),
        }
    }

    /// The first second of the day that is not before `second`.
    fn second_at_or_after(&self, second: i64) -> Option<i64> {
        let (h, m, s) = clock(second);
        if self.hours & 1 << h != 0 {
            if self.minutes & 1 << m != 0
                && let Some(s) = next_bit(self.seconds, s)
            {
                return Some(second_of(h, m, s));
            }
            if let Some(m) = next_bit(self.minutes, m + 1) {
                return Some(second_of(h, m, self.seconds.trailing_zeros()));
            }
        }
        let h = next_bit(self.hours, h + 1)?;
        Some(second_of(h, self.minutes.trailing_zeros(), self.seconds.trailing_zeros()))
    }

    /// The last second of the day that is not after `second`.
    fn second_at_or_before(&self, second: i64) -> Option<i64> {
        let (h, m, s) = clock(second);
        if self.hours & 1 << h != 0 {
            if self.minutes & 1 << m != 0
                && let Some(s) = previous_bit(self.seconds, s)
            {
                return Some(second_of(h, m, s));
            }
            if let Some(m) = m.checked_sub(1).and_then(|m| previous_bit(self.minutes, m)) {
                return Some(second_of(h, m, self.seconds.ilog2()));
            }
        }
        let h = h.checked_sub(1).and_then(|h| previous_bit(self.hours, h))?;
        Some(second_of(h, self.minutes.ilog2(), self.seconds.ilog2()))
    }
}

/// 1900-01-01, in days from 1970-01-01.
const FIRST_DAY: i64 = -25_567;
/// 2299-12-31.
const LAST_DAY: i64 = 120_529;

/// The date of a civil time, and the second of its day; nothing for dates that chrono cannot hold.
fn split(civil: i64) -> Option<(NaiveDate, i64)> {
    let day = i32::try_from(civil.div_euclid(DAY)).ok()?;
    Some((NaiveDate::from_epoch_days(day)?, civil.rem_euclid(DAY)))
}

/// The civil time at which a month begins.
fn first_of(year: i32, month: u32) -> Option<i64> {
    NaiveDate::from_ymd_opt(year, month, 1).map(|date| i64::from(date.to_epoch_days()) * DAY)
}

fn month_of(year: i32, month: u32) -> Option<Month> {
    let first_weekday = NaiveDate::from_ymd_opt(year, month, 1)?.weekday().num_days_from_sunday();
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    Some(Month { length, first_weekday })
}

/// Seconds from the beginning of a month to that of one of its days.
fn day_offset(day: u32) -> i64 {
    i64::from(day - 1) * DAY
}

/// Hour, minute and second of a second of the day.
fn clock(second: i64) -> (u32, u32, u32) {
    let second = u32::try_from(second).unwrap_or(0);
    (second / 3600, second / 60 % 60, second % 60)
}

fn second_of(hour: u32, minute: u32, second: u32) -> i64 {
    i64::from(hour * 3600 + minute * 60 + second)
}

/// The lowest bit of a set that is not below `from`.
pub(super) fn next_bit(set: u64, from: u32) -> Option<u32> {
    let rest = set.checked_shr(from)?;
    (rest != 0).then(|| from + rest.trailing_zeros())
}

/// The highest bit of a set that is not above `to`.
pub(super) fn previous_bit(set: u64, to: u32) -> Option<u32> {
    let rest = set << (63 - to.min(63));
    (rest != 0).then(|| to.min(63) - rest.leading_zeros())
}
