//! What a rule would have made of past runs. Neighbour: [`crate::timeline`] does the same to runs as they end.

use std::collections::BTreeSet;

use super::{Facts, Judged, Rule, Truth, Verdict};
use crate::monitor::Thresholds;

/// What would have come of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// What the condition says of it.
    pub verdict: Verdict,
    /// Whether the rule looks at runs that ended so.
    pub is_judged: bool,
    /// A field that made the verdict unknown although earlier runs had it, where the rule minds that.
    pub gone: Option<String>,
    /// How many judged runs in a row broke the rule, this one included; 0 when it did not.
    pub in_a_row: usize,
    /// Whether people would have heard: it opens the rule's incident, or adds to it.
    pub fires: bool,
    /// Whether it opens one.
    pub opens: bool,
}

impl Tried {
    /// Whether the run breaks the rule, enough of them in a row or not.
    pub fn is_broken(&self) -> bool {
        self.in_a_row > 0
    }
}

/// How many runs in a row must break a rule before it fires.
pub fn runs_in_a_row(rule: &Rule, thresholds: &Thresholds) -> usize {
    usize::from(rule.for_runs.max(thresholds.rule).max(1))
}

/// Tries a rule on runs, oldest first, each with those before it as its history.
pub fn try_rule(rule: &Rule, thresholds: &Thresholds, runs: &[Judged<'_>]) -> Vec<Tried> {
    let in_order: Vec<usize> = (0..runs.len()).collect();
    try_as_they_ended(rule, thresholds, runs, &in_order)
}

/// The same for runs that ended in another order than that in which they stand: `order` has the place of each, the first
/// that was over first. The history of a run is what was over when it ended.
pub fn try_as_they_ended(
    rule: &Rule,
    thresholds: &Thresholds,
    runs: &[Judged<'_>],
    order: &[usize],
) -> Vec<Tried> {
    let enough = runs_in_a_row(rule, thresholds);
    let recover = usize::from(thresholds.recover.max(1));
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let (mut bad, mut good, mut is_open) = (0usize, 0usize, false);
    let mut earlier: Vec<Judged<'_>> = Vec::with_capacity(runs.len());
    let mut places: Vec<usize> = Vec::with_capacity(runs.len());
    let mut all = Vec::with_capacity(runs.len());
    for at in order {
        let Some(run) = runs.get(*at) else { continue };
        let now = run.at().unwrap_or_default();
        let verdict = rule.condition.judge(&Facts { run: *run, history: earlier[..].into(), now });
        let is_judged = rule.applies_to.covers(run.status);
        let gone = rule.fields_gone(&verdict, |key| known.contains(key)).first().map(|key| (*key).to_owned());
        let mut tried = Tried {
            gone: gone.filter(|_| is_judged),
            verdict,
            is_judged,
            in_a_row: 0,
            fires: false,
            opens: false,
        };
        if is_judged && (tried.verdict.truth == Truth::True || tried.gone.is_some()) {
            (bad, good) = (bad + 1, 0);
            tried.in_a_row = bad;
            tried.fires = bad >= enough;
            tried.opens = tried.fires && !is_open;
            is_open |= tried.fires;
        } else if is_judged && tried.verdict.truth == Truth::False {
            (bad, good) = (0, good + 1);
            is_open &= good < recover;
        }
        if run.status.teaches_keys() {
            known.extend(run.meta.iter().map(|(key, _)| key));
        }
        let place = places.partition_point(|place| place < at);
        places.insert(place, *at);
        earlier.insert(place, *run);
        all.insert(place, tried);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        rule::{AppliesTo, Condition, IfMissing},
        run::RunStatus,
        value::{Meta, Value},
    };

    /// Each run as `7` rows, `-` without the field, `x` failed with 0 rows; each answer as `!` opens, `+` adds, `.` nothing.
    fn told(edit: impl Fn(&mut Rule), recover: u16, runs: &str) -> String {
        let mut rule = Rule::of(Condition::parse("rows eq 0").unwrap());
        edit(&mut rule);
        let metas: Vec<Meta> = runs
            .chars()
            .map(|run| match run {
                '-' => Meta::new(),
                'x' => Meta::from([("rows".to_owned(), Value::of_word("0"))]),
                rows => Meta::from([("rows".to_owned(), Value::of_word(&rows.to_string()))]),
            })
            .collect();
        let judged: Vec<Judged<'_>> = runs
            .chars()
            .zip(&metas)
            .map(|(run, meta)| Judged {
                status: if run == 'x' { RunStatus::Failed } else { RunStatus::Success },
                duration: None,
                exit_code: None,
                message: None,
                output: None,
                output_size: 0,
                host: None,
                env: None,
                meta: meta.into(),
                overlaps: 0,
                attempts: 1,
                started_at: None,
                ended_at: None,
            })
            .collect();
        let thresholds = Thresholds { recover, ..Thresholds::default() };
        let tried = try_rule(&rule, &thresholds, &judged);
        tried
            .iter()
            .map(|run| {
                if run.opens {
                    '!'
                } else if run.fires {
                    '+'
                } else {
                    '.'
                }
            })
            .collect()
    }

    #[test]
    fn settings_decide_what_fires() {
        assert_eq!(told(|_| {}, 1, "7007-0x0"), ".!+.!+.+");
        assert_eq!(told(|rule| rule.if_missing = IfMissing::Ignore, 1, "7-0-7-0"), "..!...!");
        assert_eq!(told(|_| {}, 1, "-7-"), "..!", "a field that no earlier run had is not gone");
        assert_eq!(told(|rule| rule.for_runs = 3, 1, "00700007"), ".....!+.");
        assert_eq!(told(|rule| rule.applies_to = AppliesTo::Fail, 1, "0x7x"), ".!.+");
        assert_eq!(told(|rule| rule.applies_to = AppliesTo::Any, 1, "0x7x"), "!+.!");
        assert_eq!(told(|_| {}, 2, "070770"), "!.+..!");
    }
}
