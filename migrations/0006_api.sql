-- A deleted channel leaves its history behind, and long lists of monitors are read page by page.

alter table channels add column deleted_at timestamptz;
comment on column channels.deleted_at is
    'Set: nobody sees it and nothing is sent to it any more; the row keeps the name for deliveries of the past.';

create index monitors_created on monitors (project_id, created_at desc, id desc);
