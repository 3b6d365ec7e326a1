//! The regular expressions of rules and extractors, compiled within limits. Neighbour: [`super::quoted`] cuts them out of the text.
//!
//! Matching takes time linear in the length of the text, but with a factor that grows with the compiled size;
//! so the size is limited, and known. `\d`, `\w`, `\s` and `\b` mean their ASCII forms, which are small.

use regex::{Captures, Regex, RegexBuilder};

/// Sizes in bytes that are tried, smallest first: the size of an expression is known to a factor of two.
const SIZES: [usize; 6] = [1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, MAX_SIZE];
/// Most memory that the expressions of one rule may take when compiled, together, in bytes.
pub(super) const MAX_SIZE: usize = 32 << 10;
/// Memory for the states that matching builds as it goes, in bytes.
const CACHE_LIMIT: usize = 1 << 20;
/// Deepest nesting of groups.
const NEST_LIMIT: u32 = 32;

/// A compiled expression; cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// Without slashes, as written.
    pub(super) source: String,
    /// At least its compiled size in bytes, at most twice of it.
    pub(super) size: usize,
    regex: Regex,
}

/// What is wrong with a regular expression, and at which character of it, where known.
#[derive(Debug)]
pub(super) struct BadPattern {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

impl Pattern {
    /// `^` and `$` are the ends of lines.
    pub(super) fn compile(source: &str, ignore_case: bool, dot_all: bool) -> Result<Self, BadPattern> {
        if source.is_empty() {
            return Err(BadPattern { at: None, message: "this regular expression is empty".to_owned() });
        }
        let ascii = in_ascii(source);
        let build = |text: &str, size: usize| {
            RegexBuilder::new(text)
                .multi_line(true)
                .crlf(true)
                .case_insensitive(ignore_case)
                .dot_matches_new_line(dot_all)
                .size_limit(size)
                .dfa_size_limit(CACHE_LIMIT)
                .nest_limit(NEST_LIMIT)
                .build()
        };
        for size in SIZES {
            match build(&ascii, size) {
                Ok(regex) => return Ok(Self { source: source.to_owned(), size, regex }),
                Err(regex::Error::CompiledTooBig(_)) => {}
                // The places of an error are those of what was written.
                Err(error) => return Err(explain(&build(source, size).err().unwrap_or(error).to_string())),
            }
        }
        let message =
            "this regular expression is too big: write `+` or `*` instead of counted repeats like `{1,50}`";
        Err(BadPattern { at: None, message: message.to_owned() })
    }

    /// Where in the text the first match begins, in bytes.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.regex.find(text).map(|found| found.start())
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.regex.captures(text)
    }
}

/// The expression with `\d`, `\w`, `\s`, `\b` replaced by what they mean in ASCII.
fn in_ascii(source: &str) -> String {
    let mut ascii = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    let mut class = 0u32;
    while let Some(c) = chars.next() {
        match c {
            '[' => class += 1,
            ']' => class = class.saturating_sub(1),
            _ => {}
        }
        if c != '\\' {
            ascii.push(c);
            continue;
        }
        match chars.next() {
            Some('d') => ascii.push_str("[0-9]"),
            Some('D') => ascii.push_str("[^0-9]"),
            Some('w') => ascii.push_str("[0-9A-Za-z_]"),
            Some('W') => ascii.push_str("[^0-9A-Za-z_]"),
            Some('s') => ascii.push_str(r"[\t-\r ]"),
            Some('S') => ascii.push_str(r"[^\t-\r ]"),
            Some('b') if class == 0 && chars.peek() != Some(&'{') => ascii.push_str(r"(?-u:\b)"),
            Some(other) => ascii.extend(['\\', other]),
            None => ascii.push('\\'),
        }
    }
    ascii
}

/// Takes the place and the reason out of the regex crate's drawing of an error:
/// a line with the expression, a line with carets below it, and `error: …`.
fn explain(drawing: &str) -> BadPattern {
    let at = drawing
        .lines()
        .find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty())
        .and_then(|carets| carets.find('^')?.checked_sub("    ".len()));
    let reason = drawing.lines().rev().find_map(|line| line.strip_prefix("error: "));
    let reason = match reason.unwrap_or("cannot be read") {
        reason if reason.contains("look-around") => {
            "look-ahead and look-behind are not available, as they can be slow"
        }
        reason if reason.contains("backreferences") => {
            "backreferences are not available, as they can be slow"
        }
        reason => reason,
    };
    BadPattern { at, message: format!("in this regular expression: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_where_an_expression_is_wrong() {
        for (source, at, message) in [
            ("ab(c", Some(2), "unclosed group"),
            (r"\d\d(", Some(4), "unclosed group"),
            ("(?=a)", Some(0), "look-ahead"),
            (r"(a)\1", Some(3), "backreferences"),
            (r"(\w{500}){500}", None, "too big"),
            ("a**[", Some(3), "unclosed"),
            ("", None, "empty"),
        ] {
            let bad = Pattern::compile(source, false, false).unwrap_err();
            assert_eq!(bad.at, at, "{source}: {}", bad.message);
            assert!(bad.message.contains(message), "{source}: {}", bad.message);
        }
    }

    #[test]
    fn letters_stand_for_ascii_classes() {
        for (source, text, found) in [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^[\d.]+$", "1.2", true),
            (r"^[^\d]+$", "abc", true),
            (r"^\w+\s\S+$", "a_1 ö", true),
            (r"\bfoo\b", "a foo.", true),
            (r"\bfoo\b", "afoo", false),
            (r"^\D\W$", "a-", true),
            (r"gr.ße", "größe", true),
            (r"a\\d", r"a\d", true),
        ] {
            let pattern = Pattern::compile(source, false, false).unwrap();
            assert_eq!(pattern.find(text).is_some(), found, "{source} {text}");
            assert!(pattern.size <= 4 << 10, "{source} {}", pattern.size);
        }
    }
}
