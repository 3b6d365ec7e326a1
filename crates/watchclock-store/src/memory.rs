//! What is remembered of monitors between pings: the hot rows, whose locks guard all that pings change.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{Time, monitor::Memory};

use crate::{Store, StoreResult, Tx};

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct MemoryRow {
    pub(crate) monitor_id: Uuid,
    pub(crate) version: i64,
    pub(crate) next_number: i64,
    pub(crate) active: i64,
    pub(crate) hung: i64,
    pub(crate) open_runs: Option<Vec<i64>>,
    pub(crate) open_from: i64,
    pub(crate) anchor: Time,
    pub(crate) next_slot: Option<Time>,
    pub(crate) filled_slot: Option<Time>,
    pub(crate) deadline: Option<Time>,
    pub(crate) last_ping_at: Option<Time>,
    pub(crate) paced_until: Option<Time>,
    pub(crate) pings_refused: i64,
    pub(crate) pings_refused_at: Option<Time>,
    pub(crate) last_started_at: Option<Time>,
    pub(crate) last_ended_at: Option<Time>,
    pub(crate) last_success_at: Option<Time>,
    pub(crate) failed_streak: i32,
    pub(crate) missed_streak: i32,
    pub(crate) fast_streak: i32,
    pub(crate) good_streak: i32,
    pub(crate) rule_streaks: Option<serde_json::Value>,
    pub(crate) good_durations: Vec<i64>,
    pub(crate) hung_unseen: Vec<Uuid>,
    pub(crate) meta_keys: Vec<String>,
    pub(crate) fine_since: Option<Time>,
    pub(crate) slow_streak: i32,
    pub(crate) rules_due: Option<Time>,
    pub(crate) past_version: i64,
    pub(crate) fresh_until: Option<Time>,
    pub(crate) quiet_until: Option<Time>,
    pub(crate) held_runs: Vec<Uuid>,
}

/// Milliseconds past which a duration is none; what is learned of longer ones would be no moment.
const LONGEST: i64 = 100_000_000_000_000;

impl From<MemoryRow> for Memory {
    fn from(row: MemoryRow) -> Self {
        let streaks: Option<BTreeMap<Uuid, i32>> =
            row.rule_streaks.and_then(|json| serde_json::from_value(json).ok());
        Self {
            version: row.version,
            next_number: row.next_number,
            active: row.active,
            hung: row.hung,
            anchor: row.anchor,
            next_slot: row.next_slot,
            filled_slot: row.filled_slot,
            deadline: row.deadline,
            last_ping_at: row.last_ping_at,
            paced_until: row.paced_until,
            pings_refused: row.pings_refused,
            pings_refused_at: row.pings_refused_at,
            last_started_at: row.last_started_at,
            last_ended_at: row.last_ended_at,
            last_success_at: row.last_success_at,
            failed_streak: row.failed_streak,
            missed_streak: row.missed_streak,
            fast_streak: row.fast_streak,
            good_streak: row.good_streak,
            rule_streaks: streaks.unwrap_or_default(),
            good_durations: row.good_durations.into_iter().filter(|ms| (0..=LONGEST).contains(ms)).collect(),
            hung_unseen: row.hung_unseen,
            meta_keys: row.meta_keys,
            fine_since: row.fine_since,
            slow_streak: row.slow_streak,
            rules_due: row.rules_due,
            past_version: row.past_version,
            fresh_until: row.fresh_until,
            quiet_until: row.quiet_until,
            held_runs: row.held_runs,
        }
    }
}

impl Store {
    /// Remembers a new monitor.
    pub(crate) async fn add_memory(&self, tx: &mut Tx, monitor: Uuid, memory: &Memory) -> StoreResult<()> {
        sqlx::query!(
            "insert into monitor_memories (monitor_id, anchor, next_slot, deadline, rules_due)
             values ($1, $2, $3, $4, $5)",
            monitor,
            memory.anchor,
            memory.next_slot,
            memory.deadline,
            memory.rules_due
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Reads memories without locking them, for pages.
    pub async fn memories(&self, monitors: &[Uuid]) -> StoreResult<BTreeMap<Uuid, Memory>> {
        let rows = sqlx::query_as!(
            MemoryRow,
            "select mm.* from monitor_memories mm where monitor_id = any($1)",
            monitors
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(|row| (row.monitor_id, row.into())).collect())
    }

    /// Monitors of which something may have become wrong by `now`, the most urgent first.
    pub async fn due_monitors(&self, now: Time, limit: i64) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select monitor_id from monitor_memories where deadline <= $1 order by deadline limit $2",
            now,
            limit
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// The next moment at which something could become wrong with any monitor.
    pub async fn next_deadline(&self) -> StoreResult<Option<Time>> {
        Ok(sqlx::query_scalar!("select min(deadline) from monitor_memories where deadline is not null")
            .fetch_one(self.pool())
            .await?)
    }

    /// Puts off the deadline of a monitor that cannot be evaluated now, so that it does not hold up others.
    pub async fn postpone(&self, monitor: Uuid, until: Time) -> StoreResult<()> {
        sqlx::query!(
            "update monitor_memories set deadline = $2, version = version + 1 where monitor_id = $1",
            monitor,
            until
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// Monitors that a clock which is set back concerns: those with active runs or with what maintenance holds back, or all.
    pub async fn monitors_at_work(&self, tx: &mut Tx, all: bool) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select monitor_id from monitor_memories where active > 0 or quiet_until is not null or $1 order by monitor_id",
            all
        )
        .fetch_all(&mut **tx)
        .await?)
    }

    /// Takes the lock of a monitor for a change that is not written through a timeline, and marks its facts as changed.
    pub(crate) async fn lock_changing(&self, tx: &mut Tx, monitor: Uuid) -> StoreResult<()> {
        sqlx::query!("update monitor_memories set version = version + 1 where monitor_id = $1", monitor)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }
}
