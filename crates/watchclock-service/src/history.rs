//! What rules look back on, kept between pings: a monitor's finished runs are read once, and then only added to.
//!
//! A kept past is current when the monitor's memory, read under its lock, has the same version of it; so several
//! servers on one database agree, and a transaction that failed leaves nothing behind. Neighbour: `cache` keeps configurations.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;
use watchclock_domain::{
    monitor::Monitor,
    run::Run,
    timeline::{Past, Timeline, past::runs_needed, usual_facts::RUNS_READ},
};
use watchclock_store::{StoreResult, Tx, facts::Facts};

use crate::Watchclock;

/// Most runs that are kept in memory, of all monitors together; each takes a fifth of a kilobyte.
const MOST_RUNS: usize = 60_000;

#[derive(Debug)]
struct Kept {
    monitor_version: i64,
    past_version: i64,
    past: Past,
}

/// The pasts of monitors whose rules look back.
#[derive(Debug, Default)]
pub(crate) struct PastCache(Mutex<Pasts>);

#[derive(Debug, Default)]
struct Pasts {
    by_monitor: HashMap<Uuid, Kept>,
    /// How many there are in all.
    runs: usize,
}

impl Pasts {
    fn remove(&mut self, id: Uuid) -> Option<Kept> {
        let kept = self.by_monitor.remove(&id)?;
        self.runs -= kept.past.len();
        Some(kept)
    }
}

impl PastCache {
    /// Takes out what is kept of a monitor, where it is current.
    fn take(&self, monitor: &Monitor, past_version: i64) -> Option<Past> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(monitor.id)?;
        let current = kept.monitor_version == monitor.version && kept.past_version == past_version;
        current.then_some(kept.past)
    }

    fn keep(&self, id: Uuid, kept: Kept) {
        let mut pasts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pasts.remove(id);
        pasts.runs += kept.past.len();
        pasts.by_monitor.insert(id, kept);
        // Whose turn it is does not matter: what is needed again is read again.
        while pasts.runs > MOST_RUNS {
            let Some(other) = pasts.by_monitor.keys().find(|other| **other != id).copied() else { return };
            pasts.remove(other);
        }
    }
}

impl Watchclock {
    /// Timelines of locked monitors, with their past and their outputs where their rules want them.
    pub(crate) async fn timelines<'a>(
        &self,
        tx: &mut Tx,
        monitors: &'a HashMap<Uuid, Arc<Monitor>>,
        facts: &mut BTreeMap<Uuid, Facts>,
    ) -> StoreResult<HashMap<Uuid, Timeline<'a>>> {
        let mut timelines = HashMap::with_capacity(facts.len());
        let mut unread: Vec<(Uuid, i64)> = Vec::new();
        let mut with_output: Vec<Uuid> = Vec::new();
        for (id, facts) in std::mem::take(facts) {
            let Some(monitor) = monitors.get(&id) else { continue };
            let mut line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
            line.gaps = self.gaps();
            let needed = runs_needed(monitor);
            if needed > 0 {
                match self.inner.pasts.take(monitor, line.memory.past_version) {
                    Some(past) => line.past = past,
                    None => unread.push((id, i64::try_from(needed).unwrap_or(i64::MAX))),
                }
            }
            let reads_output = !monitor.extractors.is_empty()
                || monitor.rules.iter().any(|rule| rule.condition.reads_output());
            // A run that has ended is here since a ping names it, which may only repeat what it said.
            let earlier =
                line.runs.iter().filter(|run| run.output_size > 0 && (reads_output || run.has_ended()));
            with_output.extend(earlier.map(|run| run.id));
            timelines.insert(id, line);
        }
        if !unread.is_empty() {
            let mut read: HashMap<Uuid, Vec<Run>> = HashMap::new();
            for run in self.store().pasts(tx, &unread).await? {
                read.entry(run.monitor).or_default().push(run);
            }
            for (id, _) in unread {
                if let (Some(line), Some(monitor)) = (timelines.get_mut(&id), monitors.get(&id)) {
                    line.past = Past::new(monitor, &read.remove(&id).unwrap_or_default());
                }
            }
        }
        if !with_output.is_empty() {
            let mut outputs = self.store().outputs_of(tx, &with_output).await?;
            for line in timelines.values_mut() {
                let theirs = line.runs.iter().filter_map(|run| Some((run.id, outputs.remove(&run.id)?)));
                line.outputs = theirs.collect();
            }
        }
        Ok(timelines)
    }

    /// Adds what was usual to the incidents that rules opened just now.
    pub(crate) async fn tell_usual(
        &self,
        tx: &mut Tx,
        timelines: &mut HashMap<Uuid, Timeline<'_>>,
    ) -> StoreResult<()> {
        for (id, line) in timelines.iter_mut().filter(|(_, line)| line.wants_usual()) {
            let earlier = self.store().finished_runs(tx, *id, RUNS_READ).await?;
            line.tell_usual(&earlier);
        }
        Ok(())
    }

    /// Keeps the pasts of timelines whose changes are committed.
    pub(crate) fn keep_pasts(&self, timelines: &mut HashMap<Uuid, Timeline<'_>>) {
        for (id, line) in timelines {
            if runs_needed(line.monitor) > 0 {
                let past = std::mem::take(&mut line.past);
                let (monitor_version, past_version) = (line.monitor.version, line.memory.past_version);
                self.inner.pasts.keep(*id, Kept { monitor_version, past_version, past });
            }
        }
    }
}
