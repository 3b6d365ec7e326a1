//! Spans in which nobody watched, and what fell into them. Neighbour: `heartbeat` is how they are found.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{
    Time,
    gap::{Gap, Unwatched},
};

use crate::{Store, StoreResult, Tx};

/// Most gaps that a decision looks at, the last ones.
const MOST: i64 = 50;

/// A gap as told to one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GapRow {
    pub id: Uuid,
    pub gap: Gap,
    /// What could not be watched, by monitor.
    pub monitors: Vec<(Uuid, Unwatched)>,
}

impl Store {
    /// Keeps a gap with what fell into it.
    pub async fn add_gap(
        &self,
        tx: &mut Tx,
        id: Uuid,
        gap: &Gap,
        monitors: &[(Uuid, Unwatched)],
    ) -> StoreResult<()> {
        sqlx::query!(
            "insert into watch_gaps (id, began_at, ended_at) values ($1, $2, $3)",
            id,
            gap.from,
            gap.to
        )
        .execute(&mut **tx)
        .await?;
        sqlx::query!(
            "insert into unwatched_monitors (gap_id, monitor_id, slots, first_slot, runs)
             select $1, n.monitor_id, n.slots, n.first_slot, n.runs
             from unnest($2::uuid[], $3::bigint[], $4::timestamptz[], $5::bigint[])
                  as n(monitor_id, slots, first_slot, runs)",
            id,
            &monitors.iter().map(|(monitor, _)| *monitor).collect::<Vec<_>>(),
            &monitors.iter().map(|(_, unwatched)| unwatched.slots).collect::<Vec<_>>(),
            &monitors.iter().map(|(_, unwatched)| unwatched.first_slot).collect::<Vec<_>>()
                as &[Option<Time>],
            &monitors.iter().map(|(_, unwatched)| unwatched.runs).collect::<Vec<_>>()
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Forgets what of gaps lies ahead of a clock that was set back: it has not come yet, and somebody watches now. Tells
    /// whether there was any.
    pub async fn forget_gaps_ahead(&self, tx: &mut Tx, now: Time) -> StoreResult<bool> {
        let ahead =
            sqlx::query!("delete from watch_gaps where began_at >= $1", now).execute(&mut **tx).await?;
        let partly = sqlx::query!("update watch_gaps set ended_at = $1 where ended_at > $1", now)
            .execute(&mut **tx)
            .await?;
        Ok(ahead.rows_affected() + partly.rows_affected() > 0)
    }

    /// The last gaps that ended after a moment, in order.
    pub async fn gaps_since(&self, since: Time) -> StoreResult<Vec<Gap>> {
        let rows = sqlx::query!(
            "select began_at, ended_at from watch_gaps where ended_at > $1 order by ended_at desc limit $2",
            since,
            MOST
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().rev().map(|row| Gap { from: row.began_at, to: row.ended_at }).collect())
    }

    /// Monitors of which something may have been due before the end of a gap, by id.
    pub async fn maybe_unwatched(&self, tx: &mut Tx, until: Time) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select monitor_id from monitor_memories where next_slot < $1 or deadline <= $1 order by monitor_id",
            until
        )
        .fetch_all(&mut **tx)
        .await?)
    }

    /// The last gaps into which something of a project fell, newest first.
    pub async fn gaps(&self, project: Uuid, limit: i64) -> StoreResult<Vec<GapRow>> {
        let rows = sqlx::query!(
            "select g.id, g.began_at, g.ended_at, u.monitor_id, u.slots, u.first_slot, u.runs
             from unwatched_monitors u join watch_gaps g on g.id = u.gap_id join monitors m on m.id = u.monitor_id
             where m.project_id = $1 and g.id in (
                 select distinct u.gap_id from unwatched_monitors u join monitors m on m.id = u.monitor_id
                 where m.project_id = $1 order by u.gap_id desc limit $2)
             order by g.id desc, lower(m.name), m.id",
            project,
            limit
        )
        .fetch_all(self.pool())
        .await?;
        let mut gaps: BTreeMap<Uuid, GapRow> = BTreeMap::new();
        for row in rows {
            let gap = Gap { from: row.began_at, to: row.ended_at };
            let known = gaps.entry(row.id).or_insert(GapRow { id: row.id, gap, monitors: Vec::new() });
            let unwatched = Unwatched { slots: row.slots, first_slot: row.first_slot, runs: row.runs };
            known.monitors.push((row.monitor_id, unwatched));
        }
        Ok(gaps.into_values().rev().collect())
    }
}
