//! Runs: reading them; what changes them is in `write`, under the lock of their monitor.

mod sender;

use std::collections::BTreeSet;

pub use sender::Sender;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    ping::{RunId, Source},
    run::{Run, RunFlag, RunStatus},
    value::Meta,
};

use crate::{Page, Store, StoreResult, Tx, json};

/// Most active runs of one monitor that a ping looks at; of more, so many of the oldest, the newest and the nearest to
/// their limits.
const MAX_ACTIVE_RUNS: i64 = 100;
/// Most hung runs of one monitor that a ping looks at, the newest.
const MAX_HUNG_RUNS: i64 = 20;

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct RunRow {
    id: Uuid,
    monitor_id: Uuid,
    number: i64,
    rid: Option<String>,
    rid_shown: Option<String>,
    status: String,
    flags: Vec<String>,
    slot: Option<Time>,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    first_seen_at: Time,
    limit_at: Option<Time>,
    hung_at: Option<Time>,
    exit_code: Option<i16>,
    message: Option<String>,
    meta: Option<serde_json::Value>,
    addr: Option<String>,
    user_agent: Option<String>,
    host: Option<String>,
    env: Option<String>,
    overlapping: Vec<Uuid>,
    overlap_count: i64,
    output_size: i64,
    notes: Option<serde_json::Value>,
}

impl From<RunRow> for Run {
    fn from(row: RunRow) -> Self {
        let mut flags: Vec<RunFlag> = row.flags.iter().filter_map(|flag| RunFlag::from_word(flag)).collect();
        flags.sort_unstable();
        Self {
            id: row.id,
            monitor: row.monitor_id,
            number: row.number,
            run_id: row.rid.map(|key| RunId { shown: row.rid_shown.unwrap_or_else(|| key.clone()), key }),
            status: RunStatus::from_word(&row.status).unwrap_or(RunStatus::Unknown),
            flags,
            slot: row.slot,
            started_at: row.started_at,
            ended_at: row.ended_at,
            first_seen_at: row.first_seen_at,
            limit_at: row.limit_at,
            hung_at: row.hung_at,
            exit_code: row.exit_code.and_then(|code| u8::try_from(code).ok()),
            message: row.message,
            meta: json::to_meta(row.meta),
            source: Source { addr: row.addr, user_agent: row.user_agent, host: row.host, env: row.env },
            overlaps: row.overlapping,
            overlap_count: row.overlap_count,
            output_size: u64::try_from(row.output_size).unwrap_or(0),
            notes: json::to_texts(row.notes),
        }
    }
}

/// Which runs to list. Unset means any.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    pub monitor: Option<Uuid>,
    pub status: Option<RunStatus>,
    pub flag: Option<RunFlag>,
    /// First heard of at or after.
    pub from: Option<Time>,
    /// First heard of before.
    pub to: Option<Time>,
    /// Only runs before this one, from [`Page::next`].
    pub before: Option<Uuid>,
    /// 1 … 500.
    pub limit: i64,
}

fn runs(rows: Vec<RunRow>) -> Vec<Run> {
    rows.into_iter().map(Run::from).collect()
}

impl Store {
    /// The runs of monitors that a decision needs: `open` ones by monitor and number, those of `crowded` monitors from a
    /// number on, and those that pings name, as pairs of monitor and normalised id.
    pub(crate) async fn runs_at_hand(
        &self,
        tx: &mut Tx,
        open: &[(Uuid, i64)],
        crowded: &[(Uuid, i64)],
        named: &[(Uuid, String)],
    ) -> StoreResult<Vec<Run>> {
        let mut found = self.runs_by_number(tx, open).await?;
        found.extend(self.runs_by_rid(tx, named).await?);
        if !crowded.is_empty() {
            found.extend(self.runs_of_crowded(tx, crowded).await?);
        }
        let mut known = BTreeSet::new();
        found.retain(|run| known.insert(run.id));
        Ok(found)
    }

    /// Open runs by monitor and number.
    async fn runs_by_number(&self, tx: &mut Tx, wanted: &[(Uuid, i64)]) -> StoreResult<Vec<Run>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let (monitors, numbers): (Vec<Uuid>, Vec<i64>) = wanted.iter().copied().unzip();
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from unnest($1::uuid[], $2::bigint[]) as wanted(monitor_id, number)
             join runs r on r.monitor_id = wanted.monitor_id and r.number = wanted.number
                        and r.status in ('running', 'hung')",
            &monitors,
            &numbers
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(runs(rows))
    }

    /// Of monitors with very many open runs, which begin at a number: the newest and the oldest active ones, those nearest
    /// to their limits, and the newest hung ones.
    async fn runs_of_crowded(&self, tx: &mut Tx, monitors: &[(Uuid, i64)]) -> StoreResult<Vec<Run>> {
        let (ids, from): (Vec<Uuid>, Vec<i64>) = monitors.iter().copied().unzip();
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from runs r where r.id in (
                 select e.id from unnest($1::uuid[], $2::bigint[]) as wanted(id, number)
                 join monitor_memories mm on mm.monitor_id = wanted.id
                 cross join lateral (
                     (select id from runs where monitor_id = wanted.id and number >= wanted.number
                                            and status = 'running'
                      order by number desc limit $3)
                     union
                     (select id from runs where monitor_id = wanted.id and number >= wanted.number
                                            and status = 'running'
                      order by number limit $3)
                     union
                     (select id from runs where monitor_id = wanted.id and number >= wanted.number
                                            and status = 'running'
                      order by limit_at limit $3)
                     union
                     (select id from runs where mm.hung > 0 and monitor_id = wanted.id and number >= wanted.number
                                            and status = 'hung'
                      order by number desc limit $4)
                 ) e)",
            &ids,
            &from,
            MAX_ACTIVE_RUNS,
            MAX_HUNG_RUNS
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(runs(rows))
    }

    /// Runs by the ids that their jobs gave them, as pairs of monitor and normalised id.
    pub async fn runs_by_rid(&self, tx: &mut Tx, wanted: &[(Uuid, String)]) -> StoreResult<Vec<Run>> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let (monitors, rids): (Vec<Uuid>, Vec<String>) = wanted.iter().cloned().unzip();
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from unnest($1::uuid[], $2::text[]) as wanted(monitor_id, rid)
             join runs r on r.monitor_id = wanted.monitor_id and r.rid = wanted.rid",
            &monitors,
            &rids
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(runs(rows))
    }

    /// The last runs of a monitor that are over, newest first, as seen inside a transaction.
    pub async fn finished_runs(&self, tx: &mut Tx, monitor: Uuid, limit: i64) -> StoreResult<Vec<Run>> {
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from runs r where r.monitor_id = $1 and r.status <> 'running'
             order by r.number desc limit $2",
            monitor,
            limit
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(runs(rows))
    }

    /// Sets the metadata of runs of monitors that are locked.
    pub async fn set_meta(&self, tx: &mut Tx, metas: &[(Uuid, Meta)]) -> StoreResult<()> {
        if metas.is_empty() {
            return Ok(());
        }
        let ids: Vec<Uuid> = metas.iter().map(|(id, _)| *id).collect();
        let metas: Vec<Option<serde_json::Value>> =
            metas.iter().map(|(_, meta)| json::of_meta(meta)).collect();
        sqlx::query!(
            "update runs r set meta = n.meta from unnest($1::uuid[], $2::jsonb[]) as n(id, meta) where r.id = n.id",
            &ids,
            &metas as &[Option<serde_json::Value>]
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// When the last runs of a monitor started, or ended where no start is known, newest first.
    pub async fn last_starts(&self, tx: &mut Tx, monitor: Uuid, count: usize) -> StoreResult<Vec<Time>> {
        // Of a monitor whose slots are all missed only the newest numbers are looked at.
        const LOOKED_AT: i64 = 50;
        Ok(sqlx::query_scalar!(
            r#"select coalesce(started_at, ended_at) as "start!" from (
                   select started_at, ended_at, number from runs where monitor_id = $1
                   order by number desc limit $2) as newest
               where started_at is not null or ended_at is not null order by number desc limit $3"#,
            monitor,
            LOOKED_AT,
            i64::try_from(count).unwrap_or(LOOKED_AT)
        )
        .fetch_all(&mut **tx)
        .await?)
    }

    /// The last runs of monitors that are over, as many of each as are asked for, in no order.
    pub async fn pasts(&self, tx: &mut Tx, wanted: &[(Uuid, i64)]) -> StoreResult<Vec<Run>> {
        let (monitors, limits): (Vec<Uuid>, Vec<i64>) = wanted.iter().copied().unzip();
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from unnest($1::uuid[], $2::bigint[]) as wanted(id, most)
             cross join lateral (
                 select * from runs where monitor_id = wanted.id and status <> 'running'
                 order by number desc limit wanted.most
             ) r",
            &monitors,
            &limits
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(runs(rows))
    }

    /// Lists runs of a project, newest first.
    pub async fn runs(&self, project: Uuid, filter: &RunFilter) -> StoreResult<Page<Run>> {
        let limit = filter.limit.clamp(1, 500);
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from runs r
             where ($2::uuid is null or r.monitor_id = $2)
               and exists (select 1 from monitors m where m.id = r.monitor_id and m.project_id = $1)
               and ($3::text is null or r.status = $3)
               and ($4::text is null or $4 = any(r.flags))
               and ($5::timestamptz is null or r.first_seen_at >= $5)
               and ($6::timestamptz is null or r.first_seen_at < $6)
               and ($7::uuid is null or r.id < $7)
             order by r.id desc limit $8",
            project,
            filter.monitor,
            filter.status.map(RunStatus::word),
            filter.flag.map(RunFlag::word),
            filter.from,
            filter.to,
            filter.before,
            limit + 1
        )
        .fetch_all(self.pool())
        .await?;
        Ok(Page::of(runs(rows), limit, |run| run.id))
    }

    /// The most recent runs of one monitor by number, newest first; `before` a number.
    pub async fn runs_of_monitor(
        &self,
        monitor: Uuid,
        status: Option<RunStatus>,
        before: Option<i64>,
        limit: i64,
    ) -> StoreResult<Vec<Run>> {
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from runs r
             where r.monitor_id = $1 and ($2::text is null or r.status = $2) and r.number < $3
             order by r.number desc limit $4",
            monitor,
            status.map(RunStatus::word),
            before.unwrap_or(i64::MAX),
            limit
        )
        .fetch_all(self.pool())
        .await?;
        Ok(runs(rows))
    }

    /// The last few runs of each of many monitors, newest first within each.
    pub async fn recent_runs(&self, monitors: &[Uuid], each: i64) -> StoreResult<Vec<Run>> {
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from unnest($1::uuid[]) as wanted(id)
             cross join lateral (
                 select * from runs where monitor_id = wanted.id order by number desc limit $2
             ) r order by r.monitor_id, r.number desc",
            monitors,
            each
        )
        .fetch_all(self.pool())
        .await?;
        Ok(runs(rows))
    }

    /// Runs by id, in no order, wherever they exist in the project.
    pub async fn runs_by_id(&self, project: Uuid, ids: &[Uuid]) -> StoreResult<Vec<Run>> {
        let rows = sqlx::query_as!(
            RunRow,
            "select r.* from runs r join monitors m on m.id = r.monitor_id
             where r.id = any($1) and m.project_id = $2",
            ids,
            project
        )
        .fetch_all(self.pool())
        .await?;
        Ok(runs(rows))
    }

    /// Runs before and after one of the same monitor.
    pub async fn neighbours(&self, run: &Run) -> StoreResult<(Option<Uuid>, Option<Uuid>)> {
        let row = sqlx::query!(
            "select (select id from runs where monitor_id = $1 and number < $2 order by number desc limit 1) as before,
                    (select id from runs where monitor_id = $1 and number > $2 order by number limit 1) as after",
            run.monitor,
            run.number
        )
        .fetch_one(self.pool())
        .await?;
        Ok((row.before, row.after))
    }
}
