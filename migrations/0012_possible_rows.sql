-- Rows that no decision could come from are refused where they are written, whoever writes them. What such rows hold already is
-- brought to what was read of them so far. Moments lie in years that every reader can hold: neither is `infinity`.

update monitors set
    grace_seconds = least(greatest(grace_seconds, 0), 31622400),
    max_seconds = case when max_seconds > 0 then least(max_seconds, 31622400) end,
    min_milliseconds = case when min_milliseconds > 0 then least(min_milliseconds, 31622400000) end,
    early_seconds = case when early_seconds > 0 then least(early_seconds, 31622400) end,
    alert_after_seconds = least(greatest(alert_after_seconds, 0), 31622400),
    overlap_policy = case when overlap_policy in ('alert', 'allow', 'refuse') then overlap_policy else 'alert' end,
    overlap_allowed = least(greatest(overlap_allowed, 1), 1000),
    thresholds = case
        when jsonb_typeof(thresholds) = 'object' and not jsonb_path_exists(thresholds,
            'strict $.* ? (!(@.type() == "number" && @ >= 1 && @ <= 100 && @ == @.floor()))')
        then thresholds else '{}' end,
    version = version + 1
where grace_seconds not between 0 and 31622400
   or max_seconds not between 1 and 31622400
   or min_milliseconds not between 1 and 31622400000
   or early_seconds not between 1 and 31622400
   or alert_after_seconds not between 0 and 31622400
   or overlap_policy not in ('alert', 'allow', 'refuse')
   or overlap_allowed not between 1 and 1000
   or jsonb_typeof(thresholds) <> 'object'
   or jsonb_path_exists(thresholds,
          'strict $.* ? (!(@.type() == "number" && @ >= 1 && @ <= 100 && @ == @.floor()))');
update monitors set created_at = '2020-01-01 00:00:00+00', version = version + 1 where not isfinite(created_at);
update monitors set updated_at = created_at, version = version + 1 where not isfinite(updated_at);

alter table monitors
    add constraint monitors_schedule_every check (schedule_every between 60 and 157852800),
    add constraint monitors_grace check (grace_seconds between 0 and 31622400),
    add constraint monitors_max check (max_seconds between 1 and 31622400),
    add constraint monitors_min check (min_milliseconds between 1 and 31622400000),
    add constraint monitors_early check (early_seconds between 1 and 31622400),
    add constraint monitors_alert_after check (alert_after_seconds between 0 and 31622400),
    add constraint monitors_overlap check (
        overlap_policy in ('alert', 'allow', 'refuse') and overlap_allowed between 1 and 1000),
    add constraint monitors_thresholds check (
        jsonb_typeof(thresholds) = 'object' and not jsonb_path_exists(thresholds,
            'strict $.* ? (!(@.type() == "number" && @ >= 1 && @ <= 100 && @ == @.floor()))')),
    add constraint monitors_times check (
        least(created_at, updated_at) >= '0001-01-01 00:00:00+00'
        and greatest(created_at, updated_at) < '200000-01-01 00:00:00+00');
-- A kind of which nothing is known stays as it is stored, and the monitor says that it cannot be read; no row gets one any more.
alter table monitors
    add constraint monitors_schedule_kind check (schedule_kind in ('every', 'cron', 'oncalendar', 'none')) not valid;
comment on constraint monitors_schedule_every on monitors is 'A minute to five years.';
comment on constraint monitors_grace on monitors is 'Up to a year, as with the other lengths.';
comment on constraint monitors_thresholds on monitors is 'An object of whole numbers from 1 to 100.';

alter table rules
    add constraint rules_words check (
        severity in ('warning', 'critical') and applies_to in ('success', 'fail', 'any')
        and if_missing in ('alert', 'ignore')) not valid,
    add constraint rules_for_runs check (for_runs between 1 and 100) not valid;
comment on constraint rules_words on rules is 'Of a rule that is older and has others, its monitor says that it cannot be read.';

-- Written with every ping: comparing its moments once is all that it costs.
update monitor_memories set
    anchor = case when isfinite(anchor) then anchor else '2020-01-01 00:00:00+00' end,
    next_slot = case when isfinite(next_slot) then next_slot end,
    filled_slot = case when isfinite(filled_slot) then filled_slot end,
    deadline = case when not isfinite(deadline) then '2020-01-01 00:00:00+00' else deadline end,
    last_ping_at = case when isfinite(last_ping_at) then last_ping_at end,
    paced_until = case when isfinite(paced_until) then paced_until end,
    pings_refused_at = case when isfinite(pings_refused_at) then pings_refused_at end,
    last_started_at = case when isfinite(last_started_at) then last_started_at end,
    last_ended_at = case when isfinite(last_ended_at) then last_ended_at end,
    last_success_at = case when isfinite(last_success_at) then last_success_at end,
    fine_since = case when isfinite(fine_since) then fine_since end,
    rules_due = case when isfinite(rules_due) then rules_due end,
    fresh_until = case when isfinite(fresh_until) then fresh_until end,
    quiet_until = case when isfinite(quiet_until) then quiet_until end,
    version = version + 1
where not (isfinite(least(anchor, next_slot, filled_slot, deadline, last_ping_at, paced_until, pings_refused_at,
                          last_started_at, last_ended_at, last_success_at, fine_since, rules_due, fresh_until, quiet_until))
       and isfinite(greatest(anchor, next_slot, filled_slot, deadline, last_ping_at, paced_until, pings_refused_at,
                             last_started_at, last_ended_at, last_success_at, fine_since, rules_due, fresh_until, quiet_until)));
update monitor_memories set good_durations = '{}', version = version + 1
where not (0 <= all (good_durations) and 100000000000000 >= all (good_durations));
update monitor_memories set next_number = greatest(next_number, 1), active = greatest(active, 0), hung = greatest(hung, 0),
       pings_refused = greatest(pings_refused, 0), version = version + 1
where next_number < 1 or active < 0 or hung < 0 or pings_refused < 0;

alter table monitor_memories
    add constraint monitor_memories_times check (
        least(anchor, next_slot, filled_slot, deadline, last_ping_at, paced_until, pings_refused_at, last_started_at,
              last_ended_at, last_success_at, fine_since, rules_due, fresh_until, quiet_until) >= '0001-01-01 00:00:00+00'
        and greatest(anchor, next_slot, filled_slot, deadline, last_ping_at, paced_until, pings_refused_at, last_started_at,
                     last_ended_at, last_success_at, fine_since, rules_due, fresh_until, quiet_until)
            < '200000-01-01 00:00:00+00');

-- There may be very many, and they are written twice with every job: they are mended, and not checked with each ping.
update runs set
    slot = case when isfinite(slot) then slot end,
    started_at = case when isfinite(started_at) then started_at end,
    ended_at = case when isfinite(ended_at) then ended_at end,
    first_seen_at = case when isfinite(first_seen_at) then first_seen_at else '2020-01-01 00:00:00+00' end,
    limit_at = case when isfinite(limit_at) then limit_at end,
    hung_at = case when isfinite(hung_at) then hung_at end
where not (isfinite(least(slot, started_at, ended_at, first_seen_at, limit_at, hung_at))
       and isfinite(greatest(slot, started_at, ended_at, first_seen_at, limit_at, hung_at)));
update incidents set opened_at = '2020-01-01 00:00:00+00' where not isfinite(opened_at);
update incidents set
    acknowledged_at = case when not isfinite(acknowledged_at) then opened_at else acknowledged_at end,
    resolved_at = case when not isfinite(resolved_at) then opened_at else resolved_at end,
    snoozed_until = case when isfinite(snoozed_until) then snoozed_until end
where not isfinite(acknowledged_at) or not isfinite(resolved_at) or not isfinite(snoozed_until);
alter table incidents
    add constraint incidents_kind check (
        kind in ('missed', 'failed', 'hung', 'overlap', 'rule', 'fast', 'slow', 'unscheduled')) not valid,
    add constraint incidents_severity check (severity in ('warning', 'critical')) not valid,
    add constraint incidents_counts check (run_count >= 0 and progress >= 0 and reminders >= 0) not valid,
    add constraint incidents_times check (
        least(opened_at, acknowledged_at, resolved_at, snoozed_until) >= '0001-01-01 00:00:00+00'
        and greatest(opened_at, acknowledged_at, resolved_at, snoozed_until) < '200000-01-01 00:00:00+00') not valid;

update maintenance_windows set begins_at = '1970-01-01 00:00:00+00' where begins_at = '-infinity';
update maintenance_windows set ends_at = '2299-12-31 23:59:59+00' where ends_at = 'infinity';
alter table maintenance_windows
    add constraint maintenance_windows_times check (
        begins_at >= '1970-01-01 00:00:00+00' and ends_at < '2300-01-01 00:00:00+00') not valid,
    add constraint maintenance_windows_lasts check (lasts_seconds between 60 and 2678400) not valid;
