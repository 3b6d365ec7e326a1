//! What is usual for a job, learned from its good runs, and which values lie far outside. Neighbours: the timeline judges by it, [`crate::rule`] is what people say themselves.

/// Fewest good runs that tell what is usual.
pub const FEWEST: usize = 20;
/// How many of the last good runs teach.
pub const LOOKED_AT: usize = 30;
/// A band reaches so many deviations to each side.
const DEVIATIONS: f64 = 5.0;
/// Makes the median of distances comparable to a standard deviation, for values that are spread normally.
const MAD_SCALE: f64 = 1.4826;
/// What a value must at least be multiplied with, or divided by, to be outside.
const RATIO: f64 = 1.5;
/// What happens once in so many runs is usual, too: of a daily job, each day of the week.
const ONCE_IN: usize = 7;

/// What is judged without a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomalies {
    /// The duration of runs, also while they go on.
    pub duration: bool,
    /// Metadata keys.
    pub meta: Vec<String>,
}

impl Default for Anomalies {
    fn default() -> Self {
        Self { duration: true, meta: Vec::new() }
    }
}

/// The range of usual values; what is less than `low` or more than `high` is far outside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    pub low: f64,
    pub median: f64,
    pub high: f64,
    /// How many values taught it.
    pub of: usize,
}

impl Band {
    /// Of the newest values, at most [`LOOKED_AT`]; none of fewer than [`FEWEST`]. What is nearer to the median than
    /// `least` is never outside.
    ///
    /// The band is the median ± k·MAD, at least a half more and a third less. It is widened to hold what comes back
    /// regularly – the slow run of each Sunday – but not the few highest and lowest values, so that a run which went
    /// wrong once does not hide the next.
    pub fn of(values: &[f64], least: f64) -> Option<Self> {
        let newest = &values[values.len().saturating_sub(LOOKED_AT)..];
        let mut sorted: Vec<f64> = newest.iter().copied().filter(|value| value.is_finite()).collect();
        if sorted.len() < FEWEST {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        let middle = median(&sorted);
        let mut distances: Vec<f64> = sorted.iter().map(|value| (value - middle).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let spread = (DEVIATIONS * MAD_SCALE * median(&distances)).max(least);
        let regular = sorted.len() / ONCE_IN;
        let (often_low, often_high) = (sorted[regular - 1], sorted[sorted.len() - regular]);
        let more = |value: f64| value + value.abs() * (RATIO - 1.0);
        let less = |value: f64| value - value.abs() * (1.0 - 1.0 / RATIO);
        Some(Self {
            low: (middle - spread).min(less(middle)).min(less(often_low)),
            median: middle,
            high: (middle + spread).max(more(middle)).max(more(often_high)),
            of: sorted.len(),
        })
    }

    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Of sorted values, at least one.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    } else {
        sorted[middle]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between -1 and 1, always the same sequence.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn noise(at: usize) -> f64 {
        let mixed = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed >> 11) as f64 / (1u64 << 53) as f64) * 2.0 - 1.0
    }

    /// Feeds a series to the band of what came before; tells which were outside.
    fn outside(series: impl Iterator<Item = f64>, least: f64) -> Vec<usize> {
        let mut values = Vec::new();
        let mut found = Vec::new();
        for (at, value) in series.enumerate() {
            if Band::of(&values, least).is_some_and(|band| !band.holds(value)) {
                found.push(at);
            }
            values.push(value);
        }
        found
    }

    #[test]
    fn a_steady_job_raises_no_false_alarm_and_its_tenfold_run_is_caught() {
        let steady = |at: usize| 300.0 + 45.0 * noise(at);
        assert_eq!(outside((0..220).map(steady), 10.0), [0; 0]);
        let with_one = (0..220).map(|at| if at == 150 { 3_000.0 } else { steady(at) });
        assert_eq!(outside(with_one, 10.0), [150]);
        let twice = (0..220).map(|at| if at == 150 || at == 155 { 3_000.0 } else { steady(at) });
        assert_eq!(outside(twice, 10.0), [150, 155], "the first one hides nothing");
        let nothing_done = (0..220).map(|at| if at == 150 { 2.0 } else { steady(at) });
        assert_eq!(outside(nothing_done, 10.0), [150]);
    }

    #[test]
    fn a_week_with_a_slow_sunday_is_usual() {
        let weekly = |at: usize| if at % 7 == 6 { 3_600.0 } else { 600.0 } * (1.0 + 0.15 * noise(at));
        assert_eq!(outside((0..220).map(weekly), 10.0), [0; 0]);
        let with_one = (0..220).map(|at| if at == 150 { 6_000.0 } else { weekly(at) });
        assert_eq!(outside(with_one, 10.0), [150]);
    }

    #[test]
    fn a_growing_job_is_usual() {
        let growing = |at: usize| 120.0 * 1.01_f64.powi(i32::try_from(at).unwrap()) * (1.0 + 0.1 * noise(at));
        assert_eq!(outside((0..220).map(growing), 10.0), [0; 0]);
        let with_one = (0..220).map(|at| if at == 150 { 10.0 * growing(at) } else { growing(at) });
        assert_eq!(outside(with_one, 10.0), [150]);
    }

    #[test]
    fn small_differences_and_few_runs_say_nothing() {
        assert_eq!(outside((0..60).map(|at| if at == 50 { 11.0 } else { 1.0 }), 10.0), [0; 0]);
        assert_eq!(outside((0..60).map(|at| if at == 50 { 11.5 } else { 1.0 }), 10.0), [50]);
        assert_eq!(outside((0..60).map(|at| if at == 50 { 149.0 } else { 100.0 }), 10.0), [0; 0]);
        assert_eq!(Band::of(&[100.0; FEWEST - 1], 10.0), None);
        assert_eq!(Band::of(&[f64::NAN; FEWEST], 10.0), None);
        let none = Band::of(&[0.0; FEWEST], 0.0).unwrap();
        assert!(none.holds(0.0) && !none.holds(1.0) && !none.holds(-1.0));
    }
}
