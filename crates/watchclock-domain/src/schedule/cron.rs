//! A line of a crontab without its command: five fields as Debian's cron reads them. Fields are in `cron_field` and `cron_days`,
//! what people write instead of five fields is explained in `cron_slips`.
//!
//! The dialect is that of crontab(5) on Debian, with `L`, `LW`, `15W`, `5L`, `MON#2` and `?`. What looks like another
//! dialect is refused with the reason, never read in some other way.

use super::{
    cron_days,
    cron_field::{HOUR, MINUTE, MONTH, set},
    cron_slips,
    pattern::{Pattern, Years},
    text::{self, Piece},
    walk::Clock,
    zone::Zone,
};
use crate::problem::Problem;

/// A line and the zone that it names itself, with `CRON_TZ=` or `TZ=`.
#[derive(Debug)]
pub(super) struct Cron {
    pub(super) pattern: Pattern,
    pub(super) clock: Clock,
    pub(super) zone: Option<Zone>,
}

pub(super) const MACROS: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// Reads one expression. All its problems are returned at once, with their places in `line`.
pub(super) fn parse(line: &str) -> Result<Cron, Vec<Problem>> {
    text::check(line)?;
    let mut problems = Vec::new();
    let mut words = Piece { text: line, at: 0 }.words();
    let mut zone = None;
    if let Some(name) = words.first().and_then(|word| zone_prefix(*word)) {
        let prefix = words.remove(0);
        let next = words.first().copied().filter(|_| name.text.is_empty());
        if let Some((word, found)) = next.and_then(|next| Some((next, Zone::find(next.text)?))) {
            problems.push(cron_slips::zone_apart(prefix, word, found));
            words.remove(0);
        } else {
            match Zone::named(name.text) {
                Ok(found) => zone = Some(found),
                Err(problem) => {
                    let at = name.at + problem.at.unwrap_or(0);
                    problems.push(Problem { at: Some(at), ..problem });
                }
            }
        }
    }
    let expanded = words.first().and_then(|word| expand(*word));
    let words = match expanded {
        Some(expanded) => {
            problems.extend(words.get(1).map(|rest| cron_slips::after_macro(line, words[0], *rest)));
            expanded
        }
        None => words,
    };
    let read = match <[Piece<'_>; 5]>::try_from(words) {
        Ok(words) => fields(words, &mut problems),
        Err(words) => {
            problems.extend(cron_slips::wrong_count(line, &words));
            None
        }
    };
    problems.sort_by_key(|problem| problem.at);
    match read {
        Some((pattern, clock)) if problems.is_empty() => Ok(Cron { pattern, clock, zone }),
        _ => Err(problems),
    }
}

/// The five fields, unless something is wrong with them.
pub(super) fn fields(words: [Piece<'_>; 5], problems: &mut Vec<Problem>) -> Option<(Pattern, Clock)> {
    let [minute, hour, date, month, weekday] = words;
    let before = problems.len();
    let pattern = Pattern {
        seconds: 1,
        minutes: set(&MINUTE, minute, problems),
        hours: set(&HOUR, hour, problems),
        days: cron_days::days(date, weekday, problems),
        months: set(&MONTH, month, problems),
        years: Years::All,
    };
    if problems.len() == before {
        problems.extend(impossible(&pattern, date, weekday));
    } else if let Some(setting) = cron_slips::setting(&words) {
        problems.truncate(before);
        problems.push(setting);
    }
    let real = cron_days::starred(minute) || cron_days::starred(hour);
    (problems.len() == before).then_some((pattern, if real { Clock::Real } else { Clock::Fixed }))
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
