//! Writes what the domain decided, for many monitors at once, in a handful of statements.

use uuid::Uuid;
use watchclock_domain::{Time, ping::Output, run::Run, timeline::Timeline};

use crate::{
    Store, StoreResult, Tx, TxId, json,
    memory::{literal, sparse},
};

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
        let id = self.write_memories(tx, timelines).await?;
        let new: Vec<&Run> = timelines
            .iter()
            .flat_map(|line| line.runs.iter().filter(|run| line.changes.new_runs.contains(&run.id)))
            .collect();
        self.insert_runs(tx, &new).await?;
        let changed: Vec<&Run> = timelines
            .iter()
            .flat_map(|line| line.runs.iter().filter(|run| line.changes.changed_runs.contains(&run.id)))
            .collect();
        self.update_runs(tx, &changed).await?;
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

    async fn insert_runs(&self, tx: &mut Tx, runs: &[&Run]) -> StoreResult<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let columns = Columns::of(runs);
        sqlx::query!(
            "insert into runs (id, monitor_id, number, rid, rid_shown, status, flags, slot, started_at, ended_at,
                               first_seen_at, limit_at, hung_at, exit_code, message, meta, addr, user_agent, host, env,
                               overlapping, overlap_count, output_size, notes)
             select id, monitor_id, number, rid, rid_shown, status, coalesce(flags::text[], '{}'), slot, started_at, ended_at,
                    first_seen_at, limit_at, hung_at, exit_code, message, meta, addr, user_agent, host, env,
                    coalesce(overlapping::uuid[], '{}'), coalesce(overlap_count, 0), coalesce(output_size, 0), notes
             from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[],
                         $8::timestamptz[], $9::timestamptz[], $10::timestamptz[], $11::timestamptz[],
                         $12::timestamptz[], $13::timestamptz[], $14::smallint[], $15::text[], $16::jsonb[],
                         $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::bigint[],
                         $23::bigint[], $24::jsonb[])
                  as n(id, monitor_id, number, rid, rid_shown, status, flags, slot, started_at, ended_at,
                       first_seen_at, limit_at, hung_at, exit_code, message, meta, addr, user_agent, host, env,
                       overlapping, overlap_count, output_size, notes)",
            &columns.id,
            &runs.iter().map(|run| run.monitor).collect::<Vec<_>>(),
            &runs.iter().map(|run| run.number).collect::<Vec<_>>(),
            &sparse(runs, |run| Some(run.run_id.as_ref()?.key.as_str())) as &[Option<&str>],
            &sparse(runs, |run| Some(run.run_id.as_ref()?.shown.as_str())) as &[Option<&str>],
            &columns.status as &[&str],
            &columns.flags as &[Option<String>],
            &columns.slot as &[Option<Time>],
            &columns.started_at as &[Option<Time>],
            &columns.ended_at as &[Option<Time>],
            &runs.iter().map(|run| run.first_seen_at).collect::<Vec<_>>(),
            &columns.limit_at as &[Option<Time>],
            &columns.hung_at as &[Option<Time>],
            &columns.exit_code as &[Option<i16>],
            &columns.message as &[Option<&str>],
            &columns.meta as &[Option<serde_json::Value>],
            &columns.addr as &[Option<&str>],
            &columns.user_agent as &[Option<&str>],
            &columns.host as &[Option<&str>],
            &columns.env as &[Option<&str>],
            &columns.overlapping as &[Option<String>],
            &columns.overlap_count as &[Option<i64>],
            &columns.output_size as &[Option<i64>],
            &columns.notes as &[Option<serde_json::Value>],
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    async fn update_runs(&self, tx: &mut Tx, runs: &[&Run]) -> StoreResult<()> {
        if runs.is_empty() {
            return Ok(());
        }
        let columns = Columns::of(runs);
        sqlx::query!(
            "update runs r set
                 number = n.number, status = n.status, flags = coalesce(n.flags::text[], '{}'), slot = n.slot,
                 started_at = n.started_at, ended_at = n.ended_at, limit_at = n.limit_at, hung_at = n.hung_at, exit_code = n.exit_code,
                 message = n.message, meta = n.meta, addr = n.addr, user_agent = n.user_agent, host = n.host,
                 env = n.env, overlapping = coalesce(n.overlapping::uuid[], '{}'),
                 overlap_count = coalesce(n.overlap_count, 0), output_size = coalesce(n.output_size, 0),
                 notes = n.notes
             from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
                         $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::smallint[], $10::text[],
                         $11::jsonb[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
                         $17::bigint[], $18::bigint[], $19::jsonb[], $20::bigint[])
                  as n(id, status, flags, slot, started_at, ended_at, limit_at, hung_at, exit_code, message, meta,
                       addr, user_agent, host, env, overlapping, overlap_count, output_size, notes, number)
             where r.id = n.id",
            &columns.id,
            &columns.status as &[&str],
            &columns.flags as &[Option<String>],
            &columns.slot as &[Option<Time>],
            &columns.started_at as &[Option<Time>],
            &columns.ended_at as &[Option<Time>],
            &columns.limit_at as &[Option<Time>],
            &columns.hung_at as &[Option<Time>],
            &columns.exit_code as &[Option<i16>],
            &columns.message as &[Option<&str>],
            &columns.meta as &[Option<serde_json::Value>],
            &columns.addr as &[Option<&str>],
            &columns.user_agent as &[Option<&str>],
            &columns.host as &[Option<&str>],
            &columns.env as &[Option<&str>],
            &columns.overlapping as &[Option<String>],
            &columns.overlap_count as &[Option<i64>],
            &columns.output_size as &[Option<i64>],
            &columns.notes as &[Option<serde_json::Value>],
            &runs.iter().map(|run| run.number).collect::<Vec<_>>(),
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}

/// The changeable columns of runs, one vector each.
struct Columns<'r> {
    id: Vec<Uuid>,
    status: Vec<&'static str>,
    flags: Vec<Option<String>>,
    slot: Vec<Option<Time>>,
    started_at: Vec<Option<Time>>,
    ended_at: Vec<Option<Time>>,
    limit_at: Vec<Option<Time>>,
    hung_at: Vec<Option<Time>>,
    exit_code: Vec<Option<i16>>,
    message: Vec<Option<&'r str>>,
    meta: Vec<Option<serde_json::Value>>,
    addr: Vec<Option<&'r str>>,
    user_agent: Vec<Option<&'r str>>,
    host: Vec<Option<&'r str>>,
    env: Vec<Option<&'r str>>,
    overlapping: Vec<Option<String>>,
    overlap_count: Vec<Option<i64>>,
    output_size: Vec<Option<i64>>,
    notes: Vec<Option<serde_json::Value>>,
}

impl<'r> Columns<'r> {
    fn of(runs: &[&'r Run]) -> Self {
        Self {
            id: runs.iter().map(|run| run.id).collect(),
            status: runs.iter().map(|run| run.status.word()).collect(),
            flags: sparse(runs, |run| literal(&run.flags, |flag| flag.word())),
            slot: sparse(runs, |run| run.slot),
            started_at: sparse(runs, |run| run.started_at),
            ended_at: sparse(runs, |run| run.ended_at),
            limit_at: sparse(runs, |run| run.limit_at),
            hung_at: sparse(runs, |run| run.hung_at),
            exit_code: sparse(runs, |run| run.exit_code.map(i16::from)),
            message: sparse(runs, |run| run.message.as_deref()),
            meta: sparse(runs, |run| json::of_meta(&run.meta)),
            addr: sparse(runs, |run| run.source.addr.as_deref()),
            user_agent: sparse(runs, |run| run.source.user_agent.as_deref()),
            host: sparse(runs, |run| run.source.host.as_deref()),
            env: sparse(runs, |run| run.source.env.as_deref()),
            overlapping: sparse(runs, |run| literal(&run.overlaps, |run| run)),
            overlap_count: sparse(runs, |run| Some(run.overlap_count).filter(|count| *count != 0)),
            output_size: sparse(runs, |run| i64::try_from(run.output_size).ok().filter(|size| *size != 0)),
            notes: sparse(runs, |run| json::of_texts(&run.notes)),
        }
    }
}
