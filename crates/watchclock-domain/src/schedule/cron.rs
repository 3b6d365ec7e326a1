//! A line of a crontab without its command: five fields as Debian's cron reads them. Fields are in `cron_field` and `cron_days`.
//!
//! The dialect is that of crontab(5) on Debian, with `L`, `LW`, `15W`, `5L`, `MON#2` and `?`. What looks like another
//! dialect is refused with the reason, never read in some other way.

use super::{
    cron_days,
    cron_field::{DAY, Field, HOUR, MINUTE, MONTH, WEEKDAY, set},
    pattern::{Pattern, Years},
    text::{self, Piece},
    walk::Clock,
    zone::Zone,
};
use crate::problem::{Problem, did_you_mean};

/// A line and the zone that it names itself, with `CRON_TZ=` or `TZ=`.
#[derive(Debug)]
pub(super) struct Cron {
    pub(super) pattern: Pattern,
    pub(super) clock: Clock,
    pub(super) zone: Option<Zone>,
}

const MACROS: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

const FIELDS: [&Field; 5] = [&MINUTE, &HOUR, &DAY, &MONTH, &WEEKDAY];

/// Reads one expression. All its problems are returned at once, with their places in `line`.
pub(super) fn parse(line: &str) -> Result<Cron, Vec<Problem>> {
    text::check(line)?;
    let mut problems = Vec::new();
    let mut words = Piece { text: line, at: 0 }.words();
    let zone = match words.first().and_then(|word| zone_prefix(*word)) {
        Some(name) => {
            words.remove(0);
            let found = Zone::named(name.text).map_err(|mut problem| {
                problem.at = Some(name.at + problem.at.unwrap_or(0));
                problem
            });
            found.map_err(|problem| problems.push(problem)).ok()
        }
        None => None,
    };
    let expanded = words.first().and_then(|word| expand(*word));
    let words = match expanded {
        Some(expanded) => {
            problems.extend(words.get(1).map(|rest| after_macro(line, *rest)));
            expanded
        }
        None => words,
    };
    let [minute, hour, date, month, weekday] = match <[Piece<'_>; 5]>::try_from(words) {
        Ok(fields) => fields,
        Err(words) => {
            problems.push(wrong_count(line, &words));
            return Err(problems);
        }
    };
    let pattern = Pattern {
        seconds: 1,
        minutes: set(&MINUTE, minute, &mut problems),
        hours: set(&HOUR, hour, &mut problems),
        days: cron_days::days(date, weekday, &mut problems),
        months: set(&MONTH, month, &mut problems),
        years: Years::All,
    };
    if problems.is_empty() {
        problems.extend(impossible(&pattern, date, weekday));
    }
    problems.sort_by_key(|problem| problem.at);
    let real = cron_days::starred(minute) || cron_days::starred(hour);
    let clock = if real { Clock::Real } else { Clock::Fixed };
    if problems.is_empty() { Ok(Cron { pattern, clock, zone }) } else { Err(problems) }
}

/// The zone of a leading `CRON_TZ=Europe/Berlin` or `TZ=…`.
pub(super) fn zone_prefix(word: Piece<'_>) -> Option<Piece<'_>> {
    let (key, mut value) = word.split_once("=")?;
    if key.text != "CRON_TZ" && key.text != "TZ" {
        return None;
    }
    for quote in ['"', '\''] {
        if value.len() > 1 && value.text.starts_with(quote) && value.text.ends_with(quote) {
            value = value.skip(1).take(value.len() - 2);
        }
    }
    Some(value)
}

/// The fields of `@daily` and its like.
fn expand(word: Piece<'_>) -> Option<Vec<Piece<'_>>> {
    let (_, fields) = MACROS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.text))?;
    Some(
        Piece { text: fields, at: 0 }
            .words()
            .into_iter()
            .map(|field| Piece { at: word.at, ..field })
            .collect(),
    )
}

fn after_macro(line: &str, rest: Piece<'_>) -> Problem {
    let len = line.len() - rest.at;
    let what = if rest.text.starts_with('#') { "comments" } else { "commands and further fields" };
    Problem::at(
        rest.at,
        len,
        format!("{what} do not belong in the schedule: leave out everything from here on"),
    )
}

/// Why the words are not the five fields of a line.
fn wrong_count(line: &str, words: &[Piece<'_>]) -> Problem {
    let Some(first) = words.first() else {
        return Problem::at(
            0,
            line.len(),
            "give a cron expression, such as \"30 2 * * *\" for every day at 02:30",
        );
    };
    if first.text.starts_with('@') {
        return unknown_macro(*first, words.get(1).copied());
    }
    if let Some(comment) = words.iter().find(|word| word.text.starts_with('#')) {
        let message = "comments do not belong in the schedule: leave out everything from the # on";
        return Problem::at(comment.at, line.len() - comment.at, message);
    }
    let whole = Piece { text: line.trim_ascii(), at: first.at };
    let kept = |words: &[Piece<'_>]| words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let Some(rest) = words.get(5..).filter(|rest| !rest.is_empty()) else {
        let names = FIELDS.map(|field| field.name).join(", ");
        let macros = MACROS.iter().map(|(name, _)| &name[1..]);
        let hint = match did_you_mean(first.text, macros).filter(|_| words.len() == 1) {
            Some(name) => format!("; did you mean \"@{name}\"?"),
            None => String::new(),
        };
        return whole
            .problem(format!("a cron expression has five fields ({names}); this has {}{hint}", words.len()));
    };
    if let Some(command) = rest.iter().find(|word| !like_a_field(word.text)) {
        return Problem::at(
            command.at,
            line.len() - command.at,
            format!(
                "this looks like a whole line of a crontab: leave the command out, as in \"{}\"",
                kept(&words[..5])
            ),
        );
    }
    match rest {
        [year] if year.len() >= 4 && year.take(4).is_number() => year.problem(format!(
            "this looks like a crontab with years; drop the last field: \"{}\" runs every year",
            kept(&words[..5])
        )),
        [_] => first.problem(format!(
            "this looks like a crontab with seconds; drop the first field: did you mean \"{}\"?",
            kept(&words[1..])
        )),
        [_, _] => whole.problem(format!(
            "this looks like a crontab with seconds and years; drop the first and the last field: did you mean \"{}\"?",
            kept(&words[1..6])
        )),
        _ => whole.problem(format!("a cron expression has five fields; this has {}", words.len())),
    }
}

fn like_a_field(word: &str) -> bool {
    let signs = |c: char| c.is_ascii_digit() || "*/,-?#LWlw".contains(c);
    let named = |part: &str| {
        let names = WEEKDAY.names.iter().chain(MONTH.names);
        part.chars().all(signs) || names.into_iter().any(|name| name.eq_ignore_ascii_case(part))
    };
    word.split(['-', ',', '/', '#']).all(named) && word != "/"
}

fn unknown_macro(word: Piece<'_>, next: Option<Piece<'_>>) -> Problem {
    let lower = word.text.to_ascii_lowercase();
    match lower.as_str() {
        "@reboot" => word.problem(
            "@reboot has no time of day to expect: use the schedule \"none\", which judges every run and expects none",
        ),
        "@every" => {
            let span = next.map_or("5m", |next| next.text);
            word.problem(format!("@every is an interval and not cron: use the schedule \"every {span}\""))
        }
        _ => {
            let hint = did_you_mean(&lower, MACROS.map(|(name, _)| name))
                .map_or_else(|| MACROS.map(|(name, _)| name).join(", "), |name| format!("did you mean {name}?"));
            word.problem(format!("\"{}\" is no shorthand of cron: {hint}", word.text))
        }
    }
}

/// Why a well-formed line never comes, or holds a day that never comes.
fn impossible(pattern: &Pattern, date: Piece<'_>, weekday: Piece<'_>) -> Option<Problem> {
    let days = &pattern.days;
    let named = days.dates | days.nearest;
    // Most expressions name a day that every month has.
    let first = if named == 0 { 0 } else { named.trailing_zeros() };
    let longest = (1_u32..=12).filter(|month| pattern.months & 1 << month != 0).map(|month| match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    });
    let longest = longest.max().unwrap_or(31);
    if first > longest && days.from_end == 0 && !days.last_workday {
        return Some(date.problem(format!("none of the selected months has a day {first}: choose other months, or * where only the weekday counts")));
    }
    if pattern.ever_fires() {
        return None;
    }
    Some(Problem::at(
        date.at,
        weekday.at + weekday.len() - date.at,
        "no day satisfies these day and month fields together, so this would never run",
    ))
}
