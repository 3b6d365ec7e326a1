//! Makes text from the wire safe to store and to show; which text means what is told in [`super::params`].

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The text with NUL replaced (PostgreSQL refuses it), cut to `max` characters; and whether it was cut.
pub(super) fn text(raw: &str, max: usize) -> (String, bool) {
    bounded(raw.chars().map(|c| if c == '\0' { char::REPLACEMENT_CHARACTER } else { c }), raw.len(), max)
}

/// The text as one line without control characters, cut to `max` characters; and whether it was cut.
pub(super) fn line(raw: &str, max: usize) -> (String, bool) {
    let raw = raw.trim();
    if raw.len() <= max && !raw.contains(breaks) {
        return (raw.to_owned(), false);
    }
    let mut after_break = false;
    let chars = raw.chars().filter_map(move |c| {
        let broken = breaks(c);
        let doubled = broken && after_break;
        after_break = broken;
        match c {
            '\0' => Some(char::REPLACEMENT_CHARACTER),
            _ if doubled => None,
            _ if broken => Some(' '),
            _ => Some(c),
        }
    });
    bounded(chars, raw.len(), max)
}

/// One line, cut in silence: for names inside notes and for facts that nobody compares.
pub(super) fn short(raw: &str, max: usize) -> String {
    line(raw, max).0
}

/// A name of fixed length for a text that may not stand for itself, from SHA-256.
pub(super) fn hashed(raw: &[u8]) -> String {
    let mut name = String::from("sha256:");
    for byte in &Sha256::digest(raw)[..16] {
        write!(name, "{byte:02x}").expect("writing to a string cannot fail");
    }
    name
}

fn breaks(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn bounded(mut chars: impl Iterator<Item = char>, bytes: usize, max: usize) -> (String, bool) {
    let mut kept = String::with_capacity(bytes.min(max));
    kept.extend(chars.by_ref().take(max));
    let cut = chars.next().is_some();
    (kept, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_without_nul() {
        for (raw, max, kept, cut) in [
            ("plain", 10, "plain", false),
            ("  a\r\n\r\nb\tc ", 10, "a b c", false),
            ("a\0b", 10, "a\u{fffd}b", false),
            ("ééé", 2, "éé", true),
            ("ééé", 3, "ééé", false),
            ("a\u{2028}b\u{85}c", 9, "a b c", false),
            ("", 5, "", false),
        ] {
            assert_eq!(line(raw, max), (kept.to_owned(), cut), "{raw:?}");
        }
    }

    #[test]
    fn text_keeps_its_lines() {
        assert_eq!(text("a\n\0b", 10), ("a\n\u{fffd}b".to_owned(), false));
        assert_eq!(text("abc", 2), ("ab".to_owned(), true));
    }
}
