//! Rules that time makes true, `last_success older than 26h`: judged when their moment comes and whenever the past changes. Neighbour: `rules` judges runs that end.

use super::{NewIds, Timeline};
use crate::{
    Time,
    incident::Kind,
    monitor::{Memory, Monitor},
    rule::{Facts, Rule, Truth},
};

fn driven(monitor: &Monitor) -> impl Iterator<Item = &Rule> {
    monitor.rules.iter().filter(|rule| rule.condition.is_time_driven())
}

/// Has rules that time makes true judged at once: they are new, or a pause is over.
pub(super) fn judge_soon(monitor: &Monitor, memory: &mut Memory, now: Time) {
    memory.rules_due = driven(monitor).next().map(|_| now);
}

impl Timeline<'_> {
    /// Judges them where their moment has come or the past has changed, and sets the next moment.
    pub(super) fn judge_by_time(&mut self, now: Time, ids: &mut dyn NewIds) {
        let due = self.memory.rules_due.is_some_and(|due| due <= now);
        let past_changed = std::mem::take(&mut self.past_changed);
        if !due && !past_changed || !self.is_watched() {
            return;
        }
        let monitor = self.monitor;
        let mut verdicts = Vec::new();
        let mut next: Option<Time> = None;
        if driven(monitor).next().is_some()
            && let Some((id, run)) = self.past.newest()
        {
            let facts = Facts { run, history: self.past.before(id), now };
            // What was before a pause, or before the schedule was edited, does not count against it.
            let since = Some(self.memory.anchor);
            for rule in driven(monitor) {
                verdicts.push((rule, rule.condition.judge_since(&facts, since)));
                next = next.into_iter().chain(rule.condition.next_change(&facts, since)).min();
            }
        }
        // What maintenance holds back may still be so when it ends.
        let waits = verdicts.iter().any(|(_, verdict)| verdict.truth == Truth::True);
        let quiet = monitor.maintenance.quiet_until(now).filter(|_| waits);
        let next = next.into_iter().chain(quiet).min();
        if self.memory.rules_due != next {
            self.memory.rules_due = next;
            self.changes.memory = true;
        }
        for (rule, verdict) in verdicts {
            let is_open = self.open_index(Kind::Rule, Some(rule.id)).is_some();
            // Where several runs in a row are asked for, only runs are counted.
            let opens = rule.for_runs.max(monitor.thresholds.rule) <= 1;
            match verdict.truth {
                Truth::True if opens && !is_open => {
                    let summary = verdict.why.clone().unwrap_or_else(|| rule.condition.text().to_owned());
                    let facts = super::rules::facts(rule, &verdict);
                    self.open_or_add(Kind::Rule, Some(rule), summary, facts, &[], now, ids);
                }
                Truth::False if is_open && monitor.thresholds.recover <= 1 => {
                    self.resolve(Kind::Rule, Some(rule.id), "the rule is no longer true", None, now);
                }
                _ => {}
            }
        }
    }
}
