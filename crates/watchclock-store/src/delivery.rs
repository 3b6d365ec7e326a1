//! The delivery ledger: alerts become deliveries once, are claimed with a lease, and settled.

use std::collections::HashMap;

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{AlertRow, Store, StoreResult, Tx};

/// A claimed delivery: whoever holds it sends it before `lease_until`.
#[derive(Debug, Clone)]
pub struct Claimed {
    pub id: Uuid,
    pub channel_id: Uuid,
    /// How many attempts came before this one.
    pub attempts: i32,
    pub created_at: Time,
    /// Recipients of a mail that earlier attempts reached.
    pub reached: Vec<String>,
    pub content: serde_json::Value,
}

/// A delivery as shown, with its attempts.
#[derive(Debug, Clone)]
pub struct DeliveryRow {
    pub id: Uuid,
    pub channel_id: Uuid,
    pub channel_name: String,
    pub event: String,
    pub status: String,
    pub due_at: Time,
    pub created_at: Time,
    pub settled_at: Option<Time>,
    pub attempts: Vec<AttemptRow>,
}

/// One try of a delivery.
#[derive(Debug, Clone)]
pub struct AttemptRow {
    pub at: Time,
    pub ok: bool,
    pub answer: String,
}

/// How a delivery stands after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    Sent,
    /// Try again at this moment.
    Retry(Time),
    GaveUp,
}

impl Store {
    /// Queues alerts: a row per alert and channel, once, however often this runs.
    ///
    /// A recovery cancels what has not gone out yet, and tells only channels that have heard (or are just hearing)
    /// of the opening. A mail that reached some of its recipients was heard, whatever became of the others.
    pub async fn queue_alerts(&self, tx: &mut Tx, alerts: &[AlertRow]) -> StoreResult<()> {
        for alert in alerts {
            let new = sqlx::query!(
                "insert into alerts (id, project_id, incident_id, event, sequence, at, content)
                 values ($1, $2, $3, $4, $5, $6, $7) on conflict on constraint alerts_once do nothing",
                alert.id,
                alert.project,
                Some(alert.incident).filter(|id| !id.is_nil()),
                alert.event,
                alert.sequence,
                alert.at,
                alert.content
            )
            .execute(&mut **tx)
            .await?;
            if new.rows_affected() == 0 {
                continue;
            }
            let mut channels = alert.channels.clone();
            if alert.event == "resolved" {
                self.cancel_unsent(tx, alert.incident, alert.at).await?;
                let told = self.told_channels(tx, alert.incident).await?;
                channels.retain(|(_, channel)| told.contains(channel));
            }
            let (ids, channels): (Vec<Uuid>, Vec<Uuid>) = channels.into_iter().unzip();
            sqlx::query!(
                "insert into deliveries (id, alert_id, channel_id, due_at, created_at)
                 select n.id, $1, n.channel_id, $2, $3 from unnest($4::uuid[], $5::uuid[]) as n(id, channel_id)
                 on conflict on constraint deliveries_once do nothing",
                alert.id,
                alert.due_at,
                alert.at,
                &ids,
                &channels
            )
            .execute(&mut **tx)
            .await?;
        }
        Ok(())
    }

    /// Cancels deliveries of an incident that nobody is sending just now; tells whether there were any.
    pub async fn cancel_unsent(&self, tx: &mut Tx, incident: Uuid, now: Time) -> StoreResult<bool> {
        let done = sqlx::query!(
            "update deliveries d set status = 'cancelled', settled_at = $2
             from alerts a where a.id = d.alert_id and a.incident_id = $1 and d.status in ('queued', 'retry')
               and (d.lease_until is null or d.lease_until <= $2)",
            incident,
            now
        )
        .execute(&mut **tx)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// Lets alerts outlive their incident, so that the end of it can be told after a monitor was deleted.
    pub async fn detach_alerts(&self, tx: &mut Tx, alerts: &[Uuid]) -> StoreResult<()> {
        sqlx::query!("update alerts set incident_id = null where id = any($1)", alerts)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    async fn told_channels(&self, tx: &mut Tx, incident: Uuid) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select distinct d.channel_id from deliveries d join alerts a on a.id = d.alert_id
             where a.incident_id = $1 and a.event <> 'resolved'
               and (d.status in ('sent', 'queued', 'retry') or d.reached <> '{}')",
            incident
        )
        .fetch_all(&mut **tx)
        .await?)
    }

    /// Claims deliveries that are due and not leased, oldest first, at most `each` of one channel.
    ///
    /// A later alert of an incident waits until the earlier ones to the same channel are settled.
    pub async fn claim_deliveries(
        &self,
        now: Time,
        lease_until: Time,
        busy_channels: &[Uuid],
        each: i64,
        limit: i64,
    ) -> StoreResult<Vec<Claimed>> {
        Ok(sqlx::query_as!(
            Claimed,
            "with ranked as (
                 select d.id, d.due_at, row_number() over (partition by d.channel_id order by d.due_at) as place
                 from deliveries d join alerts a on a.id = d.alert_id
                 where d.status in ('queued', 'retry') and d.due_at <= $1
                   and (d.lease_until is null or d.lease_until <= $1)
                   and d.channel_id <> all($3)
                   and not exists (
                       select 1 from deliveries e join alerts b on b.id = e.alert_id
                       where b.incident_id = a.incident_id and e.channel_id = d.channel_id
                         and e.status in ('queued', 'retry') and (b.at, b.id) < (a.at, a.id))
             ), due as (
                 select d.id from deliveries d join ranked on ranked.id = d.id
                 where ranked.place <= $4 and d.status in ('queued', 'retry')
                   and (d.lease_until is null or d.lease_until <= $1)
                 order by ranked.due_at limit $5 for update of d skip locked
             )
             update deliveries d set lease_until = $2
             from due, alerts a where d.id = due.id and a.id = d.alert_id
             returning d.id, d.channel_id, d.attempts, d.created_at, d.reached, a.content",
            now,
            lease_until,
            busy_channels,
            each,
            limit
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// Writes how an attempt went, and whom it reached of several recipients.
    ///
    /// A delivery that was cancelled meanwhile stays cancelled, but the attempt is kept. When the incident was resolved
    /// while nobody at this channel could be told of it, neither the alert nor its recovery is told any more.
    pub async fn settle_delivery(
        &self,
        id: Uuid,
        at: Time,
        settled: Settled,
        answer: &str,
        reached: &[String],
    ) -> StoreResult<()> {
        let mut tx = self.begin().await?;
        let number = sqlx::query_scalar!(
            "update deliveries set attempts = attempts + 1, lease_until = null, reached = $2 where id = $1
             returning attempts",
            id,
            reached
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(number) = number else { return Ok(()) };
        let (status, due, settled_at) = match settled {
            Settled::Sent => ("sent", None, Some(at)),
            Settled::Retry(due) => ("retry", Some(due), None),
            Settled::GaveUp => ("gave_up", None, Some(at)),
        };
        sqlx::query!(
            "update deliveries set status = $2, due_at = coalesce($3, due_at), settled_at = $4
             where id = $1 and (status in ('queued', 'retry') or $2 = 'sent')",
            id,
            status,
            due,
            settled_at
        )
        .execute(&mut *tx)
        .await?;
        sqlx::query!(
            "insert into delivery_attempts (delivery_id, number, at, ok, answer) values ($1, $2, $3, $4, $5)",
            id,
            number,
            at,
            settled == Settled::Sent,
            answer
        )
        .execute(&mut *tx)
        .await?;
        if settled != Settled::Sent && reached.is_empty() {
            self.hush(&mut tx, id, at).await?;
        }
        self.commit(tx).await
    }

    /// After a failed attempt to tell of an incident that is resolved by now: cancels it and the recovery, unless the
    /// channel has heard of the incident.
    async fn hush(&self, tx: &mut Tx, delivery: Uuid, now: Time) -> StoreResult<()> {
        sqlx::query!(
            "update deliveries d set status = 'cancelled', settled_at = $2
             from alerts a, deliveries failed, alerts told
             where failed.id = $1 and told.id = failed.alert_id and told.event <> 'resolved'
               and d.channel_id = failed.channel_id and a.id = d.alert_id and a.incident_id = told.incident_id
               and d.status in ('queued', 'retry')
               and exists (select 1 from incidents i where i.id = told.incident_id and i.resolved_at is not null)
               and not exists (
                   select 1 from deliveries e join alerts b on b.id = e.alert_id
                   where b.incident_id = told.incident_id and e.channel_id = d.channel_id
                     and (e.status = 'sent' or e.reached <> '{}'))",
            delivery,
            now
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Moves what was planned by a clock that has been set back from `before` to `now`: what was held back is for as long
    /// as it was to be, what is tried again is tried now, and no lease outlives `lease_until`. Twice is as good as once.
    pub async fn replan_deliveries(
        &self,
        tx: &mut Tx,
        before: Time,
        now: Time,
        lease_until: Time,
    ) -> StoreResult<()> {
        sqlx::query!(
            "update deliveries set
                 due_at = case when status = 'retry' then least(due_at, $1)
                               when created_at > $1 then greatest(due_at - ($2::timestamptz - $1), $1) else due_at end,
                 created_at = case when created_at > $1 then greatest(created_at - ($2 - $1), $1) else created_at end,
                 lease_until = case when lease_until > $3 then $3 else lease_until end
             where status in ('queued', 'retry')
               and (created_at > $1 or status = 'retry' and due_at > $1 or lease_until > $3)",
            now,
            before,
            lease_until
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// When the next delivery is due or a lease ends; what waits for an earlier alert does not count.
    pub async fn next_delivery(&self) -> StoreResult<Option<Time>> {
        Ok(sqlx::query_scalar!(
            "select min(greatest(d.due_at, d.lease_until)) from deliveries d join alerts a on a.id = d.alert_id
             where d.status in ('queued', 'retry')
               and not exists (
                   select 1 from deliveries e join alerts b on b.id = e.alert_id
                   where b.incident_id = a.incident_id and e.channel_id = d.channel_id
                     and e.status in ('queued', 'retry') and (b.at, b.id) < (a.at, a.id))"
        )
        .fetch_one(self.pool())
        .await?)
    }

    /// Deliveries of incidents with their attempts, those of each in order: pairs of incident and delivery.
    pub async fn deliveries_of(&self, incidents: &[Uuid]) -> StoreResult<Vec<(Uuid, DeliveryRow)>> {
        let rows = sqlx::query!(
            r#"select a.incident_id as "incident!", d.id, d.channel_id, c.name as channel_name, a.event, d.status,
                      d.due_at, d.created_at, d.settled_at
               from deliveries d join alerts a on a.id = d.alert_id join channels c on c.id = d.channel_id
               where a.incident_id = any($1) order by a.at, d.created_at, d.id"#,
            incidents
        )
        .fetch_all(self.pool())
        .await?;
        let of: Vec<Uuid> = rows.iter().map(|row| row.incident).collect();
        let mut deliveries: Vec<DeliveryRow> = rows
            .into_iter()
            .map(|row| DeliveryRow {
                id: row.id,
                channel_id: row.channel_id,
                channel_name: row.channel_name,
                event: row.event,
                status: row.status,
                due_at: row.due_at,
                created_at: row.created_at,
                settled_at: row.settled_at,
                attempts: Vec::new(),
            })
            .collect();
        self.add_attempts(&mut deliveries).await?;
        Ok(of.into_iter().zip(deliveries).collect())
    }

    /// How many deliveries of each of some incidents have which status.
    pub async fn delivery_counts(&self, incidents: &[Uuid]) -> StoreResult<Vec<(Uuid, String, i64)>> {
        let rows = sqlx::query!(
            r#"select a.incident_id as "incident!", d.status, count(*) as "count!"
               from alerts a join deliveries d on d.alert_id = a.id
               where a.incident_id = any($1) group by a.incident_id, d.status order by d.status desc"#,
            incidents
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(|row| (row.incident, row.status, row.count)).collect())
    }

    /// The last delivery of each channel, with its attempts.
    pub async fn last_deliveries(&self, channels: &[Uuid]) -> StoreResult<Vec<DeliveryRow>> {
        let rows = sqlx::query!(
            "select d.id, d.channel_id, c.name as channel_name, a.event, d.status, d.due_at, d.created_at, d.settled_at
             from unnest($1::uuid[]) as wanted(id) join channels c on c.id = wanted.id
             cross join lateral (
                 select * from deliveries where channel_id = wanted.id and status <> 'cancelled'
                 order by created_at desc limit 1
             ) d join alerts a on a.id = d.alert_id",
            channels
        )
        .fetch_all(self.pool())
        .await?;
        let mut deliveries: Vec<DeliveryRow> = rows
            .into_iter()
            .map(|row| DeliveryRow {
                id: row.id,
                channel_id: row.channel_id,
                channel_name: row.channel_name,
                event: row.event,
                status: row.status,
                due_at: row.due_at,
                created_at: row.created_at,
                settled_at: row.settled_at,
                attempts: Vec::new(),
            })
            .collect();
        self.add_attempts(&mut deliveries).await?;
        Ok(deliveries)
    }

    async fn add_attempts(&self, deliveries: &mut [DeliveryRow]) -> StoreResult<()> {
        let ids: Vec<Uuid> = deliveries.iter().map(|delivery| delivery.id).collect();
        let rows = sqlx::query!(
            "select delivery_id, at, ok, answer from delivery_attempts
             where delivery_id = any($1) order by delivery_id, number",
            &ids
        )
        .fetch_all(self.pool())
        .await?;
        let mut places: HashMap<Uuid, &mut DeliveryRow> =
            deliveries.iter_mut().map(|delivery| (delivery.id, delivery)).collect();
        for row in rows {
            if let Some(delivery) = places.get_mut(&row.delivery_id) {
                delivery.attempts.push(AttemptRow { at: row.at, ok: row.ok, answer: row.answer });
            }
        }
        Ok(())
    }

    /// One delivery, as the test of a channel waits for it.
    pub async fn delivery_status(&self, id: Uuid) -> StoreResult<Option<(String, Option<String>)>> {
        let row = sqlx::query!(
            r#"select d.status, (select answer from delivery_attempts where delivery_id = d.id
                                 order by number desc limit 1) as "answer?"
               from deliveries d where d.id = $1"#,
            id
        )
        .fetch_optional(self.pool())
        .await?;
        Ok(row.map(|row| (row.status, row.answer)))
    }
}
