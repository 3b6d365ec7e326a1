-- A server that remembers a monitor's facts as it wrote them need not read them again: the version tells whether they still hold.

alter table monitor_memories add column version bigint not null default 0;
comment on column monitor_memories.version is
    'Grows by one with every change of the monitor''s runs, incidents and memory; who writes names the version that was read.';
