//! Writes what the domain decided, for many monitors at once, in a handful of statements. Neighbour: `rows` has the one
//! that every ping takes.

use uuid::Uuid;
use watchclock_domain::{Time, ping::Output, timeline::Timeline};

use crate::{Store, StoreResult, Tx, TxId};

/// An alert with what it tells, ready to be queued to channels.
#[derive(Debug, Clone)]
pub struct AlertRow {
    pub id: Uuid,
    pub project: Uuid,
    pub incident: Uuid,
    pub event: String,
    pub sequence: i32,
    pub at: Time,
    pub due_at: Time,
    pub content: serde_json::Value,
    /// One delivery each: its own id, and the channel.
    pub channels: Vec<(Uuid, Uuid)>,
}

/// All that one transaction writes about monitors.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    pub timelines: Vec<&'a Timeline<'a>>,
    pub alerts: Vec<AlertRow>,
}

impl Store {
    /// Writes the changes of timelines; [`StoreError::Outrun`] where somebody else changed their facts since they were read.
    ///
    /// Tells the number of the transaction, none when there was nothing to write.
    pub async fn write(&self, tx: &mut Tx, batch: &Batch<'_>) -> StoreResult<Option<TxId>> {
        let timelines = &batch.timelines;
        if timelines.is_empty() {
            return Ok(None);
        }
        // First, since this is what locks them.
        let id = self.write_rows(tx, timelines).await?;
        let outputs: Vec<(Uuid, &Output)> = timelines
            .iter()
            .flat_map(|line| line.changes.outputs.iter().map(|(run, output)| (*run, output)))
            .collect();
        if !outputs.is_empty() {
            self.append_outputs(tx, &outputs).await?;
        }
        for line in timelines {
            if line.changes.resumed {
                self.set_paused(tx, line.monitor.id, false).await?;
            }
            for (at, text) in &line.changes.monitor_notes {
                self.add_monitor_note(tx, line.monitor.id, *at, text).await?;
            }
            for incident in &line.incidents {
                if line.changes.new_incidents.contains(&incident.id) {
                    self.insert_incident(tx, line.monitor.project, incident).await?;
                } else if line.changes.changed_incidents.contains(&incident.id) {
                    self.update_incident(tx, incident).await?;
                }
            }
            self.add_events(tx, &line.changes.events).await?;
        }
        self.queue_alerts(tx, &batch.alerts).await?;
        Ok(Some(id))
    }
}
