-- Deleting a monitor is quick however many runs it has, and mails to several recipients survive a restart half-way.

create table deleted_monitors (
    monitor_id uuid primary key,
    at timestamptz not null
);
comment on table deleted_monitors is 'Monitors whose runs are still to be removed, in small batches.';

alter table runs drop constraint runs_monitor_id_fkey;
comment on column runs.monitor_id is 'Whoever reads runs joins monitors: the runs of a deleted monitor stay for a while.';

-- The newest, the oldest and the active ones are asked for apart.
drop index runs_open;
create index runs_open on runs (monitor_id, status, number) where status in ('running', 'hung');

alter table deliveries add column reached text[] not null default '{}';
comment on column deliveries.reached is 'Recipients of a mail that earlier attempts reached; they get no second one.';
