//! Writes what the domain decided, for many monitors at once, in a handful of statements.

use uuid::Uuid;
use watchclock_domain::{Time, ping::Output, run::Run, timeline::Timeline};

use crate::{Store, StoreResult, Tx, json, memory::literal};

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
    /// Writes the changes of timelines whose facts are locked in this transaction.
    pub async fn write(&self, tx: &mut Tx, batch: &Batch<'_>) -> StoreResult<()> {
        let timelines = &batch.timelines;
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
        let memories: Vec<&Timeline<'_>> =
            timelines.iter().filter(|line| line.changes.memory).copied().collect();
        self.write_memories(tx, &memories).await?;
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
        self.queue_alerts(tx, &batch.alerts).await
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
                    coalesce(overlapping::uuid[], '{}'), overlap_count, output_size, notes
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
            &runs.iter().map(|run| run.run_id.as_ref().map(|id| id.key.clone())).collect::<Vec<_>>()
                as &[Option<String>],
            &runs.iter().map(|run| run.run_id.as_ref().map(|id| id.shown.clone())).collect::<Vec<_>>()
                as &[Option<String>],
            &columns.status,
            &columns.flags as &[Option<String>],
            &columns.slot as &[Option<Time>],
            &columns.started_at as &[Option<Time>],
            &columns.ended_at as &[Option<Time>],
            &runs.iter().map(|run| run.first_seen_at).collect::<Vec<_>>(),
            &columns.limit_at as &[Option<Time>],
            &columns.hung_at as &[Option<Time>],
            &columns.exit_code as &[Option<i16>],
            &columns.message as &[Option<String>],
            &columns.meta as &[Option<serde_json::Value>],
            &columns.addr as &[Option<String>],
            &columns.user_agent as &[Option<String>],
            &columns.host as &[Option<String>],
            &columns.env as &[Option<String>],
            &columns.overlapping as &[Option<String>],
            &columns.overlap_count,
            &columns.output_size,
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
                 overlap_count = n.overlap_count, output_size = n.output_size, notes = n.notes
             from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[],
                         $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::smallint[], $10::text[],
                         $11::jsonb[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[],
                         $17::bigint[], $18::bigint[], $19::jsonb[], $20::bigint[])
                  as n(id, status, flags, slot, started_at, ended_at, limit_at, hung_at, exit_code, message, meta,
                       addr, user_agent, host, env, overlapping, overlap_count, output_size, notes, number)
             where r.id = n.id",
            &columns.id,
            &columns.status,
            &columns.flags as &[Option<String>],
            &columns.slot as &[Option<Time>],
            &columns.started_at as &[Option<Time>],
            &columns.ended_at as &[Option<Time>],
            &columns.limit_at as &[Option<Time>],
            &columns.hung_at as &[Option<Time>],
            &columns.exit_code as &[Option<i16>],
            &columns.message as &[Option<String>],
            &columns.meta as &[Option<serde_json::Value>],
            &columns.addr as &[Option<String>],
            &columns.user_agent as &[Option<String>],
            &columns.host as &[Option<String>],
            &columns.env as &[Option<String>],
            &columns.overlapping as &[Option<String>],
            &columns.overlap_count,
            &columns.output_size,
            &columns.notes as &[Option<serde_json::Value>],
            &runs.iter().map(|run| run.number).collect::<Vec<_>>(),
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}

/// The changeable columns of runs, one vector each.
struct Columns {
    id: Vec<Uuid>,
    status: Vec<String>,
    flags: Vec<Option<String>>,
    slot: Vec<Option<Time>>,
    started_at: Vec<Option<Time>>,
    ended_at: Vec<Option<Time>>,
    limit_at: Vec<Option<Time>>,
    hung_at: Vec<Option<Time>>,
    exit_code: Vec<Option<i16>>,
    message: Vec<Option<String>>,
    meta: Vec<Option<serde_json::Value>>,
    addr: Vec<Option<String>>,
    user_agent: Vec<Option<String>>,
    host: Vec<Option<String>>,
    env: Vec<Option<String>>,
    overlapping: Vec<Option<String>>,
    overlap_count: Vec<i64>,
    output_size: Vec<i64>,
    notes: Vec<Option<serde_json::Value>>,
}

impl Columns {
    fn of(runs: &[&Run]) -> Self {
        fn column<T>(runs: &[&Run], get: impl Fn(&Run) -> T) -> Vec<T> {
            runs.iter().map(|run| get(run)).collect()
        }
        Self {
            id: column(runs, |run| run.id),
            status: column(runs, |run| run.status.word().to_owned()),
            flags: column(runs, |run| literal(&run.flags, |flag| flag.word())),
            slot: column(runs, |run| run.slot),
            started_at: column(runs, |run| run.started_at),
            ended_at: column(runs, |run| run.ended_at),
            limit_at: column(runs, |run| run.limit_at),
            hung_at: column(runs, |run| run.hung_at),
            exit_code: column(runs, |run| run.exit_code.map(i16::from)),
            message: column(runs, |run| run.message.clone()),
            meta: column(runs, |run| json::of_meta(&run.meta)),
            addr: column(runs, |run| run.source.addr.clone()),
            user_agent: column(runs, |run| run.source.user_agent.clone()),
            host: column(runs, |run| run.source.host.clone()),
            env: column(runs, |run| run.source.env.clone()),
            overlapping: column(runs, |run| literal(&run.overlaps, |run| run)),
            overlap_count: column(runs, |run| run.overlap_count),
            output_size: column(runs, |run| i64::try_from(run.output_size).unwrap_or(i64::MAX)),
            notes: column(runs, |run| json::of_texts(&run.notes)),
        }
    }
}
