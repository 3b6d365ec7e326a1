//! Our own downtime: spans in which nobody watched. Neighbour: [`crate::timeline`] judges what fell into them.

use chrono::Duration;

use crate::Time;

/// A heart that was silent for longer than this has stood still.
pub const LONGEST_SILENCE: Duration = Duration::minutes(1);

/// A span in which nobody watched: from the last tick before it to the first one after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gap {
    pub from: Time,
    pub to: Time,
}

impl Gap {
    /// The gap that a tick finds, if the one before was too long ago. A tick in the future means that the clock was set
    /// back: then nothing is known to be missing.
    pub fn between(last: Time, now: Time) -> Option<Self> {
        (now - last > LONGEST_SILENCE).then_some(Self { from: last, to: now })
    }

    /// Whether a run for this slot, which may start until `due`, could have gone unseen.
    pub fn touches(&self, slot: Time, due: Time) -> bool {
        slot < self.to && due > self.from
    }

    /// Whether a limit was passed in it.
    pub fn holds(&self, limit: Time) -> bool {
        self.from < limit && limit <= self.to
    }

    pub fn duration(&self) -> Duration {
        self.to - self.from
    }
}

/// What of one monitor could not be watched during a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unwatched {
    /// How many slots fell into it; counted up to [`MAX_SLOTS_COUNTED`].
    pub slots: i64,
    pub first_slot: Option<Time>,
    /// How many active runs passed their limit.
    pub runs: i64,
}

/// Past so many, a count of slots stops.
pub const MAX_SLOTS_COUNTED: i64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time::from_timestamp(second, 0).unwrap()
    }

    #[test]
    fn only_a_long_silence_is_a_gap() {
        assert_eq!(Gap::between(at(0), at(60)), None);
        assert_eq!(Gap::between(at(0), at(61)), Some(Gap { from: at(0), to: at(61) }));
        assert_eq!(Gap::between(at(9_000), at(61)), None, "the clock was set back");
    }

    #[test]
    fn a_slot_is_touched_when_its_window_and_the_gap_meet() {
        let gap = Gap { from: at(100), to: at(200) };
        assert!(!gap.touches(at(50), at(100)), "over before");
        assert!(gap.touches(at(50), at(101)));
        assert!(gap.touches(at(199), at(300)));
        assert!(!gap.touches(at(200), at(300)), "it began when we were back");
        assert!(!gap.holds(at(100)) && gap.holds(at(200)) && !gap.holds(at(201)));
    }
}
