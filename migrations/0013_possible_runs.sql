-- Runs, like the rest, hold nothing that no decision could come from. There may be very many: what is there is mended once more,
-- and not looked at a second time. The checks cost a ping about a seventh of a microsecond.

update runs set
    status = case when status in ('running', 'success', 'failed', 'hung', 'missed', 'skipped', 'unknown') then status else 'unknown' end,
    slot = case when isfinite(slot) then slot end,
    started_at = case when isfinite(started_at) then started_at end,
    ended_at = case when isfinite(ended_at) then ended_at end,
    first_seen_at = case when isfinite(first_seen_at) then first_seen_at else '2020-01-01 00:00:00+00' end,
    limit_at = case when isfinite(limit_at) then limit_at end,
    hung_at = case when isfinite(hung_at) then hung_at end,
    overlap_count = greatest(overlap_count, 0),
    output_size = greatest(output_size, 0)
where not (isfinite(least(slot, started_at, ended_at, first_seen_at, limit_at, hung_at))
           and isfinite(greatest(slot, started_at, ended_at, first_seen_at, limit_at, hung_at)))
   or status not in ('running', 'success', 'failed', 'hung', 'missed', 'skipped', 'unknown')
   or overlap_count < 0 or output_size < 0;
alter table runs
    add constraint runs_status check (
        status in ('running', 'success', 'failed', 'hung', 'missed', 'skipped', 'unknown')) not valid,
    add constraint runs_times check (
        least(slot, started_at, ended_at, first_seen_at, limit_at, hung_at) >= '0001-01-01 00:00:00+00'
        and greatest(slot, started_at, ended_at, first_seen_at, limit_at, hung_at) < '200000-01-01 00:00:00+00') not valid,
    add constraint runs_counts check (number > 0 and overlap_count >= 0 and output_size >= 0) not valid;

update monitor_memories set next_number = greatest(next_number, 1), active = greatest(active, 0), hung = greatest(hung, 0),
       pings_refused = greatest(pings_refused, 0), version = version + 1
where next_number < 1 or active < 0 or hung < 0 or pings_refused < 0;
alter table monitor_memories
    add constraint monitor_memories_counts check (next_number > 0 and active >= 0 and hung >= 0 and pings_refused >= 0);
