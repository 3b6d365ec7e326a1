//! Whether what is remembered of monitors agrees with their runs, as far as the database can tell.

use crate::World;

/// Monitors of which it does not: remembered, then found.
const WRONG: &str = "
    select string_agg(format('%s: %s active, %s hung, open %s from %s, next %s; found %s, %s, %s, last %s', mm.monitor_id,
                             mm.active, mm.hung, mm.open_runs, mm.open_from, mm.next_number,
                             r.active, r.hung, r.open, r.last), E'\\n')
    from monitor_memories mm cross join lateral (
        select count(*) filter (where status = 'running') as active, count(*) filter (where status = 'hung') as hung,
               coalesce(array_agg(number order by number) filter (where status in ('running', 'hung')), '{}') as open,
               coalesce(max(number), 0) as last
        from runs where monitor_id = mm.monitor_id
    ) r
    where mm.active <> r.active or mm.hung <> r.hung or mm.next_number <= r.last or mm.open_from > r.open[1]
       or array(select unnest(mm.open_runs) order by 1) <> r.open and mm.open_runs is not null
       or mm.open_runs is null and cardinality(r.open) = 0
       or (mm.pings_refused = 0) <> (mm.pings_refused_at is null)
       or mm.paced_until is not null and (select ping_limit from monitors where id = mm.monitor_id) is null";

impl World {
    /// Panics unless every monitor's memory counts and lists just those runs that are open.
    pub async fn facts_agree(&self) {
        if let Some(wrong) = self.database().value(WRONG).await {
            panic!("memories that do not agree with their runs:\n{wrong}");
        }
    }
}
