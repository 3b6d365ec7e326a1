//! What is remembered of monitors between pings: the hot rows, whose locks guard all that pings change.

use std::collections::BTreeMap;

use uuid::Uuid;
use watchclock_domain::{Time, monitor::Memory, timeline::Timeline};

use crate::{Store, StoreResult, Tx};

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct MemoryRow {
    pub(crate) monitor_id: Uuid,
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
        sqlx::query!("update monitor_memories set deadline = $2 where monitor_id = $1", monitor, until)
            .execute(self.pool())
            .await?;
        Ok(())
    }

    /// Writes the memories of timelines.
    pub(crate) async fn write_memories(&self, tx: &mut Tx, lines: &[&Timeline<'_>]) -> StoreResult<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let memories: Vec<(Uuid, &Memory)> =
            lines.iter().map(|line| (line.monitor.id, &line.memory)).collect();
        let column = |get: fn(&Memory) -> Option<Time>| -> Vec<Option<Time>> {
            memories.iter().map(|(_, memory)| get(memory)).collect()
        };
        let number = |get: fn(&Memory) -> i32| -> Vec<i32> {
            memories.iter().map(|(_, memory)| get(memory)).collect()
        };
        let ids: Vec<Uuid> = memories.iter().map(|(id, _)| *id).collect();
        let next_numbers: Vec<i64> = memories.iter().map(|(_, memory)| memory.next_number).collect();
        let past_versions: Vec<i64> = memories.iter().map(|(_, memory)| memory.past_version).collect();
        let active: Vec<i64> = memories.iter().map(|(_, memory)| memory.active).collect();
        let anchors: Vec<Time> = memories.iter().map(|(_, memory)| memory.anchor).collect();
        let streaks: Vec<Option<serde_json::Value>> = memories
            .iter()
            .map(|(_, memory)| {
                (!memory.rule_streaks.is_empty()).then(|| {
                    crate::json::object(
                        memory.rule_streaks.iter().map(|(rule, streak)| (rule.to_string(), (*streak).into())),
                    )
                })
            })
            .collect();
        // Arrays of arrays must be rectangular, so lists travel as literals of their own; few pings change any.
        let durations: Vec<Option<String>> = lines
            .iter()
            .map(|line| {
                let changed: &[i64] = if line.changes.durations { &line.memory.good_durations } else { &[] };
                literal(changed, |ms| ms)
            })
            .collect();
        let unseen: Vec<Option<String>> =
            memories.iter().map(|(_, memory)| literal(&memory.hung_unseen, |run| run)).collect();
        let held: Vec<Option<String>> =
            memories.iter().map(|(_, memory)| literal(&memory.held_runs, |run| run)).collect();
        let keys: Vec<Option<serde_json::Value>> = memories
            .iter()
            .map(|(_, memory)| (!memory.meta_keys.is_empty()).then(|| memory.meta_keys.clone().into()))
            .collect();
        sqlx::query!(
            "update monitor_memories mm set
                 next_number = n.next_number, active = n.active, anchor = n.anchor, next_slot = n.next_slot,
                 filled_slot = n.filled_slot, deadline = n.deadline, last_ping_at = n.last_ping_at,
                 last_started_at = n.last_started_at, last_ended_at = n.last_ended_at,
                 last_success_at = n.last_success_at, failed_streak = n.failed_streak,
                 missed_streak = n.missed_streak, fast_streak = n.fast_streak, good_streak = n.good_streak,
                 rule_streaks = n.rule_streaks,
                 good_durations = coalesce(n.good_durations::bigint[], mm.good_durations),
                 hung_unseen = coalesce(n.hung_unseen::uuid[], '{}'),
                 meta_keys = case when n.meta_keys is null
                                    or jsonb_array_length(n.meta_keys) = cardinality(mm.meta_keys) then mm.meta_keys
                                  else array(select jsonb_array_elements_text(n.meta_keys)) end,
                 fine_since = n.fine_since, slow_streak = n.slow_streak, rules_due = n.rules_due,
                 past_version = n.past_version, fresh_until = n.fresh_until, quiet_until = n.quiet_until,
                 held_runs = coalesce(n.held_runs::uuid[], '{}')
             from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::timestamptz[], $5::timestamptz[],
                         $6::timestamptz[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[],
                         $10::timestamptz[], $11::timestamptz[], $12::int[], $13::int[], $14::int[], $15::int[],
                         $16::jsonb[], $17::text[], $18::text[], $19::jsonb[], $20::timestamptz[],
                         $21::int[], $22::timestamptz[], $23::bigint[], $24::timestamptz[], $25::timestamptz[],
                         $26::text[])
                  as n(monitor_id, next_number, active, anchor, next_slot, filled_slot, deadline, last_ping_at,
                       last_started_at, last_ended_at, last_success_at, failed_streak, missed_streak, fast_streak,
                       good_streak, rule_streaks, good_durations, hung_unseen, meta_keys, fine_since,
                       slow_streak, rules_due, past_version, fresh_until, quiet_until, held_runs)
             where mm.monitor_id = n.monitor_id",
            &ids,
            &next_numbers,
            &active,
            &anchors,
            &column(|memory| memory.next_slot) as &[Option<Time>],
            &column(|memory| memory.filled_slot) as &[Option<Time>],
            &column(|memory| memory.deadline) as &[Option<Time>],
            &column(|memory| memory.last_ping_at) as &[Option<Time>],
            &column(|memory| memory.last_started_at) as &[Option<Time>],
            &column(|memory| memory.last_ended_at) as &[Option<Time>],
            &column(|memory| memory.last_success_at) as &[Option<Time>],
            &number(|memory| memory.failed_streak),
            &number(|memory| memory.missed_streak),
            &number(|memory| memory.fast_streak),
            &number(|memory| memory.good_streak),
            &streaks as &[Option<serde_json::Value>],
            &durations as &[Option<String>],
            &unseen as &[Option<String>],
            &keys as &[Option<serde_json::Value>],
            &column(|memory| memory.fine_since) as &[Option<Time>],
            &number(|memory| memory.slow_streak),
            &column(|memory| memory.rules_due) as &[Option<Time>],
            &past_versions,
            &column(|memory| memory.fresh_until) as &[Option<Time>],
            &column(|memory| memory.quiet_until) as &[Option<Time>],
            &held as &[Option<String>],
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
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
