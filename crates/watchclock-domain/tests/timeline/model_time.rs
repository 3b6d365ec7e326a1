//! What the passing of time means in the naive model: limits, slots, downtime and maintenance. Neighbour: `model` takes pings.

use super::{EARLY, HungIncident, Model};
use crate::{model_run::Status, steps::Plan};

impl Model {
    /// Time has passed: limits first, then slots, then what was put off.
    pub(super) fn look(&mut self) {
        self.put_off_limits();
        for id in self.active() {
            let limit = self.run(id).limit.expect("an active run has a limit");
            if limit <= self.now {
                self.hang(id, limit);
            }
        }
        self.settle_slots();
        self.end_fresh_grace();
        self.end_maintenance();
    }

    fn grace(&self) -> i64 {
        i64::from(self.setup.grace)
    }

    pub(super) fn step(&self) -> Option<i64> {
        match self.setup.plan {
            Plan::Never => None,
            Plan::Cron(step) | Plan::Every(step) => Some(i64::from(step)),
        }
    }

    /// Whether maintenance is on.
    pub(super) fn is_quiet(&self, at: i64) -> bool {
        self.setup.window.is_some_and(|(from, to)| i64::from(from) <= at && at < i64::from(to))
    }

    /// A limit that passed while nobody watched: the run gets one more grace.
    fn put_off_limits(&mut self) {
        for (from, to) in self.gaps.clone() {
            let fresh = to + self.grace();
            for id in self.active() {
                let run = self.run(id);
                if run.limit.is_some_and(|limit| from < limit && limit <= to) {
                    run.limit = Some(fresh);
                }
            }
        }
    }

    /// The clock shows times again that were: what is active has taken as long as it had, and what was settled stays so.
    pub(super) fn set_back(&mut self, by: i64) {
        self.now -= by;
        let now = self.now;
        for id in self.active() {
            let run = self.run(id);
            if run.started > Some(now) {
                run.started = run.started.map(|started| (started - by).min(now));
                run.limit = run.limit.map(|limit| (limit - by).max(now));
            }
        }
        self.last_start = self.last_start.map(|last| last.min(now));
        // A gap that is still ahead has not come yet.
        self.gaps.retain(|(from, _)| *from < now);
        for (_, to) in &mut self.gaps {
            *to = (*to).min(now);
        }
    }

    /// When a slot is judged, and the end of the last gap that hid some of the time until then.
    fn due(&self, slot: i64) -> (i64, Option<i64>) {
        let mut due = (slot + self.grace(), None);
        for &(from, to) in &self.gaps {
            if slot < to && due.0 > from {
                due = (if due.0 <= to { to } else { to + self.grace() }, Some(to));
            }
        }
        due
    }

    fn settle_slots(&mut self) {
        while let (Some(slot), Some(step), false) = (self.open_slot, self.step(), self.paused) {
            let (due, hidden) = self.due(slot);
            if due > self.now {
                return;
            }
            self.open_slot = Some(slot + step);
            // What started later would have filled the slot, unless an edit moved the slots meanwhile.
            let at_work = self.runs.iter().any(|run| match run.status {
                Status::Running => true,
                Status::Success | Status::Failed => run.ended >= Some(slot),
                Status::Hung => run.started <= Some(slot) && run.hung >= Some(slot),
                Status::Missed | Status::Skipped | Status::Unknown => false,
            });
            if at_work {
                continue;
            }
            if let Some(back) = hidden {
                let id = self.add(Status::Unknown, None, None);
                self.run(id).slot = Some(slot);
                self.fresh_until = self.fresh_until.max(Some(back + self.grace()));
                continue;
            }
            let id = self.add(Status::Missed, None, None);
            self.run(id).slot = Some(slot);
            // What is due while there is maintenance is not expected; what was due before is told after it.
            if self.is_quiet(slot) {
                continue;
            }
            if self.is_quiet(self.now) {
                self.missed_streak += 1;
                self.held.get_or_insert_default().push(id);
            } else {
                self.count_missed();
            }
        }
    }

    fn count_missed(&mut self) {
        self.missed_streak += 1;
        self.missed |= self.missed_streak >= self.setup.missed;
    }

    /// Nothing was heard since we are back.
    fn end_fresh_grace(&mut self) {
        let Some(mut until) = self.fresh_until.filter(|until| *until <= self.now) else { return };
        for &(from, to) in &self.gaps {
            until = if from < until && until <= to { to + self.grace() } else { until };
        }
        self.fresh_until = Some(until).filter(|until| *until > self.now);
        if self.fresh_until.is_some() || self.paused || !self.active().is_empty() {
            return;
        }
        let back = self.gaps.iter().rfind(|(_, to)| to + self.grace() == until).map(|(_, to)| *to);
        let slot = match (back, self.setup.plan) {
            (Some(back), Plan::Cron(step)) => Some((back - 1).div_euclid(i64::from(step)) * i64::from(step)),
            (Some(back), Plan::Every(step)) => Some(back - i64::from(step)),
            _ => None,
        };
        if !slot.into_iter().chain([until, self.now]).any(|at| self.is_quiet(at)) {
            self.count_missed();
        }
    }

    fn hang(&mut self, id: usize, limit: i64) {
        let run = self.run(id);
        run.status = Status::Hung;
        run.hung = Some(limit);
        self.unseen.push(id);
        self.good_streak = 0;
        self.report_hung(id);
        self.calm();
    }

    fn report_hung(&mut self, id: usize) {
        if self.paused {
            return;
        }
        if self.hung.is_none() && self.is_quiet(self.now) {
            self.held.get_or_insert_default().push(id);
            return;
        }
        let now = self.now;
        let incident = self.hung.get_or_insert(HungIncident { since: now, still: vec![], good: 0 });
        incident.still.push(id);
        incident.good = 0;
    }

    /// More are active than may be.
    pub(super) fn open_overlap(&mut self) {
        if self.paused || self.overlap {
            return;
        }
        if self.is_quiet(self.now) {
            self.held.get_or_insert_default();
        } else {
            self.overlap = true;
        }
    }

    /// What maintenance held back opens if it is still so, and somebody watches.
    fn end_maintenance(&mut self) {
        if self.paused || self.is_quiet(self.now) {
            return;
        }
        let Some(held) = self.held.take() else { return };
        let some_missed = held.iter().any(|id| self.run(*id).status == Status::Missed);
        let is_enough = self.missed_streak >= self.setup.missed;
        self.missed |= some_missed && is_enough && self.active().is_empty();
        for id in held {
            if self.run(id).status == Status::Hung {
                self.report_hung(id);
            }
        }
        if self.active().len() > self.allowed() {
            self.open_overlap();
        }
    }

    pub(super) fn count_from_now(&mut self) {
        self.anchor = self.now;
        self.filled = None;
        self.missed_streak = 0;
        self.fresh_until = None;
        self.open_slot = match self.setup.plan {
            Plan::Never => None,
            Plan::Cron(step) => Some((self.now.div_euclid(i64::from(step)) + 1) * i64::from(step)),
            Plan::Every(step) => Some(self.now + i64::from(step)),
        };
    }

    fn early(&self) -> i64 {
        self.setup.early.map_or(EARLY, i64::from)
    }

    /// Whether a run started before the last slot that is settled, so that nothing follows from it for that one.
    fn is_old(&self, at: i64) -> bool {
        let (Some(open), Some(step)) = (self.open_slot, self.step()) else { return false };
        let last = open - step;
        last >= self.anchor && last <= self.now && at + self.early() < last
    }

    /// Something runs, or did when the last slot came: nothing is missing any more.
    pub(super) fn not_missing(&mut self, at: i64) {
        self.missed &= self.is_old(at);
    }

    /// Gives a run its slot, once.
    pub(super) fn fill(&mut self, id: usize, at: i64) {
        let is_fresh = self.fresh_until.take().is_some();
        let (Some(open), Some(step)) = (self.open_slot, self.step()) else { return };
        if self.run(id).slot.is_some() {
            return;
        }
        let some_missed = self.missed_streak > 0;
        if some_missed && !self.is_old(at) {
            self.missed_streak = 0;
            let held = self.held.take();
            let is_hung = |id: &usize| self.run(*id).status != Status::Missed;
            self.held = held.map(|held| held.into_iter().filter(is_hung).collect());
        }
        if matches!(self.setup.plan, Plan::Every(_)) {
            self.fill_interval(id, at, (open, step), (some_missed, is_fresh));
            return;
        }
        // The nearest slot whose window, from a little before it to the next one, holds the start.
        let (before, after) = (at.div_euclid(step) * step, (at.div_euclid(step) + 1) * step);
        let is_early = after - at <= self.early() && after - at < at - before;
        let slot = if is_early { after } else { before };
        let is_late = at >= slot + self.grace();
        if slot >= open {
            let is_late = at >= self.due(slot).0;
            let run = self.run(id);
            (run.slot, run.late) = (Some(slot), is_late);
            self.filled = Some(slot);
            self.open_slot = Some(slot + step);
            return;
        }
        let is_counted = slot >= self.anchor || !is_late;
        if self.filled == Some(slot) || !is_counted {
            self.run(id).unscheduled = true;
            return;
        }
        let run = self.run(id);
        run.slot = Some(slot);
        run.late = is_late && !is_fresh;
        self.filled = self.filled.max(Some(slot));
    }

    /// An interval counts from the last start.
    fn fill_interval(&mut self, id: usize, at: i64, (open, step): (i64, i64), (missed, fresh): (bool, bool)) {
        if at + self.early() >= open {
            self.run(id).slot = Some(open);
        } else if missed || fresh {
            let run = self.run(id);
            (run.slot, run.late) = (Some(open - step), !fresh);
        }
        if self.last_start.is_none_or(|last| at >= last) {
            self.open_slot = Some(open.max(at + step));
        }
    }
}
