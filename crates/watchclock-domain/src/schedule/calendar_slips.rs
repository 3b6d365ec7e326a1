//! What people write where a calendar expression belongs, and what they meant: another order, comments, dates of ISO 8601. The grammar is in `oncalendar`.

use super::{
    Zone,
    calendar_field::{is_half_of_day, weekdays},
    cron::{self, zone_prefix},
    oncalendar::{self, SHORTHANDS},
    text::Piece,
};
use crate::problem::{Problem, did_you_mean};

/// What systemd and cron call by other names.
const OTHER_NAMES: [(&str, &str); 4] = [
    ("biannually", "semiannually"),
    ("bi-annually", "semiannually"),
    ("semi-annually", "semiannually"),
    ("midnight", "daily"),
];

/// One problem that explains the others, if the whole was meant in another way and would be right then.
pub(super) fn meant(words: &[Piece<'_>]) -> Option<Problem> {
    let (first, last) = (words.first()?, words.last()?);
    let place = Problem::at(first.at, last.at + last.len() - first.at, "");
    let written = words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    if first.text.trim_start_matches('@').eq_ignore_ascii_case("every") && words.len() > 1 {
        let message =
            format!("\"{written}\" is no calendar expression: use the schedule \"every\" for an interval");
        return Some(Problem { message, ..place });
    }
    if words.len() >= 5 && cron::parse(&written).is_ok() {
        let message = format!("\"{written}\" is no calendar expression: use the schedule \"cron\" for it");
        return Some(Problem { message, ..place });
    }
    let reads = |text: &String| oncalendar::parse(text).is_ok();
    let closed = closed(words);
    if closed.split(' ').count() < words.len() && reads(&closed) {
        let message = format!("there is a blank inside a field: did you mean \"{closed}\"?");
        return Some(Problem { message, ..place });
    }
    let spread = words.iter().map(|word| date_and_time(word.text)).collect::<Vec<_>>().join(" ");
    if spread.split(' ').count() > words.len() && reads(&spread) {
        let message = format!("date and time are two words: did you mean \"{spread}\"?");
        return Some(Problem { message, ..place });
    }
    let mut ranked: Vec<(u8, &str)> = words.iter().map(|word| rank(*word)).collect::<Option<_>>()?;
    ranked.sort_by_key(|(rank, _)| *rank);
    let ordered = ranked.iter().map(|(_, word)| *word).collect::<Vec<_>>().join(" ");
    (ordered != written && reads(&ordered)).then(|| Problem {
        message: format!(
            "a calendar expression goes from weekdays over date and time to the zone: did you mean \"{ordered}\"?"
        ),
        ..place
    })
}

/// The words, those put together that a list, a range, a step, a date or a time connects.
fn closed(words: &[Piece<'_>]) -> String {
    let begins = |word: &str| word.starts_with([',', '/', '~', ':', '-']) || word.starts_with("..");
    let ends = |word: &str| word.ends_with([',', '/', '~', ':', '-']) || word.ends_with("..");
    let named = |word: &str| word.starts_with(|c: char| c.is_ascii_alphabetic());
    let mut closed: Vec<String> = Vec::new();
    for word in words.iter().map(|word| word.text) {
        match closed.last_mut() {
            // a comma may trail the weekdays
            Some(last) if begins(word) || ends(last) && named(last) <= named(word) => last.push_str(word),
            _ => closed.push(word.to_owned()),
        }
    }
    closed.join(" ")
}

/// The place of a word in an expression, and how it is written there.
fn rank(word: Piece<'_>) -> Option<(u8, &str)> {
    if let Some(zone) = zone_prefix(word).and_then(|name| Zone::find(name.text)) {
        return Some((3, zone.name()));
    }
    if Zone::find(word.text).is_some() {
        return Some((3, word.text));
    }
    if word.text.contains(':') {
        return Some((2, word.text));
    }
    if word.text.starts_with(|c: char| c.is_ascii_digit() || c == '*') {
        return word.text.contains(['-', '~']).then_some((1, word.text));
    }
    let is_shorthand = SHORTHANDS.iter().any(|(name, _)| name.eq_ignore_ascii_case(word.text));
    let mut problems = Vec::new();
    weekdays(word, &mut problems);
    (is_shorthand || problems.is_empty()).then_some((0, word.text))
}

/// `2030-01-31T04:00Z` with a blank; other words as they are.
fn date_and_time(word: &str) -> String {
    let parts = word.split_once(['T', 't']).filter(|(date, time)| {
        date.starts_with(|c: char| c.is_ascii_digit() || c == '*') && date.contains('-') && time.contains(':')
    });
    match parts {
        None => word.to_owned(),
        Some((date, time)) => match time.strip_suffix(['Z', 'z']) {
            Some(time) => format!("{date} {time} UTC"),
            None => format!("{date} {time}"),
        },
    }
}

/// A comment, with everything after it.
pub(super) fn comment(line: &str, words: &mut Vec<Piece<'_>>) -> Option<Problem> {
    let index = words.iter().position(|word| word.text.starts_with('#'))?;
    let at = words[index].at;
    words.truncate(index);
    let message = "comments do not belong in the schedule: leave out everything from the # on";
    Some(Problem::at(at, line.trim_ascii_end().len() - at, message))
}

/// Why a word, alone before date and time, is no weekday.
pub(super) fn no_weekday(word: Piece<'_>) -> Option<Problem> {
    let text = word.text;
    if let Some(name) = text.strip_prefix('@') {
        return Some(
            word.problem(match shorthand(name) {
                Some(known) => {
                    format!("shorthands are written without @ here: did you mean \"{known}\"?")
                }
                None if name.starts_with(|c: char| c.is_ascii_digit()) => {
                    "moments with @ are not understood: write the date and the time, such as 2030-01-31 04:00"
                        .to_owned()
                }
                None => format!(
                    "\"{text}\" is no shorthand: they are {}",
                    SHORTHANDS.map(|(known, _)| known).join(", ")
                ),
            }),
        );
    }
    if is_half_of_day(text) {
        return Some(word.problem("hours go from 0 to 23, without am and pm"));
    }
    let name = shorthand(text)?;
    Some(word.problem(format!("\"{text}\" is no weekday and no shorthand: did you mean \"{name}\"?")))
}

/// The shorthand that a word was meant to be.
fn shorthand(word: &str) -> Option<&'static str> {
    let others =
        OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(word)).map(|(_, name)| *name);
    others.or_else(|| did_you_mean(word, SHORTHANDS.map(|(name, _)| name)))
}
