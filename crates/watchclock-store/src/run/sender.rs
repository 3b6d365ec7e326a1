//! Of monitors with very many open runs, those that a ping without a run id may mean. Neighbour: [`super`] reads the rest.

use uuid::Uuid;
use watchclock_domain::{ping::Source, run::Run};

use super::RunRow;
use crate::{Store, StoreResult, Tx};

/// Who sent pings without a run id to a monitor.
#[derive(Debug, Clone)]
pub struct Sender {
    pub monitor: Uuid,
    pub source: Source,
    /// How many of its runs such pings may close, together.
    pub most: i64,
}

impl Store {
    /// The oldest active runs without a run id and the newest hung ones, of each sender and of any, and one more, so that
    /// it is known where there is a choice; and the newest active run of each sender, whatever its name. See [`Source::same`].
    pub async fn runs_of_senders(&self, tx: &mut Tx, senders: &[Sender]) -> StoreResult<Vec<Run>> {
        let rows = sqlx::query_as!(
            RunRow,
            r#"select r.* from runs r where r.id in (
                 select e.id from (select unnest($1::uuid[]) as id, unnest($2::text[]) as host,
                                          unnest($3::text[]) as addr, unnest($4::bigint[]) as most) s
                 join monitor_memories mm on mm.monitor_id = s.id
                 cross join lateral (
                     (select id from runs
                      where monitor_id = s.id and status = 'running' and number >= mm.open_from and rid is null
                        and case when host is null or s.host is null then addr is not distinct from s.addr
                                 else host = s.host end
                      order by number limit s.most + 1)
                     union
                     (select id from runs
                      where monitor_id = s.id and status = 'running' and number >= mm.open_from and rid is null
                      order by number limit s.most + 1)
                     union
                     (select id from runs
                      where monitor_id = s.id and status = 'running' and number >= mm.open_from
                        and case when host is null or s.host is null then addr is not distinct from s.addr
                                 else host = s.host end
                      order by number desc limit 1)
                     union
                     (select id from runs
                      where mm.hung > 0 and monitor_id = s.id and status = 'hung' and number >= mm.open_from
                        and rid is null
                        and case when host is null or s.host is null then addr is not distinct from s.addr
                                 else host = s.host end
                      order by number desc limit s.most + 1)
                     union
                     (select id from runs
                      where mm.hung > 0 and monitor_id = s.id and status = 'hung' and number >= mm.open_from
                        and rid is null
                      order by number desc limit s.most + 1)
                 ) e)"#,
            &senders.iter().map(|sender| sender.monitor).collect::<Vec<_>>(),
            &senders.iter().map(|sender| sender.source.host.as_deref()).collect::<Vec<_>>() as &[Option<&str>],
            &senders.iter().map(|sender| sender.source.addr.as_deref()).collect::<Vec<_>>() as &[Option<&str>],
            &senders.iter().map(|sender| sender.most).collect::<Vec<_>>()
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(Run::from).collect())
    }
}
