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

struct Standing {
    id: Uuid,
    version: i64,
    windows_version: i64,
    has_incidents: bool,
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
        let mut open = Vec::new();
        let mut crowded = Vec::new();
        for row in &rows {
            match &row.open_runs {
                Some(numbers) => open.extend(numbers.iter().map(|number| (row.monitor_id, *number))),
                None => crowded.push((row.monitor_id, row.open_from)),
            }
        }
        // Read after the locks, so that an edit that held them before is seen.
        let standings = sqlx::query_as!(
            Standing,
            r#"select m.id, m.version, p.windows_version,
                      exists (select 1 from incidents i where i.monitor_id = m.id and i.resolved_at is null)
                          as "has_incidents!"
               from monitors m join projects p on p.id = m.project_id where m.id = any($1)"#,
            &locked
        )
        .fetch_all(&mut **tx)
        .await?;
        let mut memories: BTreeMap<Uuid, Memory> =
            rows.into_iter().map(|row| (row.monitor_id, row.into())).collect();
        let mut troubled = Vec::new();
        let mut facts = BTreeMap::new();
        for Standing { id, version, windows_version, has_incidents } in standings {
            let Some(memory) = memories.remove(&id) else { continue };
            if has_incidents {
                troubled.push(id);
            }
            facts.insert(id, Facts { version, windows_version, memory, runs: vec![], incidents: vec![] });
        }
        for run in self.runs_at_hand(tx, &open, &crowded, rids).await? {
            if let Some(facts) = facts.get_mut(&run.monitor) {
                facts.runs.push(run);
            }
        }
        if !troubled.is_empty() {
            for incident in self.open_incidents_in(tx, &troubled).await? {
                if let Some(facts) = facts.get_mut(&incident.monitor) {
                    facts.incidents.push(incident);
                }
            }
        }
        Ok(facts)
    }
}
