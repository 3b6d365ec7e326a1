//! Maintenance windows: making, changing and looking at them. Neighbour: `cache` keeps them with the monitors they cover.

mod change;

pub use change::{Comes, WindowChange};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::{MonitorChoice, Span, Window},
    problem::Problem,
};
use watchclock_store::maintenance::StoredWindow;

use crate::{ServiceError, ServiceResult, Watchclock, version};

/// Most windows of one project.
const MOST: usize = 200;

/// A window as looked at.
#[derive(Debug, Clone)]
pub struct WindowView {
    pub window: Window,
    /// Why what is stored of it cannot be read. It suppresses nothing until it is said anew when it is on.
    pub broken: Option<String>,
    /// Whether it is on now.
    pub is_on: bool,
    /// The span that is on, else the next one, up to where it is really over; none when it comes no more.
    pub span: Option<Span>,
    pub created_at: Time,
    pub updated_at: Time,
    /// Another one after each change.
    pub version: i64,
}

impl WindowView {
    fn of(stored: StoredWindow, now: Time) -> Self {
        Self {
            is_on: stored.window.span_at(now).is_some(),
            span: stored.window.stretch_from(now),
            window: stored.window,
            broken: stored.broken,
            created_at: stored.created_at,
            updated_at: stored.updated_at,
            version: version::of(stored.updated_at),
        }
    }
}

impl Watchclock {
    /// The windows of a project, newest first.
    pub async fn maintenance_windows(&self, project: Uuid) -> ServiceResult<Vec<WindowView>> {
        let now = self.now();
        let windows = self.store().windows(project).await?;
        Ok(windows.into_iter().map(|stored| WindowView::of(stored, now)).collect())
    }

    pub async fn maintenance_window(&self, project: Uuid, id: Uuid) -> ServiceResult<WindowView> {
        let windows = self.maintenance_windows(project).await?;
        windows.into_iter().find(|view| view.window.id == id).ok_or(ServiceError::NotFound)
    }

    /// Makes a window; every problem of what was given comes back at once.
    pub async fn create_maintenance_window(
        &self,
        project: Uuid,
        change: WindowChange,
    ) -> ServiceResult<WindowView> {
        self.write_window(project, None, None, change).await
    }

    /// Changes a window; with a version, only while that is the one.
    pub async fn update_maintenance_window(
        &self,
        project: Uuid,
        id: Uuid,
        version: Option<i64>,
        change: WindowChange,
    ) -> ServiceResult<WindowView> {
        self.write_window(project, Some(id), version, change).await
    }

    pub async fn delete_maintenance_window(&self, project: Uuid, id: Uuid) -> ServiceResult<()> {
        let mut tx = self.store().begin().await?;
        self.store().lock_windows(&mut tx, project).await?;
        if !self.store().remove_window(&mut tx, project, id).await? {
            return Err(ServiceError::NotFound);
        }
        self.store().look_at_held(&mut tx, project, self.now()).await?;
        self.store().commit(tx).await?;
        self.inner.wakes.evaluator.notify_one();
        Ok(())
    }

    /// Everything that making such a window, or changing `before` so, would be refused for.
    pub async fn window_problems(
        &self,
        project: Uuid,
        before: Option<&WindowView>,
        change: WindowChange,
    ) -> ServiceResult<Vec<Problem>> {
        let mut problems = self.unknown_monitors(project, &change).await?;
        let before = before.map(|view| (&view.window, view.broken.is_some()));
        problems.extend(change.apply(before, Uuid::nil(), self.now()).err().unwrap_or_default());
        Ok(problems)
    }

    async fn write_window(
        &self,
        project: Uuid,
        id: Option<Uuid>,
        version: Option<i64>,
        change: WindowChange,
    ) -> ServiceResult<WindowView> {
        let now = self.now();
        let mut problems = self.unknown_monitors(project, &change).await?;
        let mut tx = self.store().begin().await?;
        let windows = self.store().lock_windows(&mut tx, project).await?;
        let before = match id {
            Some(id) => {
                let known = windows.iter().find(|stored| stored.window.id == id);
                Some(known.ok_or(ServiceError::NotFound)?)
            }
            None if windows.len() >= MOST => {
                return Err(ServiceError::Conflict(format!(
                    "a project has at most {MOST} maintenance windows"
                )));
            }
            None => None,
        };
        if let Some(before) = before {
            version::check(version, version::of(before.updated_at))?;
        }
        let known = before.map(|stored| (&stored.window, stored.broken.is_some()));
        let applied = change.apply(known, self.new_id(), now);
        let window = match applied {
            Ok(window) if problems.is_empty() => window,
            Ok(_) => return Err(ServiceError::Invalid(problems)),
            Err(more) => {
                problems.extend(more);
                return Err(ServiceError::Invalid(problems));
            }
        };
        let created_at = before.map_or(now, |stored| stored.created_at);
        let updated_at = before.map_or(now, |stored| version::changed(stored.updated_at, now));
        let stored = StoredWindow { window, broken: None, created_at, updated_at };
        self.store().write_window(&mut tx, project, &stored).await?;
        self.store().look_at_held(&mut tx, project, now).await?;
        self.store().commit(tx).await?;
        self.inner.wakes.evaluator.notify_one();
        Ok(WindowView::of(stored, now))
    }

    /// Which monitors of a project some ids or slugs name, in their order.
    pub async fn monitors_named(&self, project: Uuid, names: &[String]) -> ServiceResult<Vec<Option<Uuid>>> {
        let monitors = self.store().monitors(project).await?;
        let find = |name: &String| {
            let id = Uuid::try_parse(name).ok();
            monitors.iter().find(|monitor| Some(monitor.id) == id || monitor.slug == *name)
        };
        Ok(names.iter().map(|name| find(name).map(|monitor| monitor.id)).collect())
    }

    async fn unknown_monitors(&self, project: Uuid, change: &WindowChange) -> ServiceResult<Vec<Problem>> {
        let Some(MonitorChoice::Some(ids)) = &change.monitors else { return Ok(Vec::new()) };
        let known = self.store().monitors_by_id(ids).await?;
        let is_known =
            |id: &Uuid| known.iter().any(|monitor| monitor.id == *id && monitor.project == project);
        let unknown: Vec<String> = ids.iter().filter(|id| !is_known(id)).map(Uuid::to_string).collect();
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Problem::new("monitors", format!("no such monitor: {}", unknown.join(", ")))])
    }
}
