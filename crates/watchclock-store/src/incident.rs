//! Incidents and what happened to them. Neighbour: `delivery` is how people hear of them.

use uuid::Uuid;
use watchclock_domain::{
    Time,
    incident::{Incident, IncidentEvent, Kind},
    rule::Severity,
};

use crate::{Page, Store, StoreResult, Tx, json};

#[derive(Debug, sqlx::FromRow)]
struct IncidentRow {
    id: Uuid,
    #[expect(dead_code, reason = "`select *` keeps row and table in step")]
    project_id: Uuid,
    monitor_id: Uuid,
    kind: String,
    rule_id: Option<Uuid>,
    rule_name: Option<String>,
    severity: String,
    summary: String,
    facts: serde_json::Value,
    runs: Vec<Uuid>,
    run_count: i64,
    pending: Vec<Uuid>,
    progress: i32,
    opened_at: Time,
    acknowledged_at: Option<Time>,
    acknowledged_by: Option<String>,
    resolved_at: Option<Time>,
    resolved_by: Option<String>,
    hushed: bool,
    snoozed_until: Option<Time>,
    snoozed_by: Option<String>,
    reminders: i32,
}

impl From<IncidentRow> for Incident {
    fn from(row: IncidentRow) -> Self {
        Self {
            id: row.id,
            monitor: row.monitor_id,
            kind: Kind::from_word(&row.kind).unwrap_or(Kind::Failed),
            rule: row.rule_id,
            rule_name: row.rule_name,
            severity: Severity::from_word(&row.severity).unwrap_or(Severity::Warning),
            summary: row.summary,
            facts: json::to_pairs(row.facts),
            runs: row.runs,
            run_count: row.run_count,
            pending: row.pending,
            progress: row.progress,
            opened_at: row.opened_at,
            acknowledged_at: row.acknowledged_at,
            acknowledged_by: row.acknowledged_by,
            resolved_at: row.resolved_at,
            resolved_by: row.resolved_by,
            hushed: row.hushed,
            snoozed_until: row.snoozed_until,
            snoozed_by: row.snoozed_by,
            reminders: row.reminders,
        }
    }
}

/// One thing that happened to an incident, as read.
#[derive(Debug, Clone)]
pub struct EventRow {
    pub at: Time,
    pub event: String,
    pub by: Option<String>,
    pub text: String,
}

/// Which incidents to list. Unset means any.
#[derive(Debug, Clone, Default)]
pub struct IncidentFilter {
    pub open: Option<bool>,
    pub monitor: Option<Uuid>,
    pub kind: Option<Kind>,
    /// Only incidents before this one, from [`Page::next`].
    pub before: Option<Uuid>,
    /// 1 … 500.
    pub limit: i64,
}

impl Store {
    pub(crate) async fn open_incidents_in(
        &self,
        tx: &mut Tx,
        monitors: &[Uuid],
    ) -> StoreResult<Vec<Incident>> {
        let rows = sqlx::query_as!(
            IncidentRow,
            "select i.* from incidents i where i.monitor_id = any($1) and i.resolved_at is null",
            monitors
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(Incident::from).collect())
    }

    /// Open incidents of monitors, for pages.
    pub async fn open_incidents(&self, monitors: &[Uuid]) -> StoreResult<Vec<Incident>> {
        let rows = sqlx::query_as!(
            IncidentRow,
            "select i.* from incidents i where i.monitor_id = any($1) and i.resolved_at is null order by i.id desc",
            monitors
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(Incident::from).collect())
    }

    pub async fn incidents(&self, project: Uuid, filter: &IncidentFilter) -> StoreResult<Page<Incident>> {
        let limit = filter.limit.clamp(1, 500);
        let rows = sqlx::query_as!(
            IncidentRow,
            "select i.* from incidents i
             where i.project_id = $1
               and ($2::bool is null or (i.resolved_at is null) = $2)
               and ($3::uuid is null or i.monitor_id = $3)
               and ($4::text is null or i.kind = $4)
               and ($5::uuid is null or i.id < $5)
             order by i.id desc limit $6",
            project,
            filter.open,
            filter.monitor,
            filter.kind.map(Kind::word),
            filter.before,
            limit + 1
        )
        .fetch_all(self.pool())
        .await?;
        Ok(Page::of(rows.into_iter().map(Incident::from).collect(), limit, |incident: &Incident| incident.id))
    }

    /// How many incidents of a project are open.
    pub async fn count_open_incidents(&self, project: Uuid) -> StoreResult<i64> {
        Ok(sqlx::query_scalar!(
            r#"select count(*) as "count!" from incidents where project_id = $1 and resolved_at is null"#,
            project
        )
        .fetch_one(self.pool())
        .await?)
    }

    pub async fn incident(&self, project: Uuid, id: Uuid) -> StoreResult<Option<Incident>> {
        let row = sqlx::query_as!(
            IncidentRow,
            "select i.* from incidents i where i.id = $1 and i.project_id = $2",
            id,
            project
        )
        .fetch_optional(self.pool())
        .await?;
        Ok(row.map(Incident::from))
    }

    /// The story of incidents, each in order: pairs of incident and event.
    pub async fn events_of(&self, incidents: &[Uuid]) -> StoreResult<Vec<(Uuid, EventRow)>> {
        let rows = sqlx::query!(
            r#"select incident_id, at, event, by_whom as "by", text from incident_events
               where incident_id = any($1) order by id"#,
            incidents
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows
            .into_iter()
            .map(|row| {
                (row.incident_id, EventRow { at: row.at, event: row.event, by: row.by, text: row.text })
            })
            .collect())
    }

    pub(crate) async fn insert_incident(
        &self,
        tx: &mut Tx,
        project: Uuid,
        incident: &Incident,
    ) -> StoreResult<()> {
        sqlx::query!(
            "insert into incidents (id, project_id, monitor_id, kind, rule_id, rule_name, severity, summary, facts,
                                    runs, run_count, pending, progress, opened_at, resolved_at, resolved_by,
                                    hushed)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
            incident.id,
            project,
            incident.monitor,
            incident.kind.word(),
            incident.rule,
            incident.rule_name,
            incident.severity.word(),
            incident.summary,
            json::of_pairs(&incident.facts),
            &incident.runs,
            incident.run_count,
            &incident.pending,
            incident.progress,
            incident.opened_at,
            incident.resolved_at,
            incident.resolved_by,
            incident.hushed
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    pub(crate) async fn update_incident(&self, tx: &mut Tx, incident: &Incident) -> StoreResult<()> {
        sqlx::query!(
            "update incidents set runs = $2, run_count = $3, pending = $4, progress = $5, resolved_at = $6,
                                  resolved_by = $7, acknowledged_at = $8, acknowledged_by = $9,
                                  hushed = $10, snoozed_until = $11, snoozed_by = $12, reminders = $13
             where id = $1",
            incident.id,
            &incident.runs,
            incident.run_count,
            &incident.pending,
            incident.progress,
            incident.resolved_at,
            incident.resolved_by,
            incident.acknowledged_at,
            incident.acknowledged_by,
            incident.hushed,
            incident.snoozed_until,
            incident.snoozed_by,
            incident.reminders
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Adds to the story of incidents.
    pub async fn add_events(&self, tx: &mut Tx, events: &[IncidentEvent]) -> StoreResult<()> {
        for event in events {
            sqlx::query!(
                "insert into incident_events (incident_id, at, event, by_whom, text) values ($1, $2, $3, $4, $5)",
                event.incident,
                event.at,
                event.event,
                event.by,
                event.text
            )
            .execute(&mut **tx)
            .await?;
        }
        Ok(())
    }

    /// Adds a comment to the story of an incident unless the same person has said just that before.
    pub async fn comment_once(&self, tx: &mut Tx, comment: &IncidentEvent) -> StoreResult<()> {
        sqlx::query!(
            "insert into incident_events (incident_id, at, event, by_whom, text)
             select $1, $2, $3, $4, $5 where not exists (
                 select 1 from incident_events where incident_id = $1 and event = $3 and by_whom = $4 and text = $5)",
            comment.incident,
            comment.at,
            comment.event,
            comment.by,
            comment.text
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Whether an incident is there and open, as seen inside a transaction.
    pub async fn is_open(&self, tx: &mut Tx, incident: Uuid) -> StoreResult<bool> {
        let open = sqlx::query_scalar!(
            r#"select resolved_at is null as "open!" from incidents where id = $1"#,
            incident
        );
        Ok(open.fetch_optional(&mut **tx).await?.unwrap_or(false))
    }

    /// Acknowledges an open incident of a monitor once, under the monitor's lock; false when it is resolved or
    /// acknowledged already.
    pub async fn acknowledge(
        &self,
        tx: &mut Tx,
        (monitor, incident): (Uuid, Uuid),
        by: &str,
        now: Time,
    ) -> StoreResult<bool> {
        self.lock_changing(tx, monitor).await?;
        let done = sqlx::query!(
            "update incidents set acknowledged_at = $2, acknowledged_by = $3
             where id = $1 and resolved_at is null and acknowledged_at is null",
            incident,
            now,
            by
        )
        .execute(&mut **tx)
        .await?;
        Ok(done.rows_affected() > 0)
    }
}
