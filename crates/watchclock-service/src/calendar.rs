//! Calendars of exceptions: making, changing, fetching them, and planning their monitors anew. Which days a text names is
//! decided in the domain's `calendar`.

use uuid::Uuid;
use watchclock_domain::{
    Time,
    calendar::{Days, DaysOff, Kind, MAX_BYTES},
    monitor::{CalendarChoice, Monitor},
    problem::Problem,
    timeline::{Timeline, slots},
};
pub use watchclock_store::calendar::Calendar;
use watchclock_store::{
    Batch, StoreError,
    calendar::{Replan, Replanning},
};

use crate::{ServiceError, ServiceResult, Watchclock, version};

/// A calendar that is fetched is fetched so often.
const FETCHED_EVERY: chrono::Duration = chrono::Duration::days(1);
/// After a fetch that failed, or a server that died during one.
const FETCHED_AGAIN: chrono::Duration = chrono::Duration::hours(1);
/// Most fetches of one tick.
const FETCHES: i64 = 20;
/// Most monitors that are locked at once for planning anew.
const MONITORS: i64 = 100;
/// Most calendars of a project.
const MAX_CALENDARS: usize = 100;

/// Where the days come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A list of dates, one a line.
    Dates(String),
    ICalendar(String),
    Url(String),
}

/// What is to be set on a calendar; unset stays as it is. A new one needs a name and a source.
#[derive(Debug, Clone, Default)]
pub struct CalendarChange {
    pub name: Option<String>,
    pub project_wide: Option<bool>,
    pub source: Option<Source>,
}

/// A calendar and the days that it names.
#[derive(Debug, Clone)]
pub struct CalendarView {
    pub calendar: Calendar,
    pub days: Days,
    /// Another one after each change; a fetch is none.
    pub version: i64,
}

/// A source that was read.
struct Content {
    kind: Kind,
    text: String,
    url: Option<String>,
}

impl Watchclock {
    /// Calendars of a project, newest first.
    pub async fn calendars(&self, project: Uuid) -> ServiceResult<Vec<CalendarView>> {
        Ok(self.store().calendars(project).await?.into_iter().map(view).collect())
    }

    pub async fn calendar(&self, project: Uuid, id: Uuid) -> ServiceResult<CalendarView> {
        let all = self.store().calendars(project).await?;
        all.into_iter().find(|calendar| calendar.id == id).map(view).ok_or(ServiceError::NotFound)
    }

    /// The days of some calendars of a project, each by its id.
    pub async fn days_off(&self, project: Uuid, own: Vec<Uuid>) -> ServiceResult<DaysOff> {
        if own.is_empty() {
            return Ok(DaysOff::none());
        }
        let days = self.store().calendar_days(&[project]).await?;
        let choice = CalendarChoice { own, of_project: false };
        let unknown = days.unknown(project, &choice);
        if unknown.is_empty() {
            return Ok(days.off(project, &choice));
        }
        let problem = |id: &Uuid| Problem::new("calendars", format!("no such calendar: {id}"));
        Err(ServiceError::Invalid(unknown.iter().map(problem).collect()))
    }

    /// Makes a calendar. One with a URL is fetched at once, and refused when that fails.
    pub async fn create_calendar(
        &self,
        project: Uuid,
        change: CalendarChange,
    ) -> ServiceResult<CalendarView> {
        let mut problems = name_problems(change.name.as_deref().unwrap_or_default());
        if self.store().calendars(project).await?.len() >= MAX_CALENDARS {
            problems.push(Problem::new("", format!("a project has at most {MAX_CALENDARS} calendars")));
        }
        let source = change.source.unwrap_or(Source::Dates(String::new()));
        let content = self.read(source, &mut problems).await;
        let Some(content) = content.filter(|_| problems.is_empty()) else {
            return Err(ServiceError::Invalid(problems));
        };
        let now = self.now();
        let fetched = content.kind == Kind::Url;
        let calendar = Calendar {
            id: self.new_id(),
            project,
            name: change.name.unwrap_or_default().trim().to_owned(),
            project_wide: change.project_wide.unwrap_or(false),
            kind: content.kind,
            content: content.text,
            url: content.url,
            revision: self.new_id(),
            fetched_at: fetched.then_some(now),
            fetch_at: fetched.then(|| now + FETCHED_EVERY),
            problem: None,
            created_at: now,
            updated_at: now,
        };
        let mut tx = self.store().begin().await?;
        let added = self.store().add_calendar(&mut tx, &calendar).await;
        added.map_err(|error| name_taken(error, &calendar.name))?;
        self.store().commit(tx).await?;
        self.replan_calendars().await?;
        Ok(view(calendar))
    }

    /// Changes a calendar; with a version, only while that is the one. Its monitors are planned anew from now on; nothing is
    /// alerted for the past.
    pub async fn update_calendar(
        &self,
        project: Uuid,
        id: Uuid,
        version: Option<i64>,
        change: CalendarChange,
    ) -> ServiceResult<CalendarView> {
        let mut problems = change.name.as_deref().map(name_problems).unwrap_or_default();
        let content = match change.source {
            Some(source) => self.read(source, &mut problems).await,
            None => None,
        };
        if !problems.is_empty() {
            return Err(ServiceError::Invalid(problems));
        }
        let now = self.now();
        let mut tx = self.store().begin().await?;
        let before = self.store().lock_calendar(&mut tx, project, id).await?.ok_or(ServiceError::NotFound)?;
        version::check(version, version::of(before.updated_at))?;
        let mut after = before.clone();
        if let Some(name) = change.name {
            name.trim().clone_into(&mut after.name);
        }
        after.project_wide = change.project_wide.unwrap_or(after.project_wide);
        if let Some(content) = content {
            let fetched = content.kind == Kind::Url;
            (after.kind, after.content, after.url) = (content.kind, content.text, content.url);
            after.fetched_at = fetched.then_some(now);
            after.fetch_at = fetched.then(|| now + FETCHED_EVERY);
            after.problem = None;
        }
        after.updated_at = version::changed(before.updated_at, now);
        let replan = self.revise(&before, &mut after);
        let written = self.store().update_calendar(&mut tx, &after, replan).await;
        written.map_err(|error| name_taken(error, &after.name))?;
        self.store().commit(tx).await?;
        self.replan_calendars().await?;
        Ok(view(after))
    }

    /// Deletes a calendar; its days count no more from now on.
    pub async fn delete_calendar(&self, project: Uuid, id: Uuid) -> ServiceResult<()> {
        if !self.store().remove_calendar(project, id, self.new_id()).await? {
            return Err(ServiceError::NotFound);
        }
        self.replan_calendars().await
    }

    /// Fetches calendars whose time has come, and plans anew what changes left to do. A tick.
    pub async fn tend_calendars(&self) -> ServiceResult<()> {
        let now = self.now();
        for calendar in self.store().claim_fetches(now, now + FETCHED_AGAIN, FETCHES).await? {
            self.refetch(calendar, now).await?;
        }
        self.replan_calendars().await
    }

    /// Fetches a calendar; when that fails, the last good content stays and the reason is kept.
    async fn refetch(&self, claimed: Calendar, now: Time) -> ServiceResult<()> {
        let Some(url) = &claimed.url else { return Ok(()) };
        let mut problems = Vec::new();
        let content = self.read(Source::Url(url.clone()), &mut problems).await;
        let mut tx = self.store().begin().await?;
        let before = self.store().lock_calendar(&mut tx, claimed.project, claimed.id).await?;
        // somebody may have changed it during the fetch
        let Some(before) = before.filter(|before| before.url == claimed.url) else { return Ok(()) };
        let mut after = before.clone();
        if let Some(content) = content.filter(|_| problems.is_empty()) {
            after.content = content.text;
            after.fetched_at = Some(now);
            after.fetch_at = Some(now + FETCHED_EVERY);
            after.problem = None;
        } else {
            after.problem = problems.first().map(|problem| problem.message.clone());
            after.fetch_at = Some(now + FETCHED_AGAIN);
        }
        let replan = self.revise(&before, &mut after);
        self.store().update_calendar(&mut tx, &after, replan).await?;
        Ok(self.store().commit(tx).await?)
    }

    /// Gives a calendar a new revision if other days are off now, and tells which monitors that concerns.
    fn revise(&self, before: &Calendar, after: &mut Calendar) -> Option<Replan> {
        let set = |calendar: &Calendar| view(calendar.clone()).days.into_set();
        if before.project_wide == after.project_wide && set(before) == set(after) {
            return None;
        }
        after.revision = self.new_id();
        Some(if before.project_wide || after.project_wide { Replan::Project } else { Replan::Listed })
    }

    /// Reads a source; of a URL what is there now.
    async fn read(&self, source: Source, problems: &mut Vec<Problem>) -> Option<Content> {
        let (field, content) = match source {
            Source::Dates(text) => ("dates", Content { kind: Kind::Dates, text, url: None }),
            Source::ICalendar(text) => ("icalendar", Content { kind: Kind::ICalendar, text, url: None }),
            Source::Url(url) => match self.inner.notifier.fetch_text(&url, MAX_BYTES).await {
                Ok(text) => ("url", Content { kind: Kind::Url, text, url: Some(url.trim().to_owned()) }),
                Err(said) => {
                    problems.push(Problem::new("url", format!("it cannot be fetched: {said}")));
                    return None;
                }
            },
        };
        if content.text.contains('\0') {
            problems.push(Problem::new(field, "must not hold NUL characters"));
            return None;
        }
        match Days::parse(content.kind, &content.text) {
            Ok(_) => Some(content),
            Err(found) => {
                problems.extend(found.into_iter().map(|problem| problem.in_field(field)));
                None
            }
        }
    }

    /// Plans the monitors of changed calendars anew, some at a time, so that pings wait for no more than those.
    async fn replan_calendars(&self) -> ServiceResult<()> {
        while let Some(of) = self.store().next_replanning().await? {
            let mut after = Uuid::nil();
            loop {
                let ids = self.store().monitors_to_replan(&of, after, MONITORS).await?;
                let Some(last) = ids.last().copied() else { break };
                self.replan_contained(&of, &ids).await?;
                after = last;
            }
            self.store().finish_replanning(&of).await?;
        }
        Ok(())
    }

    /// Plans monitors anew together; when one of them cannot be, the others still are.
    async fn replan_contained(&self, of: &Replanning, ids: &[Uuid]) -> Result<(), StoreError> {
        match self.replan_monitors(of, ids).await {
            Err(error) if !error.is_transient() && ids.len() > 1 => {
                tracing::warn!(%error, monitors = ids.len(), "monitors could not be planned anew together");
                for id in ids {
                    Box::pin(self.replan_contained(of, std::slice::from_ref(id))).await?;
                }
                Ok(())
            }
            Err(error) if !error.is_transient() => {
                tracing::error!(%error, monitor = %ids[0], "a monitor could not be planned anew");
                Ok(())
            }
            done => done,
        }
    }

    async fn replan_monitors(&self, of: &Replanning, ids: &[Uuid]) -> Result<(), StoreError> {
        let now = self.now();
        let mut tx = self.store().begin().await?;
        let facts = self.store().lock_facts(&mut tx, ids, &[], false).await?;
        self.store().raise_versions(&mut tx, ids, of).await?;
        let monitors: Vec<Monitor> = self.store().locked_monitors(&mut tx, ids).await?;
        let mut lines: Vec<Timeline<'_>> = Vec::with_capacity(monitors.len());
        for (id, facts) in facts {
            let Some(monitor) = monitors.iter().find(|monitor| monitor.id == id) else { continue };
            let mut line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
            slots::replan_days(monitor, &mut line.memory, now);
            line.replan();
            lines.push(line);
        }
        let timelines: Vec<&Timeline<'_>> = lines.iter().collect();
        self.store().write(&mut tx, &Batch { timelines, alerts: Vec::new() }).await?;
        self.store().commit(tx).await?;
        self.inner.cache.reload(self.store(), ids).await?;
        self.wake(lines.iter(), false);
        Ok(())
    }
}

fn view(calendar: Calendar) -> CalendarView {
    let days = Days::of_stored(calendar.kind, &calendar.content);
    CalendarView { version: version::of(calendar.updated_at), calendar, days }
}

fn name_problems(name: &str) -> Vec<Problem> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
        return vec![Problem::new("name", "give a name: 1 to 100 characters, on one line")];
    }
    Vec::new()
}

fn name_taken(error: StoreError, name: &str) -> ServiceError {
    if error.exists("calendars_name") {
        ServiceError::taken("name", format!("another calendar of this project has the name `{name}` already"))
    } else {
        error.into()
    }
}
