//! What was meant by a field of cron that cannot be read: names with a slip, ranges that run backwards, what other crons understand.
//! What can be read is in `cron_field`.

use super::{
    cron_field::{Field, MONTH, WEEKDAY},
    text::{Piece, around},
};
use crate::problem::{Problem, did_you_mean};

impl Field {
    /// `FRI-MOM`: with a name that is right, the range would still run backwards.
    pub(super) fn misspelt_backwards<'a>(
        &self,
        item: Piece<'a>,
        first: Piece<'a>,
        last: Piece<'a>,
    ) -> Option<Problem> {
        let meant = |piece: Piece<'a>| {
            if let Ok(value) = self.value(piece) {
                return Some((value, piece.text));
            }
            let name = self.meant(piece.text)?;
            let at = self.names.iter().position(|known| *known == name)?;
            Some((self.low + u32::try_from(at).ok()?, name))
        };
        let ((from, first), (to, last)) = (meant(first)?, meant(last)?);
        (from > to).then(|| {
            let meant = self.unwrapped(first, from, last, to);
            item.problem(format!("\"{}\" is no {}: did you mean \"{meant}\"?", item.text, self.name))
        })
    }

    /// `22-2/2`: each part of what was meant needs the step.
    pub(super) fn backwards_with_step(&self, item: Piece<'_>) -> Option<Problem> {
        let (range, step) = item.split_once("/")?;
        let (first, last) = range.split_once("-")?;
        let (from, to) = (self.value(first).ok()?, self.value(last).ok()?);
        if from <= to {
            return None;
        }
        let step = match self.step(item, range, step) {
            Ok(step) => step,
            Err(problem) => return Some(problem),
        };
        let meant = match self.names == WEEKDAY.names {
            // Sunday is at both ends of the week
            true if from == 7 => format!("0-{to}/{step}"),
            true => around((from, to), (0, 6), step, "-"),
            false => around((from, to), (self.low, self.high), step, "-"),
        };
        Some(item.problem(format!(
            "the range \"{}\" of the {} runs backwards: did you mean \"{meant}\"?",
            range.text, self.name
        )))
    }

    /// A range that wraps round, written as ascending ones.
    pub(super) fn unwrapped(&self, first: &str, from: u32, last: &str, to: u32) -> String {
        let from_first = |end: u32| if from == end { first.to_owned() } else { format!("{first}-{end}") };
        if self.names == WEEKDAY.names {
            let first = from.to_string();
            return match to {
                0 => format!("{first}-7"),
                _ if from == 7 => format!("0-{to}"),
                1 => format!("{first}-7,1"),
                _ => format!("{first}-7,1-{to}"),
            };
        }
        if to == self.low {
            return format!("{},{last}", from_first(self.high));
        }
        format!("{},{}-{last}", from_first(self.high), self.low)
    }

    pub(super) fn no_value(&self, piece: Piece<'_>) -> Problem {
        let text = piece.text;
        let name = self.name;
        let known_elsewhere = |other: &Field| other.names.iter().any(|name| name.eq_ignore_ascii_case(text));
        if text.is_empty() {
            return Problem::at(piece.at.saturating_sub(1), 1, format!("the {name} has an empty place"));
        }
        if text == "?" {
            return piece.problem(format!(
                "\"?\" stands for the whole field, like \"*\": leave the rest of the {name} out"
            ));
        }
        if text.contains('*') {
            return piece.problem(format!(
                "\"{text}\" is no {name}: \"*\" stands alone, or before a step as in \"*/5\""
            ));
        }
        if text.eq_ignore_ascii_case("h") || text.starts_with("H(") {
            return piece.problem(format!(
                "\"{text}\" is a hashed value of Jenkins: write the {name} at which the job really runs, a number from {} to {}",
                self.low, self.high
            ));
        }
        if self.names != WEEKDAY.names && known_elsewhere(&WEEKDAY) {
            return piece.problem(format!(
                "\"{text}\" is a day of the week, which is the fifth field, and no {name}"
            ));
        }
        if self.names != MONTH.names && known_elsewhere(&MONTH) {
            return piece.problem(format!("\"{text}\" is a month, which is the fourth field, and no {name}"));
        }
        if text.contains('~') {
            return piece.problem(format!(
                "\"{text}\" is a random value of some crons: write the {name} at which the job really runs, a number from {} to {}",
                self.low, self.high
            ));
        }
        if let Some(meant) = self.meant(text) {
            return piece.problem(format!("\"{text}\" is no {name}: did you mean \"{meant}\"?"));
        }
        let named = self.names.get(1).map_or_else(String::new, |name| format!(" or a name like {name}"));
        piece.problem(format!(
            "\"{text}\" is no {name}: write a number from {} to {}{named}",
            self.low, self.high
        ))
    }

    /// The name that a misspelt or long one was meant to be.
    fn meant(&self, text: &str) -> Option<&'static str> {
        let long = text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        let names = || self.names.iter().copied();
        let cut = text.get(..3).filter(|_| long);
        cut.and_then(|cut| names().find(|name| name.eq_ignore_ascii_case(cut)))
            .or_else(|| did_you_mean(text, names()))
    }
}
