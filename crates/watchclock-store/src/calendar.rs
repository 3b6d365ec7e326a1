//! Calendars of exceptions as stored, and the days off that they give to monitors. Parsed days are kept by revision.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use sqlx::PgConnection;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    calendar::{DaySet, Days, DaysOff, Kind},
    monitor::CalendarChoice,
};

use crate::{Store, StoreResult, Tx};

/// Most parsed calendars that are kept; past it parsing starts anew.
const MAX_KEPT: usize = 10_000;

/// Parsed days by the revision of their calendar.
pub(crate) type KeptDays = Arc<Mutex<HashMap<Uuid, Arc<DaySet>>>>;

/// A calendar as stored.
#[derive(Debug, Clone)]
pub struct Calendar {
    pub id: Uuid,
    pub project: Uuid,
    pub name: String,
    pub project_wide: bool,
    pub kind: Kind,
    /// The list or the iCalendar text; of a URL the last one that could be read.
    pub content: String,
    pub url: Option<String>,
    /// New with every change of what is off for whom.
    pub revision: Uuid,
    pub fetched_at: Option<Time>,
    pub fetch_at: Option<Time>,
    /// Why the last fetch failed.
    pub problem: Option<String>,
    pub created_at: Time,
    pub updated_at: Time,
}

/// Which monitors have to be planned anew after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replan {
    /// Those that list the calendar.
    Listed,
    /// Also those that take the calendars of their project.
    Project,
}

impl Replan {
    fn word(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Project => "project",
        }
    }
}

/// A calendar whose monitors wait to be planned anew.
#[derive(Debug, Clone)]
pub struct Replanning {
    pub id: Uuid,
    pub project: Uuid,
    pub revision: Uuid,
    pub of_project: bool,
    pub deleted: bool,
}

struct CalendarRow {
    id: Uuid,
    project_id: Uuid,
    name: String,
    project_wide: bool,
    kind: String,
    content: String,
    url: Option<String>,
    revision: Uuid,
    fetched_at: Option<Time>,
    fetch_at: Option<Time>,
    problem: Option<String>,
    created_at: Time,
    updated_at: Time,
}

impl From<CalendarRow> for Calendar {
    fn from(row: CalendarRow) -> Self {
        Self {
            id: row.id,
            project: row.project_id,
            name: row.name,
            project_wide: row.project_wide,
            kind: Kind::from_word(&row.kind).unwrap_or(Kind::Dates),
            content: row.content,
            url: row.url,
            revision: row.revision,
            fetched_at: row.fetched_at,
            fetch_at: row.fetch_at,
            problem: row.problem,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// The days of the calendars of some projects.
#[derive(Debug, Clone, Default)]
pub struct CalendarDays(Vec<Known>);

#[derive(Debug, Clone)]
struct Known {
    id: Uuid,
    project: Uuid,
    project_wide: bool,
    days: Arc<DaySet>,
}

impl CalendarDays {
    /// The days off of a monitor.
    pub fn off(&self, project: Uuid, choice: &CalendarChoice) -> DaysOff {
        let counts = |known: &&Known| {
            known.project == project
                && (choice.own.contains(&known.id) || (choice.of_project && known.project_wide))
        };
        DaysOff::of(self.0.iter().filter(counts).map(|known| Arc::clone(&known.days)))
    }

    /// The calendars that a monitor lists and that are none of its project.
    pub fn unknown(&self, project: Uuid, choice: &CalendarChoice) -> Vec<Uuid> {
        let is_known = |id: &Uuid| self.0.iter().any(|known| known.id == *id && known.project == project);
        choice.own.iter().copied().filter(|id| !is_known(id)).collect()
    }
}

impl Store {
    /// The days of all calendars of some projects.
    pub async fn calendar_days(&self, projects: &[Uuid]) -> StoreResult<CalendarDays> {
        self.calendar_days_in(&mut *self.pool().acquire().await?, projects).await
    }

    pub(crate) async fn calendar_days_in(
        &self,
        db: &mut PgConnection,
        projects: &[Uuid],
    ) -> StoreResult<CalendarDays> {
        let rows = sqlx::query!(
            "select id, project_id, project_wide, revision from calendars
             where project_id = any($1) and not deleted order by id",
            projects
        )
        .fetch_all(&mut *db)
        .await?;
        if rows.is_empty() {
            return Ok(CalendarDays::default());
        }
        let mut kept: HashMap<Uuid, Arc<DaySet>> = {
            let all = self.kept_days().lock().unwrap_or_else(PoisonError::into_inner);
            rows.iter().filter_map(|row| Some((row.revision, Arc::clone(all.get(&row.revision)?)))).collect()
        };
        let unread: Vec<Uuid> =
            rows.iter().filter(|row| !kept.contains_key(&row.revision)).map(|row| row.id).collect();
        if !unread.is_empty() {
            let read =
                sqlx::query!("select revision, kind, content from calendars where id = any($1)", &unread)
                    .fetch_all(&mut *db)
                    .await?;
            let mut all = self.kept_days().lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() + read.len() > MAX_KEPT {
                all.clear();
            }
            for row in read {
                let kind = Kind::from_word(&row.kind).unwrap_or(Kind::Dates);
                let days = Arc::new(Days::of_stored(kind, &row.content).into_set());
                all.insert(row.revision, Arc::clone(&days));
                kept.insert(row.revision, days);
            }
        }
        let known = rows.into_iter().filter_map(|row| {
            let days = Arc::clone(kept.get(&row.revision)?);
            Some(Known { id: row.id, project: row.project_id, project_wide: row.project_wide, days })
        });
        Ok(CalendarDays(known.collect()))
    }

    /// Calendars of a project, newest first.
    pub async fn calendars(&self, project: Uuid) -> StoreResult<Vec<Calendar>> {
        let rows = sqlx::query_as!(
            CalendarRow,
            "select id, project_id, name, project_wide, kind, content, url, revision, fetched_at, fetch_at, problem,
                    created_at, updated_at
             from calendars where project_id = $1 and not deleted order by id desc",
            project
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(Calendar::from).collect())
    }

    /// One calendar of a project, locked until the transaction ends.
    pub async fn lock_calendar(&self, tx: &mut Tx, project: Uuid, id: Uuid) -> StoreResult<Option<Calendar>> {
        let row = sqlx::query_as!(
            CalendarRow,
            "select id, project_id, name, project_wide, kind, content, url, revision, fetched_at, fetch_at, problem,
                    created_at, updated_at
             from calendars where project_id = $1 and id = $2 and not deleted for update",
            project,
            id
        )
        .fetch_optional(&mut **tx)
        .await?;
        Ok(row.map(Calendar::from))
    }

    /// Adds a calendar. The name must be new within the project (constraint `calendars_name`).
    pub async fn add_calendar(&self, tx: &mut Tx, calendar: &Calendar) -> StoreResult<()> {
        let replan = calendar.project_wide.then_some(Replan::Project.word());
        sqlx::query!(
            "insert into calendars (id, project_id, name, project_wide, kind, content, url, revision, fetched_at,
                                    fetch_at, problem, replan, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)",
            calendar.id,
            calendar.project,
            calendar.name,
            calendar.project_wide,
            calendar.kind.word(),
            calendar.content,
            calendar.url,
            calendar.revision,
            calendar.fetched_at,
            calendar.fetch_at,
            calendar.problem,
            replan,
            calendar.created_at
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Writes a changed calendar that is locked; with `replan` its monitors are planned anew soon.
    pub async fn update_calendar(
        &self,
        tx: &mut Tx,
        calendar: &Calendar,
        replan: Option<Replan>,
    ) -> StoreResult<()> {
        sqlx::query!(
            "update calendars set name = $2, project_wide = $3, kind = $4, content = $5, url = $6, revision = $7,
                 fetched_at = $8, fetch_at = $9, problem = $10, updated_at = $11,
                 replan = case when replan = 'project' then replan else coalesce($12, replan) end
             where id = $1",
            calendar.id,
            calendar.name,
            calendar.project_wide,
            calendar.kind.word(),
            calendar.content,
            calendar.url,
            calendar.revision,
            calendar.fetched_at,
            calendar.fetch_at,
            calendar.problem,
            calendar.updated_at,
            replan.map(Replan::word)
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// Marks a calendar as deleted: nobody sees it any more, and its days count no more.
    pub async fn remove_calendar(&self, project: Uuid, id: Uuid, revision: Uuid) -> StoreResult<bool> {
        let done = sqlx::query!(
            "update calendars set deleted = true, revision = $3, fetch_at = null,
                 replan = case when project_wide then 'project' else coalesce(replan, 'listed') end
             where project_id = $1 and id = $2 and not deleted",
            project,
            id,
            revision
        )
        .execute(self.pool())
        .await?;
        Ok(done.rows_affected() > 0)
    }

    /// A calendar whose monitors wait to be planned anew.
    pub async fn next_replanning(&self) -> StoreResult<Option<Replanning>> {
        Ok(sqlx::query_as!(
            Replanning,
            r#"select id, project_id as project, revision, replan = 'project' as "of_project!", deleted
               from calendars where replan is not null order by id limit 1"#
        )
        .fetch_optional(self.pool())
        .await?)
    }

    /// Monitors that such a change concerns, in the order of their ids.
    pub async fn monitors_to_replan(
        &self,
        of: &Replanning,
        after: Uuid,
        limit: i64,
    ) -> StoreResult<Vec<Uuid>> {
        Ok(sqlx::query_scalar!(
            "select id from monitors
             where project_id = $1 and id > $4 and ($2 = any(calendar_ids) or ($3 and project_calendars))
             order by id limit $5",
            of.project,
            of.id,
            of.of_project,
            after,
            limit
        )
        .fetch_all(self.pool())
        .await?)
    }

    /// Raises the versions of monitors whose locks are held, so that nobody goes on with the days off from before.
    pub async fn raise_versions(&self, tx: &mut Tx, monitors: &[Uuid], of: &Replanning) -> StoreResult<()> {
        sqlx::query!(
            "update monitors set version = version + 1,
                 calendar_ids = case when $3 then array_remove(calendar_ids, $2) else calendar_ids end
             where id = any($1)",
            monitors,
            of.id,
            of.deleted
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }

    /// All monitors are planned anew, unless the calendar changed again meanwhile.
    pub async fn finish_replanning(&self, of: &Replanning) -> StoreResult<()> {
        sqlx::query!("delete from calendars where id = $1 and revision = $2 and deleted", of.id, of.revision)
            .execute(self.pool())
            .await?;
        sqlx::query!(
            "update calendars set replan = null where id = $1 and revision = $2 and not deleted",
            of.id,
            of.revision
        )
        .execute(self.pool())
        .await?;
        Ok(())
    }

    /// Takes calendars that are to be fetched, and puts their next fetch off, so that no other server fetches them, too.
    pub async fn claim_fetches(&self, now: Time, again: Time, limit: i64) -> StoreResult<Vec<Calendar>> {
        let rows = sqlx::query_as!(
            CalendarRow,
            "update calendars set fetch_at = $2
             where id in (select id from calendars where fetch_at <= $1 and not deleted
                          order by fetch_at limit $3 for update skip locked)
             returning id, project_id, name, project_wide, kind, content, url, revision, fetched_at, fetch_at,
                       problem, created_at, updated_at",
            now,
            again,
            limit
        )
        .fetch_all(self.pool())
        .await?;
        Ok(rows.into_iter().map(Calendar::from).collect())
    }

    /// Writes which calendars count for a monitor.
    pub(crate) async fn write_calendar_choice(
        &self,
        tx: &mut Tx,
        monitor: Uuid,
        choice: &CalendarChoice,
    ) -> StoreResult<()> {
        sqlx::query!(
            "update monitors set calendar_ids = $2, project_calendars = $3 where id = $1",
            monitor,
            &choice.own,
            choice.of_project
        )
        .execute(&mut **tx)
        .await?;
        Ok(())
    }
}
