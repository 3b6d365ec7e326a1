//! Monitors as configured, with their rules. Neighbour: `memory` is what changes with every ping.

use std::collections::BTreeMap;

use sqlx::PgConnection;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    monitor::{ChannelChoice, Memory, Monitor, Thresholds},
};

use crate::{
    Store, StoreResult, Tx,
    rule::{RuleRow, extractors_json},
};

#[derive(Debug, sqlx::FromRow)]
pub(crate) struct MonitorRow {
    pub(crate) id: Uuid,
    pub(crate) project_id: Uuid,
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) tags: Vec<String>,
    pub(crate) runbook: String,
    pub(crate) schedule_kind: String,
    pub(crate) schedule_lines: Vec<String>,
    pub(crate) schedule_every: Option<i32>,
    pub(crate) time_zone: String,
    pub(crate) grace_seconds: i64,
    pub(crate) max_seconds: Option<i64>,
    pub(crate) min_milliseconds: Option<i64>,
    pub(crate) early_seconds: Option<i64>,
    pub(crate) overlap_policy: String,
    pub(crate) overlap_allowed: i32,
    pub(crate) thresholds: serde_json::Value,
    pub(crate) alert_after_seconds: i64,
    pub(crate) alert_unscheduled: bool,
    pub(crate) channel_ids: Option<Vec<Uuid>>,
    pub(crate) paused: bool,
    pub(crate) manual_resume: bool,
    pub(crate) post_only: bool,
    pub(crate) ping_limit: Option<i32>,
    pub(crate) created_at: Time,
    pub(crate) updated_at: Time,
    pub(crate) version: i64,
    pub(crate) calendar_ids: Vec<Uuid>,
    pub(crate) project_calendars: bool,
    pub(crate) extractors: serde_json::Value,
    pub(crate) anomalies_duration: bool,
    pub(crate) anomalies_meta: Vec<String>,
}

fn ping_limit(monitor: &Monitor) -> Option<i32> {
    monitor.ping_limit.and_then(|limit| i32::try_from(limit.per_minute()).ok())
}

fn thresholds_json(thresholds: &Thresholds) -> serde_json::Value {
    serde_json::json!({
        "failed": thresholds.failed, "missed": thresholds.missed, "rule": thresholds.rule,
        "fast": thresholds.fast, "slow": thresholds.slow, "recover": thresholds.recover,
    })
}

impl Store {
    /// Adds a monitor with its rules and a memory to count from. The slug must be new within the project
    /// (constraint `monitors_slug`).
    pub async fn add_monitor(&self, tx: &mut Tx, monitor: &Monitor, memory: &Memory) -> StoreResult<()> {
        let text = monitor.schedule.text();
        sqlx::query!(
            "insert into monitors (id, project_id, slug, name, description, tags, runbook, schedule_kind,
                 schedule_lines, schedule_every, time_zone, grace_seconds, max_seconds, min_milliseconds,
                 early_seconds, overlap_policy, overlap_allowed, thresholds, alert_after_seconds, alert_unscheduled,
                 channel_ids, paused, manual_resume, post_only, created_at, updated_at, version, extractors,
                 anomalies_duration, anomalies_meta, ping_limit)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                     $22, $23, $24, $25, $25, $26, $27, $28, $29, $30)",
            monitor.id,
            monitor.project,
            monitor.slug,
            monitor.name,
            monitor.description,
            &monitor.tags,
            monitor.runbook,
            text.kind.word(),
            &text.lines,
            text.every.and_then(|seconds| i32::try_from(seconds).ok()),
            text.tz,
            monitor.grace.num_seconds(),
            monitor.max_duration.map(|max| max.num_seconds()),
            monitor.min_duration.map(|min| min.num_milliseconds()),
            monitor.early_tolerance.map(|early| early.num_seconds()),
            monitor.overlap.policy.word(),
            i32::try_from(monitor.overlap.allowed).unwrap_or(i32::MAX),
            thresholds_json(&monitor.thresholds),
            monitor.alert_after.num_seconds(),
            monitor.alert_unscheduled,
            channel_ids(monitor),
            monitor.paused,
            monitor.manual_resume,
            monitor.post_only,
            monitor.created_at,
            monitor.version,
            extractors_json(monitor),
            monitor.anomalies.duration,
            &monitor.anomalies.meta,
            ping_limit(monitor)
        )
        .execute(&mut **tx)
        .await?;
        self.write_calendar_choice(tx, monitor.id, &monitor.calendars).await?;
        self.add_memory(tx, monitor.id, memory).await?;
        self.write_rules(tx, monitor).await
    }

    /// Writes a changed configuration; the caller holds the lock of the monitor's memory and has raised the version.
    pub async fn update_monitor(&self, tx: &mut Tx, monitor: &Monitor) -> StoreResult<()> {
        let text = monitor.schedule.text();
        sqlx::query!(
            "update monitors set slug = $2, name = $3, description = $4, tags = $5, runbook = $6, schedule_kind = $7,
                 schedule_lines = $8, schedule_every = $9, time_zone = $10, grace_seconds = $11, max_seconds = $12,
                 min_milliseconds = $13, early_seconds = $14, overlap_policy = $15, overlap_allowed = $16,
                 thresholds = $17, alert_after_seconds = $18, alert_unscheduled = $19, channel_ids = $20,
                 paused = $21, manual_resume = $22, post_only = $23, updated_at = $24, version = $25,
                 extractors = $26, anomalies_duration = $27, anomalies_meta = $28,
                 ping_limit = $29
             where id = $1",
            monitor.id,
            monitor.slug,
            monitor.name,
            monitor.description,
            &monitor.tags,
            monitor.runbook,
            text.kind.word(),
            &text.lines,
            text.every.and_then(|seconds| i32::try_from(seconds).ok()),
            text.tz,
            monitor.grace.num_seconds(),
            monitor.max_duration.map(|max| max.num_seconds()),
            monitor.min_duration.map(|min| min.num_milliseconds()),
            monitor.early_tolerance.map(|early| early.num_seconds()),
            monitor.overlap.policy.word(),
            i32::try_from(monitor.overlap.allowed).unwrap_or(i32::MAX),
            thresholds_json(&monitor.thresholds),
            monitor.alert_after.num_seconds(),
            monitor.alert_unscheduled,
            channel_ids(monitor),
            monitor.paused,
            monitor.manual_resume,
            monitor.post_only,
            monitor.updated_at,
            monitor.version,
            extractors_json(monitor),
            monitor.anomalies.duration,
            &monitor.anomalies.meta,
            ping_limit(monitor)
        )
        .execute(&mut **tx)
        .await?;
        self.write_calendar_choice(tx, monitor.id, &monitor.calendars).await?;
        self.write_rules(tx, monitor).await
    }

    /// Monitors by id, whatever their project; those that are gone are left out.
    pub async fn monitors_by_id(&self, ids: &[Uuid]) -> StoreResult<Vec<Monitor>> {
        self.monitors_by_id_in(&mut *self.pool().acquire().await?, ids).await
    }

    /// The same inside a transaction, where the locks are.
    pub async fn locked_monitors(&self, tx: &mut Tx, ids: &[Uuid]) -> StoreResult<Vec<Monitor>> {
        self.monitors_by_id_in(&mut *tx, ids).await
    }

    async fn monitors_by_id_in(&self, db: &mut PgConnection, ids: &[Uuid]) -> StoreResult<Vec<Monitor>> {
        let rows = sqlx::query_as!(MonitorRow, "select m.* from monitors m where m.id = any($1)", ids)
            .fetch_all(&mut *db)
            .await?;
        self.with_rules(db, rows).await
    }

    /// All monitors of a project, by name.
    pub async fn monitors(&self, project: Uuid) -> StoreResult<Vec<Monitor>> {
        let rows = sqlx::query_as!(
            MonitorRow,
            "select m.* from monitors m where m.project_id = $1 order by lower(m.name), m.id",
            project
        )
        .fetch_all(self.pool())
        .await?;
        self.with_rules(&mut *self.pool().acquire().await?, rows).await
    }

    /// Monitors of a project, newest first: those that stand after `after` (when it was made, id), with a tag if one is
    /// given.
    pub async fn monitors_after(
        &self,
        project: Uuid,
        tag: Option<&str>,
        after: Option<(Time, Uuid)>,
        limit: i64,
    ) -> StoreResult<Vec<Monitor>> {
        let (at, id) = after.unzip();
        let mut db = self.pool().acquire().await?;
        let rows = sqlx::query_as!(
            MonitorRow,
            "select m.* from monitors m
             where m.project_id = $1 and ($2::text is null or $2 = any(m.tags))
               and ($3::timestamptz is null or (m.created_at, m.id) < ($3, $4::uuid))
             order by m.created_at desc, m.id desc limit $5",
            project,
            tag,
            at,
            id,
            limit
        )
        .fetch_all(&mut *db)
        .await?;
        self.with_rules(&mut db, rows).await
    }

    async fn with_rules(&self, db: &mut PgConnection, rows: Vec<MonitorRow>) -> StoreResult<Vec<Monitor>> {
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let rules = sqlx::query_as!(
            RuleRow,
            "select r.* from rules r where r.monitor_id = any($1) order by r.monitor_id, r.position",
            &ids
        )
        .fetch_all(&mut *db)
        .await?;
        let mut projects: Vec<Uuid> = rows.iter().map(|row| row.project_id).collect();
        projects.sort_unstable();
        projects.dedup();
        let windows = self.project_windows(db, &projects).await?;
        let days = self.calendar_days_in(db, &projects).await?;
        let mut by_monitor: BTreeMap<Uuid, Vec<RuleRow>> = BTreeMap::new();
        for rule in rules {
            by_monitor.entry(rule.monitor_id).or_default().push(rule);
        }
        Ok(rows
            .into_iter()
            .map(|row| {
                let rules = by_monitor.remove(&row.id).unwrap_or_default();
                row.into_monitor(rules, &windows, &days)
            })
            .collect())
    }

    /// Which monitors ping keys and slugs name: `(ping key, slug, monitor)`.
    pub async fn monitors_by_slug(
        &self,
        wanted: &[(String, String)],
    ) -> StoreResult<Vec<(String, String, Uuid)>> {
        let (keys, slugs): (Vec<String>, Vec<String>) = wanted.iter().cloned().unzip();
        let rows = sqlx::query!(
            r#"select wanted.key as "key!", wanted.slug as "slug!", m.id
             from unnest($1::text[], $2::text[]) as wanted(key, slug)
             join projects p on p.ping_key = wanted.key
             join monitors m on m.project_id = p.id and m.slug = wanted.slug"#,
            &keys,
            &slugs
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(|row| (row.key, row.slug, row.id)).collect())
    }

    /// The id of a monitor by its slug.
    pub async fn monitor_by_slug(&self, project: Uuid, slug: &str) -> StoreResult<Option<Uuid>> {
        Ok(sqlx::query_scalar!("select id from monitors where project_id = $1 and slug = $2", project, slug)
            .fetch_optional(self.pool())
            .await?)
    }

    /// Deletes a monitor with its incidents; false when the project has none of that id. Its runs cannot be found any
    /// more from then on, and are removed by [`Store::sweep_deleted`].
    pub async fn remove_monitor(&self, tx: &mut Tx, project: Uuid, id: Uuid, now: Time) -> StoreResult<bool> {
        let done = sqlx::query!("delete from monitors where id = $1 and project_id = $2", id, project)
            .execute(&mut **tx)
            .await?;
        if done.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query!("insert into deleted_monitors (monitor_id, at) values ($1, $2)", id, now)
            .execute(&mut **tx)
            .await?;
        Ok(true)
    }

    /// Removes some runs of deleted monitors; tells whether there is more to remove.
    pub async fn sweep_deleted(&self) -> StoreResult<bool> {
        const BATCH: i64 = 5_000;
        let mut tx = self.begin().await?;
        let deleted = sqlx::query_scalar!(
            "select monitor_id from deleted_monitors order by at limit 1 for update skip locked"
        )
        .fetch_optional(&mut *tx)
        .await?;
        let Some(monitor) = deleted else { return Ok(false) };
        let done = sqlx::query!(
            "delete from runs where id in (select id from runs where monitor_id = $1 limit $2)",
            monitor,
            BATCH
        )
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 0 {
            sqlx::query!("delete from deleted_monitors where monitor_id = $1", monitor)
                .execute(&mut *tx)
                .await?;
        }
        self.commit(tx).await?;
        Ok(true)
    }

    /// Pauses or resumes and leaves everything else as it is.
    pub async fn set_paused(&self, tx: &mut Tx, id: Uuid, paused: bool) -> StoreResult<()> {
        sqlx::query!("update monitors set paused = $2, version = version + 1 where id = $1", id, paused)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    pub(crate) async fn add_monitor_note(
        &self,
        tx: &mut Tx,
        id: Uuid,
        at: Time,
        text: &str,
    ) -> StoreResult<()> {
        sqlx::query!("insert into monitor_notes (monitor_id, at, text) values ($1, $2, $3)", id, at, text)
            .execute(&mut **tx)
            .await?;
        Ok(())
    }

    /// The last notes of a monitor, newest first.
    pub async fn monitor_notes(&self, id: Uuid, limit: i64) -> StoreResult<Vec<(Time, String)>> {
        let rows = sqlx::query!(
            "select at, text from monitor_notes where monitor_id = $1 order by id desc limit $2",
            id,
            limit
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(|row| (row.at, row.text)).collect())
    }
}

fn channel_ids(monitor: &Monitor) -> Option<&[Uuid]> {
    match &monitor.channels {
        ChannelChoice::All => None,
        ChannelChoice::Some(ids) => Some(ids),
    }
}
