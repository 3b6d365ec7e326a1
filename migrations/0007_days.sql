-- Calendars of exceptions: days on which nothing is expected. And how long a project keeps its runs.

create table calendars (
    id uuid primary key,
    project_id uuid not null references projects on delete cascade,
    name text not null,
    project_wide boolean not null default false,
    kind text not null check (kind in ('dates', 'icalendar', 'url')),
    content text not null default '',
    url text,
    revision uuid not null,
    fetched_at timestamptz,
    fetch_at timestamptz,
    problem text,
    replan text check (replan in ('listed', 'project')),
    deleted boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index calendars_project on calendars (project_id);
create unique index calendars_name on calendars (project_id, lower(name)) where not deleted;
create index calendars_fetch on calendars (fetch_at) where fetch_at is not null;
create index calendars_replan on calendars (id) where replan is not null;
comment on table calendars is 'Days on which nothing is expected of some monitors, or of all of a project.';
comment on column calendars.id is 'Sorts by the time of making.';
comment on column calendars.project_id is 'The project whose monitors may use it.';
comment on column calendars.name is 'For people; unique within the project.';
comment on column calendars.project_wide is 'Counts for every monitor of the project that does not opt out.';
comment on column calendars.kind is 'Where the days come from: a list of dates, an iCalendar text, or one that is fetched.';
comment on column calendars.content is 'The list or the iCalendar text; of a URL the last one that could be read.';
comment on column calendars.url is 'Only of kind url: where the text is fetched.';
comment on column calendars.revision is 'New with every change of the content; what caches of parsed days compare.';
comment on column calendars.fetched_at is 'When the content was last fetched well.';
comment on column calendars.fetch_at is 'When it is to be fetched next; null when it is not fetched.';
comment on column calendars.problem is 'Why the last fetch failed; null when it did not.';
comment on column calendars.replan is 'Set while monitors still have to be planned anew after a change: those that list it, or all of the project.';
comment on column calendars.deleted is 'Gone for people; the row goes when its monitors are planned anew.';
comment on column calendars.created_at is 'When it was made.';
comment on column calendars.updated_at is 'When a person last changed it.';

alter table monitors add column calendar_ids uuid[] not null default '{}';
comment on column monitors.calendar_ids is 'Calendars of its own; on their days nothing is expected.';
alter table monitors add column project_calendars boolean not null default true;
comment on column monitors.project_calendars is 'Whether the calendars of the whole project count for it, too.';

alter table projects add column keep_runs integer not null default 500 check (keep_runs between 10 and 1000000);
comment on column projects.keep_runs is 'How many runs of a monitor are kept; of failures and runs named by incidents four times as many.';
alter table projects add column keep_days integer not null default 90 check (keep_days between 1 and 3650);
comment on column projects.keep_days is 'How many days runs are kept; failures, runs named by incidents and incidents four times as long.';
alter table projects add column keep_output_days integer check (keep_output_days between 1 and 3650);
comment on column projects.keep_output_days is 'How many days output is kept, where it goes sooner than its run; null: as long as the run.';

create table run_sweeps (
    monitor_id uuid primary key references monitors on delete cascade,
    at timestamptz not null
);
create index run_sweeps_at on run_sweeps (at);
comment on table run_sweeps is 'When the old runs of a monitor were last removed; the cleaner takes those that wait the longest.';
comment on column run_sweeps.monitor_id is 'The monitor whose runs were looked at.';
comment on column run_sweeps.at is 'When nothing was left to remove.';
