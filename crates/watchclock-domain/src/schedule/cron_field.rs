//! One field of a cron expression as a set of values; the line is in `cron`, special days in `cron_days`, hints in `cron_meant`.

use super::text::Piece;
use crate::problem::Problem;

/// What one field may hold.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) low: u32,
    pub(super) high: u32,
    /// Names of the values from `low` up.
    pub(super) names: &'static [&'static str],
}

pub(super) const MINUTE: Field = Field { name: "minute", low: 0, high: 59, names: &[] };
pub(super) const HOUR: Field = Field { name: "hour", low: 0, high: 23, names: &[] };
pub(super) const DAY: Field = Field { name: "day-of-month", low: 1, high: 31, names: &[] };
pub(super) const MONTH: Field = Field {
    name: "month",
    low: 1,
    high: 12,
    names: &["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"],
};
/// 0 and 7 are Sunday.
pub(super) const WEEKDAY: Field =
    Field { name: "day-of-week", low: 0, high: 7, names: &["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] };

impl Field {
    /// Every value of the field as bits.
    pub(super) fn all(&self) -> u64 {
        self.stepped(self.low, self.high, 1)
    }

    fn stepped(&self, first: u32, last: u32, step: u32) -> u64 {
        let last = last.min(self.high);
        if step == 1 {
            return u64::MAX >> (63 - last) & u64::MAX << first;
        }
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        (first..=last).step_by(step).fold(0, |set, value| set | 1 << value)
    }

    /// The values that one item of a list names: `*`, `5`, `MON`, `1-5`, each perhaps with `/step`.
    pub(super) fn item(&self, item: Piece<'_>) -> Result<u64, Problem> {
        let Some((base, step)) = item.split_once("/") else {
            return self.range(item).map(|(first, last)| self.stepped(first, last, 1));
        };
        if base.text.is_empty() {
            let meant = step.number().is_some_and(|step| step > 0);
            let hint = if meant { format!(": did you mean \"*{}\"?", item.text) } else { String::new() };
            let message = format!("the {} has a step but nothing to step through{hint}", self.name);
            return Err(item.problem(message));
        }
        let (first, last) =
            self.range(base).map_err(|problem| self.backwards_with_step(item).unwrap_or(problem))?;
        let step = self.step(item, base, step)?;
        // a single value, also `1-1`, begins a series that runs to the maximum
        let last = if first == last { self.high } else { last };
        Ok(self.stepped(first, last, step))
    }

    pub(super) fn step(&self, item: Piece<'_>, base: Piece<'_>, step: Piece<'_>) -> Result<u32, Problem> {
        match step.number() {
            Some(0) => Err(step.problem(format!("the step of the {} must be at least 1", self.name))),
            Some(step) => Ok(step),
            None if step.text.is_empty() => Err(item.problem(format!(
                "the step of the {} is missing after \"{}/\": write \"{}/5\" for every fifth",
                self.name, base.text, base.text
            ))),
            None => Err(step
                .problem(format!("\"{}\" is no step for the {}: a step is a number", step.text, self.name))),
        }
    }

    fn range(&self, item: Piece<'_>) -> Result<(u32, u32), Problem> {
        if item.text == "*" {
            return Ok((self.low, self.high));
        }
        let Some((first, last)) = item.split_once("-") else {
            return self.value(item).map(|value| (value, value));
        };
        if first.text.is_empty() && last.is_number() {
            return Err(item.problem(format!(
                "\"{}\" is no {}: negative numbers and open ranges are not allowed",
                item.text, self.name
            )));
        }
        if first.text.is_empty() || last.text.is_empty() {
            return Err(item.problem(format!(
                "the range \"{}\" of the {} needs both ends, such as {}-{}",
                item.text, self.name, self.low, self.high
            )));
        }
        let (from, to) = match (self.value(first), self.value(last)) {
            (Ok(from), Ok(to)) => (from, to),
            (Err(problem), _) | (_, Err(problem)) => {
                return Err(self.misspelt_backwards(item, first, last).unwrap_or(problem));
            }
        };
        if from > to {
            return Err(item.problem(format!(
                "the range \"{}\" of the {} runs backwards: did you mean \"{}\"?",
                item.text,
                self.name,
                self.unwrapped(first.text, from, last.text, to)
            )));
        }
        Ok((from, to))
    }

    /// One number or name.
    pub(super) fn value(&self, piece: Piece<'_>) -> Result<u32, Problem> {
        if let Some(value) = piece.number() {
            if (self.low..=self.high).contains(&value) {
                return Ok(value);
            }
            return Err(piece.problem(format!(
                "{} is out of range: the {} goes from {} to {}",
                piece.text, self.name, self.low, self.high
            )));
        }
        let named = (self.low..).zip(self.names).find(|(_, name)| name.eq_ignore_ascii_case(piece.text));
        named.map(|(value, _)| value).ok_or_else(|| self.no_value(piece))
    }
}

/// Reads the items of a list one by one, with a problem for each that is empty or wrong.
pub(super) fn each_item<'a>(
    field: &Field,
    piece: Piece<'a>,
    problems: &mut Vec<Problem>,
    mut read: impl FnMut(Piece<'a>) -> Result<(), Problem>,
) {
    for item in piece.split(|byte| byte == b',') {
        if item.text.is_empty() {
            let comma = if item.at == piece.at { item.at } else { item.at - 1 };
            let message = format!("the list of the {} has an empty item at this comma", field.name);
            problems.push(Problem::at(comma, 1, message));
        } else if let Err(problem) = read(item) {
            problems.push(problem);
        }
    }
}

/// A field without special values, as bits. Problems are collected; the set of what is left is returned.
pub(super) fn set(field: &Field, piece: Piece<'_>, problems: &mut Vec<Problem>) -> u64 {
    if matches!(piece.text, "*" | "?") {
        return field.all();
    }
    let mut set = 0;
    each_item(field, piece, problems, |item| field.item(item).map(|values| set |= values));
    set
}
