//! When the loops last ticked, so that a dead evaluator is seen.

use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

impl Store {
    /// Leaves a heartbeat and tells the one before it.
    pub async fn beat(&self, name: &str, now: Time) -> StoreResult<Option<Time>> {
        Ok(sqlx::query_scalar!(
            "with before as (select at from heartbeats where name = $1),
                  beat as (insert into heartbeats (name, at) values ($1, $2)
                           on conflict (name) do update set at = excluded.at)
             select at from before",
            name,
            now
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Leaves a heartbeat where the one before lies between two moments; false where it does not, or where there is none.
    pub async fn beat_on(&self, name: &str, since: Time, until: Time, now: Time) -> StoreResult<bool> {
        let done = sqlx::query!(
            "update heartbeats set at = $4 where name = $1 and at between $2 and $3",
            name,
            since,
            until,
            now
        )
        .execute(self.pool())
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Locks a heartbeat and tells it; where there is none yet, it begins with that of another name.
    pub async fn lock_beat(&self, tx: &mut Tx, name: &str, instead: &str) -> StoreResult<Option<Time>> {
        sqlx::query!(
            "insert into heartbeats (name, at) select $1, at from heartbeats where name = $2
             on conflict (name) do nothing",
            name,
            instead
        )
        .execute(&mut **tx)
        .await?;
        Ok(sqlx::query_scalar!("select at from heartbeats where name = $1 for update", name)
            .fetch_optional(&mut **tx)
            .await?)
    }

    /// Leaves a heartbeat that is locked.
    pub async fn beat_locked(&self, tx: &mut Tx, name: &str, now: Time) -> StoreResult<()> {
        sqlx::query!(
            "insert into heartbeats (name, at) values ($1, $2) on conflict (name) do update set at = excluded.at",
            name,
            now
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    pub async fn last_beat(&self, name: &str) -> StoreResult<Option<Time>> {
        Ok(sqlx::query_scalar!("select at from heartbeats where name = $1", name)
            .fetch_optional(self.pool())
            .await?)
    }

    /// How many deliveries have been due for longer than since `before`.
    ///
    /// One that waits for an earlier alert of its incident to the same channel is not stuck: that one is being tried again,
    /// perhaps for hours, since its receiver is down.
    pub async fn stuck_deliveries(&self, before: Time) -> StoreResult<i64> {
        Ok(sqlx::query_scalar!(
            r#"select count(*) as "count!" from deliveries d join alerts a on a.id = d.alert_id
               where d.status in ('queued', 'retry') and d.due_at < $1
                 and not exists (
                     select 1 from deliveries e join alerts b on b.id = e.alert_id
                     where b.incident_id = a.incident_id and e.channel_id = d.channel_id
                       and e.status in ('queued', 'retry') and (b.at, b.id) < (a.at, a.id))"#,
            before
        )
        .fetch_one(self.pool())
        .await?)
    }
}
