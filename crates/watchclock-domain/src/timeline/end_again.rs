//! A second end of a run: a repeat, a contradiction, or more that the job has to say. Neighbour: `end` takes the first one.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{NewIds, Timeline};
use crate::{
    Time,
    ping::{OUTPUT_LIMIT, Output, Ping},
    rule::{Rule, Truth, Verdict, extract_all},
    run::{RunFlag, RunStatus},
    value::Meta,
};

/// What a run counts as by a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Broken,
    Fine,
    Unclear,
}

impl Timeline<'_> {
    /// The first end stands, unless this one is a failure. What it reports beyond the first is taken and judged; what is only
    /// repeated counts once.
    pub(super) fn end_again(&mut self, at: usize, ping: &Ping, success: bool, ids: &mut dyn NewIds) {
        let now = ping.received_at;
        let turned = self.runs[at].status == RunStatus::Success && !success;
        let news = self.news(at, ping, success);
        if !turned && news.is_none() {
            self.note_contradiction(at, success);
            return;
        }
        let before = self.seen(at, now);
        if news.as_ref().is_some_and(|news| !news.output.is_empty()) {
            self.forget_extracted(at);
        }
        if turned {
            let run = &mut self.runs[at];
            run.status = RunStatus::Failed;
            run.notes
                .push("it first ended as success; a second end said failed, and failure wins".to_owned());
        } else {
            self.note_contradiction(at, success);
        }
        self.touch(at);
        if let Some(news) = &news {
            self.take_report(at, news);
            self.extract(at);
        }
        if turned {
            self.failed(at, now, ids);
        }
        self.judge_again(at, before, now, ids);
        // Of values that are watched without a rule, only a change is news, and only of the last run.
        let watched = &self.monitor.anomalies.meta;
        let is_watched = |key: &String| watched.contains(key);
        if self.is_last(at) && news.is_some_and(|news| news.meta.keys().any(is_watched)) {
            self.judge_metadata(at, now, ids);
        }
    }

    /// Judges a run anew that has more to say. It counted once as it was seen first, and what has ended since says more
    /// about now: so only what is seen otherwise counts, and what is over only if no other run ended since.
    fn judge_again(&mut self, at: usize, before: BTreeMap<Uuid, Seen>, now: Time, ids: &mut dyn NewIds) {
        let mut is_any_broken = false;
        for (rule, verdict) in self.verdicts(at, now) {
            let seen = self.seen_as(rule, &verdict);
            is_any_broken |= seen == Seen::Broken;
            let is_news = before.get(&rule.id) != Some(&seen);
            if is_news && (seen == Seen::Broken || self.is_last(at)) {
                self.take_verdict(at, rule, &verdict, now, ids);
            }
        }
        if !is_any_broken && before.into_values().any(|seen| seen == Seen::Broken) {
            self.runs[at].flags.retain(|flag| *flag != RunFlag::RuleBroken);
            self.touch(at);
        }
    }

    /// How the rules see a run as it is known now.
    fn seen(&mut self, at: usize, now: Time) -> BTreeMap<Uuid, Seen> {
        let verdicts = self.verdicts(at, now);
        verdicts.iter().map(|(rule, verdict)| (rule.id, self.seen_as(rule, verdict))).collect()
    }

    fn seen_as(&self, rule: &Rule, verdict: &Verdict) -> Seen {
        match verdict.truth {
            _ if self.is_broken(rule, verdict) => Seen::Broken,
            Truth::False => Seen::Fine,
            _ => Seen::Unclear,
        }
    }

    /// Whether no other run has ended since this one.
    fn is_last(&self, at: usize) -> bool {
        self.runs[at].ended_at >= self.memory.last_ended_at
    }

    /// What was read out of the output is read again out of the whole of it; what the job itself said stays.
    fn forget_extracted(&mut self, at: usize) {
        let mut found = Meta::new();
        extract_all(&self.monitor.extractors, &self.output(at).text(), &mut found);
        self.runs[at].meta.retain(|key, value| found.get(key) != Some(value));
    }

    fn note_contradiction(&mut self, at: usize, success: bool) {
        const NOTE: &str = "a second end said success; the failure stands";
        let run = &mut self.runs[at];
        if run.status == RunStatus::Failed && success && !run.notes.iter().any(|note| note == NOTE) {
            run.notes.push(NOTE.to_owned());
            self.touch(at);
        }
    }

    /// What a ping reports that its run does not have yet.
    pub(super) fn news(&self, at: usize, ping: &Ping, success: bool) -> Option<Ping> {
        let run = &self.runs[at];
        let mut news = ping.clone();
        news.meta.retain(|key, value| run.meta.get(key) != Some(value));
        news.message = news.message.filter(|message| run.message.as_ref() != Some(message));
        // The exit code of a failure stays that of the failure.
        let fits = run.status != RunStatus::Failed || !success;
        news.exit_code = news.exit_code.filter(|code| fits && run.exit_code != Some(*code));
        let known = self.output(at);
        if known.tail.ends_with(&news.output.tail) || known.is_empty() && run.output_size > 0 {
            news.output = Output::default();
        }
        news.notes.retain(|note| !run.notes.contains(note));
        let is_any = !news.meta.is_empty()
            || news.message.is_some()
            || news.exit_code.is_some()
            || !news.output.is_empty()
            || !news.notes.is_empty();
        is_any.then_some(news)
    }

    /// All that a run has reported as output: earlier, where that is at hand, and with the pings at hand.
    pub(super) fn output(&self, at: usize) -> Output {
        let id = self.runs[at].id;
        let mut output = self.outputs.get(&id).cloned().unwrap_or_default();
        for (_, more) in self.changes.outputs.iter().filter(|(of, _)| *of == id) {
            output.append(more, OUTPUT_LIMIT);
        }
        output
    }
}
