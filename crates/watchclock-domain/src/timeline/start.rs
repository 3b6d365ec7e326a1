//! A start ping: the run it opens, and whom it overlaps. Neighbour: `end` closes runs.

use chrono::Duration;
use uuid::Uuid;

use super::{Answer, NewIds, Timeline};
use crate::{
    Time,
    incident::Kind,
    monitor::OverlapPolicy,
    ping::Ping,
    run::{MAX_OVERLAPS_NAMED, Run, RunFlag, RunStatus},
    span,
    value::grouped,
};

/// Within which a start that is told again may be a repeat, out of a spool too.
const REPEATED: Duration = Duration::hours(12);
/// Begins the note of a refused start, of which only the last is kept.
const REFUSED: &str = "the start was refused while";
/// Within which a client sends a ping again whose answer was lost.
const SENT_AGAIN: Duration = Duration::seconds(15);

impl Timeline<'_> {
    pub(super) fn start(&mut self, ping: &Ping, ids: &mut dyn NewIds) -> Answer {
        if let Some(at) = ping.run_id.as_ref().and_then(|run_id| self.position_by_run_id(run_id)) {
            return self.start_again(at, ping, ids);
        }
        let at = self.add_run(RunStatus::Running, ping.received_at, ids);
        self.runs[at].run_id.clone_from(&ping.run_id);
        self.runs[at].source = ping.source.clone();
        self.take_report(at, ping);
        self.begin(at, ping.at(), ping.received_at, ids)
    }

    /// A start of a run that is known already: a repeat, or one that came after its own end.
    fn start_again(&mut self, at: usize, ping: &Ping, ids: &mut dyn NewIds) -> Answer {
        let run = &mut self.runs[at];
        let id = run.id;
        match run.status {
            RunStatus::Skipped => {
                // It asks again: it may be free now. Then its number must be newer than those of the runs since.
                run.status = RunStatus::Running;
                let mut at = at;
                if !self.refuses() {
                    self.runs[at].number = self.memory.next_number;
                    self.memory.next_number += 1;
                    let run = self.runs.remove(at);
                    self.runs.push(run);
                    at = self.runs.len() - 1;
                }
                self.touch(at);
                return self.begin(at, ping.at(), ping.received_at, ids);
            }
            RunStatus::Success | RunStatus::Failed if run.started_at.is_none() => {
                // Never later than the end, whatever the network did to the order.
                run.started_at = Some(run.ended_at.map_or(ping.at(), |ended| ping.at().min(ended)));
                let started = run.started_at;
                run.source = merged(&run.source, &ping.source);
                self.memory.last_started_at = self.memory.last_started_at.max(started);
                self.take_report(at, ping);
            }
            RunStatus::Success | RunStatus::Failed => self.note_reuse(at, ping.received_at),
            RunStatus::Running | RunStatus::Hung => {
                if let Some(news) = self.news(at, ping, true) {
                    self.take_report(at, &news);
                }
            }
            _ => {}
        }
        Answer { run: Some(id), refused_by: None }
    }

    /// A start under the id of a run that ended long ago is no repeat: the job gives the same id to all its runs, and
    /// should hear why they are not recorded.
    fn note_reuse(&mut self, at: usize, now: Time) {
        const NOTE: &str = "a run id names one run: a start that came with this one later";
        let run = &mut self.runs[at];
        let is_long_ago = run.ended_at.is_some_and(|ended| now - ended > REPEATED);
        if is_long_ago && !run.notes.iter().any(|note| note.starts_with(NOTE)) {
            let when = self.monitor.schedule.zone().show(now);
            run.notes.push(format!("{NOTE}, at {when}, is no run of its own; give each run another id"));
            self.touch(at);
        }
    }

    /// Whether a start is refused now.
    fn refuses(&self) -> bool {
        let overlap = &self.monitor.overlap;
        overlap.policy == OverlapPolicy::Refuse && self.memory.active >= i64::from(overlap.allowed.max(1))
    }

    /// Makes a run start at `started`, unless the overlap policy refuses it.
    fn begin(&mut self, at: usize, started: Time, now: Time, ids: &mut dyn NewIds) -> Answer {
        let id = self.runs[at].id;
        let allowed = i64::from(self.monitor.overlap.allowed.max(1));
        self.resolve_missed(started, now, Some(id));
        self.fill_slot(at, started, now, ids);
        let refuses = self.refuses();
        let blocking = self.runs.iter().find(|run| refuses && run.is_active() && run.id != id);
        if let Some((blocking, number)) = blocking.map(|run| (run.id, run.number)) {
            let run = &mut self.runs[at];
            run.status = RunStatus::Skipped;
            run.started_at = None;
            run.notes.retain(|note| !note.starts_with(REFUSED));
            run.notes.push(format!("{REFUSED} run #{number} was active"));
            self.touch(at);
            return Answer { run: Some(id), refused_by: Some(blocking) };
        }
        let limit_at = self.limit_of(started, now);
        let run = &mut self.runs[at];
        run.started_at = Some(started);
        run.limit_at = limit_at;
        self.mark_overlaps(at, allowed, now, ids);
        self.memory.active += 1;
        self.memory.last_started_at = self.memory.last_started_at.max(Some(started));
        self.changes.memory = true;
        self.touch(at);
        Answer { run: Some(id), refused_by: None }
    }

    /// Flags this start and the runs that are still active, each naming the other.
    fn mark_overlaps(&mut self, at: usize, allowed: i64, now: Time, ids: &mut dyn NewIds) {
        let id = self.runs[at].id;
        let mut unseen_hung = std::mem::take(&mut self.memory.hung_unseen);
        let too_many = self.memory.active >= allowed;
        // A hung run may still be at work: together with the active ones it may be one too many.
        if self.memory.active + i64::try_from(unseen_hung.len()).unwrap_or(0) < allowed {
            unseen_hung.clear();
        }
        if !too_many && unseen_hung.is_empty() {
            return;
        }
        let mut others: Vec<usize> = (0..self.runs.len())
            .filter(|&other| other != at)
            .filter(|&other| {
                let run = &self.runs[other];
                (too_many && run.is_active()) || unseen_hung.contains(&run.id)
            })
            .collect();
        if others.is_empty() {
            return;
        }
        let count = if too_many { self.memory.active } else { 0 }
            + i64::try_from(others.iter().filter(|&&other| !self.runs[other].is_active()).count())
                .unwrap_or(0);
        let named = others.split_off(others.len().saturating_sub(MAX_OVERLAPS_NAMED));
        for &other in &named {
            let run = &mut self.runs[other];
            run.flag(RunFlag::Overlapped);
            run.overlap_count += 1;
            name(&mut run.overlaps, id);
            self.touch(other);
        }
        let active = self.memory.active;
        let named: Vec<Uuid> = named.into_iter().map(|other| self.runs[other].id).collect();
        let retry = self.retry_words(at);
        let run = &mut self.runs[at];
        run.flag(RunFlag::Overlapped);
        run.overlap_count = count;
        run.overlaps.clone_from(&named);
        run.notes.extend(retry.clone());
        if too_many {
            let oldest = self.runs.iter().find(|run| run.is_active() && run.id != id);
            let Some((oldest, number)) = oldest.map(|run| (run.id, run.number)) else { return };
            let summary = self.overlap_summary(number, active);
            let mut facts = self.overlap_facts(oldest);
            facts.push(("active runs".to_owned(), (active + 1).to_string()));
            facts.push(("allowed".to_owned(), allowed.to_string()));
            facts.extend(retry.map(|retry| ("hint".to_owned(), retry)));
            let runs = [named[named.len() - 1], id];
            if self.open_or_add(Kind::Overlap, None, summary, facts, &runs, now, ids).is_none() {
                self.look_after_maintenance(now);
            }
        }
    }

    /// What speaks for it that a start without a run id is the one before it, sent again because its answer was lost.
    fn retry_words(&self, at: usize) -> Option<String> {
        let run = &self.runs[at];
        let is_same = |other: &&Run| {
            other.is_active()
                && other.id != run.id
                && other.run_id.is_none()
                && other.source.same(&run.source)
        };
        let before = self.runs.iter().rev().find(is_same).filter(|_| run.run_id.is_none())?;
        let later = run.first_seen_at - before.first_seen_at;
        (Duration::zero() <= later && later <= SENT_AGAIN).then(|| {
            format!(
                "it came {} after the start of run #{} from the same source: perhaps it is that start, sent again; a run id \
                 or an Idempotency-Key makes this certain",
                span::words(later),
                before.number
            )
        })
    }

    fn overlap_summary(&self, oldest: i64, count: i64) -> String {
        let number = self.memory.next_number - 1;
        if count == 1 {
            format!("run #{number} started while #{oldest} was still running")
        } else {
            let count = grouped(&count.to_string());
            format!("run #{number} started while {count} others were still running, the oldest #{oldest}")
        }
    }

    pub(super) fn overlap_facts(&self, id: Uuid) -> Vec<(String, String)> {
        let Some(run) = self.run(id) else { return Vec::new() };
        let mut facts = vec![("still active".to_owned(), format!("run #{}", run.number))];
        if let Some(started) = run.started_at {
            facts.push(("since".to_owned(), self.monitor.schedule.zone().show(started)));
        }
        if let Some(from) = run.source.host.as_ref().or(run.source.addr.as_ref()) {
            facts.push(("on".to_owned(), from.clone()));
        }
        facts
    }
}

/// Adds an id to a bounded list, dropping the oldest.
fn name(list: &mut Vec<Uuid>, id: Uuid) {
    list.push(id);
    if list.len() > MAX_OVERLAPS_NAMED {
        list.remove(0);
    }
}

/// What is known of a source, the earlier word first.
pub(super) fn merged(known: &crate::ping::Source, more: &crate::ping::Source) -> crate::ping::Source {
    crate::ping::Source {
        addr: known.addr.clone().or_else(|| more.addr.clone()),
        user_agent: known.user_agent.clone().or_else(|| more.user_agent.clone()),
        host: known.host.clone().or_else(|| more.host.clone()),
        env: known.env.clone().or_else(|| more.env.clone()),
    }
}
