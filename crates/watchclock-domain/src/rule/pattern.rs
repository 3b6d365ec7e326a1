//! Compiles the regular expressions of rules and extractors, within limits. Neighbour: [`super::quoted`] cuts them out of the text.

use regex::{Regex, RegexBuilder};

/// Most memory that one compiled expression may take, in bytes.
const SIZE_LIMIT: usize = 256 << 10;
/// Memory for the states that matching builds as it goes, in bytes.
const CACHE_LIMIT: usize = 1 << 20;
/// Deepest nesting of groups.
const NEST_LIMIT: u32 = 32;

/// What is wrong with a regular expression, and at which character of it, where known.
#[derive(Debug)]
pub(super) struct BadPattern {
    pub(super) at: Option<usize>,
    pub(super) message: String,
}

/// `^` and `$` are the ends of lines; matching takes time linear in the length of the text.
pub(super) fn compile(source: &str, ignore_case: bool, dot_all: bool) -> Result<Regex, BadPattern> {
    if source.is_empty() {
        return Err(BadPattern { at: None, message: "this regular expression is empty".to_owned() });
    }
    RegexBuilder::new(source)
        .multi_line(true)
        .crlf(true)
        .case_insensitive(ignore_case)
        .dot_matches_new_line(dot_all)
        .size_limit(SIZE_LIMIT)
        .dfa_size_limit(CACHE_LIMIT)
        .nest_limit(NEST_LIMIT)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => BadPattern {
                at: None,
                message: "this regular expression is too big: use smaller repeats, or `[0-9]` and `[a-z]` for `\\d` and `\\w`"
                    .to_owned(),
            },
            other => explain(&other.to_string()),
        })
}

/// Takes the place and the reason out of the regex crate's drawing of an error:
/// a line with the expression, a line with carets below it, and `error: …`.
fn explain(drawing: &str) -> BadPattern {
    let at = drawing
        .lines()
        .find(|line| line.contains('^') && line.trim_matches([' ', '^']).is_empty())
        .and_then(|carets| carets.find('^')?.checked_sub("    ".len()));
    let reason =
        drawing.lines().rev().find_map(|line| line.strip_prefix("error: ")).unwrap_or("cannot be read");
    let reason = if reason.contains("look-around") {
        "look-ahead and look-behind are not available, as they can be slow"
    } else if reason.contains("backreferences") {
        "backreferences are not available, as they can be slow"
    } else {
        reason
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
            ("(?=a)", Some(0), "look-ahead"),
            (r"(a)\1", Some(3), "backreferences"),
            (r"(\w{500}){500}", None, "too big"),
            ("", None, "empty"),
        ] {
            let bad = compile(source, false, false).unwrap_err();
            assert_eq!(bad.at, at, "{source}: {}", bad.message);
            assert!(bad.message.contains(message), "{source}: {}", bad.message);
        }
    }
}
