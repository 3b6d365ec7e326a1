//! Reads what the domain needs to decide about monitors, under the locks of their memories.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{incident::Incident, monitor::Memory, run::Run};

use crate::{Store, StoreResult, Tx, memory::MemoryRow};

/// One monitor's facts, locked until the transaction ends.
#[derive(Debug)]
pub struct Facts {
    /// The version of the configuration that is current under this lock.
    pub version: i64,
    /// The version of its project's maintenance windows.
    pub windows_version: i64,
    pub memory: Memory,
    pub runs: Vec<Run>,
    pub incidents: Vec<Incident>,
}

#[derive(sqlx::FromRow)]
struct Versions {
    id: Uuid,
    version: i64,
    windows_version: i64,
}

impl Store {
    /// Locks monitors (in the order of their ids, so that two servers cannot block each other) and reads their facts.
    ///
    /// `rids` are the run ids that pings name, normalised. Monitors that are gone are not in the answer; with
    /// `skip_locked`, neither are those that another server is working on.
    pub async fn lock_facts(
        &self,
        tx: &mut Tx,
        monitors: &[Uuid],
        rids: &[(Uuid, String)],
        skip_locked: bool,
    ) -> StoreResult<BTreeMap<Uuid, Facts>> {
        let rows = if skip_locked {
            sqlx::query_as!(
                MemoryRow,
                "select mm.* from monitor_memories mm where monitor_id = any($1)
                 order by monitor_id for no key update skip locked",
                monitors
            )
            .fetch_all(&mut **tx)
            .await?
        } else {
            sqlx::query_as!(
                MemoryRow,
                "select mm.* from monitor_memories mm where monitor_id = any($1)
                 order by monitor_id for no key update",
                monitors
            )
            .fetch_all(&mut **tx)
            .await?
        };
        let locked: Vec<Uuid> = rows.iter().map(|row| row.monitor_id).collect();
        // Read after the locks, so that an edit that held them before is seen.
        let versions = sqlx::query_as!(
            Versions,
            "select m.id, m.version, p.windows_version from monitors m join projects p on p.id = m.project_id
                 where m.id = any($1)",
            &locked
        )
        .fetch_all(&mut **tx)
        .await?;
        let mut facts: BTreeMap<Uuid, Facts> = rows
            .into_iter()
            .map(|row| {
                let (version, windows_version, runs, incidents) = (0, 0, vec![], vec![]);
                (row.monitor_id, Facts { version, windows_version, memory: row.into(), runs, incidents })
            })
            .collect();
        for row in versions {
            if let Some(facts) = facts.get_mut(&row.id) {
                facts.version = row.version;
                facts.windows_version = row.windows_version;
            }
        }
        let mut runs = self.open_runs(tx, &locked).await?;
        let open: std::collections::HashSet<Uuid> = runs.iter().map(|run| run.id).collect();
        if !rids.is_empty() {
            let named = self.runs_by_rid(tx, rids).await?;
            runs.extend(named.into_iter().filter(|run| !open.contains(&run.id)));
        }
        for run in runs {
            if let Some(facts) = facts.get_mut(&run.monitor) {
                facts.runs.push(run);
            }
        }
        for incident in self.open_incidents_in(tx, &locked).await? {
            if let Some(facts) = facts.get_mut(&incident.monitor) {
                facts.incidents.push(incident);
            }
        }
        Ok(facts)
    }
}
