//! What maintenance holds back, and what is still wrong when it ends. Neighbour: [`crate::maintenance`] knows when it is on.

use uuid::Uuid;

use super::{NewIds, Timeline};
use crate::{
    Time,
    incident::Kind,
    run::{MAX_OVERLAPS_NAMED, RunStatus},
};

impl Timeline<'_> {
    /// Whether maintenance suppresses the opening of incidents.
    pub(super) fn is_quiet(&self, now: Time) -> bool {
        self.monitor.maintenance.at(now).is_some()
    }

    /// Looks again when the maintenance ends: what was held back may still be wrong then.
    pub(super) fn look_after_maintenance(&mut self, now: Time) {
        if let Some(until) = self.monitor.maintenance.quiet_until(now).filter(|_| self.is_watched()) {
            self.memory.quiet_until = Some(until);
            self.changes.memory = true;
        }
    }

    /// Holds back the incident of a hung run.
    pub(super) fn hold_hung_run(&mut self, at: usize, now: Time) {
        if !self.is_quiet(now) || !self.is_watched() {
            return;
        }
        self.hold(self.runs[at].id, now);
    }

    /// Holds back what is wrong with a run until the maintenance ends.
    pub(super) fn hold(&mut self, run: Uuid, now: Time) {
        self.memory.held_runs.push(run);
        let over = self.memory.held_runs.len().saturating_sub(MAX_OVERLAPS_NAMED);
        self.memory.held_runs.drain(..over);
        self.look_after_maintenance(now);
    }

    /// Opens what maintenance held back and is still so when it has ended.
    pub(super) fn end_maintenance(&mut self, now: Time, ids: &mut dyn NewIds) {
        // A pause keeps what is held back for whoever resumes the monitor.
        let Some(until) = self.memory.quiet_until.filter(|_| self.is_watched()) else { return };
        // Windows may have been changed meanwhile, so they are asked, not what was remembered.
        if let Some(later) = self.monitor.maintenance.quiet_until(now) {
            if later != until {
                self.memory.quiet_until = Some(later);
                self.changes.memory = true;
            }
            return;
        }
        self.memory.quiet_until = None;
        self.changes.memory = true;
        let held = std::mem::take(&mut self.memory.held_runs);
        self.tell_held_missed(&held, now, ids);
        for held in held {
            let is_hung = |run: &crate::run::Run| run.id == held && run.status == RunStatus::Hung;
            if let Some(at) = self.runs.iter().position(is_hung) {
                self.report_hung(at, now, ids);
            }
        }
        let allowed = i64::from(self.monitor.overlap.allowed.max(1));
        if self.memory.active > allowed && self.open_index(Kind::Overlap, None).is_none() {
            let active: Vec<_> = self.runs.iter().filter(|run| run.is_active()).map(|run| run.id).collect();
            let Some(oldest) = active.first().copied() else { return };
            let mut facts = self.overlap_facts(oldest);
            facts.push(("active runs".to_owned(), self.memory.active.to_string()));
            facts.push(("allowed".to_owned(), allowed.to_string()));
            let summary = format!("{} runs are still active after maintenance", self.memory.active);
            self.open_or_add(Kind::Overlap, None, summary, facts, &active, now, ids);
        }
    }
}
