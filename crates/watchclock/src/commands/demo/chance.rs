//! Chance that falls the same way each time, so that every demo tells the same story.

/// SplitMix64 (Steele, Lea and Flood 2014): small, and evenly spread enough for durations and counts.
#[derive(Debug)]
pub(super) struct Chance(u64);

impl Chance {
    /// A sequence of its own for each name.
    pub(super) fn of(name: &str) -> Self {
        // FNV-1a
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Evenly from `least` to `most`, both included.
    pub(super) fn between(&mut self, least: i64, most: i64) -> i64 {
        let width = least.abs_diff(most) + 1;
        least.saturating_add_unsigned(self.next() % width)
    }

    /// Around a value, mostly near it: within a fifth to both sides.
    pub(super) fn about(&mut self, usual: i64) -> i64 {
        let reach = usual / 10;
        usual + self.between(-reach, reach) + self.between(-reach, reach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_tells_the_same_story() {
        let (mut one, mut same, mut other) = (Chance::of("a"), Chance::of("a"), Chance::of("b"));
        let numbers = |chance: &mut Chance| -> Vec<i64> { (0..50).map(|_| chance.between(-3, 3)).collect() };
        let first = numbers(&mut one);
        assert_eq!(first, numbers(&mut same));
        assert_ne!(first, numbers(&mut other));
        assert!(first.iter().all(|n| (-3..=3).contains(n)));
        assert_eq!(one.between(7, 7), 7);
    }
}
