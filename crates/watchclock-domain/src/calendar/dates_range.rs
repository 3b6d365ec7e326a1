//! A line of a list of dates taken apart: the first day, the last one however the range is written, and a name. Dates are read in `dates`.

use super::dates::date;

/// What a line says; a single day is its own last one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) first: &'a str,
    pub(super) last: &'a str,
    pub(super) name: &'a str,
}

/// Between the ends of a range; three dots are what a word processor turns into one sign.
const SIGNS: [char; 5] = ['.', '-', '\u{2013}', '\u{2014}', '\u{2026}'];
const WORDS: [&str; 6] = ["to", "until", "till", "through", "thru", "bis"];
const AND: [&str; 6] = ["and", "or", "&", "+", ",", "/"];
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Takes a line apart. A second date that is not the end of a range is no name: one of the days would be lost.
pub(super) fn split(entry: &str) -> Result<Entry<'_>, String> {
    let (word, rest) = first_word(entry);
    let dots = word.split_once("..").filter(|(first, last)| !first.is_empty() && !last.is_empty());
    let found = match dots {
        Some((first, last)) => Entry { first, last, name: rest },
        None => apart(word, rest)?,
    };
    let (second, _) = match connected(found.name) {
        Some((_, tail)) => first_word(tail),
        None => first_word(strip_and(found.name)),
    };
    let begin = second.find(|c: char| !c.is_ascii_digit() && c != '-').map_or(second, |end| &second[..end]);
    if date(begin).is_ok() {
        return Err(format!(
            "\"{second}\" is one more date: write it on a line of its own, or a range as 2026-12-24..2026-12-26"
        ));
    }
    Ok(found)
}

/// A day, or a range with blanks around its sign: `12-24 .. 12-26`, `12-24 - 12-26`, `12-24 to 12-26`.
fn apart<'a>(word: &'a str, rest: &'a str) -> Result<Entry<'a>, String> {
    let first = word.trim_end_matches(SIGNS);
    let glued = if date(first).is_ok() { &word[first.len()..] } else { "" };
    if glued.is_empty() && date(word).is_err() {
        // what is wrong with the first day is told before what follows it
        return Ok(Entry { first: word, last: word, name: "" });
    }
    let (sign, tail) = match connected(rest) {
        _ if !glued.is_empty() => (glued, rest),
        Some(connected) => connected,
        None => return Ok(Entry { first: word, last: word, name: rest }),
    };
    let (last, name) = first_word(tail);
    if date(last).is_ok() {
        return Ok(Entry { first, last, name });
    }
    let is_word = sign.starts_with(char::is_alphabetic);
    // a dash or a word may also begin a name
    let may_be_name = glued.is_empty() && (is_word || !sign.starts_with(['.', '\u{2026}']));
    if may_be_name && !last.is_empty() && !like_date(last, name, is_word) {
        return Ok(Entry { first: word, last: word, name: rest });
    }
    let shown: String = last.chars().take(30).collect();
    let instead = if shown.is_empty() { String::new() } else { format!(", and not \"{shown}\"") };
    Err(format!(
        "after \"{sign}\" stands the last day of a range, written like the first, as in 2026-12-24..2026-12-26{instead}"
    ))
}

/// What a range's sign or word is followed by.
fn connected(text: &str) -> Option<(&str, &str)> {
    let tail = text.trim_start_matches(SIGNS);
    if tail.len() < text.len() {
        let sign = &text[..text.len() - tail.len()];
        return Some((sign, tail.trim_start())).filter(|(sign, _)| *sign != ".");
    }
    let (word, tail) = first_word(text);
    WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)).then_some((word, tail))
}

fn strip_and(text: &str) -> &str {
    let (word, tail) = first_word(text);
    if AND.iter().any(|known| known.eq_ignore_ascii_case(word)) { tail } else { text }
}

/// `26.12.2026`, `12/26`, `26`, `Dec 26`; after a word also `26th`.
fn like_date(word: &str, next: &str, after_word: bool) -> bool {
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let bare = word.trim_end_matches([',', ';', ':']);
    let numbers = bare.chars().all(|c| c.is_ascii_digit() || "-./".contains(c));
    let month =
        word.get(..3).is_some_and(|begin| MONTHS.iter().any(|month| month.eq_ignore_ascii_case(begin)));
    digit(word) && (numbers || after_word) || month && digit(next)
}

fn first_word(text: &str) -> (&str, &str) {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_with_blanks() {
        for (line, first, last, name) in [
            ("2026-12-24", "2026-12-24", "2026-12-24", ""),
            ("2026-12-24  Holy  Night", "2026-12-24", "2026-12-24", "Holy  Night"),
            ("2026-12-24..2026-12-26 Christmas", "2026-12-24", "2026-12-26", "Christmas"),
            ("2026-12-24 .. 2026-12-26 Christmas", "2026-12-24", "2026-12-26", "Christmas"),
            ("2026-12-24 - 2026-12-26", "2026-12-24", "2026-12-26", ""),
            ("12-28 \u{2013} 12-30 Shutdown", "12-28", "12-30", "Shutdown"),
            ("12-28 \u{2026} 12-30", "12-28", "12-30", ""),
            ("12-28 ... 12-30", "12-28", "12-30", ""),
            ("12-28.. 12-30", "12-28", "12-30", ""),
            ("12-28 ..12-30", "12-28", "12-30", ""),
            ("12-28- 12-30", "12-28", "12-30", ""),
            ("12-28 -12-30 x", "12-28", "12-30", "x"),
            ("2026-12-24\tTo\t2026-12-26", "2026-12-24", "2026-12-26", ""),
            // names that begin like a range
            ("12-25 - Christmas", "12-25", "12-25", "- Christmas"),
            ("12-26 - 2nd day of Christmas", "12-26", "12-26", "- 2nd day of Christmas"),
            ("12-24 to be confirmed", "12-24", "12-24", "to be confirmed"),
            ("05-01 and so on", "05-01", "05-01", "and so on"),
            ("05-01 May Day", "05-01", "05-01", "May Day"),
            ("05-01 2 shifts", "05-01", "05-01", "2 shifts"),
        ] {
            assert_eq!(split(line), Ok(Entry { first, last, name }), "{line}");
        }
    }

    #[test]
    fn no_date_is_lost_in_a_name() {
        for (line, part) in [
            ("12-24 - 26", "and not \"26\""),
            ("12-24 - 26.12.2026", "and not \"26.12.2026\""),
            ("2026-12-24 - 2026-12-32", "and not \"2026-12-32\""),
            ("12-24 to 26th", "and not \"26th\""),
            ("12-24 until Dec 26", "and not \"Dec\""),
            ("12-24 .. Christmas", "after \"..\""),
            ("12-24..", "after \"..\""),
            ("12-24 -", "after \"-\""),
            ("12-24 bis", "after \"bis\""),
            ("12-24 12-26", "\"12-26\" is one more date"),
            ("12-24 and 12-26", "one more date"),
            ("12-24 / 12-26", "one more date"),
            ("12-24 12-26..12-28", "\"12-26..12-28\" is one more date"),
            ("12-24 & 2026-12-26", "one more date"),
            ("12-24..12-26 12-31", "\"12-31\" is one more date"),
            ("12-24..12-26 - 12-31", "\"12-31\" is one more date"),
        ] {
            let message = split(line).expect_err(line);
            assert!(message.contains(part), "{line}: {message}");
        }
    }
}
