//! A schedule from one field of text, as people and the API's shorthand write it; each kind's own language is in its own file.

use super::{
    Kind, Schedule, ScheduleText, cron,
    text::{self, Piece},
};
use crate::{problem::Problem, span};

/// See [`ScheduleText::from_shorthand`].
pub(super) fn parse(text: &str, tz: Option<&str>) -> Result<ScheduleText, Vec<Problem>> {
    let tz = tz.unwrap_or("UTC");
    let trimmed = text.trim();
    let lower = trimmed.to_ascii_lowercase();
    if trimmed.is_empty() {
        let message = "give a schedule, such as \"30 2 * * *\", \"every 5m\" or \"none\"";
        return Err(vec![Problem::at(0, text.chars().count(), message)]);
    }
    let plain = ScheduleText { kind: Kind::None, every: None, lines: Vec::new(), tz: tz.to_owned() };
    if let Some(problem) = not_alone(text) {
        return Err(vec![problem]);
    }
    if lower == "none" {
        return compiled(&plain).map_err(in_text);
    }
    if let Some(interval) = interval(&lower) {
        let start = trimmed.len() - interval.len();
        let before =
            text.chars().count() - text.trim_start().chars().count() + trimmed[..start].chars().count();
        let seconds = seconds(&trimmed[start..], before).map_err(|problem| vec![problem])?;
        return compiled(&ScheduleText { kind: Kind::Every, every: Some(seconds), ..plain })
            .map_err(|problems| at_interval(problems, before, interval.chars().count()));
    }
    let lines = vec![text.to_owned()];
    let cron = ScheduleText { kind: Kind::Cron, lines, ..plain };
    let calendar = ScheduleText { kind: Kind::OnCalendar, ..cron.clone() };
    compiled(&cron).map(own_zone).or_else(|cron_problems| {
        compiled(&calendar).map_err(|calendar_problems| {
            in_text(if is_span(trimmed) {
                let message = format!("\"{trimmed}\" alone is no schedule: did you mean \"every {trimmed}\"?");
                vec![Problem::at(0, text.chars().count(), message)]
            } else if is_one_word(trimmed) && !suggests(&calendar_problems) && !suggests(&cron_problems) {
                let message = format!("\"{trimmed}\" is no schedule: write cron such as \"30 2 * * *\", an interval such as \"every 5m\", OnCalendar such as \"Mon..Fri 02:30\", or \"none\"");
                vec![Problem::at(0, text.chars().count(), message)]
            } else if like_calendar(trimmed) {
                calendar_problems
            } else {
                cron_problems
            })
        })
    })
}

fn is_one_word(text: &str) -> bool {
    text.len() < 30 && text.chars().all(char::is_alphabetic)
}

fn suggests(problems: &[Problem]) -> bool {
    problems.iter().any(|problem| problem.message.contains("did you mean"))
}

fn compiled(text: &ScheduleText) -> Result<ScheduleText, Vec<Problem>> {
    Schedule::compile(text).map(|schedule| schedule.text().clone())
}

/// Problems with the text itself have no field here; those with the zone keep theirs.
fn in_text(mut problems: Vec<Problem>) -> Vec<Problem> {
    for problem in &mut problems {
        if problem.field != "tz" {
            problem.field.clear();
        }
    }
    problems
}

fn at_interval(problems: Vec<Problem>, at: usize, len: usize) -> Vec<Problem> {
    let mut problems = in_text(problems);
    for problem in problems.iter_mut().filter(|problem| problem.field.is_empty()) {
        (problem.at, problem.len) = (Some(at), len.max(1));
    }
    problems
}

/// An interval, or `none`, among other lines.
fn not_alone(text: &str) -> Option<Problem> {
    let is_break = |c: char| matches!(c, '\n' | '\r');
    if !text.trim().contains(is_break) {
        return None;
    }
    let mut at = 0;
    for line in text.split(is_break) {
        let written = line.trim();
        let lower = written.to_ascii_lowercase();
        let (is_none, is_interval) = (lower == "none", interval(&lower).is_some());
        if is_none || is_interval {
            let what = if is_none { "it has" } else { "an interval has" };
            let shown: String = written.chars().take(30).collect();
            let message =
                format!("\"{shown}\" stands alone: {what} no further lines, only cron and OnCalendar have");
            let before = line.chars().count() - line.trim_start().chars().count();
            return Some(Problem::at(at + before, written.chars().count(), message));
        }
        at += line.chars().count() + 1;
    }
    None
}

/// What follows `every` (or `@every`, as Go's cron has it).
fn interval(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('@').unwrap_or(text).strip_prefix("every")?;
    let digits = rest.starts_with(|c: char| c.is_ascii_digit());
    (rest.is_empty() || rest.starts_with([' ', '\t']) || digits).then(|| rest.trim_start())
}

/// The seconds of an interval; `minute`, `hour`, `day` and `week` alone mean one.
fn seconds(interval: &str, at: usize) -> Result<u32, Problem> {
    let one = ["minute", "hour", "day", "week"].into_iter().find(|unit| unit.eq_ignore_ascii_case(interval));
    let span = match one {
        Some(unit) => span::parse(&format!("1 {unit}")),
        None if interval.is_empty() => Err(Problem::at(0, 1, "give the interval, such as \"every 5m\"")),
        None => no_interval(interval).map_or_else(|| span::parse(interval), Err),
    };
    let span = span.map_err(|mut problem| {
        problem.at = problem.at.map(|place| place + at);
        problem
    })?;
    if span.subsec_nanos() != 0 {
        return Err(Problem::at(at, interval.chars().count(), "an interval is a whole number of seconds"));
    }
    Ok(u32::try_from(span.num_seconds()).unwrap_or(u32::MAX))
}

/// Why what follows `every` is no interval, where reading it as one would explain too little.
fn no_interval(text: &str) -> Option<Problem> {
    if let Err(found) = text::check(text) {
        return found.into_iter().next();
    }
    let (length, lower) = (text.len(), text.to_ascii_lowercase());
    let message = match lower.as_str() {
        "second" | "seconds" => {
            "the shortest interval is 1 minute, since networks and clocks differ by seconds"
        }
        "month" | "year" => {
            "months and years differ in length: write days, such as \"every 30d\", or one of \"@monthly\" and \"@yearly\""
        }
        _ if lower.starts_with(|c: char| c.is_ascii_alphabetic() && c != 'p') => {
            "after \"every\" stands an interval, such as 5m or 1h30m; days and times are written as in \"Mon..Fri 02:30\""
        }
        _ => return None,
    };
    Some(Problem::at(0, length, message))
}

fn is_span(text: &str) -> bool {
    !text.contains(['*', ':']) && span::parse(text).is_ok()
}

/// Whether text that is neither was rather meant for OnCalendar.
fn like_calendar(text: &str) -> bool {
    let first = text.lines().next().unwrap_or(text);
    let words = Piece { text: first, at: 0 }.words();
    let words = match words.as_slice() {
        [zone, rest @ ..] if cron::zone_prefix(*zone).is_some() => rest,
        words => words,
    };
    let Some(word) = words.first() else { return false };
    if let Some(name) = word.text.strip_prefix('@') {
        return name.starts_with(|c: char| c.is_ascii_digit());
    }
    // a calendar expression has four words at most; a command after cron fields may contain anything
    let dotted = |word: &Piece<'_>| word.text.contains([':', '~']) || word.text.contains("..");
    words.len() < 3 && !word.text.eq_ignore_ascii_case("every") || words.len() < 5 && words.iter().any(dotted)
}

/// Moves the zone that all lines name themselves to where a schedule has its zone.
fn own_zone(mut text: ScheduleText) -> ScheduleText {
    let split = |line: &str| {
        let first = *Piece { text: line, at: 0 }.words().first()?;
        let zone = cron::zone_prefix(first)?;
        Some((zone.text.to_ascii_lowercase(), line[first.at + first.len()..].trim().to_owned()))
    };
    let own: Option<Vec<(String, String)>> = text.lines.iter().map(|line| split(line)).collect();
    if let Some(own) = own
        && let Some((zone, _)) = own.first()
        && own.iter().all(|(other, _)| other == zone)
    {
        let lines = own.iter().map(|(_, line)| line.clone()).collect();
        let moved = ScheduleText { tz: zone.clone(), lines, ..text.clone() };
        text = compiled(&moved).unwrap_or(text);
    }
    text
}
