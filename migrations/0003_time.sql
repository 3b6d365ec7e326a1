-- Spans that nobody watched, maintenance windows, and incidents that are quiet for a while.

create table watch_gaps (
    id uuid primary key,
    began_at timestamptz not null,
    ended_at timestamptz not null
);
create index watch_gaps_ended on watch_gaps (ended_at);
comment on table watch_gaps is 'Spans in which no server watched; slots and limits that fell into them are unknown.';
comment on column watch_gaps.id is 'Sorts by when the gap was noticed.';
comment on column watch_gaps.began_at is 'The last tick before the gap.';
comment on column watch_gaps.ended_at is 'The first tick after it.';

create table unwatched_monitors (
    gap_id uuid not null references watch_gaps on delete cascade,
    monitor_id uuid not null references monitors on delete cascade,
    slots bigint not null,
    first_slot timestamptz,
    runs bigint not null,
    primary key (gap_id, monitor_id)
);
create index unwatched_monitors_monitor on unwatched_monitors (monitor_id);
comment on table unwatched_monitors is 'What could not be watched during a gap, as it was told.';
comment on column unwatched_monitors.gap_id is 'The gap.';
comment on column unwatched_monitors.monitor_id is 'The monitor of which something fell into it.';
comment on column unwatched_monitors.slots is 'How many of its slots did.';
comment on column unwatched_monitors.first_slot is 'The first of them.';
comment on column unwatched_monitors.runs is 'How many of its active runs passed their limit meanwhile.';

alter table monitor_memories
    add column fresh_until timestamptz,
    add column quiet_until timestamptz,
    add column held_runs uuid[] not null default '{}';
comment on column monitor_memories.fresh_until is 'Until when a run may still start for what fell into a gap; null when nothing did, or a run was seen since.';
comment on column monitor_memories.quiet_until is 'When the maintenance ends that held something back; what is still wrong then opens.';
comment on column monitor_memories.held_runs is 'Hung runs whose incident maintenance holds back.';

alter table incidents
    add column hushed boolean not null default false,
    add column snoozed_until timestamptz,
    add column snoozed_by text,
    add column reminders integer not null default 0;
comment on column incidents.hushed is 'Opened without an alert, since the message about a gap told of it already.';
comment on column incidents.snoozed_until is 'Quiet until then; null when it is not, or no longer.';
comment on column incidents.snoozed_by is 'Who snoozed it last.';
comment on column incidents.reminders is 'How many reminders were told; the sequence of the last one.';

alter table projects add column windows_version bigint not null default 0;
comment on column projects.windows_version is 'Grows with every change of its maintenance windows; what caches compare, beside the versions of monitors.';

create table maintenance_windows (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    name text not null,
    monitor_ids uuid[],
    begins_at timestamptz,
    ends_at timestamptz,
    starts text[] not null default '{}',
    time_zone text not null default 'UTC',
    lasts_seconds bigint,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint maintenance_windows_kind check (
        (begins_at is not null and ends_at is not null and begins_at < ends_at and starts = '{}' and lasts_seconds is null)
        or (begins_at is null and ends_at is null and starts <> '{}' and lasts_seconds > 0))
);
create index maintenance_windows_project on maintenance_windows (project_id);
comment on table maintenance_windows is 'When the opening of incidents is suppressed; recording and resolution never are.';
comment on column maintenance_windows.id is 'Sorts by when it was made.';
comment on column maintenance_windows.project_id is 'Whose monitors it covers.';
comment on column maintenance_windows.name is 'What is done then; noted on slots that are missed meanwhile.';
comment on column maintenance_windows.monitor_ids is 'Null: every monitor of the project.';
comment on column maintenance_windows.begins_at is 'Of a window that comes once.';
comment on column maintenance_windows.ends_at is 'Of a window that comes once: its end, exclusive.';
comment on column maintenance_windows.starts is 'Of a recurring window: cron expressions, read in its time zone, of which each match begins one.';
comment on column maintenance_windows.time_zone is 'Where its expressions are read and its length is measured.';
comment on column maintenance_windows.lasts_seconds is 'Of a recurring window: its length on the wall clock.';
comment on column maintenance_windows.created_at is 'When it was made.';
comment on column maintenance_windows.updated_at is 'When it was last changed.';
