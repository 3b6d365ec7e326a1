-- Maintenance holds back missed slots, too: those that were due before it began.
comment on column monitor_memories.held_runs is 'Hung runs, and slots missed that were due before it began, of whose incidents maintenance holds back the opening.';
