-- A server that remembers a monitor's facts as it wrote them need not read them again: the version tells whether they still hold.

alter table monitor_memories add column version bigint not null default 0;
comment on column monitor_memories.version is
    'Grows by one with every change of the monitor''s runs, incidents and memory; who writes names the version that was read.';

-- Which runs are open is kept beside what is remembered of the monitor: an index by status would have the end of each run
-- write into all indexes of its table.
alter table monitor_memories
    add column hung bigint not null default 0,
    add column open_runs bigint[] default '{}',
    add column open_from bigint not null default 1;
comment on column monitor_memories.hung is 'How many runs have status hung.';
comment on column monitor_memories.open_runs is
    'The numbers of the runs that are running or hung; null when they are many, which are then looked for.';
comment on column monitor_memories.open_from is 'No run with a number below this is running or hung.';

update monitor_memories mm set hung = o.hung, open_from = o.first,
       open_runs = case when cardinality(o.numbers) <= 20 then o.numbers end
from (select monitor_id, count(*) filter (where status = 'hung') as hung, min(number) as first,
             array_agg(number order by number) as numbers
      from runs where status in ('running', 'hung') group by monitor_id) o
where o.monitor_id = mm.monitor_id;

drop index runs_open;

-- Room in each page for the ends of its runs.
alter table runs set (fillfactor = 75);
