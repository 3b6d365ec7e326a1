//! The finish limit: runs that take too long are hung, each on its own. Neighbour: `slots` watches the start limit.

use uuid::Uuid;

use super::{NewIds, Timeline};
use crate::{Time, incident::Kind, run::RunStatus, span};

impl Timeline<'_> {
    /// Declares hung whatever has passed its limit by `now`; tells whether anything has.
    pub(super) fn expire_runs(&mut self, now: Time, ids: &mut dyn NewIds) -> bool {
        let mut expired = false;
        for at in 0..self.runs.len() {
            let run = &self.runs[at];
            if run.is_active() && run.limit_at.is_some_and(|limit| limit <= now) {
                self.hang(at, now, ids);
                expired = true;
            }
        }
        expired
    }

    fn hang(&mut self, at: usize, now: Time, ids: &mut dyn NewIds) {
        let run = &mut self.runs[at];
        run.status = RunStatus::Hung;
        run.hung_at = Some(run.limit_at.take().unwrap_or(now));
        let id = run.id;
        self.memory.active = (self.memory.active - 1).max(0);
        self.memory.hung += 1;
        self.memory.hung_unseen.push(id);
        let over = self.memory.hung_unseen.len().saturating_sub(crate::run::MAX_OVERLAPS_NAMED);
        self.memory.hung_unseen.drain(..over);
        self.memory.good_streak = 0;
        self.changes.memory = true;
        self.touch(at);
        self.report_hung(at, now, ids);
        if self.memory.active <= i64::from(self.monitor.overlap.allowed.max(1)) {
            self.resolve(
                Kind::Overlap,
                None,
                "the run that was still active is counted as hung",
                Some(id),
                now,
            );
        }
    }

    /// Opens the incident of a hung run, or adds it to the one that is open.
    pub(super) fn report_hung(&mut self, at: usize, now: Time, ids: &mut dyn NewIds) {
        let learned = self.monitor.max_duration.is_none();
        let run = &self.runs[at];
        let (id, number, started, limit_at) =
            (run.id, run.number, run.started_at, run.hung_at.unwrap_or(now));
        let mut facts = Vec::new();
        let mut summary = format!("run #{number} has not ended");
        if let Some(started) = started {
            let limit = (limit_at - started).max(chrono::Duration::zero());
            summary = format!("run #{number} has not ended within {}", span::words(limit));
            facts.push(("started".to_owned(), self.monitor.schedule.zone().show(started)));
            facts.push((
                "limit".to_owned(),
                format!("{}{}", span::words(limit), if learned { ", learned from earlier runs" } else { "" }),
            ));
        }
        if let Some(host) = &self.runs[at].source.host {
            facts.push(("host".to_owned(), host.clone()));
        }
        if let Some(index) = self.open_or_add(Kind::Hung, None, summary, facts, &[id], now, ids) {
            self.incidents[index].pending.push(id);
        } else {
            self.hold_hung_run(at, now);
        }
    }

    /// A good end: the hung incident resolves when its own runs have ended, or enough later ones ended well.
    pub(super) fn hung_run_ended(&mut self, id: Uuid, started: Option<Time>, recover: i32, now: Time) {
        let Some(index) = self.open_index(Kind::Hung, None) else { return };
        let incident = &mut self.incidents[index];
        let was_pending = incident.pending.contains(&id);
        incident.pending.retain(|pending| *pending != id);
        let over = if was_pending {
            incident.pending.is_empty()
        } else if started.is_none_or(|started| started >= incident.opened_at)
            || self.started_after_hung(index, id)
        {
            self.incidents[index].progress += 1;
            self.incidents[index].progress >= recover
        } else {
            false
        };
        let incident = self.incidents[index].id;
        self.mark_incident(incident);
        if over {
            let text = if was_pending { "the run ended" } else { "a later run ended well" };
            self.resolve(Kind::Hung, None, text, Some(id), now);
        }
    }

    /// Whether the run was heard of after every run of the incident that is hung still.
    fn started_after_hung(&self, index: usize, id: Uuid) -> bool {
        let number = self.run(id).map_or(0, |run| run.number);
        self.incidents[index]
            .pending
            .iter()
            .filter_map(|hung| self.run(*hung))
            .all(|hung| hung.number < number)
    }

    /// A run that hung and then failed adds to its open incident instead of opening another.
    pub(super) fn add_to_hung(&mut self, id: Uuid, text: &str, now: Time) -> bool {
        let Some(index) = self.open_index(Kind::Hung, None) else { return false };
        if !self.incidents[index].pending.contains(&id) {
            return false;
        }
        self.incidents[index].pending.retain(|pending| *pending != id);
        let incident = self.incidents[index].id;
        self.mark_incident(incident);
        self.event(incident, now, "again", text.to_owned());
        true
    }
}
