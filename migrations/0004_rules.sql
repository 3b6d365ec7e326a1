-- Rules that look back cheaply and that time makes true, metadata out of plain output, and runs outside the usual.

alter table monitors add column extractors jsonb not null default '{}';
comment on column monitors.extractors is 'Metadata out of output, by name: {"rows": "/Processed (\d+) rows/"}.';
alter table monitors add column anomalies_duration boolean not null default true;
comment on column monitors.anomalies_duration is 'Whether a run far outside the usual duration is told without a rule.';
alter table monitors add column anomalies_meta text[] not null default '{}';
comment on column monitors.anomalies_meta is 'Metadata keys of which a value far outside the usual is told.';

alter table rules add column channel_ids uuid[];
comment on column rules.channel_ids is 'Who hears of this rule. Null: whoever hears of the monitor; empty: nobody.';

alter table monitor_memories add column slow_streak integer not null default 0;
comment on column monitor_memories.slow_streak is 'Runs in a row that were slower than usual (above zero) or not (below).';
alter table monitor_memories add column rules_due timestamptz;
comment on column monitor_memories.rules_due is 'When a rule may next become true or false though no run ends; part of the deadline.';
alter table monitor_memories add column past_version bigint not null default 0;
comment on column monitor_memories.past_version is 'Grows whenever the finished runs change; tells whether a cached history is current.';
