//! Reads spans of time, `1h30m` and `PT1H30M`; they are written in [`crate::span`].

use chrono::TimeDelta;

use super::{DAY, HOUR, MINUTE, SECOND};
use crate::problem::Problem;

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
