//! Which days of a month a pattern names, as bits; the times of day and the search over months are in `pattern`.

/// Every day from 1 to 31; bit `n` is day `n`.
pub(super) const ALL_DAYS: u32 = !1;
/// Every weekday; bit 0 is Sunday.
pub(super) const ALL_WEEKDAYS: u8 = 0b111_1111;

/// A month of a year, with what its days need.
#[derive(Debug, Clone, Copy)]
pub(super) struct Month {
    pub(super) length: u32,
    /// The weekday of day 1, 0 for Sunday.
    pub(super) first_weekday: u32,
}

impl Month {
    /// The weekday of a day, 0 for Sunday.
    fn weekday(self, day: u32) -> u32 {
        (self.first_weekday + day + 6) % 7
    }

    /// The days of the month as bits.
    fn all(self) -> u32 {
        ALL_DAYS & (u32::MAX >> (31 - self.length))
    }

    /// The days that fall on some weekdays, without regard to the month's length.
    fn on_weekdays(self, weekdays: u8) -> u32 {
        let doubled = u64::from(weekdays) << 7 | u64::from(weekdays);
        let from_first = (doubled >> self.first_weekday) & u64::from(ALL_WEEKDAYS);
        let weeks = from_first | from_first << 7 | from_first << 14 | from_first << 21 | from_first << 28;
        u32::try_from((weeks << 1) & u64::from(u32::MAX)).unwrap_or(0)
    }
}

/// The day fields of an expression. A day must satisfy both the day of month and the weekday, or `either`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Days {
    /// Bit `n` is day `n`.
    pub(super) dates: u32,
    /// Bit `n` is the `n`th day from the month's end, 1 for the last.
    pub(super) from_end: u32,
    /// Bit `n` asks for the weekday (Monday to Friday) nearest to day `n`, within its month.
    pub(super) nearest: u32,
    /// The last Monday-to-Friday of the month.
    pub(super) last_workday: bool,
    /// Bit `n` is weekday `n`, 0 for Sunday.
    pub(super) weekdays: u8,
    /// The first … fifth of some weekdays in the month.
    pub(super) nth: [u8; 5],
    /// The last of some weekdays in the month.
    pub(super) last: u8,
    /// One of the two suffices (crontab(5)).
    pub(super) either: bool,
}

impl Days {
    /// Every day.
    pub(super) fn every() -> Self {
        Self {
            dates: ALL_DAYS,
            from_end: 0,
            nearest: 0,
            last_workday: false,
            weekdays: ALL_WEEKDAYS,
            nth: [0; 5],
            last: 0,
            either: false,
        }
    }

    /// Every date of every month is named by the day-of-month field.
    pub(super) fn every_date(&self) -> bool {
        self.dates == ALL_DAYS
    }

    /// Every weekday is named by the weekday field.
    pub(super) fn every_weekday(&self) -> bool {
        self.weekdays == ALL_WEEKDAYS
    }

    /// The days of a month, bit `n` for day `n`.
    pub(super) fn in_month(&self, month: Month) -> u32 {
        let (dates, weekdays) = (self.by_date(month), self.by_weekday(month));
        let days = if self.either { dates | weekdays } else { dates & weekdays };
        days & month.all()
    }

    fn by_date(&self, month: Month) -> u32 {
        let mut days = self.dates;
        if self.from_end != 0 {
            // bit n (1 is last) becomes day length + 1 - n
            let turned = u64::from(self.from_end.reverse_bits()) << 1 >> (31 - month.length);
            days |= u32::try_from(turned & u64::from(u32::MAX)).unwrap_or(0);
        }
        if self.last_workday {
            days |= 1 << nearest_workday(month, month.length);
        }
        if self.nearest != 0 {
            for day in (1..=month.length).filter(|day| self.nearest & 1 << day != 0) {
                days |= 1 << nearest_workday(month, day);
            }
        }
        days
    }

    fn by_weekday(&self, month: Month) -> u32 {
        let mut days = month.on_weekdays(self.weekdays);
        if self.last != 0 {
            days |= month.on_weekdays(self.last) & (0b111_1111 << (month.length - 6));
        }
        for (week, weekdays) in (0_u32..).zip(self.nth) {
            if weekdays != 0 {
                days |= month.on_weekdays(weekdays) & (0b1111_1110 << (7 * week));
            }
        }
        days
    }
}

/// The Monday-to-Friday nearest to a day without leaving its month.
fn nearest_workday(month: Month, day: u32) -> u32 {
    match month.weekday(day) {
        6 if day == 1 => 3,
        6 => day - 1,
        0 if day == month.length => day - 2,
        0 => day + 1,
        _ => day,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// May 2027: 31 days, begins on a Saturday, ends on a Monday.
    const MAY: Month = Month { length: 31, first_weekday: 6 };
    /// February 2027: 28 days, begins on a Monday.
    const FEBRUARY: Month = Month { length: 28, first_weekday: 1 };

    fn list(days: u32) -> Vec<u32> {
        (0..32).filter(|day| days & 1 << day != 0).collect()
    }

    fn none() -> Days {
        Days { dates: 0, weekdays: 0, either: true, ..Days::every() }
    }

    #[test]
    fn counts_from_the_end() {
        let days = Days { from_end: 1 << 1 | 1 << 3 | 1 << 31, ..none() };
        assert_eq!(list(days.in_month(MAY)), [1, 29, 31]);
        assert_eq!(list(days.in_month(FEBRUARY)), [26, 28]);
    }

    #[test]
    fn finds_workdays_near_the_edges_of_a_month() {
        assert_eq!(list(Days { nearest: 1 << 1 | 1 << 15 | 1 << 30, ..none() }.in_month(MAY)), [3, 14, 31]);
        assert_eq!(list(Days { last_workday: true, ..none() }.in_month(FEBRUARY)), [26]);
        let july = Month { length: 31, first_weekday: 4 };
        assert_eq!(list(Days { nearest: 1 << 31, last_workday: true, ..none() }.in_month(july)), [30]);
        assert_eq!(list(Days { nearest: 1 << 31, ..none() }.in_month(FEBRUARY)), []);
    }

    #[test]
    fn finds_weekdays_by_rank() {
        let mut days = Days { last: 1 << 1, ..none() };
        days.nth[0] = 1 << 0;
        days.nth[4] = 1 << 6;
        assert_eq!(list(days.in_month(MAY)), [2, 29, 31]);
        assert_eq!(list(days.in_month(FEBRUARY)), [7, 22]);
    }

    #[test]
    fn joins_the_fields_by_and_or_or() {
        let thirteenth = Days { dates: 1 << 13, weekdays: 1 << 5, ..Days::every() };
        assert_eq!(list(thirteenth.in_month(MAY)), []);
        let either = Days { either: true, ..thirteenth };
        assert_eq!(list(either.in_month(MAY)), [7, 13, 14, 21, 28]);
    }
}
