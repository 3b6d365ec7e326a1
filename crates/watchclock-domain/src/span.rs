//! Spans of time as people write and read them: `90s`, `1h30m`, `PT1H30M`; moments and zones are in [`crate::schedule`].

use std::fmt::Write as _;

use chrono::TimeDelta;

use crate::problem::Problem;

const SECOND: i128 = 1_000_000_000;
const MINUTE: i128 = 60 * SECOND;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;
const WEEK: i128 = 7 * DAY;

/// Longest accepted text, in characters.
const MAX_TEXT: usize = 100;
/// Longest accepted span: a hundred years and the leap days in them.
const MAX_SPAN: i128 = 36_525 * DAY;

/// Units with the words for them; the first is the one that is written.
const UNITS: [(i128, &[&str]); 6] = [
    (WEEK, &["w", "wk", "week", "weeks"]),
    (DAY, &["d", "day", "days"]),
    (HOUR, &["h", "hr", "hrs", "hour", "hours"]),
    (MINUTE, &["m", "min", "mins", "minute", "minutes"]),
    (SECOND, &["s", "sec", "secs", "second", "seconds"]),
    (SECOND / 1000, &["ms", "msec", "millisecond", "milliseconds"]),
];

/// Reads `90s`, `5m`, `2h`, `1d`, `1w`, `1h30m`, a bare number of seconds, or an ISO 8601 duration without months and years.
///
/// Units descend and appear once; decimals are allowed. Spans are never negative and at most a hundred years.
pub fn parse(text: &str) -> Result<TimeDelta, Problem> {
    let length = text.chars().count();
    if length > MAX_TEXT {
        return Err(Problem::at(
            MAX_TEXT,
            length - MAX_TEXT,
            format!("a duration has at most {MAX_TEXT} characters"),
        ));
    }
    let letters: Vec<char> = text.chars().collect();
    let start = letters.iter().take_while(|c| c.is_whitespace()).count();
    let end = length - letters.iter().rev().take_while(|c| c.is_whitespace()).count();
    let Some(body) = letters.get(start..end).filter(|body| !body.is_empty()) else {
        return Err(Problem::at(0, length, "give a duration, such as 90s, 5m or 1h30m"));
    };
    if body[0] == '-' {
        return Err(Problem::at(start, end - start, "a duration cannot be negative"));
    }
    let reader = Reader { letters: body, offset: start };
    let nanos = if matches!(body[0], 'P' | 'p') { reader.iso()? } else { reader.plain()? };
    if nanos > MAX_SPAN {
        return Err(Problem::at(start, end - start, "a duration is at most a hundred years"));
    }
    i64::try_from(nanos / SECOND)
        .ok()
        .and_then(|seconds| TimeDelta::new(seconds, u32::try_from(nanos % SECOND).unwrap_or(0)))
        .ok_or_else(|| Problem::at(start, end - start, "a duration is at most a hundred years"))
}

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

/// The characters of a duration and where they stand in the text.
struct Reader<'a> {
    letters: &'a [char],
    offset: usize,
}

impl Reader<'_> {
    fn problem(&self, at: usize, len: usize, message: impl Into<String>) -> Problem {
        Problem::at(self.offset + at, len, message)
    }

    /// The end of the run of characters from `at` on that satisfy a condition.
    fn run(&self, at: usize, condition: impl Fn(char) -> bool) -> usize {
        at + self.letters[at..].iter().take_while(|c| condition(**c)).count()
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.letters[from..to].iter().collect()
    }

    /// A decimal number in nanoseconds of `unit`; digits beyond the nanosecond are dropped.
    fn amount(&self, from: usize, to: usize, unit: i128) -> Result<i128, Problem> {
        let text = self.text(from, to).replace(',', ".");
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(fraction) {
            return Err(self.problem(from, to - from, format!("\"{}\" is no number", self.text(from, to))));
        }
        let whole = whole.trim_start_matches('0');
        if whole.len() > 12 {
            return Err(self.problem(from, to - from, "a duration is at most a hundred years"));
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().unwrap_or(0) };
        let fraction = &fraction[..fraction.len().min(18)];
        let scale = 10_i128.pow(u32::try_from(fraction.len()).unwrap_or(0));
        Ok(whole * unit + fraction.parse::<i128>().unwrap_or(0) * unit / scale)
    }

    fn plain(&self) -> Result<i128, Problem> {
        let (mut total, mut at, mut before) = (0, 0, i128::MAX);
        while at < self.letters.len() {
            let number = self.run(at, |c| c.is_ascii_digit() || c == '.' || c == ',');
            if number == at {
                let wrong = self.run(at, |c| !c.is_ascii_digit());
                let found = self.text(at, wrong);
                let message =
                    format!("\"{}\" is no number: write a duration such as 90s, 5m or 1h30m", found.trim());
                return Err(self.problem(at, wrong - at, message));
            }
            let blank = self.run(number, char::is_whitespace);
            let end = self.run(blank, |c| !c.is_whitespace() && !c.is_ascii_digit());
            let unit = match self.text(blank, end).as_str() {
                "" if at == 0 && end == self.letters.len() => SECOND,
                "" => {
                    let message =
                        format!("the number {} lacks a unit: s, m, h, d or w", self.text(at, number));
                    return Err(self.problem(at, number - at, message));
                }
                name => self.unit(name, blank, end)?,
            };
            if unit >= before {
                let message = "units go from large to small, each once, as in 1h30m";
                return Err(self.problem(at, end - at, message));
            }
            before = unit;
            total += self.amount(at, number, unit)?;
            at = self.run(end, char::is_whitespace);
        }
        Ok(total)
    }

    fn unit(&self, name: &str, from: usize, to: usize) -> Result<i128, Problem> {
        if let Some((unit, _)) = UNITS.iter().find(|(_, names)| names.contains(&name)) {
            return Ok(*unit);
        }
        let lower = name.to_lowercase();
        let hint = match lower.as_str() {
            "y" | "yr" | "year" | "years" => "years differ in length, write days: 365d".to_owned(),
            "mo" | "mon" | "month" | "months" => "months differ in length, write days: 30d".to_owned(),
            _ if UNITS.iter().any(|(_, names)| names.contains(&lower.as_str())) => {
                format!("did you mean \"{lower}\"?")
            }
            _ => "units are s, m, h, d and w, as in 1h30m".to_owned(),
        };
        Err(self.problem(from, to - from, format!("\"{name}\" is no unit of time: {hint}")))
    }

    /// `P1W`, `P1DT2H`, `PT1H30M`, after ISO 8601; the decimal sign may be a comma.
    fn iso(&self) -> Result<i128, Problem> {
        let (mut total, mut at, mut before, mut in_time) = (0, 1, i128::MAX, false);
        let mut empty = true;
        while let Some(letter) = self.letters.get(at) {
            if matches!(letter, 'T' | 't') && !in_time {
                (in_time, empty) = (true, true);
                at += 1;
                continue;
            }
            let number = self.run(at, |c| c.is_ascii_digit() || c == '.' || c == ',');
            let unit = match (self.letters.get(number).map(char::to_ascii_uppercase), in_time) {
                (Some('W'), false) => WEEK,
                (Some('D'), false) => DAY,
                (Some('H'), true) => HOUR,
                (Some('M'), true) => MINUTE,
                (Some('S'), true) => SECOND,
                (Some('Y' | 'M'), false) => {
                    let message = "years and months differ in length, write days, as in P30D; minutes follow a T, as in PT5M";
                    return Err(self.problem(at, number + 1 - at, message));
                }
                (Some('H' | 'S'), false) => {
                    let message = "hours, minutes and seconds follow a T, as in PT1H30M";
                    return Err(self.problem(at, number + 1 - at, message));
                }
                _ => {
                    let message = "this is no ISO 8601 duration, such as PT1H30M or P1D";
                    return Err(self.problem(at, self.letters.len() - at, message));
                }
            };
            if unit >= before {
                return Err(self.problem(
                    at,
                    number + 1 - at,
                    "units go from large to small, each once, as in PT1H30M",
                ));
            }
            before = unit;
            total += self.amount(at, number, unit)?;
            empty = false;
            at = number + 1;
        }
        if empty {
            let message = "this ISO 8601 duration is incomplete: write it like PT1H30M or P1D";
            return Err(self.problem(0, self.letters.len(), message));
        }
        Ok(total)
    }
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
