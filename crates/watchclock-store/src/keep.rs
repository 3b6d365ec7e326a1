//! Removes what is older than a project keeps: runs, output, incidents, notes. In small batches, each under its monitor's lock.

use uuid::Uuid;
use watchclock_domain::Time;

use crate::{Store, StoreResult, Tx};

/// How long a project keeps what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// How many runs of each monitor, by number.
    pub runs: i32,
    pub days: i32,
    /// Output goes sooner than its run, if set.
    pub output_days: Option<i32>,
}

impl Default for Keep {
    fn default() -> Self {
        Self { runs: 500, days: 90, output_days: None }
    }
}

/// Failures, runs that incidents name, and incidents are kept so many times as long.
pub const LONGER: i32 = 4;
/// Of every monitor so many of the newest runs stay however old they are, so that a rare job keeps its past.
const ALWAYS: i64 = 10;
/// Most runs removed in one transaction.
pub const RUNS_AT_ONCE: i64 = 500;
/// Most incidents removed in one transaction.
const INCIDENTS_AT_ONCE: i64 = 100;
/// Most notes of a monitor.
const NOTES: i64 = 200;

/// The moments before which things go.
#[derive(Debug, Clone, Copy)]
struct Before {
    runs: Time,
    failures: Time,
    output: Option<Time>,
}

impl Before {
    fn of(keep: Keep, now: Time) -> Self {
        let days = |days: i32| now - chrono::Duration::days(i64::from(days));
        Self { runs: days(keep.days), failures: days(keep.days * LONGER), output: keep.output_days.map(days) }
    }
}

impl Store {
    /// Monitors whose old runs were not looked for since `before`, those first that wait the longest, and what their
    /// projects keep.
    pub async fn monitors_to_sweep(&self, before: Time, limit: i64) -> StoreResult<Vec<(Uuid, Keep)>> {
        let rows = sqlx::query!(
            "select m.id, p.keep_runs, p.keep_days, p.keep_output_days
             from monitors m join projects p on p.id = m.project_id left join run_sweeps s on s.monitor_id = m.id
             where s.monitor_id is null or s.at < $1
             order by s.at nulls first limit $2",
            before,
            limit
        )
        .fetch_all(self.pool())
        .await?;
        let keep = |runs, days, output_days| Keep { runs, days, output_days };
        Ok(rows
            .into_iter()
            .map(|row| (row.id, keep(row.keep_runs, row.keep_days, row.keep_output_days)))
            .collect())
    }

    /// Removes some of what a monitor's project does not keep; tells whether that was all. Does nothing while another has
    /// the monitor's lock.
    pub async fn sweep_monitor(&self, monitor: Uuid, keep: Keep, now: Time) -> StoreResult<bool> {
        let mut tx = self.begin().await?;
        let next_number = sqlx::query_scalar!(
            "select next_number from monitor_memories where monitor_id = $1 for no key update skip locked",
            monitor
        )
        .fetch_optional(&mut *tx)
        .await?;
        let before = Before::of(keep, now);
        let mut all = true;
        if let Some(next_number) = next_number {
            let runs = self.sweep_runs(&mut tx, monitor, next_number, keep, before).await?;
            let output = match before.output {
                Some(output) => self.sweep_output(&mut tx, monitor, output).await?,
                None => 0,
            };
            let incidents = self.sweep_incidents(&mut tx, monitor, keep, before.failures).await?;
            self.sweep_notes(&mut tx, monitor, before.failures).await?;
            if runs > 0 {
                // A late ping may have found one of them by its id, and would write into nothing.
                self.lock_changing(&mut tx, monitor).await?;
            }
            let most = u64::try_from(RUNS_AT_ONCE).unwrap_or(u64::MAX);
            all = runs < most
                && output < most
                && incidents < u64::try_from(INCIDENTS_AT_ONCE).unwrap_or(u64::MAX);
        }
        if all {
            sqlx::query!(
                "insert into run_sweeps (monitor_id, at) select id, $2 from monitors where id = $1
                 on conflict (monitor_id) do update set at = excluded.at",
                monitor,
                now
            )
            .execute(&mut *tx)
            .await?;
        }
        self.commit(tx).await?;
        Ok(all)
    }

    /// Numbers grow by one with each run, so they count runs without counting.
    async fn sweep_runs(
        &self,
        tx: &mut Tx,
        monitor: Uuid,
        next_number: i64,
        keep: Keep,
        before: Before,
    ) -> StoreResult<u64> {
        let kept = i64::from(keep.runs);
        let done = sqlx::query!(
            "delete from runs where id in (
                 select id from runs
                 where monitor_id = $1 and number < $2 and status not in ('running', 'hung')
                   and (number < $3 or first_seen_at < $4)
                   and (number < $5 or first_seen_at < $6
                        or (status in ('success', 'skipped', 'unknown')
                            and id not in (select unnest(runs) from incidents where monitor_id = $1)))
                   and id not in (select unnest(runs || pending) from incidents
                                  where monitor_id = $1 and resolved_at is null)
                 order by number limit $7)",
            monitor,
            next_number - ALWAYS,
            next_number - kept,
            before.runs,
            next_number - kept * i64::from(LONGER),
            before.failures,
            RUNS_AT_ONCE
        )
        .execute(&mut **tx)
        .await?;
        Ok(done.rows_affected())
    }

    async fn sweep_output(&self, tx: &mut Tx, monitor: Uuid, before: Time) -> StoreResult<u64> {
        let done = sqlx::query!(
            "delete from run_outputs where run_id in (
                 select r.id from runs r join run_outputs o on o.run_id = r.id
                 where r.monitor_id = $1 and r.first_seen_at < $2 and r.status not in ('running', 'hung')
                 limit $3)",
            monitor,
            before,
            RUNS_AT_ONCE
        )
        .execute(&mut **tx)
        .await?;
        Ok(done.rows_affected())
    }

    /// Resolved incidents with their story and their deliveries, unless one is still to be sent.
    async fn sweep_incidents(
        &self,
        tx: &mut Tx,
        monitor: Uuid,
        keep: Keep,
        before: Time,
    ) -> StoreResult<u64> {
        let done = sqlx::query!(
            "delete from incidents where id in (
                 select i.id from incidents i
                 where i.monitor_id = $1 and i.resolved_at is not null
                   and (i.resolved_at < $2
                        or i.id < (select id from incidents where monitor_id = $1
                                   order by id desc offset $3 limit 1))
                   and not exists (select 1 from alerts a join deliveries d on d.alert_id = a.id
                                   where a.incident_id = i.id and d.status in ('queued', 'retry'))
                 order by i.id limit $4)",
            monitor,
            before,
            i64::from(keep.runs) * i64::from(LONGER),
            INCIDENTS_AT_ONCE
        )
        .execute(&mut **tx)
        .await?;
        Ok(done.rows_affected())
    }

    async fn sweep_notes(&self, tx: &mut Tx, monitor: Uuid, before: Time) -> StoreResult<()> {
        sqlx::query!(
            "delete from monitor_notes where monitor_id = $1
               and (at < $2 or id < (select id from monitor_notes where monitor_id = $1
                                     order by id desc offset $3 limit 1))",
            monitor,
            before,
            NOTES - 1
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Removes alerts without an incident (tests of channels, recoveries of deleted monitors) that are older than their
    /// project keeps; tells how many.
    pub async fn sweep_alerts(&self, now: Time) -> StoreResult<u64> {
        let keeps = sqlx::query!("select id, keep_days from projects").fetch_all(self.pool()).await?;
        let mut removed = 0;
        for project in keeps {
            let before = now - chrono::Duration::days(i64::from(project.keep_days));
            let done = sqlx::query!(
                "delete from alerts where id in (
                     select a.id from alerts a
                     where a.incident_id is null and a.project_id = $1 and a.at < $2
                       and not exists (select 1 from deliveries d
                                       where d.alert_id = a.id and d.status in ('queued', 'retry'))
                     limit $3)",
                project.id,
                before,
                RUNS_AT_ONCE
            )
            .execute(self.pool())
            .await?;
            removed += done.rows_affected();
        }
        Ok(removed)
    }

    /// Sets what a project keeps.
    pub async fn set_keep(&self, project: Uuid, keep: Keep) -> StoreResult<()> {
        sqlx::query!(
            "update projects set keep_runs = $2, keep_days = $3, keep_output_days = $4 where id = $1",
            project,
            keep.runs,
            keep.days,
            keep.output_days
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// What a project keeps.
    pub async fn keep(&self, project: Uuid) -> StoreResult<Option<Keep>> {
        let row = sqlx::query!(
            "select keep_runs, keep_days, keep_output_days from projects where id = $1",
            project
        )
        .fetch_optional(self.pool())
        .await?;
        Ok(row.map(|row| Keep {
            runs: row.keep_runs,
            days: row.keep_days,
            output_days: row.keep_output_days,
        }))
    }
}
