//! Judges a finished run by the monitor's rules. Neighbour: [`crate::rule`] is the language.

use uuid::Uuid;

use super::{NewIds, PastRun, Timeline, time_rules::judge_soon};
use crate::{
    Time,
    incident::Kind,
    rule::{AppliesTo, Facts, Judged, Rule, Truth, Verdict, extract_all},
    run::{Run, RunFlag, RunStatus},
};

impl PastRun {
    pub fn judged(&self) -> Judged<'_> {
        judged(&self.run, self.output.as_deref())
    }
}

/// A run as rules see it.
pub fn judged<'r>(run: &'r Run, output: Option<&'r str>) -> Judged<'r> {
    Judged {
        status: run.status,
        duration: run.duration(),
        exit_code: run.exit_code,
        message: run.message.as_deref(),
        output,
        output_size: run.output_size,
        host: run.source.host.as_deref(),
        env: run.source.env.as_deref(),
        meta: (&run.meta).into(),
        overlaps: run.overlap_count,
        attempts: 1,
        started_at: run.started_at,
        // A run that never was belongs to the time of its slot.
        ended_at: run.ended_at.or(run.slot.filter(|_| run.status == RunStatus::Missed)),
    }
}

impl<'m> Timeline<'m> {
    pub(super) fn judge_rules(&mut self, at: usize, now: Time, ids: &mut dyn NewIds) {
        for (rule, verdict) in self.verdicts(at, now) {
            self.take_verdict(at, rule, &verdict, now, ids);
        }
        self.resolve_rules_of_failures(at, now);
        self.judge_metadata(at, now, ids);
    }

    /// What the rules say of a run that they cover.
    pub(super) fn verdicts(&mut self, at: usize, now: Time) -> Vec<(&'m Rule, Verdict)> {
        let monitor = self.monitor;
        if monitor.rules.is_empty() {
            return Vec::new();
        }
        let reads_output = monitor.rules.iter().any(|rule| rule.condition.reads_output());
        let text = reads_output.then(|| self.output(at).text());
        self.remember_past();
        // Windows of history are counted back from its end, whenever we heard of that.
        let ended = self.runs[at].ended_at.unwrap_or(now);
        let status = self.runs[at].status;
        let history = self.past.before(self.runs[at].id);
        let run = judged(&self.runs[at], text.as_deref());
        let facts = Facts { run, history, now: ended };
        let rules = monitor.rules.iter().filter(|rule| rule.applies_to.covers(status));
        rules.map(|rule| (rule, rule.condition.judge(&facts))).collect()
    }

    /// A good run has nothing of what a rule finds wrong with failures: that is over as the failures are.
    fn resolve_rules_of_failures(&mut self, at: usize, now: Time) {
        let run = &self.runs[at];
        let is_over = self.memory.good_streak >= i32::from(self.monitor.thresholds.recover.max(1));
        if run.status != RunStatus::Success || !is_over {
            return;
        }
        let id = run.id;
        let of_failures =
            |rule: &&Rule| rule.applies_to == AppliesTo::Fail && !rule.condition.is_time_driven();
        for rule in self.monitor.rules.iter().filter(of_failures) {
            self.resolve(Kind::Rule, Some(rule.id), "a run succeeded", Some(id), now);
        }
    }

    /// Makes metadata of what a run printed; what the job itself says counts more.
    pub(super) fn extract(&mut self, at: usize) {
        if self.monitor.extractors.is_empty() {
            return;
        }
        let text = self.output(at).text();
        if !text.is_empty() {
            extract_all(&self.monitor.extractors, &text, &mut self.runs[at].meta);
            self.touch(at);
        }
    }

    pub(super) fn take_verdict(
        &mut self,
        at: usize,
        rule: &Rule,
        verdict: &Verdict,
        now: Time,
        ids: &mut dyn NewIds,
    ) {
        let id = self.runs[at].id;
        let missing = self.is_missing(rule, verdict);
        let is_broken = verdict.truth == Truth::True || missing.is_some();
        // What is broken during maintenance counts for nothing later.
        let is_open = self.open_index(Kind::Rule, Some(rule.id)).is_some();
        let counts = is_broken && (!self.is_quiet(now) || is_open);
        let streak = self.memory.rule_streaks.entry(rule.id).or_default();
        let before = *streak;
        if is_broken {
            *streak = (*streak).max(0).saturating_add(i32::from(counts));
            let streak = *streak;
            self.runs[at].flag(RunFlag::RuleBroken);
            self.touch(at);
            let enough = i32::from(rule.for_runs.max(self.monitor.thresholds.rule).max(1));
            if counts && (is_open || streak >= enough) {
                let summary = missing
                    .or_else(|| verdict.why.clone())
                    .unwrap_or_else(|| format!("{} is true", rule.condition.text()));
                self.open_or_add(Kind::Rule, Some(rule), summary, facts(rule, verdict), &[id], now, ids);
            }
        } else if verdict.truth == Truth::False {
            // Counted no further than it matters, so that with most runs there is nothing to write.
            let recover = i32::from(self.monitor.thresholds.recover.max(1));
            *streak = (*streak).min(0).saturating_sub(1).max(-recover);
            if *streak == -recover {
                self.resolve(Kind::Rule, Some(rule.id), "the rule is no longer true", Some(id), now);
            }
        }
        let streaks = &self.memory.rule_streaks;
        self.changes.streaks |= streaks.get(&rule.id).is_some_and(|streak| *streak != before);
        self.changes.memory = true;
    }

    /// Whether a run counts as bad by a verdict.
    pub(super) fn is_broken(&self, rule: &Rule, verdict: &Verdict) -> bool {
        verdict.truth == Truth::True || self.is_missing(rule, verdict).is_some()
    }

    /// A field that earlier runs reported and this one does not, where the rule wants to hear of it.
    fn is_missing(&self, rule: &Rule, verdict: &Verdict) -> Option<String> {
        let gone = rule.fields_gone(verdict, |key| self.memory.meta_keys.iter().any(|known| known == key));
        let field = gone.first()?;
        Some(format!("{field} is missing, earlier runs reported it"))
    }

    /// Resolves what rules opened that are no longer configured, and has those judged soon that time makes true.
    pub(super) fn rules_changed(&mut self, now: Time) {
        judge_soon(self.monitor, &mut self.memory, now);
        self.changes.memory = true;
        if self.monitor.anomalies.meta.is_empty() {
            self.resolve(Kind::Rule, None, "metadata is no longer watched", None, now);
        }
        if !self.monitor.anomalies.duration {
            self.resolve(Kind::Slow, None, "durations are no longer watched", None, now);
        }
        let gone: Vec<Uuid> = self
            .incidents
            .iter()
            .filter(|incident| incident.kind == Kind::Rule && incident.resolved_at.is_none())
            .filter_map(|incident| incident.rule)
            .filter(|id| self.monitor.rules.iter().all(|rule| rule.id != *id))
            .collect();
        for rule in gone {
            self.changes.streaks |= self.memory.rule_streaks.remove(&rule).is_some();
            self.resolve(Kind::Rule, Some(rule), "the rule was removed", None, now);
        }
    }
}

/// What the decision used, kept with the incident.
pub(super) fn facts(rule: &Rule, verdict: &Verdict) -> Vec<(String, String)> {
    let mut facts = vec![("rule".to_owned(), rule.condition.text().to_owned())];
    for (name, value) in &verdict.read {
        let words = match value {
            None => "missing".to_owned(),
            // Elsewhere, too, facts tell times in words; other numbers stay what programs can read.
            Some(value) if rule.condition.is_time(name) => rule.condition.words_of(name, value),
            Some(value) => value.to_string(),
        };
        facts.push((name.clone(), words));
    }
    facts
}
