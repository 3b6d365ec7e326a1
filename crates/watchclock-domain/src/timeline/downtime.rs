//! What fell into our own downtime: slots are unknown, limits are put off, and nothing is held against a job before it
//! had one fresh grace. Neighbours: `slots` and `limits` judge what was watched.

use chrono::Duration;

use super::{NewIds, Timeline};
use crate::{
    Time,
    gap::{Gap, MAX_SLOTS_COUNTED, Unwatched},
    incident::Kind,
    run::RunStatus,
    span,
};

/// Most unknown slots of one gap that are kept one by one.
const MAX_UNKNOWN: usize = 200;

/// When a slot is judged, and whether that can tell anything.
pub(super) struct Due {
    pub(super) at: Time,
    /// The gap because of which the slot stays unknown.
    pub(super) gap: Option<Gap>,
}

impl Timeline<'_> {
    /// When a slot is judged: when its grace is over, or, where a gap hides it, as soon as we are back; where its grace
    /// was not over then, after a fresh one.
    pub(super) fn due(&self, slot: Time) -> Option<Due> {
        let mut due = Due { at: self.monitor.start_by(slot)?, gap: None };
        for gap in self.gaps.iter().filter(|gap| gap.to > slot) {
            if gap.touches(slot, due.at) {
                due.gap = Some(*gap);
                due.at = if due.at <= gap.to { gap.to } else { self.fresh_grace(gap) };
            }
        }
        Some(due)
    }

    /// Until when a job may still start for what fell into a gap.
    fn fresh_grace(&self, gap: &Gap) -> Time {
        gap.to.checked_add_signed(self.monitor.grace).unwrap_or(gap.to)
    }

    /// Records that a slot could not be watched. Once very many were, the rest of the gap is passed over.
    pub(super) fn unknown(&mut self, slot: Time, gap: &Gap, so_far: usize, now: Time, ids: &mut dyn NewIds) {
        let at = self.add_run(RunStatus::Unknown, now, ids);
        self.runs[at].slot = Some(slot);
        let mut note = self.gap_words(gap);
        if so_far + 1 >= MAX_UNKNOWN {
            note.push_str("; what else was due until then is not listed");
            self.memory.next_slot = self.monitor.schedule.next(gap.to - Duration::microseconds(1));
        }
        self.runs[at].notes.push(note);
        let fresh = self.fresh_grace(gap);
        self.memory.fresh_until = self.memory.fresh_until.max(Some(fresh));
        self.changes.memory = true;
    }

    fn gap_words(&self, gap: &Gap) -> String {
        let zone = self.monitor.schedule.zone();
        format!("Watchclock did not watch from {} to {}", zone.show(gap.from), zone.show(gap.to))
    }

    /// Puts off the limits that passed during a gap; tells whether it did.
    pub(super) fn put_off_limits(&mut self) -> bool {
        let mut put_off = false;
        let gaps = std::sync::Arc::clone(&self.gaps);
        for gap in gaps.iter() {
            for at in 0..self.runs.len() {
                let run = &self.runs[at];
                if run.is_active() && run.limit_at.is_some_and(|limit| gap.holds(limit)) {
                    let fresh = self.fresh_grace(gap);
                    let note = format!(
                        "its limit passed meanwhile: {}; it may go on until {}",
                        self.gap_words(gap),
                        self.monitor.schedule.zone().show(fresh)
                    );
                    self.runs[at].limit_at = Some(fresh);
                    self.runs[at].notes.push(note);
                    self.touch(at);
                    put_off = true;
                }
            }
        }
        put_off
    }

    /// The fresh grace is over and nothing was heard: what was due meanwhile counts as missed. People know of it from
    /// the message about the gap, so the incident opens without an alert.
    pub(super) fn end_fresh_grace(&mut self, now: Time, ids: &mut dyn NewIds) {
        let Some(mut until) = self.memory.fresh_until.filter(|until| *until <= now) else { return };
        // Nobody heard of a run either while we were down again.
        for gap in self.gaps.iter().filter(|gap| gap.from < gap.to) {
            until = if gap.holds(until) { until.max(self.fresh_grace(gap)) } else { until };
        }
        self.memory.fresh_until = Some(until).filter(|until| *until > now);
        self.changes.memory = true;
        if self.memory.fresh_until.is_some() {
            return;
        }
        let gap = self.gaps.iter().rfind(|gap| self.fresh_grace(gap) == until).copied();
        let slot = gap.and_then(|gap| self.monitor.schedule.prev(gap.to));
        let excused = slot.into_iter().chain([until, now]).any(|at| self.is_quiet(at));
        if !self.is_watched() || excused || self.memory.active > 0 {
            return;
        }
        self.memory.missed_streak = self.memory.missed_streak.saturating_add(1);
        if self.memory.missed_streak < i32::from(self.monitor.thresholds.missed.max(1))
            || self.open_index(Kind::Missed, None).is_some()
        {
            return;
        }
        let zone = self.monitor.schedule.zone();
        let mut facts = Vec::new();
        facts.extend(slot.map(|slot| ("expected".to_owned(), zone.show(slot))));
        facts.extend(gap.map(|gap| {
            ("not watched".to_owned(), format!("{} – {}", zone.show(gap.from), zone.show(gap.to)))
        }));
        facts.push(("grace".to_owned(), span::words(self.monitor.grace)));
        let summary =
            "nothing was heard since Watchclock is back, and a run was due while it was down".to_owned();
        let runs: Vec<_> =
            self.runs.iter().filter(|run| run.status == RunStatus::Unknown).map(|run| run.id).collect();
        if let Some(index) = self.open_or_add(Kind::Missed, None, summary, facts, &runs, now, ids) {
            let incident = &mut self.incidents[index];
            incident.hushed = true;
            let id = incident.id;
            self.changes.alerts.retain(|alert| alert.incident != id);
        }
    }

    /// What of this monitor could not be watched during a gap that was just found.
    pub fn unwatched(&self, gap: &Gap) -> Option<Unwatched> {
        let limits =
            self.runs.iter().filter(|run| run.is_active() && run.limit_at.is_some_and(|at| gap.holds(at)));
        let mut unwatched =
            Unwatched { slots: 0, first_slot: None, runs: i64::try_from(limits.count()).unwrap_or(i64::MAX) };
        let slots = std::iter::successors(self.memory.next_slot, |slot| self.monitor.schedule.next(*slot));
        let slots = slots.take_while(|slot| *slot < gap.to && self.is_watched() && !self.is_unreadable());
        for slot in slots {
            let touched = self.monitor.start_by(slot).is_some_and(|due| gap.touches(slot, due));
            let expected = self.monitor.schedule.takes_place(slot) && !self.is_quiet(slot);
            if touched && expected && !self.is_covered(slot) {
                unwatched.slots += 1;
                unwatched.first_slot = unwatched.first_slot.or(Some(slot));
                if unwatched.slots == MAX_SLOTS_COUNTED {
                    break;
                }
            }
        }
        (self.is_watched() && (unwatched.slots > 0 || unwatched.runs > 0)).then_some(unwatched)
    }
}
