//! A second end of a run: a repeat, a contradiction, or more that the job has to say. Neighbour: `end` takes the first one.

use super::{NewIds, Timeline};
use crate::{
    ping::{OUTPUT_LIMIT, Output, Ping},
    run::RunStatus,
};

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
        let before = self.verdicts(at, now);
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
        self.judge_again(at, &before, now, ids);
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
