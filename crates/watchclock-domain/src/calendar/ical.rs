//! An iCalendar text (RFC 5545) as days off: events that cover whole days. Lines are in `lines`, repetition in `recur`.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use chrono::NaiveDate;

use super::{
    Days, MAX_PROBLEMS, MAX_RANGE,
    expand::{self, Budget},
    lines::{self, Content, Moment},
    recur::Rule,
};
use crate::problem::Problem;

/// Why an event of whole days takes none off.
const NEVER: &str = "all its days are cancelled, excepted, such as no month has (February 30), or outside of the years 1970 \
                     to 2299";
/// Most events that are looked at.
const MAX_EVENTS: usize = 10_000;

/// Reads a whole text.
pub(super) fn parse(text: &str) -> Result<Days, Vec<Problem>> {
    let mut problems = Vec::new();
    let events = events(text.strip_prefix('\u{feff}').unwrap_or(text), &mut problems);
    let mut days = Days::default();
    if problems.is_empty() {
        add_all(&events, &mut days, &mut problems);
    }
    if problems.is_empty() && days.set.is_empty() {
        problems.push(Problem::new("", why_none(events.len(), days.timed_events)));
    }
    problems.truncate(MAX_PROBLEMS);
    if problems.is_empty() { Ok(days) } else { Err(problems) }
}

/// Why a calendar without a problem takes no day off.
fn why_none(events: usize, timed: usize) -> String {
    let (who, why) = match (events, timed) {
        (0, _) => return "there is no event in this calendar, so no day would be off".to_owned(),
        (1, 1) => ("its only event covers no whole day".to_owned(), "make it an all-day event"),
        (events, timed) if events == timed => {
            (format!("none of the {events} events covers a whole day"), "make them all-day events")
        }
        (1, _) => ("its only event never happens".to_owned(), NEVER),
        (events, 0) => (format!("none of the {events} events ever happens"), NEVER),
        (events, timed) => {
            (format!("of its {events} events {timed} cover no whole day and the others never happen"), NEVER)
        }
    };
    format!("{who}, so no day would be off: {why}")
}

/// What is known of one event.
#[derive(Debug, Default)]
struct Event {
    begun_at: usize,
    uid: String,
    summary: String,
    start: Option<Moment>,
    end: Option<Moment>,
    lasts: Option<Content>,
    rules: Vec<(Rule, Content)>,
    more: Vec<NaiveDate>,
    except: BTreeSet<NaiveDate>,
    /// The repetition of another event of the same UID that this one stands for.
    replaces: Option<NaiveDate>,
    is_cancelled: bool,
}

/// The events of a text; other components are passed over.
fn events(text: &str, problems: &mut Vec<Problem>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut open: Vec<(String, usize)> = Vec::new();
    for (index, content) in lines::contents(text).into_iter().enumerate() {
        let content = match content {
            Ok(content) => content,
            Err(problem) if index == 0 => {
                problems.push(no_calendar(problem));
                return events;
            }
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let component = content.value.to_ascii_uppercase();
        if index == 0 && (content.name.as_str(), component.as_str()) != ("BEGIN", "VCALENDAR") {
            problems.push(no_calendar(content.problem("")));
            return events;
        }
        match content.name.as_str() {
            "BEGIN" => {
                if component == "VEVENT" {
                    events.push(Event { begun_at: content.number, ..Event::default() });
                }
                open.push((component, content.number));
            }
            "END" => match open.pop() {
                Some((begun, _)) if begun == component => {}
                Some((begun, number)) => problems.push(
                    content.problem(format!("END:{component} where the {begun} of line {number} should end")),
                ),
                None => problems.push(content.problem(format!("END:{component} without its BEGIN"))),
            },
            _ if open.last().is_some_and(|(component, _)| component == "VEVENT") => {
                if let Some(event) = events.last_mut()
                    && let Err(message) = event.read(&content)
                {
                    problems.push(content.problem(message));
                }
            }
            _ => {}
        }
    }
    if let Some((component, number)) = open.last().filter(|_| problems.is_empty()) {
        let message =
            format!("line {number}: the {component} that begins here does not end: the file was cut off");
        problems.push(Problem::new("", message));
    } else if index_is_empty(text) {
        problems.push(Problem::new("", "give an iCalendar text: it begins with BEGIN:VCALENDAR"));
    }
    if events.len() > MAX_EVENTS {
        let message = format!("a calendar has at most {MAX_EVENTS} events; this has {}", events.len());
        problems.insert(0, Problem::new("", message));
    }
    events
}

fn index_is_empty(text: &str) -> bool {
    text.trim().is_empty()
}

fn no_calendar(first: Problem) -> Problem {
    let message = "line 1: this is no iCalendar file: it does not begin with BEGIN:VCALENDAR";
    Problem { message: message.to_owned(), ..first }
}

impl Event {
    fn read(&mut self, content: &Content) -> Result<(), String> {
        let value = content.value.as_str();
        let moment = || {
            lines::moment(value).ok_or_else(|| {
                format!("{} \"{value}\" is no date: it is written 20261225 or 20261225T080000Z", content.name)
            })
        };
        match content.name.as_str() {
            "DTSTART" => self.start = Some(moment()?),
            "DTEND" => self.end = Some(moment()?),
            "DURATION" => self.lasts = Some(content.clone()),
            "SUMMARY" => self.summary = lines::text(value),
            "UID" => value.clone_into(&mut self.uid),
            "STATUS" => self.is_cancelled = value.eq_ignore_ascii_case("CANCELLED"),
            "RECURRENCE-ID" => self.replaces = Some(moment()?.date),
            "RRULE" => self.rules.push((Rule::parse(value)?, content.clone())),
            "EXDATE" => self.except.extend(dates(content)?),
            "RDATE" => self.more.extend(dates(content)?),
            _ => {}
        }
        Ok(())
    }

    /// How many whole days it covers: its end is exclusive, and without one it is a day.
    fn whole_days(&self, start: Moment) -> Option<u64> {
        if !start.is_midnight {
            return None;
        }
        let days = match (&self.end, &self.lasts) {
            (Some(end), _) => {
                let days = (end.date - start.date).num_days();
                // many programs write the same day as the end of an all-day event
                u64::try_from(days).ok().filter(|_| end.is_midnight)?.max(1)
            }
            (None, Some(lasts)) => lines::whole_days(&lasts.value)?,
            (None, None) => 1,
        };
        (days > 0).then_some(days)
    }
}

fn dates(content: &Content) -> Result<Vec<NaiveDate>, String> {
    let date = |text: &str| {
        // a period counts by its beginning
        let text = text.split('/').next().unwrap_or(text).trim();
        let read = lines::moment(text).map(|moment| moment.date);
        read.ok_or_else(|| format!("{} \"{text}\" is no date: it is written 20261225", content.name))
    };
    content.value.split(',').filter(|text| !text.is_empty()).map(date).collect()
}

/// Adds the days of all events, each with its repetitions.
fn add_all(events: &[Event], days: &mut Days, problems: &mut Vec<Problem>) {
    let mut replaced: BTreeMap<&str, BTreeSet<NaiveDate>> = BTreeMap::new();
    for event in events {
        replaced.entry(event.uid.as_str()).or_default().extend(event.replaces);
    }
    let mut budget = Budget::default();
    for event in events {
        let Some(start) = event.start else {
            let message = format!("line {}: this event has no DTSTART", event.begun_at);
            problems.push(Problem::new("", message));
            continue;
        };
        if event.is_cancelled {
            continue;
        }
        let Some(length) = event.whole_days(start) else {
            days.timed_events += 1;
            continue;
        };
        if length > u64::from(MAX_RANGE.unsigned_abs()) {
            let message = format!(
                "line {}: this event lasts {length} days; at most {MAX_RANGE} are taken",
                event.begun_at
            );
            problems.push(Problem::new("", message));
            continue;
        }
        let name: Option<Arc<str>> = (!event.summary.is_empty()).then(|| event.summary.as_str().into());
        let skipped = replaced.get(event.uid.as_str()).filter(|_| event.replaces.is_none());
        let mut take = |date: NaiveDate| {
            if event.except.contains(&date) || skipped.is_some_and(|skipped| skipped.contains(&date)) {
                return;
            }
            let days_of = (0..length).filter_map(|day| lines::later(date, day));
            days_of.for_each(|day| days.add(day.to_epoch_days(), name.as_ref()));
        };
        if event.rules.is_empty() {
            take(start.date);
        }
        event.more.iter().copied().for_each(&mut take);
        for (rule, content) in &event.rules {
            if expand::expand(rule, start.date, &mut budget, &mut take).is_err() {
                problems.push(
                    content.problem("with this rule the calendar names more days than can be looked at"),
                );
                return;
            }
        }
    }
}

#[cfg(test)]
#[path = "ical_tests.rs"]
mod tests;
