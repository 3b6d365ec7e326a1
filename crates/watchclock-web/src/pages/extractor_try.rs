//! What an extractor that is being written would have read in the outputs so far. Neighbour: `rule_try` judges by it.

use watchclock_domain::{
    rule::{Extractor, Found, written},
    timeline::PastRun,
};
use watchclock_service::rule::Trial;

use super::{
    extractor_rows,
    fields::Fields,
    moments::Moments,
    names, run_words,
    views::{
        parts::Problem,
        rules::{ExtractorCheck, OutputSample, Reading},
    },
    words,
};

/// How many runs an extractor is tried on.
const TRIED: usize = 30;
/// Characters that are shown before and after what was read.
const AROUND: usize = 40;
/// The longest value and line that are shown.
const LONGEST: usize = 80;
/// Lines at the end of an output that are shown as a sample.
const SAMPLE_LINES: usize = 8;

/// Tries the extractor in one row of a form.
pub(super) fn row(
    base: &str,
    trial: Option<(&Trial, &Moments)>,
    fields: &Fields,
    row: usize,
) -> ExtractorCheck {
    // Whoever writes is not told of what is still to come; saving tells.
    let extractor = match extractor_rows::pattern_alone(fields, row) {
        None => return ExtractorCheck::default(),
        Some(Ok(extractor)) => extractor,
        Some(Err(problem)) => {
            let problem = Problem::of(&problem.with_caret(fields.get(&problem.field)));
            return ExtractorCheck { problem: Some(problem), ..Default::default() };
        }
    };
    let Some((trial, moments)) = trial else { return understood(&extractor) };
    let found = trial.extractor(&extractor, TRIED);
    if found.is_empty() {
        return understood(&extractor);
    }
    let line = |(past, found): &(&PastRun, Option<Found<'_>>)| reading(base, moments, past, found.as_ref());
    ExtractorCheck {
        words: summary(&found),
        known_as: known_as(&extractor),
        readings: found.iter().map(line).collect(),
        problem: None,
    }
}

fn understood(extractor: &Extractor) -> ExtractorCheck {
    ExtractorCheck {
        words: "Understood; there are no runs yet to try it on.".to_owned(),
        known_as: known_as(extractor),
        ..Default::default()
    }
}

/// How a rule writes the name, where the name alone would mean something else.
fn known_as(extractor: &Extractor) -> String {
    Some(written(extractor.name())).filter(|text| text != extractor.name()).unwrap_or_default()
}

fn summary(found: &[(&PastRun, Option<Found<'_>>)]) -> String {
    let runs = words::count(found.len(), "run");
    let some = found.iter().filter(|(_, found)| found.is_some()).count();
    let silent = found.iter().filter(|(past, _)| is_silent(past)).count();
    let last = found.iter().find_map(|(past, found)| Some((found.as_ref()?, past.run.number)));
    match last {
        _ if silent == found.len() => {
            format!("The last {runs} kept no output to read: a job sends it as the body of a ping.")
        }
        None => format!("Finds nothing in the output of the last {runs}."),
        Some((last, number)) => {
            format!(
                "Finds a value in {some} of the last {runs}; the latest is {}, in #{number}.",
                names::shown(&last.value)
            )
        }
    }
}

fn is_silent(past: &PastRun) -> bool {
    past.output.as_deref().is_none_or(|output| output.trim().is_empty())
}

fn reading(base: &str, moments: &Moments, past: &PastRun, found: Option<&Found<'_>>) -> Reading {
    let mut reading = Reading {
        number: past.run.number,
        href: run_words::href(base, &past.run),
        when: run_words::when(&past.run, moments),
        ..Reading::default()
    };
    match found {
        Some(found) => {
            reading.value = names::shown(&found.value);
            let (before, rest) = found.line.split_at(found.place.start);
            let (read, after) = rest.split_at(found.place.end - found.place.start);
            reading.before = end_of(before.trim_start(), AROUND);
            reading.read = run_words::cut(read, LONGEST);
            reading.after = run_words::cut(after.trim_end(), AROUND);
        }
        None if is_silent(past) => "no output was kept".clone_into(&mut reading.instead),
        None => {
            let output = past.output.as_deref().unwrap_or_default();
            let last = output.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            reading.instead = format!("last line: {}", run_words::cut(last, LONGEST));
        }
    }
    reading
}

/// The last characters of a text, saying that there are more.
fn end_of(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        text.to_owned()
    } else {
        format!("…{}", text.chars().skip(count - most).collect::<String>())
    }
}

/// The end of the newest output that was kept, to write an expression by.
pub(super) fn sample(trial: &Trial) -> Option<OutputSample> {
    let past = trial.newest_first().find(|past| !is_silent(past))?;
    let lines: Vec<&str> = past.output.as_deref()?.trim_end().lines().collect();
    let shown = &lines[lines.len().saturating_sub(SAMPLE_LINES)..];
    let shown: Vec<String> = shown.iter().map(|line| run_words::cut(line.trim_end(), 2 * LONGEST)).collect();
    Some(OutputSample {
        number: past.run.number,
        lines: shown.join("\n"),
        is_cut: lines.len() > SAMPLE_LINES,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_says_that_there_is_more() {
        assert_eq!(end_of("abc", 3), "abc");
        assert_eq!(end_of("äbcdé", 3), "…cdé");
    }
}
