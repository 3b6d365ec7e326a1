//! Durations and counts as people read them; times need a zone and come from the handlers.

/// `0.4 s`, `42 s`, `4 min 7 s`, `2 h 5 min`, `3 d 4 h`: two units at most, the smaller one dropped when zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
pub fn duration(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e12);
    if seconds < 10.0 && seconds.fract() >= 0.05 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (big, big_unit, small, small_unit) = match whole {
        0..60 => return format!("{whole} s"),
        60..3_600 => (whole / 60, "min", whole % 60, "s"),
        3_600..86_400 => (whole / 3_600, "h", whole % 3_600 / 60, "min"),
        _ => (whole / 86_400, "d", whole % 86_400 / 3_600, "h"),
    };
    if small == 0 { format!("{big} {big_unit}") } else { format!("{big} {big_unit} {small} {small_unit}") }
}

/// `1 run`, `12 runs`: for words whose plural adds an s.
pub fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_two_units_at_most() {
        for (seconds, words) in [
            (0.0, "0 s"),
            (0.42, "0.4 s"),
            (59.6, "1 min"),
            (247.0, "4 min 7 s"),
            (7_500.0, "2 h 5 min"),
            (90_000.0, "1 d 1 h"),
            (-3.0, "0 s"),
        ] {
            assert_eq!(duration(seconds), words);
        }
    }

    #[test]
    fn counts_agree_with_their_word() {
        assert_eq!(count(1, "run"), "1 run");
        assert_eq!(count(0, "run"), "0 runs");
    }
}
