//! Exact decimal numbers within bounds that keep arithmetic quick. Neighbour: [`crate::value`], what a run reports.

use std::{borrow::Cow, cmp::Ordering, fmt, str::FromStr};

use bigdecimal::{
    BigDecimal,
    num_bigint::{BigInt, Sign},
};

/// An exact decimal. At most 100 significant digits, exponent within ±400, so that no value can make
/// arithmetic slow; what lies outside is not a number to us (it stays text).
#[derive(Debug, Clone)]
pub struct Number(Digits);

#[derive(Debug, Clone)]
enum Digits {
    /// `digits` × 10^-`scale`: nearly all that is reported, and nothing to allocate.
    Few {
        digits: i64,
        scale: i32,
    },
    Many(Box<BigDecimal>),
}

impl Number {
    const MAX_DIGITS: i64 = 100;
    const MAX_EXPONENT: i64 = 400;
    /// Significant digits that a quotient is rounded to.
    const QUOTIENT_DIGITS: i64 = 28;

    /// Reads `-12`, `0.10`, `6.02e23`; no blanks, no `+`-only, no NaN, no infinity, no underscores.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(plain) = parse_plain(text) {
            return Some(plain);
        }
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
        let (digits, scale) = value.as_bigint_and_scale();
        if let Ok(few) = i128::try_from(digits.as_ref())
            && let Some(few) = Self::few(few, scale)
        {
            return Some(few);
        }
        // 330 bits are fewer than 100 digits: what is plainly within the bounds is not counted.
        if digits.bits() <= 330 && scale.abs() <= Self::MAX_EXPONENT {
            return Some(Self::many(value));
        }
        let value = if value.digits() > Self::MAX_DIGITS.unsigned_abs() {
            value.with_prec(Self::MAX_DIGITS.unsigned_abs())
        } else {
            value
        };
        let magnitude = i64::try_from(value.digits()).ok()? - value.fractional_digit_count();
        (magnitude.abs() <= Self::MAX_EXPONENT + Self::MAX_DIGITS).then(|| Self::many(value))
    }

    /// `mantissa` × 10^-`scale`.
    pub fn scaled(mantissa: i128, scale: i64) -> Option<Self> {
        Self::few(mantissa, scale).or_else(|| Self::bounded(BigDecimal::new(mantissa.into(), scale)))
    }

    fn few(digits: i128, scale: i64) -> Option<Self> {
        let digits = i64::try_from(digits).ok().filter(|_| scale.abs() <= Self::MAX_EXPONENT)?;
        Some(Self(Digits::Few { digits, scale: i32::try_from(scale).ok()? }))
    }

    fn many(value: BigDecimal) -> Self {
        Self(Digits::Many(Box::new(value)))
    }

    pub fn decimal(&self) -> Cow<'_, BigDecimal> {
        match &self.0 {
            Digits::Few { digits, scale } => Cow::Owned(BigDecimal::new((*digits).into(), i64::from(*scale))),
            Digits::Many(value) => Cow::Borrowed(value),
        }
    }

    /// For charts and statistics only; comparisons stay exact.
    #[expect(clippy::cast_precision_loss, reason = "up to this bound none is lost")]
    pub fn to_f64(&self) -> f64 {
        const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
        match self.0 {
            Digits::Few { digits, scale: 0 } if digits.unsigned_abs() <= EXACT => digits as f64,
            _ => self.decimal().to_string().parse().unwrap_or(f64::NAN),
        }
    }

    /// Mantissa and scale, where the mantissa is small enough for plain arithmetic.
    pub(crate) fn small(&self) -> Option<(i64, i64)> {
        match self.0 {
            Digits::Few { digits, scale } => Some((digits, scale.into())),
            Digits::Many(_) => None,
        }
    }

    /// Two mantissas of one scale, where that takes no more than plain arithmetic.
    fn aligned(&self, other: &Self) -> Option<(i128, i128, i64)> {
        let ((left, left_scale), (right, right_scale)) = (self.small()?, other.small()?);
        let shift = left_scale.abs_diff(right_scale);
        if shift > 18 {
            return None;
        }
        let power = 10i128.pow(u32::try_from(shift).expect("at most 18"));
        let (left, right) = (i128::from(left), i128::from(right));
        Some(if left_scale < right_scale {
            (left * power, right, right_scale)
        } else {
            (left, right * power, left_scale)
        })
    }

    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Digits::Few { digits, .. } => *digits == 0,
            Digits::Many(value) => value.sign() == Sign::NoSign,
        }
    }

    /// None where the result is out of bounds, as for all arithmetic here.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        let few = self.aligned(other).and_then(|(left, right, scale)| Self::few(left + right, scale));
        few.or_else(|| Self::bounded(self.decimal().as_ref() + other.decimal().as_ref()))
    }

    pub fn minus(&self, other: &Self) -> Option<Self> {
        let few = self.aligned(other).and_then(|(left, right, scale)| Self::few(left - right, scale));
        few.or_else(|| Self::bounded(self.decimal().as_ref() - other.decimal().as_ref()))
    }

    pub fn times(&self, other: &Self) -> Option<Self> {
        let both = self.small().zip(other.small());
        let few = both.and_then(|((left, left_scale), (right, right_scale))| {
            Self::few(i128::from(left) * i128::from(right), left_scale + right_scale)
        });
        few.or_else(|| Self::bounded(self.decimal().as_ref() * other.decimal().as_ref()))
    }

    /// Rounded to 28 significant digits where it does not come out even; None when divided by zero.
    pub fn over(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let (above, below) = (self.decimal(), other.decimal());
        let ((above, above_scale), (below, below_scale)) =
            (above.as_bigint_and_scale(), below.as_bigint_and_scale());
        let shift = (Self::QUOTIENT_DIGITS + digits_at_most(&below) - digits_at_most(&above)).max(0);
        let above = above.into_owned() * BigInt::from(10).pow(u32::try_from(shift).ok()?);
        let (mut quotient, rest) = (&above / below.as_ref(), &above % below.as_ref());
        if (rest.magnitude() * 2u32) >= *below.magnitude() {
            let up = above.sign() == below.sign();
            quotient += if up { 1 } else { -1 };
        }
        Self::bounded(BigDecimal::new(quotient, above_scale - below_scale + shift).normalized())
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        match &self.0 {
            Digits::Few { digits, scale } => Self::scaled(-i128::from(*digits), i64::from(*scale)),
            Digits::Many(value) => Self::bounded(-value.as_ref()),
        }
        .expect("a sign changes no size")
    }
}

/// How many decimal digits a whole number has, or one more.
fn digits_at_most(whole: &BigInt) -> i64 {
    i64::try_from(whole.bits()).unwrap_or(i64::MAX / 2) * 30_103 / 100_000 + 1
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Digits::Few { digits: value, scale: 0 })
    }
}

/// `-12`, `0.10`: a number of at most 18 digits, without an exponent.
fn parse_plain(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) =
        unsigned.split_once('.').map_or((unsigned, None), |(whole, part)| (whole, Some(part)));
    let part_len = part.map_or(0, str::len);
    if whole.is_empty() || part == Some("") || whole.len() + part_len > 18 {
        return None;
    }
    let mut digits = 0i64;
    for byte in whole.bytes().chain(part.unwrap_or_default().bytes()) {
        if !byte.is_ascii_digit() {
            return None;
        }
        digits = digits * 10 + i64::from(byte - b'0');
    }
    let sign = if unsigned.len() < text.len() { -1 } else { 1 };
    Some(Number(Digits::Few { digits: sign * digits, scale: i32::try_from(part_len).ok()? }))
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        // Nearly all reported numbers take this way, which allocates nothing.
        if let Some((left, right, _)) = self.aligned(other) {
            return left.cmp(&right);
        }
        self.decimal().cmp(&other.decimal())
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl fmt::Display for Number {
    /// A JSON number: plain digits while readable, otherwise with an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((whole, 0)) = self.small() {
            return whole.fmt(f);
        }
        let normal = self.decimal().normalized();
        let (digits, scale) = normal.as_bigint_and_exponent();
        if (0..=30).contains(&scale) || (-30..0).contains(&scale) {
            f.write_str(&normal.to_plain_string())
        } else {
            write!(f, "{digits}e{}", -scale)
        }
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
        for given in ["", "NaN", "inf", "1e999999999", "12 rows", "1_000", "0x1f", "--1", "1.2.3", "e5", "-"]
        {
            assert_eq!(Number::parse(given), None, "{given}");
        }
    }

    #[test]
    fn arithmetic_is_exact_and_bounded() {
        let number = |text: &str| Number::parse(text).unwrap();
        assert_eq!(number("0.1").plus(&number("0.2")), Number::parse("0.3"));
        assert_eq!(number("1").over(&number("3")).unwrap().to_string(), format!("0.{}", "3".repeat(28)));
        assert_eq!(number("-2").over(&number("3")).unwrap().to_string(), format!("-0.{}7", "6".repeat(27)));
        assert_eq!(number("1e400").over(&number("1e-400")), None);
        assert_eq!(number("7").over(&number("2")).unwrap().to_string(), "3.5");
        assert_eq!(number("1").over(&number("0")), None);
        assert_eq!(number("1e400").times(&number("1e400")), None);
        assert_eq!(Number::scaled(-15, 1).unwrap().to_string(), "-1.5");
    }

    #[test]
    fn equal_numbers_are_equal_however_they_are_written() {
        for (left, right, order) in [
            ("1.50", "1.5", Ordering::Equal),
            ("1e3", "1000.000", Ordering::Equal),
            ("-0", "0.00", Ordering::Equal),
            ("9007199254740993", "9007199254740992.9", Ordering::Greater),
            ("-1e-300", "0", Ordering::Less),
            ("1e400", "1e-400", Ordering::Greater),
            ("123456789012345678901234567890", "123456789012345678901234567890.1", Ordering::Less),
        ] {
            let (left, right) = (Number::parse(left).unwrap(), Number::parse(right).unwrap());
            assert_eq!(left.cmp(&right), order, "{left} {right}");
            assert_eq!(right.cmp(&left), order.reverse(), "{right} {left}");
        }
    }
}
