//! What a rule that is being written would have said of the runs so far. Neighbour: `names` lists what it can read.

use watchclock_domain::{
    rule::{Condition, Rule, Tried, Truth, runs_in_a_row},
    run::Run,
    timeline::PastRun,
};
use watchclock_service::rule::Trial;

use super::{
    fields::Fields,
    moments::Moments,
    names, rule_rows, run_words, verdicts,
    views::{
        parts::Problem,
        rules::{RuleCheck, TriedRun},
    },
    words,
};

/// How many runs that would have fired are named in words.
const EXAMPLES: usize = 3;
/// Longest reason that is shown of one run, in characters.
const LONGEST: usize = 200;

/// Tries the rule in one row of a form; `extracted` are the names that its extractors fill.
pub(super) fn row(
    base: &str,
    trial: Option<(&Trial, &Moments)>,
    extracted: &[String],
    fields: &Fields,
    row: usize,
) -> RuleCheck {
    let rule = match rule_rows::rule(fields, row) {
        None => return RuleCheck::default(),
        Some(Ok(rule)) => rule,
        Some(Err(found)) => {
            let when = fields.get(&format!("rules[{row}].when"));
            let problem = found.first().map(|problem| Problem::of(&problem.with_caret(when)));
            return RuleCheck { problem, ..RuleCheck::default() };
        }
    };
    let Some((trial, moments)) = trial else { return understood() };
    let mut tried = trial.rule(&rule);
    tried.retain(|(_, tried)| tried.is_judged);
    let ended = || trial.newest_first().map(|past| &past.run).filter(|run| run.has_ended());
    let warnings =
        names::never_seen(ended(), &names::known(&trial.view, ended(), extracted), &rule.condition);
    let values = last_values(&rule.condition, ended);
    if tried.is_empty() {
        return RuleCheck { warnings, values, ..understood() };
    }
    let in_a_row = runs_in_a_row(&rule, &trial.view.monitor.thresholds);
    let line = |(past, tried): &(&PastRun, Tried)| line(base, moments, &rule, past, tried, in_a_row);
    let fired = tried.iter().rev().filter(|(_, tried)| tried.fires).take(EXAMPLES);
    RuleCheck {
        words: summary(&tried, in_a_row),
        warnings,
        values,
        examples: fired
            .map(line)
            .map(|TriedRun { number, when, why, .. }| {
                let why = if why.is_empty() { "is true".to_owned() } else { why };
                format!("#{number}, {}: {why}", when.text)
            })
            .collect(),
        tried: tried.iter().rev().map(line).collect(),
        problem: None,
    }
}

fn line(
    base: &str,
    moments: &Moments,
    rule: &Rule,
    past: &PastRun,
    tried: &Tried,
    in_a_row: usize,
) -> TriedRun {
    let truth = tried.verdict.truth;
    let (mark, words) = match (&tried.gone, tried.fires) {
        (Some(_), true) => ("true", "fires: field missing".to_owned()),
        (None, true) => ("true", "fires".to_owned()),
        _ if tried.is_broken() => ("late", format!("true, {} of {in_a_row} in a row", tried.in_a_row)),
        _ if truth == Truth::False => ("false", "quiet".to_owned()),
        _ => ("unknown", "unknown".to_owned()),
    };
    TriedRun {
        number: past.run.number,
        href: run_words::href(base, &past.run),
        when: run_words::when(&past.run, moments),
        mark: mark.to_owned(),
        words,
        why: run_words::cut(&verdicts::why(&rule.condition, &tried.verdict), LONGEST),
    }
}

/// What the names that it reads were last: `rows = 1,204 in #57`.
fn last_values<'r, I: Iterator<Item = &'r Run>>(condition: &Condition, ended: impl Fn() -> I) -> Vec<String> {
    let last = |name: &str| {
        let (value, number) = names::last(ended(), name)?;
        Some(format!("{name} = {value} in #{number}"))
    };
    condition.names().into_iter().filter_map(last).collect()
}

fn summary(tried: &[(&PastRun, Tried)], in_a_row: usize) -> String {
    let count = |which: &dyn Fn(&Tried) -> bool| tried.iter().filter(|(_, tried)| which(tried)).count();
    let fired = count(&|tried| tried.fires);
    let broken = count(&Tried::is_broken);
    let incidents = count(&|tried| tried.opens);
    let unknown = count(&|tried| !tried.is_broken() && tried.verdict.truth == Truth::Unknown);
    let mut said = match (fired, tried.len()) {
        (0, 1) => "Would have been quiet for the one run so far".to_owned(),
        (1, 1) => "Would have fired for the one run so far".to_owned(),
        (0, all) => format!("Would have fired for none of the last {all} runs"),
        (fired, all) => format!("Would have fired for {fired} of the last {all} runs"),
    };
    if fired > 1 {
        said.push_str(&format!(": {}", words::count(incidents, "incident")));
    }
    if fired == 0 && broken > 0 {
        said.push_str(&format!(": true for {broken}, never for {in_a_row} in a row"));
    } else if broken > fired {
        said.push_str(&format!("; true for {broken}, and it takes {in_a_row} in a row"));
    }
    if unknown > 0 {
        said.push_str(&format!("; unknown for {unknown}"));
    }
    format!("{said}.")
}

fn understood() -> RuleCheck {
    let words = "Understood; there are no runs yet to try it on.".to_owned();
    RuleCheck { words, ..RuleCheck::default() }
}
