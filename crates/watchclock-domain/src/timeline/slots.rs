//! The start limit: which run fills which slot, and which slots pass unfilled. Neighbour: [`crate::schedule`] yields them.

use chrono::Duration;

use super::{NewIds, Timeline, time_rules::judge_soon};
use crate::{
    Time,
    incident::Kind,
    monitor::{Memory, Monitor},
    run::{Run, RunFlag, RunStatus},
    schedule,
};

/// How long until a monitor whose schedule cannot be read is looked at again.
const LOOK_AGAIN: Duration = Duration::minutes(10);
/// Most slots that one pass settles; what remains is settled by the next one, at once.
const MAX_SLOTS_A_PASS: usize = 200;

/// Starts counting slots from `now`: a new monitor, an edited schedule, a resume. Never looks back.
pub fn restart_counting(monitor: &Monitor, memory: &mut Memory, now: Time) {
    memory.anchor = now;
    memory.filled_slot = None;
    memory.missed_streak = 0;
    memory.fresh_until = None;
    memory.next_slot = monitor.schedule.next(now);
    judge_soon(monitor, memory, now);
    let slot = memory.next_slot.and_then(|slot| monitor.start_by(slot));
    memory.deadline = slot.into_iter().chain(memory.rules_due).min();
    if monitor.broken.is_some() {
        // Nothing is expected of it, but it must not be forgotten.
        memory.deadline = Some(now);
    }
}

/// Plans anew what is ahead after the days off changed. A slot whose grace runs stays, unless its day is off now; slots of
/// the past that a removed day off had hidden are not looked for.
pub fn replan_days(monitor: &Monitor, memory: &mut Memory, now: Time) {
    let schedule = &monitor.schedule;
    if monitor.broken.is_some() {
        return;
    }
    if memory.next_slot.is_some_and(|slot| slot <= now && schedule.takes_place(slot)) {
        return;
    }
    let ahead = |slot: &Time| *slot > now;
    memory.next_slot = if schedule.text().kind == schedule::Kind::Every {
        let from = memory.last_started_at.unwrap_or(memory.anchor).max(memory.anchor);
        let counted = memory.next_slot.and_then(|slot| schedule.moved(slot)).filter(ahead);
        schedule.next(from).filter(ahead).or(counted).or_else(|| schedule.next(now))
    } else {
        // an early run has filled a slot that is still ahead
        schedule.next(memory.filled_slot.map_or(now, |filled| filled.max(now)))
    };
}

impl Timeline<'_> {
    pub(super) fn restart_counting(&mut self, now: Time) {
        restart_counting(self.monitor, &mut self.memory, now);
        self.changes.memory = true;
    }

    fn interval_counts_from_runs(&self) -> bool {
        self.monitor.schedule.text().kind == schedule::Kind::Every
    }

    /// Gives the run that starts at `started` its slot, once.
    pub(super) fn fill_slot(&mut self, at: usize, started: Time, now: Time, ids: &mut dyn NewIds) {
        // What was due during our own downtime may start until its fresh grace is over.
        let is_fresh = self.memory.fresh_until.take().is_some();
        let Some(next) = self.memory.next_slot.filter(|_| self.runs[at].slot.is_none()) else { return };
        let is_late = self.memory.missed_streak > 0;
        if is_late && !self.is_before_last_slot(started, now) {
            self.memory.missed_streak = 0;
            self.forget_held_missed();
        }
        self.changes.memory = true;
        if self.interval_counts_from_runs() {
            // The interval counts from the last run's start, so a start always begins a new one.
            let early = self.monitor.tolerance(next);
            let run = &mut self.runs[at];
            if started + early >= next {
                run.slot = Some(next);
            } else if is_late || is_fresh {
                run.slot = self.monitor.schedule.prev(next);
                if !is_fresh {
                    run.flag(RunFlag::LateStart);
                }
            }
            self.memory.filled_slot = run.slot;
            if self.memory.last_started_at.is_none_or(|last| started >= last) {
                // Never back to what is settled already, however late we hear of a run.
                self.memory.next_slot = self.memory.next_slot.max(self.monitor.schedule.next(started));
            }
            return;
        }
        let nearest = self.nearest_slot(started);
        if let Some(slot) = nearest.filter(|slot| *slot >= next) {
            // Earlier ones still in their grace are covered by this run.
            self.runs[at].slot = Some(slot);
            if self.due(slot).is_some_and(|due| started >= due.at) {
                self.runs[at].flag(RunFlag::LateStart);
            }
            self.memory.filled_slot = Some(slot);
            self.memory.next_slot = self.monitor.schedule.next(slot);
            return;
        }
        // Passed already: missed, unknown, covered by a run that outlived it, or of a start that is told late.
        let is_late = nearest.is_some_and(|slot| self.is_late(started, slot));
        // A slot from before the counting began is filled by a run of its time, and by no later one.
        let passed = nearest.filter(|slot| *slot >= self.memory.anchor || !is_late);
        match passed {
            Some(slot) if self.memory.filled_slot != Some(slot) => {
                self.runs[at].slot = Some(slot);
                if is_late && !is_fresh {
                    self.runs[at].flag(RunFlag::LateStart);
                }
                self.memory.filled_slot = self.memory.filled_slot.max(Some(slot));
            }
            // A time that comes twice may be run twice.
            Some(slot) if self.is_again(started, slot) => self.runs[at].slot = Some(slot),
            // A job may well run on a day off; nobody is told unless they want to hear of every such run.
            _ if self.monitor.schedule.is_off(started) && !self.monitor.alert_unscheduled => {}
            _ => self.unscheduled(at, next, now, ids),
        }
    }

    /// The nearest slot in whose window, from a little before it to the next one, a start lies.
    fn nearest_slot(&self, started: Time) -> Option<Time> {
        let schedule = &self.monitor.schedule;
        let came = schedule.prev(started + Duration::microseconds(1));
        let is_near = |slot: &Time| {
            let early = *slot - started;
            early <= self.monitor.tolerance(*slot) && came.is_none_or(|came| early < started - came)
        };
        schedule.next(started).filter(is_near).or(came)
    }

    /// Whether a run, told late, was before the last slot that has been settled; nothing follows from it for that slot.
    pub(super) fn is_before_last_slot(&self, started: Time, now: Time) -> bool {
        let last = self.memory.next_slot.and_then(|next| self.monitor.schedule.prev(next));
        let last = last.filter(|slot| *slot >= self.memory.anchor && *slot <= now);
        last.is_some_and(|slot| started + self.monitor.tolerance(slot) < slot)
    }

    fn is_late(&self, started: Time, slot: Time) -> bool {
        self.monitor.start_by(slot).is_some_and(|by| started >= by)
    }

    /// Whether a start is that of a slot whose time a clock change repeated, the second time.
    fn is_again(&self, started: Time, slot: Time) -> bool {
        let again = self.monitor.schedule.latest(slot);
        again > slot && started + self.monitor.tolerance(slot) >= again && !self.is_late(started, slot)
    }

    /// A second run for a filled slot, or a run far from any.
    fn unscheduled(&mut self, at: usize, next: Time, now: Time, ids: &mut dyn NewIds) {
        self.runs[at].flag(RunFlag::Unscheduled);
        // Whoever resumes a monitor by running its job knows of it.
        if !self.monitor.alert_unscheduled || self.changes.resumed {
            return;
        }
        let (id, number) = (self.runs[at].id, self.runs[at].number);
        let zone = self.monitor.schedule.zone();
        let mut facts = vec![("next slot".to_owned(), zone.show(next))];
        if let Some(filled) = self.memory.filled_slot {
            facts.push(("last filled slot".to_owned(), zone.show(filled)));
        }
        let summary = format!("run #{number} started outside the schedule");
        if self.open_or_add(Kind::Unscheduled, None, summary, facts, &[id], now, ids).is_some() {
            self.resolve(Kind::Unscheduled, None, "an event, over at once", Some(id), now);
        }
    }

    /// Settles every slot whose grace has passed by `now`: covered by a run that was active, unknown, or missed.
    pub(super) fn settle_slots(&mut self, now: Time, ids: &mut dyn NewIds) {
        if !self.is_watched() {
            return;
        }
        if self.is_unreadable() {
            // Nothing is expected of it now, but it must not be forgotten.
            self.memory.deadline = now.checked_add_signed(LOOK_AGAIN);
            self.changes.memory = true;
            return;
        }
        if self.memory.next_slot.is_none() && self.memory.deadline.is_some_and(|at| at <= now) {
            // It could not be read when its slots were planned, and can be now.
            self.memory.next_slot = self.monitor.schedule.next(now);
        }
        let mut unknown = 0;
        for _ in 0..MAX_SLOTS_A_PASS {
            let Some(slot) = self.memory.next_slot else { return };
            let Some(due) = self.due(slot) else { return };
            // What a gap hides as a whole is settled at once, also by a ping that came while we were coming back.
            if due.at > now && due.gap.is_none_or(|gap| due.at != gap.to) {
                return;
            }
            self.memory.next_slot = self.monitor.schedule.next(slot);
            self.changes.memory = true;
            // A slot that was planned before its day was off is not expected any more.
            if !self.monitor.schedule.takes_place(slot) || self.is_covered(slot) {
                continue;
            }
            match &due.gap {
                Some(gap) => {
                    self.unknown(slot, gap, unknown, now, ids);
                    unknown += 1;
                }
                None => self.miss(slot, now, ids),
            }
        }
    }

    /// Whether the stored schedule cannot be read, so that nothing is known of its slots.
    pub(super) fn is_unreadable(&self) -> bool {
        self.monitor.broken.is_some() && self.monitor.schedule.text().kind == schedule::Kind::None
    }

    /// Whether a run was active when the slot came; its own limit watches it. A hung run was until it hung.
    pub(super) fn is_covered(&self, slot: Time) -> bool {
        let hung_later = |run: &Run| {
            run.status == RunStatus::Hung
                && run.started_at.is_some_and(|started| started <= slot)
                && run.hung_at.is_some_and(|hung| hung >= slot)
        };
        self.memory.active > 0
            || self.memory.last_ended_at.is_some_and(|ended| ended >= slot)
            || self.runs.iter().any(hung_later)
    }

    /// The next moment at which something could become wrong. May be too early, never too late.
    ///
    /// `nearest_known`: the nearest limits are among the runs at hand, even where not all active runs are.
    pub(super) fn set_deadline(&mut self, nearest_known: bool) {
        let slot = self.memory.next_slot.and_then(|slot| self.due(slot)).map(|due| due.at);
        let slot = if self.is_unreadable() { self.memory.deadline } else { slot };
        let usual = if self.memory.active > 0 { self.usual_duration() } else { None };
        let unusual = self.runs.iter().filter_map(|run| self.slow_at(usual.as_ref(), run)).min();
        let others = [
            slot,
            self.memory.fresh_until,
            self.memory.quiet_until,
            self.next_snooze_end(),
            unusual,
            self.memory.rules_due,
        ];
        let others = others.into_iter().flatten().filter(|_| self.is_watched());
        let limits = self.runs.iter().filter(|run| run.is_active()).filter_map(|run| run.limit_at);
        let next = limits.chain(others).min();
        let here = self.runs.iter().filter(|run| run.is_active()).count();
        let all_here = || i64::try_from(here).is_ok_and(|here| here >= self.memory.active);
        let next = match (next, self.memory.deadline) {
            (Some(next), Some(before)) if !nearest_known && !all_here() => Some(next.min(before)),
            (None, before) if !nearest_known && !all_here() => before,
            _ => next,
        };
        if next != self.memory.deadline {
            self.memory.deadline = next;
            self.changes.memory = true;
        }
    }

    /// Keeps a deadline that need not move away: writing it costs more than one look too early. That is so when it moves
    /// only a little, and when another ping like this one is likely to come before; `last` is when the last one came.
    pub(super) fn keep_deadline(&mut self, planned: Option<Time>, now: Time, last: Option<Time>) {
        let next = self.memory.deadline;
        let Some(planned) =
            planned.filter(|planned| *planned > now && next.is_none_or(|next| *planned < next))
        else {
            return;
        };
        let left = planned - now;
        let moves_little = next.is_some_and(|next| (next - planned) * 8 <= left);
        let comes_again = last.is_some_and(|last| last <= now && now - last <= left);
        if moves_little || comes_again {
            self.memory.deadline = Some(planned);
        }
    }
}
