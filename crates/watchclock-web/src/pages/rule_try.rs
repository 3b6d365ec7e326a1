//! What a rule that is being written would have said of the runs so far. Neighbour: `names` lists what it can read.

use std::collections::BTreeSet;

use uuid::Uuid;
use watchclock_domain::{
    problem::Problem as Found,
    rule::{AppliesTo, Condition, IfMissing, Rule, Severity, Truth, Verdict},
    timeline::PastRun,
};
use watchclock_service::monitor::MonitorView;

use super::{
    errors::PageResult,
    fields::Fields,
    moments::Moments,
    names, run_words, verdicts,
    views::{
        parts::Problem,
        rules::{RuleCheck, TriedRun},
    },
    words,
};
use crate::state::Web;

/// How many runs that would have fired are named in words.
const EXAMPLES: usize = 3;
/// Longest reason that is shown of one run, in characters.
const LONGEST: usize = 200;

/// A run that was tried, and what comes of the verdict.
struct Tried {
    past: PastRun,
    verdict: Verdict,
    /// It fires because a field is missing that earlier runs had.
    gone: bool,
}

impl Tried {
    fn fires(&self) -> bool {
        self.gone || self.verdict.truth == Truth::True
    }
}

/// Tries the rule in one row of a form.
pub(crate) async fn row(
    web: &Web,
    project: Uuid,
    monitor: Option<Uuid>,
    fields: &Fields,
    row: usize,
) -> PageResult<RuleCheck> {
    let name = |part: &str| format!("rules[{row}].{part}");
    let Some(when) = fields.some(&name("when")) else { return Ok(RuleCheck::default()) };
    let condition = match Condition::parse(when) {
        Ok(condition) => condition,
        Err(found) => return Ok(RuleCheck { problem: shown(&found, when), ..RuleCheck::default() }),
    };
    let Some(monitor) = monitor else { return Ok(understood()) };
    let rule = Rule {
        id: Uuid::nil(),
        name: String::new(),
        severity: Severity::Critical,
        for_runs: fields.get(&name("for")).parse().unwrap_or(1),
        applies_to: AppliesTo::from_word(fields.get(&name("on"))).unwrap_or_default(),
        if_missing: IfMissing::from_word(fields.get(&name("if_missing"))).unwrap_or_default(),
        channels: None,
        condition,
    };
    let view = web.watchclock().monitor(project, &monitor.to_string()).await?;
    let past = web.watchclock().try_rule(project, &monitor.to_string(), &rule.condition, None).await?;
    Ok(tell(web, &view, &rule, &judged(&rule, past)))
}

/// The runs that the rule looks at, each with what would have come of it.
fn judged(rule: &Rule, past: Vec<(PastRun, Verdict)>) -> Vec<Tried> {
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut tried = Vec::new();
    for (past, verdict) in past {
        let keys: Vec<String> = past.run.meta.keys().cloned().collect();
        if rule.applies_to.covers(past.run.status) {
            let gone = !rule.fields_gone(&verdict, |key| known.contains(key)).is_empty();
            tried.push(Tried { past, verdict, gone });
        }
        known.extend(keys);
    }
    tried
}

fn tell(web: &Web, view: &MonitorView, rule: &Rule, tried: &[Tried]) -> RuleCheck {
    let warnings = names::never_seen(view, &rule.condition, &[]);
    let values = rule.condition.names().into_iter().filter_map(|name| {
        let (value, number) = names::last(view, name)?;
        Some(format!("{name} = {value} in #{number}"))
    });
    let values = values.collect();
    if tried.is_empty() {
        return RuleCheck { warnings, values, ..understood() };
    }
    let moments = Moments::new(*view.monitor.schedule.zone(), web.watchclock().now());
    let base = web.base_path();
    let line = |tried: &Tried| TriedRun {
        number: tried.past.run.number,
        href: run_words::href(base, &tried.past.run),
        when: run_words::when(&tried.past.run, &moments),
        verdict: if tried.gone { "missing" } else { tried.verdict.truth.word() }.to_owned(),
        why: run_words::cut(&verdicts::why(&tried.verdict), LONGEST),
    };
    let fired = tried.iter().rev().filter(|tried| tried.fires()).take(EXAMPLES);
    let recover = view.monitor.thresholds.recover.max(1);
    let in_a_row = rule.for_runs.max(view.monitor.thresholds.rule).max(1);
    RuleCheck {
        words: summary(tried, incidents(tried, in_a_row, recover), in_a_row),
        warnings,
        values,
        examples: fired
            .map(|tried| {
                let TriedRun { number, when, why, .. } = line(tried);
                let why = if why.is_empty() { "is true".to_owned() } else { why };
                format!("#{number}, {}: {why}", when.text)
            })
            .collect(),
        tried: tried.iter().rev().map(line).collect(),
        problem: None,
    }
}

fn summary(tried: &[Tried], incidents: usize, in_a_row: u16) -> String {
    let fired = tried.iter().filter(|tried| tried.fires()).count();
    let unknown =
        tried.iter().filter(|tried| !tried.fires() && tried.verdict.truth == Truth::Unknown).count();
    let mut said = match (fired, tried.len()) {
        (0, 1) => "Would have been quiet for the one run so far".to_owned(),
        (1, 1) => "Would have fired for the one run so far".to_owned(),
        (0, all) => format!("Would have fired for none of the last {all} runs"),
        (fired, all) => format!("Would have fired for {fired} of the last {all} runs"),
    };
    match incidents {
        0 if fired > 0 => said.push_str(&format!(", never for {in_a_row} in a row: no incident")),
        incidents if fired > 1 => said.push_str(&format!(": {}", words::count(incidents, "incident"))),
        _ => {}
    }
    if unknown > 0 {
        said = format!("{said}; unknown for {unknown}");
    }
    format!("{said}.")
}

/// How many incidents the rule would have opened.
fn incidents(tried: &[Tried], in_a_row: u16, recover: u16) -> usize {
    let (mut count, mut is_open, mut bad, mut good) = (0, false, 0, 0);
    for tried in tried {
        if tried.fires() {
            (bad, good) = (bad + 1, 0);
            if bad >= in_a_row && !is_open {
                (is_open, count) = (true, count + 1);
            }
        } else if tried.verdict.truth == Truth::False {
            (bad, good) = (0, good + 1);
            is_open &= good < recover;
        }
    }
    count
}

fn understood() -> RuleCheck {
    let words = "Understood; there are no runs yet to try it on.".to_owned();
    RuleCheck { words, ..RuleCheck::default() }
}

fn shown(found: &[Found], text: &str) -> Option<Problem> {
    found.first().map(|problem| Problem::of(&problem.with_caret(text)))
}
