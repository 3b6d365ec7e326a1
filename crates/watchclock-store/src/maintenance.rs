//! Maintenance windows. They belong to the configuration of monitors: a change raises the version of the project's windows,
//! which caches compare.

use std::collections::BTreeMap;

use chrono::Duration;
use sqlx::PgConnection;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::{Maintenance, MonitorChoice, When, Window},
    schedule::{Kind, Schedule, ScheduleText, Zone},
};

use crate::{Store, StoreResult, Tx};

#[derive(Debug, sqlx::FromRow)]
struct WindowRow {
    id: Uuid,
    project_id: Uuid,
    name: String,
    monitor_ids: Option<Vec<Uuid>>,
    begins_at: Option<Time>,
    ends_at: Option<Time>,
    starts: Vec<String>,
    time_zone: String,
    lasts_seconds: Option<i64>,
    created_at: Time,
    updated_at: Time,
}

/// A window as stored.
#[derive(Debug, Clone)]
pub struct StoredWindow {
    pub window: Window,
    /// Why it cannot be read (changed by hand, or by a later version). Then its times are empty and it suppresses nothing.
    pub broken: Option<String>,
    pub created_at: Time,
    pub updated_at: Time,
}

impl WindowRow {
    fn into_window(self) -> StoredWindow {
        let (when, broken) = match self.when() {
            Ok(when) => (when, None),
            Err(why) => {
                tracing::error!(window = %self.id, why, "a maintenance window cannot be read; it suppresses nothing");
                (When::Once { from: self.created_at, to: self.created_at, zone: Zone::utc() }, Some(why))
            }
        };
        let monitors = self.monitor_ids.map_or(MonitorChoice::All, MonitorChoice::Some);
        let window = Window { id: self.id, name: self.name, monitors, when };
        StoredWindow { window, broken, created_at: self.created_at, updated_at: self.updated_at }
    }

    fn when(&self) -> Result<When, String> {
        match (self.begins_at, self.ends_at, self.lasts_seconds.and_then(Duration::try_seconds)) {
            (Some(from), Some(to), _) => {
                // Its moments are right in any zone, so one that is not known any more costs only comfort.
                let zone = Zone::named(&self.time_zone).unwrap_or_else(|_| Zone::utc());
                Ok(When::Once { from, to, zone })
            }
            (_, _, Some(lasts)) => {
                let (lines, tz) = (self.starts.clone(), self.time_zone.clone());
                match Schedule::compile(&ScheduleText { kind: Kind::Cron, every: None, lines, tz }) {
                    Ok(starts) => {
                        let when = When::Recurring { starts, lasts };
                        // What no door takes any more would keep everybody silent for ever.
                        when.endless(self.updated_at).map_or(Ok(when), Err)
                    }
                    Err(problems) => {
                        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                        Err(problems.join("; "))
                    }
                }
            }
            _ => Err("neither both ends nor starts and a length are there".to_owned()),
        }
    }
}

/// The windows of some projects, each with their version.
pub(crate) struct ProjectWindows(BTreeMap<Uuid, (i64, Vec<Window>)>);

impl ProjectWindows {
    pub(crate) fn of_monitor(&self, project: Uuid, monitor: Uuid) -> Maintenance {
        let Some((version, windows)) = self.0.get(&project) else { return Maintenance::default() };
        let windows = windows.iter().filter(|window| window.monitors.covers(monitor)).cloned().collect();
        Maintenance { windows, version: *version }
    }
}

impl Store {
    pub(crate) async fn project_windows(
        &self,
        db: &mut PgConnection,
        projects: &[Uuid],
    ) -> StoreResult<ProjectWindows> {
        // The versions first: windows that are newer than their version are only read once more.
        let versions = sqlx::query!("select id, windows_version from projects where id = any($1)", projects)
            .fetch_all(&mut *db)
            .await?;
        let mut found: BTreeMap<Uuid, (i64, Vec<Window>)> =
            versions.into_iter().map(|row| (row.id, (row.windows_version, Vec::new()))).collect();
        let rows = sqlx::query_as!(
            WindowRow,
            "select w.* from maintenance_windows w where w.project_id = any($1) order by w.id",
            projects
        )
        .fetch_all(&mut *db)
        .await?;
        for row in rows {
            let project = row.project_id;
            let stored = row.into_window();
            if let Some((_, windows)) = found.get_mut(&project)
                && stored.broken.is_none()
            {
                windows.push(stored.window);
            }
        }
        Ok(ProjectWindows(found))
    }

    /// The windows of a project, newest first.
    pub async fn windows(&self, project: Uuid) -> StoreResult<Vec<StoredWindow>> {
        let rows = sqlx::query_as!(
            WindowRow,
            "select w.* from maintenance_windows w where w.project_id = $1 order by w.id desc",
            project
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(WindowRow::into_window).collect())
    }

    /// Raises the version of a project's windows, which keeps other changes of them out until the transaction ends;
    /// then reads them.
    pub async fn lock_windows(&self, tx: &mut Tx, project: Uuid) -> StoreResult<Vec<StoredWindow>> {
        sqlx::query!("update projects set windows_version = windows_version + 1 where id = $1", project)
            .execute(&mut **tx)
            .await?;
        let rows = sqlx::query_as!(
            WindowRow,
            "select w.* from maintenance_windows w where w.project_id = $1 order by w.id desc",
            project
        )
        .fetch_all(&mut **tx)
        .await?;
        Ok(rows.into_iter().map(WindowRow::into_window).collect())
    }

    /// Writes a new or changed window, whose project's windows are locked.
    pub async fn write_window(&self, tx: &mut Tx, project: Uuid, stored: &StoredWindow) -> StoreResult<()> {
        let window = &stored.window;
        let (from, to, text, lasts) = match &window.when {
            When::Once { from, to, zone } => {
                let text = ScheduleText { tz: zone.name().to_owned(), ..ScheduleText::none() };
                (Some(*from), Some(*to), text, None)
            }
            When::Recurring { starts, lasts } => {
                (None, None, starts.text().clone(), Some(lasts.num_seconds()))
            }
        };
        let monitors = match &window.monitors {
            MonitorChoice::All => None,
            MonitorChoice::Some(ids) => Some(ids.clone()),
        };
        sqlx::query!(
            "insert into maintenance_windows (id, project_id, name, monitor_ids, begins_at, ends_at, starts, time_zone,
                                              lasts_seconds, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
             on conflict (id) do update set name = excluded.name, monitor_ids = excluded.monitor_ids,
                 begins_at = excluded.begins_at, ends_at = excluded.ends_at, starts = excluded.starts,
                 time_zone = excluded.time_zone, lasts_seconds = excluded.lasts_seconds,
                 updated_at = excluded.updated_at",
            window.id,
            project,
            window.name,
            monitors as Option<Vec<Uuid>>,
            from,
            to,
            &text.lines,
            text.tz,
            lasts,
            stored.created_at,
            stored.updated_at
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Removes a window; false when the project has none of that id.
    pub async fn remove_window(&self, tx: &mut Tx, project: Uuid, id: Uuid) -> StoreResult<bool> {
        let done =
            sqlx::query!("delete from maintenance_windows where id = $1 and project_id = $2", id, project)
                .execute(&mut **tx)
                .await?;
        Ok(done.rows_affected() > 0)
    }

    /// The versions of projects' windows.
    pub async fn windows_versions(&self, tx: &mut Tx, projects: &[Uuid]) -> StoreResult<BTreeMap<Uuid, i64>> {
        let rows = sqlx::query!("select id, windows_version from projects where id = any($1)", projects)
            .fetch_all(&mut **tx)
            .await?;
        Ok(rows.into_iter().map(|row| (row.id, row.windows_version)).collect())
    }

    /// Has those monitors of a project looked at now from which maintenance holds something back.
    pub async fn look_at_held(&self, tx: &mut Tx, project: Uuid, now: Time) -> StoreResult<()> {
        // Locked in the order in which everybody locks memories.
        sqlx::query!(
            "with held as (
                 select mm.monitor_id from monitor_memories mm join monitors m on m.id = mm.monitor_id
                 where m.project_id = $1 and mm.quiet_until is not null
                 order by mm.monitor_id for no key update of mm
             )
             update monitor_memories mm set deadline = least(mm.deadline, $2), version = mm.version + 1 from held
             where mm.monitor_id = held.monitor_id",
            project,
            now
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}
