//! Sets of days as bits, so that asking for one costs nothing however long a calendar is.

use std::sync::Arc;

/// The first day that can be in a set, 1970-01-01; days are counted from it.
pub(super) const FIRST: i32 = 0;
/// The last one, 2299-12-31; schedules end there too.
pub(super) const LAST: i32 = 120_529;

/// Days from 1970 to 2299.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DaySet {
    /// Bit `n` of word `w` is day `64 w + n`; nothing follows the last day that is in it.
    bits: Vec<u64>,
}

impl DaySet {
    /// Adds a day; false when it lies outside of what a set can hold.
    pub(super) fn insert(&mut self, day: i32) -> bool {
        if !(FIRST..=LAST).contains(&day) {
            return false;
        }
        let (word, bit) = place(day);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= bit;
        true
    }

    pub fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }

    fn contains(&self, day: i32) -> bool {
        let (word, bit) = place(day.max(FIRST));
        day >= FIRST && self.bits.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// The days from one on, ascending.
    pub(super) fn days_from(&self, from: i32) -> impl Iterator<Item = i32> + '_ {
        let end = i32::try_from(self.bits.len() * 64).unwrap_or(LAST);
        (from.max(FIRST)..end).filter(|day| self.contains(*day))
    }
}

fn place(day: i32) -> (usize, u64) {
    let day = usize::try_from(day).unwrap_or(0);
    (day / 64, 1 << (day % 64))
}

/// The days on which nothing is expected of a monitor: those of several calendars. Cloning shares them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DaysOff(Option<Arc<[Arc<DaySet>]>>);

impl DaysOff {
    /// No day is off.
    pub fn none() -> Self {
        Self(None)
    }

    /// All days of some sets.
    pub fn of(sets: impl IntoIterator<Item = Arc<DaySet>>) -> Self {
        let sets: Arc<[_]> = sets.into_iter().filter(|set| !set.is_empty()).collect();
        Self((!sets.is_empty()).then_some(sets))
    }

    /// The days of one more set, too.
    #[must_use]
    pub fn with(self, set: DaySet) -> Self {
        Self::of(self.0.iter().flat_map(|sets| sets.iter().cloned()).chain([Arc::new(set)]))
    }

    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a day, counted from 1970-01-01, is off.
    pub(crate) fn contains(&self, day: i64) -> bool {
        let Some(sets) = &self.0 else { return false };
        i32::try_from(day).is_ok_and(|day| sets.iter().any(|set| set.contains(day)))
    }

    /// The first day after one that is not off.
    pub(crate) fn free_after(&self, day: i64) -> i64 {
        (day + 1..=i64::from(LAST)).find(|day| !self.contains(*day)).unwrap_or(i64::from(LAST).max(day) + 1)
    }

    /// The first of the days in a row that are off and end with this one.
    pub(crate) fn first_in_row(&self, day: i64) -> i64 {
        (i64::from(FIRST)..=day).rev().take_while(|day| self.contains(*day)).last().unwrap_or(day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off(days: &[i32]) -> DaysOff {
        let mut set = DaySet::default();
        assert!(days.iter().all(|day| set.insert(*day)));
        DaysOff::of([Arc::new(set)])
    }

    #[test]
    fn holds_what_was_added_and_nothing_else() {
        let days = off(&[0, 63, 64, 65, 20_000, LAST]);
        for day in [0, 63, 64, 65, 20_000, i64::from(LAST)] {
            assert!(days.contains(day), "{day}");
        }
        for day in [-1, 1, 62, 66, 19_999, 20_001, i64::from(LAST) + 1, i64::MIN, i64::MAX] {
            assert!(!days.contains(day), "{day}");
        }
        assert!(!DaySet::default().insert(-1));
        assert!(!DaySet::default().insert(LAST + 1));
        assert_eq!(off(&[]), DaysOff::none());
    }

    #[test]
    fn finds_the_ends_of_a_row() {
        let days = off(&[0, 1, 62, 63, 64, 65, 66, LAST]);
        assert_eq!(days.free_after(62), 67);
        assert_eq!(days.free_after(i64::from(LAST)), i64::from(LAST) + 1);
        assert_eq!(days.first_in_row(64), 62);
        assert_eq!(days.first_in_row(1), 0);
    }
}
