//! The finished runs that a monitor's rules look back on. Neighbours: `rules` judges with them, [`crate::rule`] says how many are needed.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{Timeline, rules::judged};
use crate::{
    monitor::Monitor,
    rule::{History, Judged, earlier::EarlierRun},
    run::Run,
    usual,
};

/// Most finished runs that rules look back on.
pub const MOST: usize = 500;

/// Finished runs by number, oldest first; of each only what the rules read.
#[derive(Debug, Default)]
pub struct Past {
    runs: Vec<EarlierRun>,
    most: usize,
    keys: Vec<String>,
}

/// How many finished runs a monitor's rules and anomalies look back on; none where nothing does.
pub fn runs_needed(monitor: &Monitor) -> usize {
    // Failed runs lie between the good ones that are asked for, so a few more.
    let with_others = |good: usize| good * 2 + 10;
    let rules = monitor.rules.iter().filter_map(|rule| rule.condition.history());
    let rules = rules.map(|need| if need.window.is_some() { MOST } else { with_others(need.runs) });
    let anomalies = (!monitor.anomalies.meta.is_empty()).then(|| with_others(usual::LOOKED_AT));
    rules.chain(anomalies).max().unwrap_or(0).min(MOST)
}

impl Past {
    /// From the finished runs of a monitor, in any order.
    pub fn new(monitor: &Monitor, runs: &[Run]) -> Self {
        let mut keys = BTreeSet::new();
        for rule in monitor.rules.iter().filter(|rule| rule.condition.history().is_some()) {
            keys.extend(rule.condition.names().into_iter().map(str::to_owned));
        }
        keys.extend(monitor.anomalies.meta.iter().cloned());
        let keys: Vec<String> = keys.into_iter().collect();
        let mut runs: Vec<EarlierRun> = runs.iter().map(|run| kept(run, &keys)).collect();
        runs.sort_by_key(|run| run.number);
        Self { runs, most: runs_needed(monitor), keys }
    }

    pub fn len(&self) -> usize {
        self.runs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Where a run is; the newest are looked for most.
    fn place(&self, id: Uuid) -> Option<usize> {
        self.runs.iter().rposition(|run| run.id == id)
    }

    /// Takes a run as it is now: one that runs again is no past.
    fn put(&mut self, run: &Run) {
        if self.most == 0 {
            return;
        }
        if let Some(place) = self.place(run.id) {
            self.runs.remove(place);
        }
        if run.is_active() {
            return;
        }
        let place = self.runs.partition_point(|past| past.number < run.number);
        self.runs.insert(place, kept(run, &self.keys));
        // A little over, so that not every run moves all of them.
        if self.runs.len() > self.most + self.most / 4 + 16 {
            let over = self.runs.len() - self.most;
            self.runs.drain(..over);
        }
    }

    /// The newest of them as rules see them, except one run.
    pub(super) fn before(&self, except: Uuid) -> History<'_> {
        let over = self.runs.len().saturating_sub(self.most);
        History::of_kept(&self.keys, &self.runs[over..], except)
    }

    /// The last run that ended, else the last one that is over.
    pub(super) fn newest(&self) -> Option<(Uuid, Judged<'_>)> {
        let ended = self.runs.iter().rev().find(|run| run.has_ended());
        let newest = ended.or_else(|| self.runs.last())?;
        Some((newest.id, newest.judged(&self.keys)))
    }
}

fn kept(run: &Run, keys: &[String]) -> EarlierRun {
    EarlierRun::of(run.id, run.number, &judged(run, None), keys)
}

impl Timeline<'_> {
    /// Brings the past up to what has changed since.
    pub(super) fn remember_past(&mut self) {
        let stale = std::mem::take(&mut self.stale);
        let mut changed = false;
        for id in stale {
            let Some(run) = self.runs.iter().find(|run| run.id == id) else { continue };
            // What is told after the end counts, too, and what a run told that then hung.
            if run.status.teaches_keys() && self.memory.learn_keys(run.meta.keys()) {
                self.changes.memory = true;
            }
            // A run that only started or reported is no past yet; one that was may be so no longer.
            if !run.is_active() || self.past.place(id).is_some() {
                self.past.put(run);
                changed = true;
            }
        }
        if changed {
            self.memory.past_version += 1;
            self.changes.memory = true;
            self.past_changed = true;
        }
    }
}
