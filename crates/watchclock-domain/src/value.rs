//! What a run reports: exact numbers, words and flags. Neighbour: [`crate::rule`] compares them.

use std::{cmp::Ordering, collections::BTreeMap, fmt, str::FromStr};

use bigdecimal::BigDecimal;

/// Metadata of a run by key, at most [`MAX_KEYS`] of them.
pub type Meta = BTreeMap<String, Value>;

/// Most keys that are kept of one run; what exceeds is dropped and noted.
pub const MAX_KEYS: usize = 200;
/// Longest key, in characters.
pub const MAX_KEY_CHARS: usize = 100;
/// Longest text value, in characters.
pub const MAX_TEXT_CHARS: usize = 1_000;

/// One reported value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Number(Number),
    Text(String),
    Flag(bool),
}

impl Value {
    /// Reads a word as a job would mean it: `true`/`false` are flags, exact numbers are numbers, the rest is text.
    pub fn of_word(word: &str) -> Self {
        match word {
            "true" => Self::Flag(true),
            "false" => Self::Flag(false),
            _ => Number::parse(word).map_or_else(|| Self::Text(word.to_owned()), Self::Number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

/// An exact decimal. At most 100 significant digits, exponent within ±400, so that no value can make
/// arithmetic slow; what lies outside is not a number to us (it stays text).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Number(BigDecimal);

impl Number {
    const MAX_DIGITS: usize = 100;
    const MAX_EXPONENT: i64 = 400;

    /// Reads `-12`, `0.10`, `6.02e23`; no blanks, no `+`-only, no NaN, no infinity, no underscores.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > 512 {
            return None;
        }
        let plain = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
        if !plain || !text.bytes().any(|b| b.is_ascii_digit()) {
            return None;
        }
        // Checked before parsing: an exponent of a billion must not be expanded anywhere.
        if let Some((_, exponent)) = text.split_once(['e', 'E']) {
            let exponent: i64 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
            if exponent.abs() > Self::MAX_EXPONENT {
                return None;
            }
        }
        Self::bounded(BigDecimal::from_str(text).ok()?)
    }

    /// Keeps a computed value within the bounds, rounding what has too many digits.
    pub fn bounded(value: BigDecimal) -> Option<Self> {
        let value = if value.digits() > Self::MAX_DIGITS as u64 {
            value.with_prec(Self::MAX_DIGITS as u64)
        } else {
            value
        };
        let magnitude = i64::try_from(value.digits()).ok()? - value.fractional_digit_count();
        (magnitude.abs() <= Self::MAX_EXPONENT + Self::MAX_DIGITS as i64).then_some(Self(value))
    }

    pub fn decimal(&self) -> &BigDecimal {
        &self.0
    }

    /// For charts and statistics only; comparisons stay exact.
    pub fn to_f64(&self) -> f64 {
        self.0.to_string().parse().unwrap_or(f64::NAN)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Number {
    /// A JSON number: plain digits while readable, otherwise with an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let normal = self.0.normalized();
        let (digits, scale) = normal.as_bigint_and_exponent();
        if (0..=30).contains(&scale) || (-30..0).contains(&scale) {
            f.write_str(&normal.to_plain_string())
        } else {
            write!(f, "{digits}e{}", -scale)
        }
    }
}

/// Orders two values where they compare: numbers (text that is a number counts as one), text with text, flags.
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    let number = |value: &Value| match value {
        Value::Number(number) => Some(number.clone()),
        Value::Text(text) => Number::parse(text.trim()),
        Value::Flag(_) => None,
    };
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Flag(left), Value::Flag(right)) => Some(left.cmp(right)),
        _ => Some(number(left)?.cmp(&number(right)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_exact() {
        for (given, shown) in [
            ("9007199254740993", "9007199254740993"),
            ("0.10", "0.1"),
            ("-0", "0"),
            ("1e3", "1000"),
            ("1e400", "1e400"),
            ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ] {
            assert_eq!(Number::parse(given).unwrap().to_string(), shown);
        }
    }

    #[test]
    fn what_is_no_number_stays_text() {
        for given in ["", "NaN", "inf", "1e999999999", "12 rows", "1_000", "0x1f", "--1", "1.2.3", "e5", "-"] {
            assert_eq!(Number::parse(given), None, "{given}");
        }
    }
}
