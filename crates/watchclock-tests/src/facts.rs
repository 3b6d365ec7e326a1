//! Whether what is remembered of monitors agrees with their runs, and what is told with their incidents, as far as the
//! database can tell.

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

/// Incidents that are not told just once, or not told to be over just when they are.
const MISTOLD: &str = "
    select string_agg(format('%s of %s: opened %s, resolved %s; told %s and %s', i.kind, i.monitor_id, i.opened_at,
                             i.resolved_at, a.opened, a.resolved), E'\\n')
    from incidents i cross join lateral (
        select count(*) filter (where event = 'opened') as opened, count(*) filter (where event = 'resolved') as resolved
        from alerts where incident_id = i.id
    ) a
    where a.opened <> case when i.hushed then 0 else 1 end
       or a.resolved <> case when i.resolved_at is null or i.kind = 'unscheduled' then 0 else 1 end
       or i.resolved_at < i.opened_at or i.resolved_at is not null and cardinality(i.pending) > 0";

impl World {
    /// Panics unless every monitor's memory counts and lists just those runs that are open, and every incident is told once.
    pub async fn facts_agree(&self) {
        if let Some(wrong) = self.database().value(WRONG).await {
            panic!("memories that do not agree with their runs:\n{wrong}");
        }
        if let Some(wrong) = self.database().value(MISTOLD).await {
            panic!("incidents that are not told as they are:\n{wrong}");
        }
    }
}
