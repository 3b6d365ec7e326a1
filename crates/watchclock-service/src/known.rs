//! Facts of monitors as this server wrote them last: a ping that follows need not read them again.
//!
//! Nothing here is locked, so it may be out of date: the store writes only over the version that was read, and tells when
//! another server was faster. Then, and for all that is not known, facts are read under their locks.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;
use watchclock_domain::{monitor::Monitor, ping::Signal, run::Run, timeline::Timeline};
use watchclock_store::{StoreResult, Tx, facts::Facts};

use crate::{Watchclock, ping::PingRequest};

/// Past it the cache starts anew; a monitor takes a kilobyte, and half of one more for each run.
const MOST_MONITORS: usize = 10_000;
/// Monitors with more open runs or incidents are read each time.
const MOST_EACH: usize = 10;

#[derive(Debug, Default)]
pub(crate) struct KnownFacts(Mutex<HashMap<Uuid, Facts>>);

impl KnownFacts {
    /// Takes out the facts of monitors, if all of them are known under these configurations.
    fn take(&self, ids: &[Uuid], monitors: &HashMap<Uuid, Arc<Monitor>>) -> Option<BTreeMap<Uuid, Facts>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let current = |id| known.get(id).is_some_and(|facts: &Facts| facts.version == monitors[id].version);
        if !ids.iter().all(current) {
            return None;
        }
        Some(ids.iter().filter_map(|id| Some((*id, known.remove(id)?))).collect())
    }

    pub(crate) fn forget(&self, ids: &[Uuid]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            known.remove(id);
        }
    }
}

impl Watchclock {
    /// The facts that pings need, without locks; none where something is not known.
    pub(crate) async fn known_facts(
        &self,
        tx: &mut Tx,
        ids: &[Uuid],
        monitors: &HashMap<Uuid, Arc<Monitor>>,
        pings: impl Iterator<Item = (Uuid, &PingRequest)>,
    ) -> StoreResult<Option<BTreeMap<Uuid, Facts>>> {
        let Some(mut facts) = self.inner.known.take(ids, monitors) else { return Ok(None) };
        let mut projects: Vec<Uuid> = ids.iter().map(|id| monitors[id].project).collect();
        projects.sort_unstable();
        projects.dedup();
        let windows = self.store().windows_versions(tx, &projects).await?;
        if ids.iter().any(|id| windows.get(&monitors[id].project) != Some(&monitors[id].maintenance.version))
        {
            return Ok(None);
        }
        let named = unknown_runs(&facts, pings);
        if !named.is_empty() {
            for run in self.store().runs_by_rid(tx, &named).await? {
                if let Some(facts) = facts.get_mut(&run.monitor) {
                    facts.runs.push(run);
                }
            }
        }
        Ok(Some(facts))
    }

    /// Keeps what is true of monitors after their changes are committed.
    pub(crate) fn keep_known<'m>(&self, lines: impl Iterator<Item = Timeline<'m>>) {
        let mut known = self.inner.known.0.lock().unwrap_or_else(PoisonError::into_inner);
        for line in lines {
            // A resumed monitor has another configuration now.
            if line.changes.resumed || line.monitor.broken.is_some() {
                continue;
            }
            let id = line.monitor.id;
            if let Some(facts) = facts_after(line) {
                if known.len() >= MOST_MONITORS {
                    known.clear();
                }
                known.insert(id, facts);
            }
        }
    }
}

/// Run ids whose runs are not at hand. A start is taken to be a new run: the store refuses it where it is not.
fn unknown_runs<'p>(
    facts: &BTreeMap<Uuid, Facts>,
    pings: impl Iterator<Item = (Uuid, &'p PingRequest)>,
) -> Vec<(Uuid, String)> {
    let mut named = Vec::new();
    let mut seen: HashSet<(Uuid, &str)> = HashSet::new();
    for (monitor, request) in pings {
        let Some(run_id) = &request.ping.run_id else { continue };
        let is_open = |facts: &Facts| {
            facts.runs.iter().any(|run| run.run_id.as_ref().is_some_and(|known| known.key == run_id.key))
        };
        let first = seen.insert((monitor, &run_id.key));
        if first && request.ping.signal != Signal::Start && !facts.get(&monitor).is_some_and(is_open) {
            named.push((monitor, run_id.key.clone()));
        }
    }
    named
}

/// None where there is too much of it, or where the timeline did not see all.
fn facts_after(line: Timeline<'_>) -> Option<Facts> {
    if line.open_runs().is_none_or(|open| open.count() > MOST_EACH) {
        return None;
    }
    let written = line.changed();
    let mut memory = line.memory;
    memory.version += i64::from(written);
    let (version, windows_version) = (line.monitor.version, line.monitor.maintenance.version);
    let mut runs = line.runs;
    runs.retain(Run::is_open);
    let mut incidents = line.incidents;
    incidents.retain(|incident| incident.resolved_at.is_none());
    (incidents.len() <= MOST_EACH).then_some(Facts { version, windows_version, memory, runs, incidents })
}
