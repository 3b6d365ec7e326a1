-- A monitor may take only so many pings a minute; what is turned away is counted, and never dropped in silence.

alter table monitors add column ping_limit integer check (ping_limit between 1 and 6000);
comment on column monitors.ping_limit is 'The most pings that are taken a minute; null: all.';

alter table monitor_memories
    add column paced_until timestamptz,
    add column pings_refused bigint not null default 0,
    add column pings_refused_at timestamptz;
comment on column monitor_memories.paced_until is
    'When the pings so far would be done if they came evenly; one is too many while this is more than a minute ahead. Null without a limit.';
comment on column monitor_memories.pings_refused is 'How many pings the limit has turned away, ever.';
comment on column monitor_memories.pings_refused_at is 'When it turned away the last one.';
