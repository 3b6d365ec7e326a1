//! One field of a calendar expression as the values it names: `*`, `5`, `1..7`, `0/15`, lists of them. The fields together are in `oncalendar`.

use super::text::{Piece, around};
use crate::problem::{Problem, did_you_mean};

/// What one field may hold.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) low: u32,
    pub(super) high: u32,
}

pub(super) const YEAR: Part = Part { name: "year", low: 1970, high: 2199 };
pub(super) const MONTH: Part = Part { name: "month", low: 1, high: 12 };
pub(super) const DAY: Part = Part { name: "day-of-month", low: 1, high: 31 };
/// Days counted from the month's end; a single one only where every month has it.
pub(super) const DAY_FROM_END: Part = Part { name: "day from the month's end", low: 1, high: 31 };
pub(super) const HOUR: Part = Part { name: "hour", low: 0, high: 23 };
pub(super) const MINUTE: Part = Part { name: "minute", low: 0, high: 59 };
pub(super) const SECOND: Part = Part { name: "second", low: 0, high: 59 };

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// What a field names: everything, or some values in no order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Values {
    All,
    Some(Vec<u32>),
}

impl Values {
    /// As bits, with all of them for `*`.
    pub(super) fn set(self, all: u64) -> u64 {
        match self {
            Self::All => all,
            Self::Some(values) => values.into_iter().fold(0, |set, value| set | 1 << value),
        }
    }
}

impl Part {
    /// Reads a field; a problem with each wrong item is collected and the rest returned.
    pub(super) fn values(&self, piece: Piece<'_>, problems: &mut Vec<Problem>) -> Values {
        if piece.text == "*" {
            return Values::All;
        }
        let mut values = Vec::new();
        for item in piece.split(|byte| byte == b',') {
            match self.item(item) {
                Ok(found) => values.extend(found),
                Err(problem) => problems.push(problem),
            }
        }
        Values::Some(values)
    }

    fn counts_from_end(&self) -> bool {
        self.name == DAY_FROM_END.name
    }

    fn item(&self, item: Piece<'_>) -> Result<Vec<u32>, Problem> {
        if item.text.is_empty() {
            return Err(Problem::at(item.at, 1, format!("a value of the {} is missing here", self.name)));
        }
        if item.text.contains('*') {
            let step =
                item.text.strip_prefix("*/").filter(|_| item.skip(2).number().is_some_and(|step| step > 0));
            // a series from the end runs to the last day, so that it begins with the first
            let all = if self.counts_from_end() { "1..31".to_owned() } else { self.low.to_string() };
            let hint = step.map_or_else(String::new, |step| format!(": did you mean \"{all}/{step}\"?"));
            let message = format!("\"*\" stands alone in the {} of a calendar expression{hint}", self.name);
            return Err(item.problem(message));
        }
        let (range, step) = match item.split_once("/") {
            Some((range, step)) => (range, Some(self.step(step)?)),
            None => (item, None),
        };
        let (first, last) = range.split_once("..").unwrap_or((range, range));
        let (first, last) = (self.value(first)?, self.value(last)?);
        if first > last {
            // months and times of day come round again; a range of years or days does not go on
            let round = [MONTH.name, HOUR.name, MINUTE.name, SECOND.name].contains(&self.name);
            let meant = around((first, last), (self.low, self.high), step.unwrap_or(1), "..");
            let hint = if round { format!(": did you mean \"{meant}\"?") } else { String::new() };
            let message = format!("the range \"{}\" of the {} runs backwards{hint}", range.text, self.name);
            return Err(item.problem(message));
        }
        if self.counts_from_end() && first == last && !range.text.contains("..") && first > 28 {
            return Err(range.problem(
                "only the last 28 days can be counted from a month's end: not every month has more",
            ));
        }
        let step = step.map(|step| usize::try_from(step).unwrap_or(usize::MAX));
        Ok(match step {
            None => (first..=last).collect(),
            // counted from the end, a series goes from the earliest day, which has the highest number, to the last
            Some(step) if self.counts_from_end() => {
                (if first == last { 1..=first } else { first..=last }).rev().step_by(step).collect()
            }
            Some(step) => (first..=if first == last { self.high } else { last }).step_by(step).collect(),
        })
    }

    /// `1-5` with two dots.
    fn dotted(&self, piece: Piece<'_>) -> Option<String> {
        let (first, last) = piece.split_once("-")?;
        let (from, to) = (self.value(first).ok()?, self.value(last).ok()?);
        (from <= to).then(|| format!("{}..{}", first.text, last.text))
    }

    fn step(&self, step: Piece<'_>) -> Result<u32, Problem> {
        match step.number() {
            Some(0) => Err(step.problem(format!("the step of the {} must be at least 1", self.name))),
            Some(step) => Ok(step),
            None => Err(step.problem(format!(
                "the step of the {} after \"/\" is a number, not \"{}\"",
                self.name, step.text
            ))),
        }
    }

    fn value(&self, piece: Piece<'_>) -> Result<u32, Problem> {
        let value = piece.number().map(|value| match value {
            // two digits are years near 2000, as in systemd
            0..70 if self.name == YEAR.name => value + 2000,
            70..100 if self.name == YEAR.name => value + 1900,
            _ => value,
        });
        match value {
            Some(value) if (self.low..=self.high).contains(&value) => Ok(value),
            Some(_) => Err(piece.problem(format!(
                "{} is out of range: the {} goes from {} to {}",
                piece.text, self.name, self.low, self.high
            ))),
            None if self.name == SECOND.name && piece.text.contains('.') => {
                Err(piece.problem("fractions of a second are not understood: write whole seconds"))
            }
            None if piece.text.contains('-') => Err(piece.problem(format!(
                "\"{}\" is no {}: ranges are written with two dots, {}",
                piece.text,
                self.name,
                self.dotted(piece)
                    .map_or_else(|| "as in 1..5".to_owned(), |meant| format!("did you mean \"{meant}\"?"))
            ))),
            None if is_half_of_day(piece.text) => Err(piece.problem(format!(
                "\"{}\" is no {}: hours go from 0 to 23, without am and pm",
                piece.text, self.name
            ))),
            None => Err(piece.problem(format!("\"{}\" is no {}: it is a number", piece.text, self.name))),
        }
    }
}

/// `30pm`, or `pm` alone.
pub(super) fn is_half_of_day(text: &str) -> bool {
    let half = text.trim_start_matches(|c: char| c.is_ascii_digit());
    ["am", "pm", "a.m.", "p.m."].iter().any(|known| known.eq_ignore_ascii_case(half))
}

/// Weekdays as bits, 0 for Sunday: full or short English names in any case, lists, and ranges with `..` or `-`; one comma may trail.
pub(super) fn weekdays(piece: Piece<'_>, problems: &mut Vec<Problem>) -> u8 {
    let piece =
        if piece.text.ends_with(',') && piece.len() > 1 { piece.take(piece.len() - 1) } else { piece };
    let mut set = 0;
    for item in piece.split(|byte| byte == b',') {
        match weekday_range(item) {
            Ok((first, last)) => set |= (first..=last).fold(0, |set, day| set | 1 << ((day + 1) % 7)),
            Err(problem) => problems.push(problem),
        }
    }
    set
}

fn weekday_range(item: Piece<'_>) -> Result<(usize, usize), Problem> {
    let Some((first, last)) = item.split_once("..").or_else(|| item.split_once("-")) else {
        return weekday(item).map(|day| (day, day));
    };
    let read = (weekday(first), weekday(last));
    if let (Ok(from), Ok(to)) = read
        && from <= to
    {
        return Ok((from, to));
    }
    let ((from, begin), (to, end)) = (meant_weekday(first), meant_weekday(last));
    // a name that is right is no help where the range would still run backwards
    if let (Err(problem), _) | (_, Err(problem)) = read
        && (from.is_none() || to.is_none() || from <= to)
    {
        return Err(problem);
    }
    let rest = if to == Some(0) { end.to_owned() } else { format!("Mon..{end}") };
    let begin = if from == Some(6) { begin.to_owned() } else { format!("{begin}..Sun") };
    Err(item.problem(format!(
        "the range \"{}\" runs backwards, a week begins on Monday: did you mean \"{begin},{rest}\"?",
        item.text
    )))
}

/// The weekday that a word is or was probably meant to be, and how it is written.
fn meant_weekday(piece: Piece<'_>) -> (Option<usize>, &str) {
    if let Ok(day) = weekday(piece) {
        return (Some(day), piece.text);
    }
    let near = near_weekday(piece.text);
    let day = near.and_then(|near| WEEKDAYS.into_iter().position(|name| name[..3] == near[..3]));
    (day, near.unwrap_or(piece.text))
}

fn near_weekday(text: &str) -> Option<&'static str> {
    did_you_mean(text, WEEKDAYS.into_iter().chain(WEEKDAYS.map(|name| &name[..3])))
}

fn weekday(piece: Piece<'_>) -> Result<usize, Problem> {
    let is = |name: &str| name.eq_ignore_ascii_case(piece.text) || name[..3].eq_ignore_ascii_case(piece.text);
    WEEKDAYS.into_iter().position(is).ok_or_else(|| {
        if piece.text.is_empty() {
            return Problem::at(piece.at, 1, "a weekday is missing here");
        }
        let hint = near_weekday(piece.text).map_or_else(
            || "write Mon, Tue … Sun, a date such as *-*-01, or a time such as 02:30".to_owned(),
            |name| format!("did you mean \"{name}\"?"),
        );
        piece.problem(format!("\"{}\" is no weekday: {hint}", piece.text))
    })
}
