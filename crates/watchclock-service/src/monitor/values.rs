//! Single values of a monitor, checked as they are stored: tags and lengths of time. The whole of a change is in `change`.

use chrono::Duration;
use watchclock_domain::problem::Problem;

/// A year, the longest grace or limit.
const LONGEST: Duration = Duration::days(366);
const MAX_TAGS: usize = 20;

pub(super) fn clean_tags(tags: Vec<String>, problems: &mut Vec<Problem>) -> Vec<String> {
    let mut clean: Vec<String> = Vec::new();
    for tag in tags {
        let tag = tag.trim().to_owned();
        if tag.chars().count() > 50 || tag.chars().any(|c| c.is_control() || c.is_whitespace()) {
            problems.push(Problem::new("tags", format!("`{tag}`: at most 50 characters, no blanks")));
        } else if tag.contains(',') {
            let message = format!("`{tag}`: no commas, as they part tags where people type them");
            problems.push(Problem::new("tags", message));
        } else if !tag.is_empty() && !clean.contains(&tag) {
            clean.push(tag);
        }
    }
    if clean.len() > MAX_TAGS {
        problems.push(Problem::new("tags", format!("at most {MAX_TAGS} tags")));
    }
    clean
}

/// A length that may be nothing, in whole seconds.
pub(super) fn set_span(to: &mut Duration, from: Option<Duration>, field: &str, problems: &mut Vec<Problem>) {
    let Some(span) = from else { return };
    if span < Duration::zero() || span > LONGEST {
        problems.push(Problem::new(field, "must be from 0 seconds to a year"));
    } else if !is_whole(span, Duration::seconds(1)) {
        problems.push(Problem::new(field, "must be a whole number of seconds"));
    }
    *to = span;
}

/// A limit in whole units of `unit`, or none.
#[expect(clippy::option_option, reason = "unset, set to nothing, set to something")]
pub(super) fn set_limit(
    to: &mut Option<Duration>,
    from: Option<Option<Duration>>,
    (field, unit): (&str, Duration),
    problems: &mut Vec<Problem>,
) {
    let Some(limit) = from else { return };
    match limit {
        Some(limit) if limit <= Duration::zero() || limit > LONGEST => {
            problems.push(Problem::new(field, "must be more than 0 seconds and at most a year"));
        }
        Some(limit) if !is_whole(limit, unit) => {
            let unit = if unit == Duration::seconds(1) { "seconds" } else { "milliseconds" };
            problems.push(Problem::new(field, format!("must be a whole number of {unit}")));
        }
        _ => {}
    }
    *to = limit;
}

/// Whether nothing is lost when a span is stored in a unit.
fn is_whole(span: Duration, unit: Duration) -> bool {
    span.num_nanoseconds().zip(unit.num_nanoseconds()).is_some_and(|(span, unit)| span % unit == 0)
}
