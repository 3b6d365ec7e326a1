//! Units of the numbers in a rule: `10k`, `500MB`, `1h30m`, `20%`. Neighbour: [`super::lexer`] finds where a number begins.

use crate::{problem::did_you_mean, value::Number};

/// What a number measures, as far as the text of a rule tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dimension {
    /// A number without unit, or with `%`.
    Plain,
    /// `10k`, `2.5M`: a plain number, too, but hardly a number of seconds.
    Thousands,
    /// Seconds.
    Time,
    /// Bytes.
    Size,
    /// How many, or how many times: never time or bytes.
    Count,
    /// Metadata, or arithmetic over it: anything.
    Any,
}

/// A number as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) value: Number,
    pub(super) dimension: Dimension,
}

/// Name, mantissa and scale of the factor, what it measures.
const UNITS: &[(&str, i128, i64, Dimension)] = &[
    ("ms", 1, 3, Dimension::Time),
    ("s", 1, 0, Dimension::Time),
    ("m", 60, 0, Dimension::Time),
    ("h", 3_600, 0, Dimension::Time),
    ("d", 86_400, 0, Dimension::Time),
    ("w", 604_800, 0, Dimension::Time),
    ("k", 1, -3, Dimension::Thousands),
    ("M", 1, -6, Dimension::Thousands),
    ("G", 1, -9, Dimension::Thousands),
    ("T", 1, -12, Dimension::Thousands),
    ("Ki", 1 << 10, 0, Dimension::Thousands),
    ("Mi", 1 << 20, 0, Dimension::Thousands),
    ("Gi", 1 << 30, 0, Dimension::Thousands),
    ("Ti", 1 << 40, 0, Dimension::Thousands),
    ("B", 1, 0, Dimension::Size),
    ("kB", 1, -3, Dimension::Size),
    ("KB", 1, -3, Dimension::Size),
    ("MB", 1, -6, Dimension::Size),
    ("GB", 1, -9, Dimension::Size),
    ("TB", 1, -12, Dimension::Size),
    ("KiB", 1 << 10, 0, Dimension::Size),
    ("MiB", 1 << 20, 0, Dimension::Size),
    ("GiB", 1 << 30, 0, Dimension::Size),
    ("TiB", 1 << 40, 0, Dimension::Size),
];

/// What people write for our units.
const SYNONYMS: &[(&str, &[&str])] = &[
    ("ms", &["msec", "msecs", "millis", "millisecond", "milliseconds"]),
    ("s", &["sec", "secs", "second", "seconds", "S"]),
    ("m", &["min", "mins", "minute", "minutes"]),
    ("h", &["hr", "hrs", "hour", "hours", "H"]),
    ("d", &["day", "days", "D"]),
    ("w", &["wk", "week", "weeks", "W"]),
    ("k", &["K", "thousand"]),
    ("M", &["million", "mio"]),
    ("G", &["billion"]),
    ("B", &["b", "byte", "bytes"]),
    ("KB", &["kb", "Kb"]),
    ("MB", &["mb", "Mb", "mB"]),
    ("GB", &["gb", "Gb", "gB"]),
    ("KiB", &["kib", "kiB", "Kib"]),
    ("MiB", &["mib", "miB", "Mib"]),
    ("GiB", &["gib", "giB", "Gib"]),
];

fn unit(name: &str) -> Option<(Number, Dimension)> {
    let (_, mantissa, scale, dimension) = UNITS.iter().find(|(known, ..)| *known == name)?;
    Some((Number::scaled(*mantissa, *scale)?, *dimension))
}

/// The unit that a word stands for, exactly or nearly.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    let known = || UNITS.iter().map(|(name, ..)| *name);
    known()
        .find(|name| *name == word)
        .or_else(|| SYNONYMS.iter().find(|(_, words)| words.contains(&word)).map(|(name, _)| *name))
        .or_else(|| if word.chars().count() > 1 { did_you_mean(word, known()) } else { None })
}

/// Why a number could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    /// Beyond what [`Number`] holds.
    OutOfRange,
    /// The unit begins at this byte.
    Unit(usize),
}

/// Reads digits with a unit behind them, or several of time: `1_000`, `2.5M`, `1h30m`, `20%`.
pub(super) fn read(text: &str) -> Result<Literal, Unreadable> {
    let mut total: Option<Literal> = None;
    let mut at = 0;
    while at < text.len() {
        let digits = digits(&text[at..]);
        if digits == 0 {
            return Err(Unreadable::Unit(at));
        }
        let value = Number::parse(&text[at..at + digits].replace('_', "")).ok_or(Unreadable::OutOfRange)?;
        at += digits;
        let rest = &text[at..];
        let name = &rest[..rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len())];
        let (factor, dimension) = match name {
            "" => (Number::from(1), Dimension::Plain),
            "%" => (Number::scaled(1, 2).ok_or(Unreadable::OutOfRange)?, Dimension::Plain),
            _ => unit(name).ok_or(Unreadable::Unit(at))?,
        };
        let value = value.times(&factor).ok_or(Unreadable::OutOfRange)?;
        total = Some(match total {
            None => Literal { value, dimension },
            Some(before) if before.dimension == Dimension::Time && dimension == Dimension::Time => {
                Literal { value: before.value.plus(&value).ok_or(Unreadable::OutOfRange)?, dimension }
            }
            Some(_) => return Err(Unreadable::Unit(at)),
        });
        at += name.len();
    }
    total.ok_or(Unreadable::Unit(0))
}

/// How many bytes at the start of the text are a number: digits, a point, an exponent.
pub(super) fn digits(text: &str) -> usize {
    let bytes = text.as_bytes();
    let run = |from: usize| {
        let more = |b: &u8| b.is_ascii_digit() || *b == b'_';
        if !bytes.get(from).is_some_and(u8::is_ascii_digit) {
            return from;
        }
        from + bytes[from..].iter().take_while(|b| more(b)).count()
    };
    let mut end = run(0);
    if end > 0 && bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end = run(end + 1);
    }
    if end > 0 && matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = run(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_with_units() {
        for (text, value, dimension) in [
            ("0", "0", Dimension::Plain),
            ("1_000", "1000", Dimension::Plain),
            ("6.02e23", "6.02e23", Dimension::Plain),
            ("20%", "0.2", Dimension::Plain),
            ("2.5M", "2500000", Dimension::Thousands),
            ("1Ki", "1024", Dimension::Thousands),
            ("500MB", "500000000", Dimension::Size),
            ("1GiB", "1073741824", Dimension::Size),
            ("90s", "90", Dimension::Time),
            ("500ms", "0.5", Dimension::Time),
            ("1h30m", "5400", Dimension::Time),
            ("1.5d", "129600", Dimension::Time),
        ] {
            let read = read(text).unwrap();
            assert_eq!((read.value, read.dimension), (Number::parse(value).unwrap(), dimension), "{text}");
        }
    }

    #[test]
    fn says_what_it_cannot_read() {
        for (text, why) in [
            ("10min", Unreadable::Unit(2)),
            ("2xx_count", Unreadable::Unit(1)),
            ("1h30", Unreadable::Unit(4)),
            ("1h2M", Unreadable::Unit(3)),
            ("1e500", Unreadable::OutOfRange),
        ] {
            assert_eq!(read(text), Err(why), "{text}");
        }
        assert_eq!(meant("min"), Some("m"));
        assert_eq!(meant("GIB"), Some("GiB"));
        assert_eq!(meant("xyz"), None);
    }
}
