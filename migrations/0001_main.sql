-- The main job: projects and people, monitors and runs, incidents and deliveries.
-- Times are given by the service; no statement asks the database for the time.

create table projects (
    id uuid primary key,
    slug text not null unique,
    name text not null,
    ping_key text not null unique,
    created_at timestamptz not null
);
comment on table projects is 'Owns monitors, channels and keys.';
comment on column projects.ping_key is 'Part of ping URLs by slug; a secret, but one that pages show to members.';

create table users (
    id uuid primary key,
    email text not null,
    password_hash text,
    is_admin boolean not null default false,
    created_at timestamptz not null
);
create unique index users_email on users (lower(email));
comment on table users is 'People who can sign in.';
comment on column users.password_hash is 'Argon2id in PHC form; null until a password was set.';

create table memberships (
    project_id uuid not null references projects on delete cascade,
    user_id uuid not null references users on delete cascade,
    role text not null check (role in ('owner', 'member', 'viewer')),
    primary key (project_id, user_id)
);
create index memberships_user on memberships (user_id);
comment on table memberships is 'Who may see and change a project.';

create table sessions (
    token_hash bytea primary key,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null,
    user_agent text not null default ''
);
create index sessions_user on sessions (user_id);
comment on table sessions is 'Signed-in browsers; the cookie holds the token, this its SHA-256.';

create table sign_in_links (
    token_hash bytea primary key,
    user_id uuid not null references users on delete cascade,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz
);
comment on table sign_in_links is 'One-time links, for the first sign-in and for lost passwords.';

create table api_keys (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    name text not null,
    role text not null check (role in ('read', 'write', 'ping')),
    key_hash bytea not null unique,
    shown text not null,
    created_at timestamptz not null,
    last_used_at timestamptz
);
create index api_keys_project on api_keys (project_id);
comment on table api_keys is 'Keys of the API; only their SHA-256 is kept.';
comment on column api_keys.shown is 'The first characters, to tell keys apart.';

create table channels (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    kind text not null,
    name text not null,
    enabled boolean not null default true,
    settings jsonb not null,
    secrets bytea,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index channels_project on channels (project_id);
comment on table channels is 'Where alerts go.';
comment on column channels.secrets is 'Encrypted JSON; never shown again.';

create table monitors (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    slug text not null,
    name text not null,
    description text not null default '',
    tags text[] not null default '{}',
    runbook text not null default '',
    schedule_kind text not null,
    schedule_lines text[] not null default '{}',
    schedule_every integer,
    time_zone text not null default 'UTC',
    grace_seconds bigint not null,
    max_seconds bigint,
    min_milliseconds bigint,
    early_seconds bigint,
    overlap_policy text not null default 'alert',
    overlap_allowed integer not null default 1,
    thresholds jsonb not null default '{}',
    alert_after_seconds bigint not null default 0,
    alert_unscheduled boolean not null default false,
    channel_ids uuid[],
    paused boolean not null default false,
    manual_resume boolean not null default false,
    post_only boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null default 1,
    constraint monitors_slug unique (project_id, slug)
);
comment on table monitors is 'Scheduled jobs as configured; what is remembered of them is in monitor_memories.';
comment on column monitors.channel_ids is 'Null: every channel of the project.';
comment on column monitors.version is 'Grows with every change; the API''s ETag, and what caches compare.';

create table rules (
    id uuid primary key,
    monitor_id uuid not null references monitors on delete cascade,
    position integer not null,
    name text not null,
    condition text not null,
    severity text not null default 'warning',
    for_runs integer not null default 1,
    applies_to text not null default 'success',
    if_missing text not null default 'alert'
);
create index rules_monitor on rules (monitor_id, position);
comment on table rules is 'Sentences over one finished run; true means: tell me.';

create table monitor_memories (
    monitor_id uuid primary key references monitors on delete cascade,
    next_number bigint not null default 1,
    active bigint not null default 0,
    anchor timestamptz not null,
    next_slot timestamptz,
    filled_slot timestamptz,
    deadline timestamptz,
    last_ping_at timestamptz,
    last_started_at timestamptz,
    last_ended_at timestamptz,
    last_success_at timestamptz,
    failed_streak integer not null default 0,
    missed_streak integer not null default 0,
    fast_streak integer not null default 0,
    good_streak integer not null default 0,
    rule_streaks jsonb,
    good_durations bigint[] not null default '{}',
    hung_unseen uuid[] not null default '{}',
    meta_keys text[] not null default '{}',
    fine_since timestamptz
) with (fillfactor = 70);
create index monitor_memories_deadline on monitor_memories (deadline) where deadline is not null;
comment on table monitor_memories is 'What is remembered of a monitor between pings: one small hot row each, its lock guards all that pings change.';
comment on column monitor_memories.deadline is 'When something could next become wrong; the sweep takes rows whose moment has come.';
comment on column monitor_memories.good_durations is 'Milliseconds of the last good runs, oldest first.';

create table runs (
    id uuid primary key,
    monitor_id uuid not null references monitors on delete cascade,
    number bigint not null,
    rid text,
    rid_shown text,
    status text not null,
    flags text[] not null default '{}',
    slot timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    first_seen_at timestamptz not null,
    limit_at timestamptz,
    hung_at timestamptz,
    exit_code smallint,
    message text,
    meta jsonb,
    addr text,
    user_agent text,
    host text,
    env text,
    overlapping uuid[] not null default '{}',
    overlap_count bigint not null default 0,
    output_size bigint not null default 0,
    notes jsonb
) with (fillfactor = 85);
create unique index runs_number on runs (monitor_id, number);
create unique index runs_rid on runs (monitor_id, rid) where rid is not null;
create index runs_open on runs (monitor_id) where status in ('running', 'hung');
comment on table runs is 'Executions, and slots that nothing filled. Ids sort by time.';
comment on column runs.rid is 'The job''s own name for the run, normalised; makes pings idempotent.';
comment on column runs.number is 'Grows by one per monitor; a fencing token.';

create table run_outputs (
    run_id uuid primary key references runs on delete cascade,
    tail bytea not null,
    cut bigint not null default 0
);
comment on table run_outputs is 'The last part of what runs reported as text.';

create table monitor_notes (
    id bigint generated always as identity primary key,
    monitor_id uuid not null references monitors on delete cascade,
    at timestamptz not null,
    text text not null
);
create index monitor_notes_monitor on monitor_notes (monitor_id, id);
comment on table monitor_notes is 'Log pings that no run took.';

create table idempotency_keys (
    scope uuid not null,
    key text not null,
    at timestamptz not null,
    answer jsonb not null,
    primary key (scope, key)
);
create index idempotency_keys_at on idempotency_keys (at);
comment on table idempotency_keys is 'Answers to requests that may be repeated; scope is a monitor (pings) or an API key.';

create table incidents (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    monitor_id uuid not null references monitors on delete cascade,
    kind text not null,
    rule_id uuid,
    rule_name text,
    severity text not null,
    summary text not null,
    facts jsonb not null default '[]',
    runs uuid[] not null default '{}',
    run_count bigint not null default 0,
    pending uuid[] not null default '{}',
    progress integer not null default 0,
    opened_at timestamptz not null,
    acknowledged_at timestamptz,
    acknowledged_by text,
    resolved_at timestamptz,
    resolved_by text
);
create unique index incidents_open on incidents (monitor_id, kind, (coalesce(rule_id, '00000000-0000-0000-0000-000000000000'))) where resolved_at is null;
create index incidents_project on incidents (project_id, id);
create index incidents_monitor on incidents (monitor_id, id);
comment on table incidents is 'Something is or was wrong with a monitor; one open per monitor, kind and rule.';

create table incident_events (
    id bigint generated always as identity primary key,
    incident_id uuid not null references incidents on delete cascade,
    at timestamptz not null,
    event text not null,
    by_whom text,
    text text not null default ''
);
create index incident_events_incident on incident_events (incident_id, id);
comment on table incident_events is 'What happened to an incident, in order.';

create table alerts (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    incident_id uuid references incidents on delete cascade,
    event text not null,
    sequence integer not null,
    at timestamptz not null,
    content jsonb not null,
    constraint alerts_once unique (incident_id, event, sequence)
);
comment on table alerts is 'Events that people should hear of, with what is told, as it was at that moment.';
comment on column alerts.incident_id is 'Null for the test alert of a channel.';

create table deliveries (
    id uuid primary key,
    alert_id uuid not null references alerts on delete cascade,
    channel_id uuid not null references channels on delete cascade,
    status text not null default 'queued' check (status in ('queued', 'retry', 'sent', 'gave_up', 'cancelled')),
    due_at timestamptz not null,
    lease_until timestamptz,
    attempts integer not null default 0,
    created_at timestamptz not null,
    settled_at timestamptz,
    constraint deliveries_once unique (alert_id, channel_id)
);
create index deliveries_due on deliveries (due_at) where status in ('queued', 'retry');
create index deliveries_channel on deliveries (channel_id, created_at);
comment on table deliveries is 'The ledger: one alert to one channel, once. Claimed with a lease, sent outside any transaction, settled.';
comment on column deliveries.lease_until is 'While in the future, one deliverer is sending it.';

create table delivery_attempts (
    delivery_id uuid not null references deliveries on delete cascade,
    number integer not null,
    at timestamptz not null,
    ok boolean not null,
    answer text not null,
    primary key (delivery_id, number)
);
comment on table delivery_attempts is 'Each try of a delivery, with the answer it got.';

create table heartbeats (
    name text primary key,
    at timestamptz not null
);
comment on table heartbeats is 'When the evaluator and the deliverer last ticked.';
