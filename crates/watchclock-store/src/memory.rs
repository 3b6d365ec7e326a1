//! What is remembered of monitors between pings: the hot rows, whose locks guard all that pings change.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{Time, monitor::Memory, timeline::Timeline};

use crate::{Store, StoreError, StoreResult, Tx, TxId};

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct MemoryRow {
    pub(crate) monitor_id: Uuid,
    pub(crate) version: i64,
    pub(crate) next_number: i64,
    pub(crate) active: i64,
    pub(crate) anchor: Time,
    pub(crate) next_slot: Option<Time>,
    pub(crate) filled_slot: Option<Time>,
    pub(crate) deadline: Option<Time>,
    pub(crate) last_ping_at: Option<Time>,
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

impl From<MemoryRow> for Memory {
    fn from(row: MemoryRow) -> Self {
        let streaks: Option<BTreeMap<Uuid, i32>> =
            row.rule_streaks.and_then(|json| serde_json::from_value(json).ok());
        Self {
            version: row.version,
            next_number: row.next_number,
            active: row.active,
            anchor: row.anchor,
            next_slot: row.next_slot,
            filled_slot: row.filled_slot,
            deadline: row.deadline,
            last_ping_at: row.last_ping_at,
            last_started_at: row.last_started_at,
            last_ended_at: row.last_ended_at,
            last_success_at: row.last_success_at,
            failed_streak: row.failed_streak,
            missed_streak: row.missed_streak,
            fast_streak: row.fast_streak,
            good_streak: row.good_streak,
            rule_streaks: streaks.unwrap_or_default(),
            good_durations: row.good_durations,
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
        sqlx::query!("update monitor_memories set deadline = $2, version = version + 1 where monitor_id = $1", monitor, until)
            .execute(self.pool())
            .await?;
        Ok(())
    }

    /// Takes the lock of a monitor for a change that is not written through a timeline, and marks its facts as changed.
    pub(crate) async fn lock_changing(&self, tx: &mut Tx, monitor: Uuid) -> StoreResult<()> {
        sqlx::query!("update monitor_memories set version = version + 1 where monitor_id = $1", monitor)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    /// Writes the memories of timelines, and so locks them, in the order of their ids.
    ///
    /// [`StoreError::Outrun`] where the facts of one are no longer those that were read: then nothing may be kept of this
    /// transaction.
    pub(crate) async fn write_memories(&self, tx: &mut Tx, lines: &[&Timeline<'_>]) -> StoreResult<TxId> {
        let mut lines = lines.to_vec();
        lines.sort_unstable_by_key(|line| line.monitor.id);
        let column = |get: fn(&Memory) -> Option<Time>| sparse(&lines, |line| get(&line.memory));
        let number =
            |get: fn(&Memory) -> i32| sparse(&lines, |line| Some(get(&line.memory)).filter(|number| *number != 0));
        let big = |get: fn(&Memory) -> i64| -> Vec<i64> { lines.iter().map(|line| get(&line.memory)).collect() };
        let ids: Vec<Uuid> = lines.iter().map(|line| line.monitor.id).collect();
        let anchors: Vec<Time> = lines.iter().map(|line| line.memory.anchor).collect();
        let streaks = sparse(&lines, |line| {
            let streaks = &line.memory.rule_streaks;
            let words = || streaks.iter().map(|(rule, streak)| (rule.to_string(), (*streak).into()));
            (!streaks.is_empty()).then(|| crate::json::object(words()))
        });
        // Arrays of arrays must be rectangular, so lists travel as literals of their own; few pings change any.
        let durations = sparse(&lines, |line| {
            let changed: &[i64] = if line.changes.durations { &line.memory.good_durations } else { &[] };
            literal(changed, |ms| ms)
        });
        let unseen = sparse(&lines, |line| literal(&line.memory.hung_unseen, |run| run));
        let held = sparse(&lines, |line| literal(&line.memory.held_runs, |run| run));
        let keys = sparse(&lines, |line| {
            let keys = &line.memory.meta_keys;
            (!keys.is_empty()).then(|| serde_json::Value::from(keys.clone()))
        });
        let written = sqlx::query!(
            r#"with written as (
                 update monitor_memories mm set
                     version = n.version + 1,
                     next_number = n.next_number, active = n.active, anchor = n.anchor, next_slot = n.next_slot,
                     filled_slot = n.filled_slot, deadline = n.deadline, last_ping_at = n.last_ping_at,
                     last_started_at = n.last_started_at, last_ended_at = n.last_ended_at,
                     last_success_at = n.last_success_at, failed_streak = coalesce(n.failed_streak, 0),
                     missed_streak = coalesce(n.missed_streak, 0), fast_streak = coalesce(n.fast_streak, 0),
                     good_streak = coalesce(n.good_streak, 0), rule_streaks = n.rule_streaks,
                     good_durations = coalesce(n.good_durations::bigint[], mm.good_durations),
                     hung_unseen = coalesce(n.hung_unseen::uuid[], '{}'),
                     meta_keys = case when n.meta_keys is null
                                        or jsonb_array_length(n.meta_keys) = cardinality(mm.meta_keys) then mm.meta_keys
                                      else array(select jsonb_array_elements_text(n.meta_keys)) end,
                     fine_since = n.fine_since, slow_streak = coalesce(n.slow_streak, 0), rules_due = n.rules_due,
                     past_version = n.past_version, fresh_until = n.fresh_until, quiet_until = n.quiet_until,
                     held_runs = coalesce(n.held_runs::uuid[], '{}')
                 from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[],
                             $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[],
                             $10::timestamptz[], $11::timestamptz[], $12::int[], $13::int[], $14::int[], $15::int[],
                             $16::jsonb[], $17::text[], $18::text[], $19::jsonb[], $20::timestamptz[],
                             $21::int[], $22::timestamptz[], $23::bigint[], $24::timestamptz[], $25::timestamptz[],
                             $26::text[], $27::bigint[])
                      as n(monitor_id, next_number, active, anchor, next_slot, filled_slot, deadline, last_ping_at,
                           last_started_at, last_ended_at, last_success_at, failed_streak, missed_streak, fast_streak,
                           good_streak, rule_streaks, good_durations, hung_unseen, meta_keys, fine_since,
                           slow_streak, rules_due, past_version, fresh_until, quiet_until, held_runs, version)
                 where mm.monitor_id = n.monitor_id and mm.version = n.version
                 returning 1
             )
             select count(*) as "count!", pg_current_xact_id()::text::bigint as "tx!" from written"#,
            &ids,
            &big(|memory| memory.next_number),
            &big(|memory| memory.active),
            &anchors,
            &column(|memory| memory.next_slot) as &[Option<Time>],
            &column(|memory| memory.filled_slot) as &[Option<Time>],
            &column(|memory| memory.deadline) as &[Option<Time>],
            &column(|memory| memory.last_ping_at) as &[Option<Time>],
            &column(|memory| memory.last_started_at) as &[Option<Time>],
            &column(|memory| memory.last_ended_at) as &[Option<Time>],
            &column(|memory| memory.last_success_at) as &[Option<Time>],
            &number(|memory| memory.failed_streak) as &[Option<i32>],
            &number(|memory| memory.missed_streak) as &[Option<i32>],
            &number(|memory| memory.fast_streak) as &[Option<i32>],
            &number(|memory| memory.good_streak) as &[Option<i32>],
            &streaks as &[Option<serde_json::Value>],
            &durations as &[Option<String>],
            &unseen as &[Option<String>],
            &keys as &[Option<serde_json::Value>],
            &column(|memory| memory.fine_since) as &[Option<Time>],
            &number(|memory| memory.slow_streak) as &[Option<i32>],
            &column(|memory| memory.rules_due) as &[Option<Time>],
            &big(|memory| memory.past_version),
            &column(|memory| memory.fresh_until) as &[Option<Time>],
            &column(|memory| memory.quiet_until) as &[Option<Time>],
            &held as &[Option<String>],
            &big(|memory| memory.version),
        )
        .fetch_one(&mut **tx)
        .await?;
        if usize::try_from(written.count) == Ok(lines.len()) { Ok(written.tx) } else { Err(StoreError::Outrun) }
    }
}

/// A column for `unnest`; empty where nobody has a value: shorter arrays are filled with nulls, which cost nothing to send.
pub(crate) fn sparse<R, T>(rows: &[R], get: impl Fn(&R) -> Option<T>) -> Vec<Option<T>> {
    let mut values = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some(value) = get(row) {
            values.resize_with(at, || None);
            values.push(Some(value));
        }
    }
    values
}

/// A PostgreSQL array literal of plain words; none when there are none.
pub(crate) fn literal<'i, T, D: std::fmt::Display>(
    items: &'i [T],
    word: impl Fn(&'i T) -> D,
) -> Option<String> {
    use std::fmt::Write as _;
    let mut text = String::new();
    for item in items {
        let before = if text.is_empty() { '{' } else { ',' };
        write!(text, "{before}{}", word(item)).expect("writing to a String cannot fail");
    }
    if text.is_empty() {
        return None;
    }
    text.push('}');
    Some(text)
}
