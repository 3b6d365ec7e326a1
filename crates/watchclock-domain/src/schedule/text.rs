//! The characters and words of an expression as a person typed it, each with its place; `cron` and `oncalendar` give them meaning.

use crate::problem::Problem;

/// Longest accepted expression, in characters.
pub(super) const MAX_LINE: usize = 500;

/// A part of an expression. Expressions are ASCII once [`check`] has passed, so offsets count characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Piece<'a> {
    pub(super) fn len(self) -> usize {
        self.text.len()
    }

    /// A problem with this part.
    pub(super) fn problem(self, message: impl Into<String>) -> Problem {
        Problem::at(self.at, self.len(), message)
    }

    /// The part from a byte on.
    pub(super) fn skip(self, bytes: usize) -> Piece<'a> {
        Piece { text: self.text.get(bytes..).unwrap_or(""), at: self.at + bytes }
    }

    /// The part before a byte.
    pub(super) fn take(self, bytes: usize) -> Piece<'a> {
        Piece { text: self.text.get(..bytes).unwrap_or(self.text), at: self.at }
    }

    /// What stands before and after the first separator.
    pub(super) fn split_once(self, separator: &str) -> Option<(Piece<'a>, Piece<'a>)> {
        // the searcher of `str::find` takes longer to set up than these few characters to look at
        let index =
            self.text.as_bytes().windows(separator.len()).position(|at| at == separator.as_bytes())?;
        Some((self.take(index), self.skip(index + separator.len())))
    }

    /// The parts between separators, empty ones too.
    pub(super) fn split(self, is_separator: impl Fn(u8) -> bool) -> impl Iterator<Item = Piece<'a>> {
        let mut rest = Some(self);
        std::iter::from_fn(move || {
            let piece = rest?;
            let index = piece.text.bytes().position(&is_separator);
            rest = index.map(|index| piece.skip(index + 1));
            Some(index.map_or(piece, |index| piece.take(index)))
        })
    }

    /// The words between blanks and tabs.
    pub(super) fn words(self) -> Vec<Piece<'a>> {
        let mut words = Vec::with_capacity(8);
        let parts = self.split(|byte| matches!(byte, b' ' | b'\t'));
        words.extend(parts.filter(|piece| !piece.text.is_empty()));
        words
    }

    /// Only digits, and at least one.
    pub(super) fn is_number(self) -> bool {
        !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// The value of digits; what is too large to count is the largest number.
    pub(super) fn number(self) -> Option<u32> {
        self.is_number().then(|| self.text.parse().unwrap_or(u32::MAX))
    }
}

/// A range that runs backwards, from `from` over `high` and `low` to `to`, as ascending ones with `sign` between their ends.
pub(super) fn around((from, to): (u32, u32), (low, high): (u32, u32), step: u32, sign: &str) -> String {
    let ascending = |first: u32, last: u32| match (last - first) / step {
        // a single value with a step would begin a series that runs to the maximum
        0 => first.to_string(),
        _ if step == 1 => format!("{first}{sign}{last}"),
        _ => format!("{first}{sign}{last}/{step}"),
    };
    let again = u64::from(low) + u64::from(step - (high - from) % step) - 1;
    match u32::try_from(again) {
        Ok(again) if again <= to => format!("{},{}", ascending(from, high), ascending(again, to)),
        _ => ascending(from, high),
    }
}

/// Everything that no expression may contain: too much text, invisible and foreign characters.
pub(super) fn check(text: &str) -> Result<(), Vec<Problem>> {
    if text.len() <= MAX_LINE && text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return Ok(());
    }
    let length = text.chars().count();
    if length > MAX_LINE {
        let message = format!("an expression has at most {MAX_LINE} characters; this has {length}");
        return Err(vec![Problem::at(MAX_LINE, length - MAX_LINE, message)]);
    }
    let problems: Vec<Problem> = text
        .chars()
        .enumerate()
        .filter(|(_, c)| !(' '..='~').contains(c) && *c != '\t')
        .map(|(at, c)| Problem::at(at, 1, foreign(c)))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

fn foreign(c: char) -> String {
    let code = u32::from(c);
    if let Some(meant) = look_alike(c) {
        format!(
            "\"{c}\" (U+{code:04X}) looks like \"{meant}\" but is another character: did you mean \"{meant}\"?"
        )
    } else if c.is_numeric() {
        format!("\"{c}\" (U+{code:04X}) is not one of the digits 0 to 9")
    } else if c.is_alphabetic() {
        format!("\"{c}\" (U+{code:04X}) does not belong in a schedule: only unaccented letters do")
    } else if is_visible(c) {
        format!("\"{c}\" (U+{code:04X}) does not belong in a schedule")
    } else {
        format!("there is an invisible character (U+{code:04X}) here: delete it")
    }
}

/// What word processors and chats make of the signs of an expression.
fn look_alike(c: char) -> Option<char> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' => '-',
        '\u{2217}' | '\u{22C6}' | '\u{2731}' | '\u{FE61}' => '*',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{201A}' | '\u{060C}' | '\u{3001}' => ',',
        '\u{A789}' | '\u{2236}' => ':',
        // full-width forms mirror ASCII
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0)?,
        '\u{0660}'..='\u{0669}' => char::from_digit(u32::from(c) - 0x0660, 10)?,
        '\u{06F0}'..='\u{06F9}' => char::from_digit(u32::from(c) - 0x06F0, 10)?,
        '\u{00B9}' => '1',
        '\u{00B2}' => '2',
        '\u{00B3}' => '3',
        _ => return None,
    })
}

/// Marks and signs that take up room. Combining marks, joiners, fillers and other spaces do not, or look like a blank.
pub(super) fn is_visible(c: char) -> bool {
    !(c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '\u{00AD}' | '\u{0300}'
                ..='\u{036F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        )
        || matches!(c, '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(c, '\u{2800}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}')
        || matches!(c, '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_foreign_characters_and_their_place() {
        for (text, at, part) in [
            ("0 3 * * *\u{34F}", 9, "invisible character (U+034F)"),
            ("0\u{A0}3 * * *", 1, "invisible character (U+00A0)"),
            ("0 3 * * 1–5", 9, "did you mean \"-\""),
            ("¹ * * * *", 0, "did you mean \"1\""),
            ("é * * * *", 0, "only unaccented letters"),
            ("0 3 * * * \u{1F600}", 10, "does not belong"),
        ] {
            let problems = check(text).unwrap_err();
            assert_eq!((problems.len(), problems[0].at), (1, Some(at)), "{text}");
            assert!(problems[0].message.contains(part), "{}", problems[0].message);
        }
        assert_eq!(check(&"1".repeat(10_000)).unwrap_err()[0].at, Some(500));
        assert!(check("0\t3 * * *").is_ok());
    }

    #[test]
    fn words_know_their_place() {
        let words = Piece { text: " a\tbc  d ", at: 0 }.words();
        let places: Vec<_> = words.iter().map(|word| (word.text, word.at)).collect();
        assert_eq!(places, [("a", 1), ("bc", 3), ("d", 7)]);
    }
}
