//! Spans of time as people write and read them: `90s`, `1h30m`, `PT1H30M`; moments and zones are in [`crate::schedule`].

mod read;

use std::fmt::Write as _;

use chrono::TimeDelta;

pub use read::parse;

const SECOND: i128 = 1_000_000_000;
const MINUTE: i128 = 60 * SECOND;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

/// A span for people, to two units: `2 h 05 min`, `45 s`, `1.2 s`, `340 ms`, `3 d 4 h`.
pub fn words(span: TimeDelta) -> String {
    let nanos = nanos(span);
    let sign = if nanos < 0 { "-" } else { "" };
    let nanos = nanos.abs();
    // whole units, rounded to the one that is shown last
    let rounded = |unit: i128| (nanos + unit / 2) / unit;
    let millis = rounded(SECOND / 1000);
    let text = if nanos == 0 {
        "0 s".to_owned()
    } else if millis == 0 {
        "under 1 ms".to_owned()
    } else if millis < 1000 {
        format!("{millis} ms")
    } else if rounded(SECOND / 10) < 100 && rounded(SECOND / 10) % 10 != 0 {
        let tenths = rounded(SECOND / 10);
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else if rounded(SECOND) < 60 {
        format!("{} s", rounded(SECOND))
    } else if rounded(SECOND) < 3600 {
        pair(rounded(SECOND), 60, "min", "s")
    } else if rounded(MINUTE) < 24 * 60 {
        pair(rounded(MINUTE), 60, "h", "min")
    } else {
        let hours = rounded(HOUR);
        if hours % 24 == 0 {
            format!("{} d", hours / 24)
        } else {
            format!("{} d {} h", hours / 24, hours % 24)
        }
    };
    format!("{sign}{text}")
}

fn pair(count: i128, per: i128, large: &str, small: &str) -> String {
    match count % per {
        0 => format!("{} {large}", count / per),
        rest => format!("{} {large} {rest:02} {small}", count / per),
    }
}

/// A span in full, as short as [`parse`] reads it back: `2h5m`, `1.5s`, `0s`.
pub fn short(span: TimeDelta) -> String {
    spelled(span, |text, count, unit| _ = write!(text, "{count}{unit}"))
}

/// A span in full for people: `5 min`, `1 h 30 min`, `1 d 12 h`.
pub(crate) fn exact(span: TimeDelta) -> String {
    spelled(span, |text, count, unit| {
        let unit = if unit == "m" { "min" } else { unit };
        let gap = if text.is_empty() || text == "-" { "" } else { " " };
        _ = write!(text, "{gap}{count} {unit}");
    })
}

/// All units from days down that are not zero, with the fraction at the seconds.
fn spelled(span: TimeDelta, mut put: impl FnMut(&mut String, &str, &str)) -> String {
    let nanos = nanos(span);
    let mut text = if nanos < 0 { "-".to_owned() } else { String::new() };
    let mut rest = nanos.abs();
    for (unit, name) in [(DAY, "d"), (HOUR, "h"), (MINUTE, "m")] {
        if rest >= unit {
            put(&mut text, &(rest / unit).to_string(), name);
        }
        rest %= unit;
    }
    if rest != 0 || nanos == 0 {
        let fraction = format!(".{:09}", rest % SECOND);
        let seconds = format!("{}{}", rest / SECOND, fraction.trim_end_matches('0').trim_end_matches('.'));
        put(&mut text, &seconds, "s");
    }
    text
}

fn nanos(span: TimeDelta) -> i128 {
    i128::from(span.num_seconds()) * SECOND + i128::from(span.subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> i64 {
        parse(text).unwrap().num_seconds()
    }

    #[test]
    fn reads_what_people_write() {
        for (text, expected) in [
            ("90s", 90),
            ("5m", 300),
            ("2h", 7200),
            ("1d", 86_400),
            ("1w", 604_800),
            ("1h30m", 5400),
            (" 1 h 30 min ", 5400),
            ("90", 90),
            ("0", 0),
            ("1.5h", 5400),
            ("2 hours", 7200),
            ("PT1H30M", 5400),
            ("P1D", 86_400),
            ("P1DT12H", 129_600),
            ("P2W", 1_209_600),
            ("pt0,5h", 1800),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
        assert_eq!(parse("340ms"), Ok(TimeDelta::milliseconds(340)));
        assert_eq!(parse("PT1.25S"), Ok(TimeDelta::milliseconds(1250)));
    }

    #[test]
    fn refuses_with_place_and_hint() {
        for (text, at, part) in [
            ("", 0, "give a duration"),
            ("5x", 1, "no unit"),
            ("5M", 1, "did you mean \"m\""),
            ("1y", 1, "365d"),
            ("-5m", 0, "negative"),
            ("30m1h", 3, "large to small"),
            ("1h30", 2, "lacks a unit"),
            ("h", 0, "no number"),
            ("1..5s", 0, "no number"),
            ("٣m", 0, "no number"),
            ("P1M", 1, "P30D"),
            ("P1H", 1, "follow a T"),
            ("P", 0, "incomplete"),
            ("P1DT", 0, "incomplete"),
            ("PTM", 2, "no number"),
            ("99999999999999999999w", 0, "hundred years"),
            ("101y", 3, "365d"),
            ("40000d", 0, "hundred years"),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!(problem.at, Some(at), "{text}: {problem}");
            assert!(problem.message.contains(part), "{text}: {problem}");
        }
        assert!(parse(&"1".repeat(10_000)).is_err());
    }

    #[test]
    fn words_are_for_people() {
        for (millis, expected) in [
            (0, "0 s"),
            (340, "340 ms"),
            (1234, "1.2 s"),
            (2000, "2 s"),
            (9960, "10 s"),
            (45_000, "45 s"),
            (59_700, "1 min"),
            (303_000, "5 min 03 s"),
            (7_500_000, "2 h 05 min"),
            (7_200_000, "2 h"),
            (86_399_999, "1 d"),
            (273_600_000, "3 d 4 h"),
            (-1500, "-1.5 s"),
        ] {
            assert_eq!(words(TimeDelta::milliseconds(millis)), expected);
        }
    }

    #[test]
    fn short_is_read_back() {
        assert_eq!(short(TimeDelta::minutes(125)), "2h5m");
        assert_eq!(exact(TimeDelta::minutes(125)), "2 h 5 min");
        let mut nanos: i64 = 1;
        while nanos < 3_000_000_000_000_000_000 {
            let span = TimeDelta::nanoseconds(nanos);
            assert_eq!(parse(&short(span)), Ok(span), "{}", short(span));
            nanos = nanos * 3 + 7;
        }
        assert_eq!(short(TimeDelta::zero()), "0s");
    }
}
