//! Monitors that come with a past: their pings are judged as if Watchclock had been there, and all of it appears at once,
//! so that a server beside it never sees half of a story. Neighbour: `intake` takes the pings of the present.

use uuid::Uuid;
use watchclock_domain::{
    Time,
    monitor::{Memory, Monitor},
    ping::Ping,
    run::Run,
    timeline::{self, NewIds, Timeline, slots},
};
use watchclock_store::Batch;

use super::{MonitorChange, change, slug_taken};
use crate::{
    ServiceError, ServiceResult, Watchclock,
    clock::{Clock as _, ManualClock},
};

/// One monitor with what happened to it before now.
#[derive(Debug, Clone)]
pub struct Past {
    pub monitor: MonitorChange,
    /// When it was made.
    pub since: Time,
    /// In the order of their `received_at`, none before `since` or after now.
    pub pings: Vec<Ping>,
    /// When it was paused, if it still is.
    pub paused: Option<Time>,
}

impl Watchclock {
    /// Makes monitors with their runs and incidents in one transaction. Channels of the project hear of all of it.
    pub async fn create_with_past(&self, project: Uuid, pasts: Vec<Past>) -> ServiceResult<()> {
        let now = self.now();
        let clock = ManualClock::new(now);
        let days = self.store().calendar_days(&[project]).await?;
        let mut told = Vec::with_capacity(pasts.len());
        for past in pasts {
            clock.set(past.since);
            let blank = change::blank(crate::secret::unguessable_id(), project, past.since);
            let monitor = past
                .monitor
                .apply(&blank, (past.since, &days), || clock.new_id())
                .map_err(ServiceError::Invalid)?;
            told.push((monitor, past.pings, past.paused));
        }
        let paused: Vec<Monitor> = told
            .iter()
            .map(|(monitor, _, paused)| Monitor { paused: paused.is_some(), ..monitor.clone() })
            .collect();
        let mut lines = Vec::with_capacity(told.len());
        for ((monitor, pings, paused), after) in told.iter().zip(&paused) {
            let line = live(monitor, pings, paused.unwrap_or(now));
            let mut line = line.under(after);
            line.replan();
            lines.push(line);
        }

        let mut tx = self.store().begin().await?;
        for line in &lines {
            let monitor = line.monitor;
            self.check_channels(&mut tx, monitor.project, &monitor.channels).await?;
            let added = self.store().add_monitor(&mut tx, monitor, &line.memory).await;
            added.map_err(|error| slug_taken(error, &monitor.slug))?;
        }
        let lines: Vec<&Timeline<'_>> = lines.iter().collect();
        let alerts = self.compose_alerts(&mut tx, &lines).await?;
        self.store().write(&mut tx, &Batch { timelines: lines, alerts }).await?;
        self.store().commit(tx).await?;
        self.inner.wakes.evaluator.notify_one();
        Ok(())
    }
}

/// Lets a monitor live through its pings, until a moment.
fn live<'m>(monitor: &'m Monitor, pings: &[Ping], until: Time) -> Timeline<'m> {
    // Ids sort by time, also those of what happened before. They never go back by one clock, so each monitor has its own.
    let clock = &ManualClock::new(monitor.created_at);
    let mut memory = Memory::new(monitor.created_at);
    slots::restart_counting(monitor, &mut memory, monitor.created_at);
    let mut line = Timeline::new(monitor, memory, Vec::new(), Vec::new());
    line.past = timeline::Past::new(monitor, &[]);
    let mut new_id = || clock.new_id();
    for ping in pings {
        pass_until(&mut line, ping.received_at, clock, &mut new_id);
        clock.set(ping.received_at);
        line.ping(ping, &mut new_id);
        tell_usual(&mut line);
    }
    pass_until(&mut line, until, clock, &mut new_id);
    line
}

/// Evaluates at each deadline until a moment, as the evaluator would have.
fn pass_until(line: &mut Timeline<'_>, until: Time, clock: &ManualClock, ids: &mut dyn NewIds) {
    while let Some(deadline) = line.memory.deadline.filter(|deadline| *deadline <= until) {
        clock.set(deadline);
        line.pass(deadline, ids);
        if line.memory.deadline == Some(deadline) {
            return;
        }
    }
}

/// Adds what was usual to incidents that rules opened just now.
fn tell_usual(line: &mut Timeline<'_>) {
    if line.wants_usual() {
        let earlier: Vec<Run> =
            line.runs.iter().rev().filter(|run| run.has_ended()).take(40).cloned().collect();
        line.tell_usual(&earlier);
    }
}
