//! From a schedule as written to one that can be asked; the languages of its lines are in `cron` and `oncalendar`.

use chrono::TimeDelta;

use super::{
    Compiled, Kind, MAX_EVERY, MAX_LINES, MIN_EVERY, ScheduleText, When, Zone, cron, oncalendar,
    walk::{Clock, Line},
};
use crate::{problem::Problem, span};

/// See [`super::Schedule::compile`].
pub(super) fn compile(text: &ScheduleText) -> Result<Compiled, Vec<Problem>> {
    let (mut problems, mut kept) = (Vec::new(), Vec::new());
    let zone = Zone::named(&text.tz).map_err(|problem| problems.push(problem.in_field("tz"))).ok();
    let when = match text.kind {
        Kind::None => When::Never,
        Kind::Every => match every(text.every) {
            Ok(interval) => When::Every(interval),
            Err(problem) => {
                problems.push(problem);
                When::Never
            }
        },
        kind @ (Kind::Cron | Kind::OnCalendar) => {
            let zone = zone.unwrap_or_else(Zone::utc);
            let compiled;
            (kept, compiled) = lines(kind, &text.lines, zone, &mut problems);
            When::Lines(compiled)
        }
    };
    match zone {
        Some(zone) if problems.is_empty() => {
            let text = ScheduleText { lines: kept, tz: zone.name().to_owned(), ..*text };
            Ok(Compiled { text, zone: shown_zone(&when).unwrap_or(zone), when })
        }
        _ => Err(problems),
    }
}

/// The zone that all lines are read in, if they agree.
fn shown_zone(when: &When) -> Option<Zone> {
    let When::Lines(lines) = when else { return None };
    let first = lines.first()?.zone;
    lines.iter().all(|line| line.zone == first).then_some(first)
}

fn every(seconds: Option<u32>) -> Result<TimeDelta, Problem> {
    let problem = |message: String| Err(Problem::new("every", message));
    match seconds {
        None => problem("give the interval, such as 5m".to_owned()),
        Some(seconds) if seconds < MIN_EVERY => problem(format!(
            "an interval of {seconds} s is too short: the shortest is 1 minute, since networks and clocks differ by seconds"
        )),
        Some(seconds) if seconds > MAX_EVERY => problem(format!(
            "an interval of {} is too long: the longest is 5 years, a run that is rarer cannot be told from one that stopped",
            span::words(TimeDelta::seconds(i64::from(seconds)))
        )),
        Some(seconds) => Ok(TimeDelta::seconds(i64::from(seconds))),
    }
}

/// Reads the expressions, and the lines within them, of a kind that has some.
fn lines(kind: Kind, texts: &[String], zone: Zone, problems: &mut Vec<Problem>) -> (Vec<String>, Vec<Line>) {
    let word = kind.word();
    // blank lines between expressions are none
    let expressions = |text: &String| {
        let several = text.contains('\n');
        if several { text.lines().filter(|line| !line.trim().is_empty()).count().max(1) } else { 1 }
    };
    let count: usize = texts.iter().map(expressions).sum();
    let room = count.min(MAX_LINES);
    let (mut kept, mut compiled) = (Vec::with_capacity(room), Vec::with_capacity(room));
    if count == 0 || count > MAX_LINES {
        let message = match count {
            0 => "give at least one expression".to_owned(),
            _ => format!("a schedule has at most {MAX_LINES} expressions; this has {count}"),
        };
        problems.push(Problem::new(word, message));
        return (kept, compiled);
    }
    for (index, text) in texts.iter().enumerate() {
        let mut at = 0;
        for line in text.split('\n') {
            let blank = line.trim().is_empty() && !text.trim().is_empty();
            match read(kind, line.trim_end_matches('\r'), zone) {
                Ok(read) => {
                    kept.push(line.trim().to_owned());
                    compiled.push(read);
                }
                Err(_) if blank => {}
                Err(found) => problems.extend(found.into_iter().map(|mut problem| {
                    problem.at = problem.at.map(|place| place + at);
                    problem.in_field(format!("{word}[{index}]"))
                })),
            }
            at += line.chars().count() + 1;
        }
    }
    (kept, compiled)
}

fn read(kind: Kind, text: &str, zone: Zone) -> Result<Line, Vec<Problem>> {
    let line = if kind == Kind::OnCalendar {
        let calendar = oncalendar::parse(text)?;
        Line { pattern: calendar.pattern, clock: Clock::Once, zone: calendar.zone.unwrap_or(zone) }
    } else {
        let cron = cron::parse(text)?;
        Line { pattern: cron.pattern, clock: cron.clock, zone: cron.zone.unwrap_or(zone) }
    };
    Ok(line)
}
