//! Durations in seconds and counts as people read them; times need a zone and come from the handlers.

use std::fmt::Display;

use chrono::TimeDelta;
use watchclock_domain::{span, value::grouped};

/// Seconds that something drawn stands for, in the words that every duration has.
#[expect(clippy::cast_possible_truncation, reason = "clamped to what fits")]
pub fn duration(seconds: f64) -> String {
    span::words(TimeDelta::milliseconds((seconds.clamp(0.0, 1e12) * 1_000.0).round() as i64))
}

/// `1 run`, `12 runs`: for words whose plural adds an s.
pub fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{} {word}s", thousands(number)) }
}

/// `1,204`: three digits a group.
pub fn thousands(number: impl Display) -> String {
    grouped(&number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_the_domain() {
        for (seconds, words) in [(0.42, "420 ms"), (59.6, "1 min"), (247.0, "4 min 07 s"), (-3.0, "0 s")] {
            assert_eq!(duration(seconds), words);
        }
        assert!(duration(f64::MAX).ends_with(" h") && duration(f64::NAN) == "0 s");
    }

    #[test]
    fn counts_agree_with_their_word() {
        assert_eq!(count(1, "run"), "1 run");
        assert_eq!(count(0, "run"), "0 runs");
        assert_eq!(count(1_204_567, "run"), "1,204,567 runs");
    }
}
