//! What is wrong with something that a person wrote: which field, where in it, and what to do.

use std::fmt;

/// One problem with one field. Callers collect all of them before they refuse anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The field as the API names it: `schedule.cron`, `rules[0].when`. Parsers leave it empty for their caller to fill.
    pub field: String,
    /// One sentence, for people: what is wrong, and what would be right.
    pub message: String,
    /// Where in the field's text, as an offset in characters from 0.
    pub at: Option<usize>,
    /// How many characters are wrong there, at least 1 when `at` is known.
    pub len: usize,
}

impl Problem {
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), at: None, len: 0 }
    }

    /// A problem at a place in a text, with the field left for the caller.
    pub fn at(at: usize, len: usize, message: impl Into<String>) -> Self {
        Self { field: String::new(), message: message.into(), at: Some(at), len: len.max(1) }
    }

    /// Puts the problem under a field.
    #[must_use]
    pub fn in_field(mut self, field: impl Into<String>) -> Self {
        self.field = field.into();
        self
    }

    /// The text with a caret line below it, where the place is known and the text is one line.
    pub fn with_caret(&self, text: &str) -> String {
        match self.at {
            Some(at) if !text.contains('\n') => {
                // a tab is as wide as the one above it
                let blank = |c: char| if c == '\t' { c } else { ' ' };
                let before: String = text.chars().map(blank).chain(std::iter::repeat(' ')).take(at).collect();
                format!("{}\n  | {text}\n  | {before}{}", self.message, "^".repeat(self.len.max(1)))
            }
            _ => self.message.clone(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.field, self.message)
        }
    }
}

/// The nearest of `known` to a mistyped word, if one is near enough to be meant.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_within(word, known, (word.chars().count() / 3).max(1))
}

/// The nearest of `known`, if no more letters than `limit` are wrong.
pub(crate) fn nearest_within<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    known
        .into_iter()
        .map(|candidate| (edit_distance(&word, candidate, limit), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance to a known word in any case; anything above `limit` may be reported as just above it.
fn edit_distance(left: &[char], right: &str, limit: usize) -> usize {
    // There may be hundreds of known words, nearly all of them of another length.
    if left.len().abs_diff(right.chars().count()) > limit {
        return limit + 1;
    }
    let right: Vec<char> = right.chars().flat_map(char::to_lowercase).collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_what_is_near() {
        let known = ["eq", "gt", "lt", "contains", "Europe/Berlin"];
        assert_eq!(did_you_mean("gtt", known), Some("gt"));
        assert_eq!(did_you_mean("europe/berln", known), Some("Europe/Berlin"));
        assert_eq!(did_you_mean("banana", known), None);
    }

    #[test]
    fn caret_points_at_the_place() {
        let problem = Problem::at(9, 3, "unknown operator");
        assert_eq!(
            problem.with_caret("duration gtt 10m"),
            "unknown operator\n  | duration gtt 10m\n  |          ^^^"
        );
        assert_eq!(Problem::at(2, 2, "no hour").with_caret("0\t99"), "no hour\n  | 0\t99\n  |  \t^^");
        assert_eq!(Problem::at(3, 1, "more").with_caret("é"), "more\n  | é\n  |    ^");
    }
}
