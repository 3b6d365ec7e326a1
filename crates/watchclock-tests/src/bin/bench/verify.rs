//! Whether everything that was acknowledged is stored.

use std::collections::{HashMap, HashSet};

use anyhow::{Context as _, ensure};
use uuid::Uuid;
use watchclock_domain::run::{Run, RunStatus};
use watchclock_service::Watchclock;

use crate::load::{Heard, Order};

/// Looks for every run whose start and end were acknowledged; tells how many there are.
pub(crate) async fn all_stored(watchclock: &Watchclock, orders: &[(Order, Heard)]) -> anyhow::Result<usize> {
    let Some((first, _)) = orders.first() else { return Ok(0) };
    let mut stored: HashMap<(Uuid, String), Run> = HashMap::new();
    for monitor in &first.monitors {
        let mut before = None;
        loop {
            let page = watchclock.runs_of_monitor(*monitor, None, before, 500).await?;
            before = page.last().map(|run| run.number);
            if page.is_empty() {
                break;
            }
            for run in page {
                let rid = run.run_id.as_ref().context("every run has a run id")?.shown.clone();
                let again = stored.insert((*monitor, rid), run);
                ensure!(again.is_none(), "{again:?} is stored twice");
            }
        }
    }
    let mut acknowledged = HashSet::new();
    for (order, heard) in orders {
        for (connection, runs) in heard.runs.iter().enumerate() {
            acknowledged.extend((0..*runs).map(|run| order.run(connection, run)));
        }
    }
    for wanted in &acknowledged {
        let run =
            stored.get(wanted).with_context(|| format!("{wanted:?} was acknowledged and is not stored"))?;
        ensure!(run.status == RunStatus::Success && run.started_at.is_some(), "{run:?} has lost a ping");
    }
    ensure!(stored.len() == acknowledged.len(), "{} runs are stored that nobody sent", stored.len());
    Ok(acknowledged.len())
}
