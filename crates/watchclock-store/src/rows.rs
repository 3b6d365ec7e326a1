//! The one statement that every ping takes: memories and runs of many monitors at once, over the versions that were read.
//!
//! One, because each statement costs a way to the database and back, while the next pings wait. The columns are unnested
//! side by side in a select list, since `unnest` of many arrays would keep a store of its own for each.

use uuid::Uuid;
use watchclock_domain::{Time, monitor::Memory, run::Run, timeline::Timeline};

use crate::{Store, StoreError, StoreResult, Tx, TxId, json};

/// Most open runs of a monitor that are listed with its memory.
const MAX_LISTED: usize = 20;

impl Store {
    /// Writes memories, and so locks them, in the order of their ids; and the runs that are new or changed.
    ///
    /// [`StoreError::Outrun`] where the facts of one are no longer those that were read: then nothing may be kept of this
    /// transaction.
    pub(crate) async fn write_rows(&self, tx: &mut Tx, lines: &[&Timeline<'_>]) -> StoreResult<TxId> {
        let mut lines = lines.to_vec();
        lines.sort_unstable_by_key(|line| line.monitor.id);
        let mut new: Vec<&Run> = Vec::new();
        let mut changed: Vec<&Run> = Vec::new();
        for line in &lines {
            new.extend(line.runs.iter().filter(|run| line.changes.new_runs.contains(&run.id)));
            changed.extend(line.runs.iter().filter(|run| line.changes.changed_runs.contains(&run.id)));
        }
        let memories = Memories::of(&lines);
        let (new, changed) = (Runs::of(&new), Runs::of(&changed));
        let written = sqlx::query!(
            r#"with written as (
                 update monitor_memories mm set
                     version = n.version + 1,
                     next_number = n.next_number, active = n.active, anchor = n.anchor, next_slot = n.next_slot,
                     filled_slot = n.filled_slot, deadline = n.deadline, last_ping_at = n.last_ping_at,
                     last_started_at = n.last_started_at, last_ended_at = n.last_ended_at,
                     last_success_at = n.last_success_at, failed_streak = coalesce(n.failed_streak, 0),
                     missed_streak = coalesce(n.missed_streak, 0), fast_streak = coalesce(n.fast_streak, 0),
                     good_streak = coalesce(n.good_streak, 0), rule_streaks = coalesce(n.rule_streaks, mm.rule_streaks),
                     good_durations = coalesce(n.good_durations::bigint[], mm.good_durations),
                     hung_unseen = coalesce(n.hung_unseen::uuid[], '{}'),
                     meta_keys = case when n.meta_keys is null
                                        or jsonb_array_length(n.meta_keys) = cardinality(mm.meta_keys) then mm.meta_keys
                                      else array(select jsonb_array_elements_text(n.meta_keys)) end,
                     fine_since = n.fine_since, slow_streak = coalesce(n.slow_streak, 0), rules_due = n.rules_due,
                     past_version = n.past_version, fresh_until = n.fresh_until, quiet_until = n.quiet_until,
                     held_runs = coalesce(n.held_runs::uuid[], '{}'), hung = coalesce(n.hung, 0),
                     open_runs = n.open_runs::bigint[], open_from = coalesce(n.open_from, mm.open_from),
                     paced_until = n.paced_until, pings_refused = coalesce(n.pings_refused, mm.pings_refused),
                     pings_refused_at = coalesce(n.pings_refused_at, mm.pings_refused_at)
                 from (select unnest($1::uuid[]) as monitor_id, unnest($2::bigint[]) as next_number,
                         unnest($3::bigint[]) as active, unnest($4::timestamptz[]) as anchor,
                         unnest($5::timestamptz[]) as next_slot, unnest($6::timestamptz[]) as filled_slot,
                         unnest($7::timestamptz[]) as deadline, unnest($8::timestamptz[]) as last_ping_at,
                         unnest($9::timestamptz[]) as last_started_at, unnest($10::timestamptz[]) as last_ended_at,
                         unnest($11::timestamptz[]) as last_success_at, unnest($12::int[]) as failed_streak,
                         unnest($13::int[]) as missed_streak, unnest($14::int[]) as fast_streak,
                         unnest($15::int[]) as good_streak, unnest($16::jsonb[]) as rule_streaks,
                         unnest($17::text[]) as good_durations, unnest($18::text[]) as hung_unseen,
                         unnest($19::jsonb[]) as meta_keys, unnest($20::timestamptz[]) as fine_since,
                         unnest($21::int[]) as slow_streak, unnest($22::timestamptz[]) as rules_due,
                         unnest($23::bigint[]) as past_version, unnest($24::timestamptz[]) as fresh_until,
                         unnest($25::timestamptz[]) as quiet_until, unnest($26::text[]) as held_runs,
                         unnest($27::bigint[]) as version, unnest($72::bigint[]) as hung,
                         unnest($73::text[]) as open_runs, unnest($74::bigint[]) as open_from,
                         unnest($75::timestamptz[]) as paced_until, unnest($76::bigint[]) as pings_refused,
                         unnest($77::timestamptz[]) as pings_refused_at) n
                 where mm.monitor_id = n.monitor_id and mm.version = n.version
                 returning 1
             ),
             -- The rest waits for this, so that it happens under the locks.
             counted as materialized (select count(*) from written),
             started as (
                 insert into runs (id, monitor_id, number, rid, rid_shown, status, flags, slot, started_at, ended_at,
                                   first_seen_at, limit_at, hung_at, exit_code, message, meta, addr, user_agent, host,
                                   env, overlapping, overlap_count, output_size, notes)
                 select id, monitor_id, number, rid, rid_shown, status, coalesce(flags::text[], '{}'), slot, started_at,
                        ended_at, first_seen_at, limit_at, hung_at, exit_code, message, meta, addr, user_agent, host,
                        env, coalesce(overlapping::uuid[], '{}'), coalesce(overlap_count, 0),
                        coalesce(output_size, 0), notes
                 from counted, (select unnest($28::uuid[]) as id, unnest($29::uuid[]) as monitor_id,
                         unnest($30::bigint[]) as number, unnest($31::text[]) as rid,
                         unnest($32::text[]) as rid_shown, unnest($33::text[]) as status,
                         unnest($34::text[]) as flags, unnest($35::timestamptz[]) as slot,
                         unnest($36::timestamptz[]) as started_at, unnest($37::timestamptz[]) as ended_at,
                         unnest($38::timestamptz[]) as first_seen_at, unnest($39::timestamptz[]) as limit_at,
                         unnest($40::timestamptz[]) as hung_at, unnest($41::smallint[]) as exit_code,
                         unnest($42::text[]) as message, unnest($43::jsonb[]) as meta, unnest($44::text[]) as addr,
                         unnest($45::text[]) as user_agent, unnest($46::text[]) as host, unnest($47::text[]) as env,
                         unnest($48::text[]) as overlapping, unnest($49::bigint[]) as overlap_count,
                         unnest($50::bigint[]) as output_size, unnest($51::jsonb[]) as notes) n
             ),
             changed as (
                 update runs r set
                     number = n.number, status = n.status, flags = coalesce(n.flags::text[], '{}'), slot = n.slot,
                     started_at = n.started_at, ended_at = n.ended_at, limit_at = n.limit_at, hung_at = n.hung_at,
                     exit_code = n.exit_code, message = n.message, meta = n.meta, addr = n.addr,
                     user_agent = n.user_agent, host = n.host, env = n.env,
                     overlapping = coalesce(n.overlapping::uuid[], '{}'),
                     overlap_count = coalesce(n.overlap_count, 0), output_size = coalesce(n.output_size, 0),
                     notes = n.notes
                 from counted, (select unnest($52::uuid[]) as id, unnest($53::text[]) as status, unnest($54::text[]) as flags,
                         unnest($55::timestamptz[]) as slot, unnest($56::timestamptz[]) as started_at,
                         unnest($57::timestamptz[]) as ended_at, unnest($58::timestamptz[]) as limit_at,
                         unnest($59::timestamptz[]) as hung_at, unnest($60::smallint[]) as exit_code,
                         unnest($61::text[]) as message, unnest($62::jsonb[]) as meta, unnest($63::text[]) as addr,
                         unnest($64::text[]) as user_agent, unnest($65::text[]) as host, unnest($66::text[]) as env,
                         unnest($67::text[]) as overlapping, unnest($68::bigint[]) as overlap_count,
                         unnest($69::bigint[]) as output_size, unnest($70::jsonb[]) as notes,
                         unnest($71::bigint[]) as number) n
                 where r.id = n.id
             )
             select count as "count!", pg_current_xact_id()::text::bigint as "tx!" from counted"#,
            &memories.id,
            &memories.next_number,
            &memories.active,
            &memories.anchor,
            &memories.next_slot as &[Option<Time>],
            &memories.filled_slot as &[Option<Time>],
            &memories.deadline as &[Option<Time>],
            &memories.last_ping_at as &[Option<Time>],
            &memories.last_started_at as &[Option<Time>],
            &memories.last_ended_at as &[Option<Time>],
            &memories.last_success_at as &[Option<Time>],
            &memories.failed_streak as &[Option<i32>],
            &memories.missed_streak as &[Option<i32>],
            &memories.fast_streak as &[Option<i32>],
            &memories.good_streak as &[Option<i32>],
            &memories.rule_streaks as &[Option<serde_json::Value>],
            &memories.good_durations as &[Option<String>],
            &memories.hung_unseen as &[Option<String>],
            &memories.meta_keys as &[Option<serde_json::Value>],
            &memories.fine_since as &[Option<Time>],
            &memories.slow_streak as &[Option<i32>],
            &memories.rules_due as &[Option<Time>],
            &memories.past_version,
            &memories.fresh_until as &[Option<Time>],
            &memories.quiet_until as &[Option<Time>],
            &memories.held_runs as &[Option<String>],
            &memories.version,
            &new.id,
            &new.monitor,
            &new.number,
            &new.rid as &[Option<&str>],
            &new.rid_shown as &[Option<&str>],
            &new.status as &[&str],
            &new.flags as &[Option<String>],
            &new.slot as &[Option<Time>],
            &new.started_at as &[Option<Time>],
            &new.ended_at as &[Option<Time>],
            &new.first_seen_at,
            &new.limit_at as &[Option<Time>],
            &new.hung_at as &[Option<Time>],
            &new.exit_code as &[Option<i16>],
            &new.message as &[Option<&str>],
            &new.meta as &[Option<serde_json::Value>],
            &new.addr as &[Option<&str>],
            &new.user_agent as &[Option<&str>],
            &new.host as &[Option<&str>],
            &new.env as &[Option<&str>],
            &new.overlapping as &[Option<String>],
            &new.overlap_count as &[Option<i64>],
            &new.output_size as &[Option<i64>],
            &new.notes as &[Option<serde_json::Value>],
            &changed.id,
            &changed.status as &[&str],
            &changed.flags as &[Option<String>],
            &changed.slot as &[Option<Time>],
            &changed.started_at as &[Option<Time>],
            &changed.ended_at as &[Option<Time>],
            &changed.limit_at as &[Option<Time>],
            &changed.hung_at as &[Option<Time>],
            &changed.exit_code as &[Option<i16>],
            &changed.message as &[Option<&str>],
            &changed.meta as &[Option<serde_json::Value>],
            &changed.addr as &[Option<&str>],
            &changed.user_agent as &[Option<&str>],
            &changed.host as &[Option<&str>],
            &changed.env as &[Option<&str>],
            &changed.overlapping as &[Option<String>],
            &changed.overlap_count as &[Option<i64>],
            &changed.output_size as &[Option<i64>],
            &changed.notes as &[Option<serde_json::Value>],
            &changed.number,
            &memories.hung as &[Option<i64>],
            &memories.open_runs as &[Option<String>],
            &memories.open_from as &[Option<i64>],
            &memories.paced_until as &[Option<Time>],
            &memories.pings_refused as &[Option<i64>],
            &memories.pings_refused_at as &[Option<Time>],
        )
        .fetch_one(&mut **tx)
        .await?;
        if usize::try_from(written.count) == Ok(lines.len()) {
            Ok(written.tx)
        } else {
            Err(StoreError::Outrun)
        }
    }
}

/// The columns of memories.
struct Memories {
    id: Vec<Uuid>,
    next_number: Vec<i64>,
    active: Vec<i64>,
    anchor: Vec<Time>,
    next_slot: Vec<Option<Time>>,
    filled_slot: Vec<Option<Time>>,
    deadline: Vec<Option<Time>>,
    last_ping_at: Vec<Option<Time>>,
    last_started_at: Vec<Option<Time>>,
    last_ended_at: Vec<Option<Time>>,
    last_success_at: Vec<Option<Time>>,
    failed_streak: Vec<Option<i32>>,
    missed_streak: Vec<Option<i32>>,
    fast_streak: Vec<Option<i32>>,
    good_streak: Vec<Option<i32>>,
    rule_streaks: Vec<Option<serde_json::Value>>,
    good_durations: Vec<Option<String>>,
    hung_unseen: Vec<Option<String>>,
    meta_keys: Vec<Option<serde_json::Value>>,
    fine_since: Vec<Option<Time>>,
    slow_streak: Vec<Option<i32>>,
    rules_due: Vec<Option<Time>>,
    past_version: Vec<i64>,
    fresh_until: Vec<Option<Time>>,
    quiet_until: Vec<Option<Time>>,
    held_runs: Vec<Option<String>>,
    version: Vec<i64>,
    hung: Vec<Option<i64>>,
    open_runs: Vec<Option<String>>,
    open_from: Vec<Option<i64>>,
    paced_until: Vec<Option<Time>>,
    pings_refused: Vec<Option<i64>>,
    pings_refused_at: Vec<Option<Time>>,
}

impl Memories {
    fn of(lines: &[&Timeline<'_>]) -> Self {
        fn every<T>(lines: &[&Timeline<'_>], get: impl Fn(&Memory) -> T) -> Vec<T> {
            lines.iter().map(|line| get(&line.memory)).collect()
        }
        fn some<T>(lines: &[&Timeline<'_>], get: impl Fn(&Memory) -> Option<T>) -> Vec<Option<T>> {
            sparse(lines, |line| get(&line.memory))
        }
        fn streak(lines: &[&Timeline<'_>], get: impl Fn(&Memory) -> i32) -> Vec<Option<i32>> {
            some(lines, |memory| Some(get(memory)).filter(|streak| *streak != 0))
        }
        Self {
            id: lines.iter().map(|line| line.monitor.id).collect(),
            next_number: every(lines, |memory| memory.next_number),
            active: every(lines, |memory| memory.active),
            anchor: every(lines, |memory| memory.anchor),
            next_slot: some(lines, |memory| memory.next_slot),
            filled_slot: some(lines, |memory| memory.filled_slot),
            deadline: some(lines, |memory| memory.deadline),
            last_ping_at: some(lines, |memory| memory.last_ping_at),
            last_started_at: some(lines, |memory| memory.last_started_at),
            last_ended_at: some(lines, |memory| memory.last_ended_at),
            last_success_at: some(lines, |memory| memory.last_success_at),
            failed_streak: streak(lines, |memory| memory.failed_streak),
            missed_streak: streak(lines, |memory| memory.missed_streak),
            fast_streak: streak(lines, |memory| memory.fast_streak),
            good_streak: streak(lines, |memory| memory.good_streak),
            rule_streaks: sparse(lines, |line| {
                let streaks = line.memory.rule_streaks.iter();
                let words = || streaks.map(|(rule, streak)| (rule.to_string(), (*streak).into()));
                line.changes.streaks.then(|| json::object(words()))
            }),
            // Arrays of arrays must be rectangular, so lists travel as literals of their own; few pings change any.
            good_durations: sparse(lines, |line| {
                let changed: &[i64] = if line.changes.durations { &line.memory.good_durations } else { &[] };
                literal(changed, |ms| ms)
            }),
            hung_unseen: some(lines, |memory| literal(&memory.hung_unseen, |run| run)),
            meta_keys: some(lines, |memory| {
                let keys = &memory.meta_keys;
                (!keys.is_empty()).then(|| keys.clone().into())
            }),
            fine_since: some(lines, |memory| memory.fine_since),
            slow_streak: streak(lines, |memory| memory.slow_streak),
            rules_due: some(lines, |memory| memory.rules_due),
            past_version: every(lines, |memory| memory.past_version),
            fresh_until: some(lines, |memory| memory.fresh_until),
            quiet_until: some(lines, |memory| memory.quiet_until),
            held_runs: some(lines, |memory| literal(&memory.held_runs, |run| run)),
            version: every(lines, |memory| memory.version),
            hung: some(lines, |memory| Some(memory.hung).filter(|hung| *hung != 0)),
            open_runs: sparse(lines, |line| {
                let numbers: Vec<i64> = line.open_runs()?.map(|run| run.number).collect();
                let listed = || literal(&numbers, |number| number).unwrap_or_else(|| "{}".to_owned());
                (numbers.len() <= MAX_LISTED).then(listed)
            }),
            open_from: sparse(lines, |line| {
                let lowest = line.open_runs()?.map(|run| run.number).min();
                Some(lowest.unwrap_or(line.memory.next_number))
            }),
            paced_until: some(lines, |memory| memory.paced_until),
            pings_refused: sparse(lines, |line| line.changes.refused.then_some(line.memory.pings_refused)),
            pings_refused_at: sparse(lines, |line| {
                line.memory.pings_refused_at.filter(|_| line.changes.refused)
            }),
        }
    }
}

/// The columns of runs.
struct Runs<'r> {
    id: Vec<Uuid>,
    monitor: Vec<Uuid>,
    number: Vec<i64>,
    rid: Vec<Option<&'r str>>,
    rid_shown: Vec<Option<&'r str>>,
    status: Vec<&'static str>,
    flags: Vec<Option<String>>,
    slot: Vec<Option<Time>>,
    started_at: Vec<Option<Time>>,
    ended_at: Vec<Option<Time>>,
    first_seen_at: Vec<Time>,
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

impl<'r> Runs<'r> {
    fn of(runs: &[&'r Run]) -> Self {
        fn every<'r, T>(runs: &[&'r Run], get: impl Fn(&'r Run) -> T) -> Vec<T> {
            runs.iter().map(|run| get(run)).collect()
        }
        Self {
            id: every(runs, |run| run.id),
            monitor: every(runs, |run| run.monitor),
            number: every(runs, |run| run.number),
            rid: sparse(runs, |run| Some(run.run_id.as_ref()?.key.as_str())),
            rid_shown: sparse(runs, |run| Some(run.run_id.as_ref()?.shown.as_str())),
            status: every(runs, |run| run.status.word()),
            flags: sparse(runs, |run| literal(&run.flags, |flag| flag.word())),
            slot: sparse(runs, |run| run.slot),
            started_at: sparse(runs, |run| run.started_at),
            ended_at: sparse(runs, |run| run.ended_at),
            first_seen_at: every(runs, |run| run.first_seen_at),
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

/// A column for `unnest`; empty where nobody has a value: shorter arrays are filled with nulls, which cost nothing to send.
fn sparse<R: Copy, T>(rows: &[R], get: impl Fn(R) -> Option<T>) -> Vec<Option<T>> {
    let mut values = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Some(value) = get(*row) {
            values.resize_with(at, || None);
            values.push(Some(value));
        }
    }
    values
}

/// A PostgreSQL array literal of plain words; none when there are none.
fn literal<'i, T, D: std::fmt::Display>(items: &'i [T], word: impl Fn(&'i T) -> D) -> Option<String> {
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
