//! The clock was set back: what was planned by it is planned anew. Neighbour: `downtime` is what a clock that jumps forward looks like.

use chrono::Duration;

use super::Timeline;
use crate::Time;

/// Set back by no more than this, a clock shows hours again whose slots are settled, and they stay so: nobody would
/// be right to expect their runs twice. By more, as from a year that never was, nothing would be expected for too long.
pub const LONGEST_WAIT: Duration = Duration::days(1);

impl Timeline<'_> {
    /// Active runs that started by the clock as it was go on as long as they have, and keep what was left to them; after a
    /// longer step, counting begins anew.
    pub fn clock_set_back(&mut self, before: Time, now: Time) {
        let by = before - now;
        for at in 0..self.runs.len() {
            let run = &mut self.runs[at];
            if run.is_active() && run.started_at.is_some_and(|started| started > now) {
                run.started_at = run.started_at.map(|started| (started - by).min(now));
                run.limit_at = run.limit_at.map(|limit| (limit - by).max(now));
                self.touch(at);
            }
        }
        self.memory.last_started_at = self.memory.last_started_at.map(|last| last.min(now));
        if self.memory.quiet_until.is_some() {
            // By this clock, the maintenance that holds something back may not have begun.
            self.memory.quiet_until = self.monitor.maintenance.quiet_until(now).or(Some(now));
        }
        if by > LONGEST_WAIT {
            let memory = &mut self.memory;
            for last in [&mut memory.last_ended_at, &mut memory.last_success_at] {
                *last = last.map(|last| last.min(now));
            }
            self.restart_counting(now);
        }
        self.replan();
    }
}
