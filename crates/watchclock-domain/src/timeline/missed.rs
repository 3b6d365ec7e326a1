//! Slots that passed without a run: recorded, counted, told. Neighbour: `slots` finds them.

use uuid::Uuid;

use super::{NewIds, Timeline};
use crate::{
    Time,
    incident::Kind,
    run::{Run, RunStatus},
    span,
};

impl Timeline<'_> {
    pub(super) fn miss(&mut self, slot: Time, now: Time, ids: &mut dyn NewIds) {
        let at = self.add_run(RunStatus::Missed, now, ids);
        self.runs[at].slot = Some(slot);
        let id = self.runs[at].id;
        let windows = &self.monitor.maintenance;
        let expected = windows.at(slot).is_none();
        if let Some(window) = windows.at(slot).or_else(|| windows.at(now)) {
            self.runs[at].notes.push(format!("during maintenance: {}", window.name));
            if expected {
                // It was due before that began.
                self.memory.missed_streak = self.memory.missed_streak.saturating_add(1);
                self.hold(id, now);
            }
            return;
        }
        self.memory.missed_streak = self.memory.missed_streak.saturating_add(1);
        if self.are_too_many_missed() || self.open_index(Kind::Missed, None).is_some() {
            self.tell_missed(slot, id, now, ids);
        }
    }

    fn are_too_many_missed(&self) -> bool {
        self.memory.missed_streak >= i32::from(self.monitor.thresholds.missed.max(1))
    }

    /// A run has started: what maintenance holds back of missed slots is over.
    pub(super) fn forget_held_missed(&mut self) {
        let runs = &self.runs;
        self.memory.held_runs.retain(|held| runs.iter().any(|run| run.id == *held && run.is_open()));
    }

    /// Tells, when maintenance has ended, of what was due before it began, and is still missing.
    pub(super) fn tell_held_missed(&mut self, held: &[Uuid], now: Time, ids: &mut dyn NewIds) {
        // Hung runs are at hand, and those that ended are held no longer.
        let is_missed = |id: &Uuid| self.run(*id).is_none_or(|run: &Run| run.status == RunStatus::Missed);
        let Some(run) = held.iter().rev().copied().find(is_missed) else { return };
        if !self.are_too_many_missed() || self.memory.active > 0 {
            return;
        }
        let schedule = &self.monitor.schedule;
        let before = self.memory.next_slot.and_then(|next| schedule.prev(next));
        let mut passed = std::iter::successors(before, |slot| schedule.prev(*slot)).take(MOST_SLOTS_BACK);
        if let Some(slot) = passed.find(|slot| !self.is_quiet(*slot)) {
            self.tell_missed(slot, run, now, ids);
        }
    }

    fn tell_missed(&mut self, slot: Time, run: Uuid, now: Time, ids: &mut dyn NewIds) {
        let zone = self.monitor.schedule.zone();
        let mut facts = vec![
            ("expected".to_owned(), zone.show(slot)),
            ("grace".to_owned(), span::words(self.monitor.grace)),
            ("schedule".to_owned(), self.monitor.schedule.words()),
        ];
        facts.extend(
            self.monitor.schedule.clock_change(slot).map(|change| ("clock change".to_owned(), change)),
        );
        let summary = if let Some(last) = self.memory.last_started_at.max(self.memory.last_ended_at) {
            facts.push(("last run".to_owned(), zone.show(last)));
            format!("no run started for {}", zone.show(slot))
        } else if self.memory.last_ping_at.is_some() {
            // It was only told about; a log is no run.
            format!("no run has ever started; one was expected at {}", zone.show(slot))
        } else {
            format!("has never been pinged; a run was expected at {}", zone.show(slot))
        };
        self.open_or_add(Kind::Missed, None, summary, facts, &[run], now, ids);
    }
}

/// How many slots of a maintenance are passed over for the one before it; past it, it is too long ago to be told.
const MOST_SLOTS_BACK: usize = 2_000;
