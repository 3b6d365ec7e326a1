//! What the rules of a monitor say of one run now. Neighbour: the domain's timeline said it when the run ended.

use watchclock_domain::{
    Time,
    monitor::Monitor,
    rule::{Condition, Facts, Judged, Rule, Verdict},
    run::{Run, RunStatus},
    timeline::rules::judged,
};
use watchclock_service::Watchclock;

use super::errors::PageResult;

/// Most runs that are read as history.
const HISTORY: i64 = 300;
/// So many newer runs are looked at, too: of those that ran beside it, some ended first.
const BESIDE: i64 = 50;

/// Judges a run by each rule that looks at runs like it; `output` is what it printed.
pub(crate) async fn of_run<'m>(
    watchclock: &Watchclock,
    monitor: &'m Monitor,
    run: &Run,
    output: Option<&str>,
) -> PageResult<Vec<(&'m Rule, Verdict)>> {
    let rules: Vec<&Rule> = monitor.rules.iter().filter(|rule| rule.applies_to.covers(run.status)).collect();
    let past = if rules.iter().any(|rule| rule.condition.history().is_some()) {
        let newest = run.number.saturating_add(BESIDE);
        watchclock.runs_of_monitor(monitor.id, None, Some(newest), HISTORY + BESIDE).await?
    } else {
        Vec::new()
    };
    let now = run.ended_at.unwrap_or(run.first_seen_at);
    let was_over = |past: &&Run| {
        past.status != RunStatus::Running
            && (past.over_at(), past.number) < (now, run.number)
            && past.id != run.id
    };
    let history: Vec<Judged<'_>> = past.iter().rev().filter(was_over).map(|run| judged(run, None)).collect();
    Ok(rules.into_iter().map(|rule| (rule, judge(&rule.condition, run, output, &history, now))).collect())
}

fn judge(
    condition: &Condition,
    run: &Run,
    output: Option<&str>,
    history: &[Judged<'_>],
    now: Time,
) -> Verdict {
    condition.judge(&Facts { run: judged(run, output), history: history.into(), now })
}

/// What a verdict rests on: its reasons, else the values that were read.
pub(crate) fn why(condition: &Condition, verdict: &Verdict) -> String {
    if let Some(why) = &verdict.why {
        return why.clone();
    }
    let read = verdict.read.iter().map(|(name, value)| match value {
        Some(value) => {
            let value: String = condition.words_of(name, value).chars().take(80).collect();
            format!("{name} = {value}")
        }
        None => format!("{name} is missing"),
    });
    read.collect::<Vec<_>>().join(", ")
}
