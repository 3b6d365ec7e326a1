//! Suggests rules that would have been quiet over a job's past: "`rows` has never been 0". Neighbour: [`super::Condition`], which they become.

use std::collections::BTreeMap;

use super::{Condition, Facts, Judged, Rule, Truth, tree::Source};
use crate::value::Value;

/// Fewest good runs that a suggestion rests on.
const FEWEST: usize = 5;
/// Most suggestions.
const MOST: usize = 12;

/// A rule that people may want, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    pub when: String,
    /// One sentence: `records_processed has never been 0 in 42 good runs`.
    pub why: String,
}

/// Rules over the metadata, duration and output of past runs, oldest first, of which none was true for a good run;
/// without those that name a field which the rules at hand name.
pub fn suggest(past: &[Judged<'_>], rules: &[Rule]) -> Vec<Suggestion> {
    let good: Vec<&Judged<'_>> = past.iter().filter(|run| run.is_good()).collect();
    if good.len() < FEWEST {
        return Vec::new();
    }
    let mut by_key: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for run in &good {
        for (key, value) in run.meta.iter() {
            by_key.entry(key).or_default().push(value);
        }
    }
    let judged = |key: &str| rules.iter().any(|rule| rule.condition.names().contains(&key));
    let mut found = Vec::new();
    for (key, values) in by_key {
        if values.len() >= FEWEST && !judged(key) {
            of_field(key, &values, good.len(), &mut found);
        }
    }
    if !rules.iter().any(|rule| rule.condition.reads_duration())
        && good.iter().all(|run| run.duration.is_some())
    {
        let why = format!("no run took three times as long as usual, of {}", good.len());
        found.push(Suggestion { when: "duration gt 3 * median(duration, 30)".to_owned(), why });
    }
    found.retain(|suggestion| is_quiet(suggestion, past));
    found.truncate(MOST);
    found
}

fn of_field(key: &str, values: &[&Value], runs: usize, found: &mut Vec<Suggestion>) {
    let name = written(key);
    let mut add = |when: String, why: String| found.push(Suggestion { when, why });
    let numbers: Vec<f64> = values
        .iter()
        .filter_map(|value| if let Value::Number(number) = value { Some(number.to_f64()) } else { None })
        .collect();
    if numbers.len() == values.len() {
        let (least, most) = numbers
            .iter()
            .fold((f64::MAX, f64::MIN), |(least, most), number| (least.min(*number), most.max(*number)));
        if least == 0.0 && most == 0.0 {
            add(format!("{name} gt 0"), format!("{key} has always been 0 in {runs} good runs"));
        } else if least > 0.0 {
            add(format!("{name} eq 0"), format!("{key} has never been 0 in {runs} good runs"));
            add(
                format!("{name} lt 0.5 * median({name}, 14)"),
                format!("{key} has never been less than half of the usual in {runs} good runs"),
            );
        }
    } else if let [first, rest @ ..] = values
        && rest.iter().all(|value| value == first)
    {
        match first {
            Value::Flag(flag) => {
                add(format!("{name} ne {flag}"), format!("{key} has always been {flag} in {runs} good runs"));
            }
            Value::Text(text) if text.chars().count() <= 40 && !text.contains(['"', '\\', '\n', '\r']) => {
                add(
                    format!("{name} ne \"{text}\""),
                    format!("{key} has always been \"{text}\" in {runs} good runs"),
                );
            }
            _ => {}
        }
    }
    if values.len() == runs {
        add(format!("{name} missing"), format!("every one of {runs} good runs told {key}"));
    }
}

/// A metadata key as a rule writes it.
pub fn written(key: &str) -> String {
    let plain = |text: &str| format!("{text} present");
    let names_it =
        |text: &String| Condition::parse(&plain(text)).is_ok_and(|condition| condition.names() == [key]);
    let quoted = || format!("meta.\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""));
    let plain_too = Source::built_in(key).is_none().then(|| key.to_owned());
    plain_too.into_iter().chain([format!("meta.{key}")]).find(names_it).unwrap_or_else(quoted)
}

fn is_quiet(suggestion: &Suggestion, past: &[Judged<'_>]) -> bool {
    let Ok(condition) = Condition::parse(&suggestion.when) else { return false };
    past.iter().enumerate().filter(|(_, run)| run.is_good()).all(|(at, run)| {
        let now = run.at().unwrap_or_default();
        condition.judge(&Facts { run: *run, history: past[..at].into(), now }).truth != Truth::True
    })
}
