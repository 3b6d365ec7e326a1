//! Averages and the like over reported numbers, in whole numbers of one scale. Neighbour: [`super::history`] chooses the runs.

use std::borrow::Cow;

use bigdecimal::num_bigint::BigInt;

use crate::value::Number;

/// Digits that are kept of the largest number; the sum of a thousand such still fits.
const DIGITS: i64 = 30;

/// Numbers as multiples of 10^-scale: exact, unless they differ by more than 30 digits, then rounded.
pub(super) struct Sample {
    values: Vec<i128>,
    scale: i64,
}

impl Sample {
    pub(super) fn of(numbers: &[Cow<'_, Number>]) -> Self {
        let few: Option<Vec<(i64, i64)>> = numbers.iter().map(|number| number.small()).collect();
        if let Some(few) = few {
            let digits = |(digits, own): &(i64, i64)| {
                digits_of_bits((64 - digits.unsigned_abs().leading_zeros()).into()) - own
            };
            let finest = few.iter().map(|(_, own)| *own).max().unwrap_or(0);
            let scale = finest.min(DIGITS - few.iter().map(digits).max().unwrap_or(0));
            let values = few.into_iter().map(|(digits, own)| {
                let shift = scale - own;
                small_rescaled(digits.into(), shift).unwrap_or_else(|| rescaled(&digits.into(), shift))
            });
            return Self { values: values.collect(), scale };
        }
        let decimals: Vec<_> = numbers.iter().map(|number| number.decimal()).collect();
        let parts = || decimals.iter().map(|decimal| decimal.as_bigint_and_scale());
        let finest = parts().map(|(_, scale)| scale).max().unwrap_or(0);
        let largest = parts().map(|(digits, scale)| digits_at_most(&digits) - scale).max().unwrap_or(0);
        let scale = finest.min(DIGITS - largest);
        let values = parts().map(|(digits, own)| rescaled(&digits, scale - own)).collect();
        Self { values, scale }
    }

    fn count(&self) -> i128 {
        i128::try_from(self.values.len()).unwrap_or(i128::MAX)
    }

    pub(super) fn sum(&self) -> Option<Number> {
        Number::scaled(self.values.iter().sum(), self.scale)
    }

    pub(super) fn average(&self) -> Option<Number> {
        self.sum()?.over(&Number::scaled(self.count(), 0)?)
    }

    /// The middle one, or the mean of the two in the middle.
    pub(super) fn median(&mut self) -> Option<Number> {
        let middle = self.values.len() / 2;
        let (below, upper, _) = self.values.select_nth_unstable(middle);
        let upper = *upper;
        if below.len() == middle && !self.values.len().is_multiple_of(2) {
            return Number::scaled(upper, self.scale);
        }
        let lower = self.values[..middle].iter().max().copied()?;
        Number::scaled((lower + upper) * 5, self.scale + 1)
    }

    /// The nearest rank: the smallest value that at least this many percent do not exceed.
    pub(super) fn percentile(&mut self, percent: u8) -> Option<Number> {
        let rank = (self.values.len() * usize::from(percent)).div_ceil(100).max(1) - 1;
        let (_, value, _) = self.values.select_nth_unstable(rank);
        Number::scaled(*value, self.scale)
    }

    /// The standard deviation of a sample (divided by n − 1), to 15 digits.
    #[expect(clippy::cast_precision_loss, reason = "the distances are exact, their squares need not be")]
    pub(super) fn deviation(&self) -> Option<Number> {
        let count = self.count();
        if count < 2 {
            return None;
        }
        let sum: i128 = self.values.iter().sum();
        let squares: f64 = self.values.iter().map(|value| ((value * count - sum) as f64).powi(2)).sum();
        let deviation = (squares / (count - 1) as f64).sqrt() / count as f64;
        let plain = Number::parse(&format!("{deviation:.14e}"))?;
        plain.times(&Number::scaled(1, self.scale)?)
    }
}

/// How many decimal digits a whole number has, or one more.
fn digits_at_most(whole: &BigInt) -> i64 {
    digits_of_bits(whole.bits())
}

fn digits_of_bits(bits: u64) -> i64 {
    i64::try_from(bits).unwrap_or(i64::MAX / 2) * 30_103 / 100_000 + 1
}

/// A whole number times 10^shift, rounded towards zero where digits fall off, if plain arithmetic can do it.
fn small_rescaled(whole: i128, shift: i64) -> Option<i128> {
    let factor = 10i128.checked_pow(u32::try_from(shift.unsigned_abs()).ok()?)?;
    if shift < 0 { Some(whole / factor) } else { whole.checked_mul(factor) }
}

/// The same for any.
fn rescaled(whole: &BigInt, shift: i64) -> i128 {
    let Ok(power) = u32::try_from(shift.unsigned_abs()) else { return 0 };
    if let Some(result) = i128::try_from(whole).ok().and_then(|whole| small_rescaled(whole, shift)) {
        return result;
    }
    let zero = shift < 0 && digits_at_most(whole) + shift < 0;
    if zero || shift > DIGITS {
        return 0;
    }
    let factor = BigInt::from(10).pow(power);
    let result = if shift < 0 { whole / factor } else { whole * factor };
    i128::try_from(result).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(numbers: &[&str]) -> Sample {
        let numbers: Vec<_> = numbers.iter().map(|text| Cow::Owned(Number::parse(text).unwrap())).collect();
        Sample::of(&numbers)
    }

    #[test]
    fn computes_exactly() {
        let mut some = sample(&["1", "2.5", "4", "0.1"]);
        assert_eq!(some.sum().unwrap().to_string(), "7.6");
        assert_eq!(some.average().unwrap().to_string(), "1.9");
        assert_eq!(some.median().unwrap().to_string(), "1.75");
        assert_eq!(some.percentile(95).unwrap().to_string(), "4");
        assert_eq!(some.percentile(50).unwrap().to_string(), "1");
        assert_eq!(sample(&["5", "1", "3"]).median().unwrap().to_string(), "3");
        assert_eq!(sample(&["9007199254740993", "1", "1"]).sum().unwrap().to_string(), "9007199254740995");
        assert_eq!(
            sample(&["2", "4", "4", "4", "5", "5", "7", "9"]).deviation().unwrap().to_string(),
            "2.1380899352994"
        );
    }

    #[test]
    fn survives_numbers_of_all_sizes() {
        for numbers in [
            ["1e400", "1e-400", "-1e400"],
            ["1e-400", "2e-400", "0"],
            ["9e400", "9e400", "9e400"],
            ["0", "0", "0"],
            ["-1", "1e100", "1e-100"],
        ] {
            let mut sample = sample(&numbers);
            for number in
                [sample.sum(), sample.average(), sample.median(), sample.percentile(90), sample.deviation()]
            {
                number.expect("a number within bounds");
            }
        }
    }
}
