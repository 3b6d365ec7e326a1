//! Configurations of monitors as last read, with their schedules and rules compiled. The locked version decides whether
//! one is still current, so several servers never disagree.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use uuid::Uuid;
use watchclock_domain::monitor::Monitor;
use watchclock_store::{Store, StoreResult, Tx};

/// Enough for any instance that one server carries; past it the cache starts anew.
const MAX_MONITORS: usize = 200_000;

#[derive(Debug, Default)]
pub(crate) struct MonitorCache {
    monitors: RwLock<HashMap<Uuid, Arc<Monitor>>>,
}

impl MonitorCache {
    /// The configurations of those monitors that exist, as cached or read.
    pub(crate) async fn get(&self, store: &Store, ids: &[Uuid]) -> StoreResult<HashMap<Uuid, Arc<Monitor>>> {
        let mut found = HashMap::with_capacity(ids.len());
        let mut unknown = Vec::new();
        {
            let monitors = self.monitors.read().unwrap_or_else(PoisonError::into_inner);
            for id in ids {
                // One that could not be read is read again, so that a repair is seen at once.
                match monitors.get(id).filter(|monitor| monitor.broken.is_none()) {
                    Some(monitor) => {
                        found.insert(*id, Arc::clone(monitor));
                    }
                    None => unknown.push(*id),
                }
            }
        }
        if !unknown.is_empty() {
            found.extend(self.reload(store, &unknown).await?);
        }
        Ok(found)
    }

    /// Reads configurations again.
    pub(crate) async fn reload(
        &self,
        store: &Store,
        ids: &[Uuid],
    ) -> StoreResult<HashMap<Uuid, Arc<Monitor>>> {
        Ok(self.keep(ids, store.monitors_by_id(ids).await?))
    }

    /// The same inside the transaction that holds the locks: waiting for a second connection there, many could wait for
    /// each other.
    pub(crate) async fn reload_in(
        &self,
        store: &Store,
        tx: &mut Tx,
        ids: &[Uuid],
    ) -> StoreResult<HashMap<Uuid, Arc<Monitor>>> {
        Ok(self.keep(ids, store.locked_monitors(tx, ids).await?))
    }

    fn keep(&self, ids: &[Uuid], read: Vec<Monitor>) -> HashMap<Uuid, Arc<Monitor>> {
        let read: HashMap<Uuid, Arc<Monitor>> =
            read.into_iter().map(|monitor| (monitor.id, Arc::new(monitor))).collect();
        let mut monitors = self.monitors.write().unwrap_or_else(PoisonError::into_inner);
        if monitors.len() + read.len() > MAX_MONITORS {
            monitors.clear();
        }
        for id in ids {
            let before = monitors.remove(id).and_then(|before| before.broken.clone());
            // Once, not with every reading.
            if let Some(after) = read.get(id)
                && let Some(why) = after.broken.as_ref().filter(|why| Some(*why) != before.as_ref())
            {
                let (monitor, slug) = (after.id, after.slug.as_str());
                tracing::error!(%monitor, slug, why, "what is stored of a monitor cannot be read");
            }
        }
        monitors.extend(read.iter().map(|(id, monitor)| (*id, Arc::clone(monitor))));
        read
    }
}
