//! Monitors as looked at: configuration, memory, open incidents and recent runs together.

use std::{collections::BTreeMap, sync::Arc};

use uuid::Uuid;
use watchclock_domain::{
    Time,
    incident::Incident,
    monitor::{Health, Memory, Monitor},
    problem::{Problem, did_you_mean},
    rule::Extractor,
    run::Run,
    schedule::{RUNS_LOOKED_AT, ZoneHint, zone_hint},
};

use crate::{ServiceError, ServiceResult, Watchclock};

/// One monitor with what is known of it at a moment.
#[derive(Debug, Clone)]
pub struct MonitorView {
    pub monitor: Arc<Monitor>,
    pub memory: Memory,
    pub health: Health,
    /// Open incidents, newest first.
    pub incidents: Vec<Incident>,
    /// The last runs, newest first; how many was asked for.
    pub recent: Vec<Run>,
}

impl MonitorView {
    pub fn last_run(&self) -> Option<&Run> {
        self.recent.first()
    }

    /// Whether the last runs would fit another time zone; needs some of them in `recent`.
    pub fn zone_hint(&self) -> Option<ZoneHint> {
        let start = |run: &Run| run.started_at.or(run.ended_at);
        let starts: Vec<Time> = self.recent.iter().filter_map(start).take(RUNS_LOOKED_AT).collect();
        zone_hint(&self.monitor.schedule, &starts)
    }

    /// What is allowed and yet may be wrong: rules and watched keys that name what no run has reported so far.
    pub fn warnings(&self) -> Vec<Problem> {
        if self.memory.last_ended_at.is_none() {
            return Vec::new();
        }
        let extracted = self.monitor.extractors.iter().map(Extractor::name);
        let known: Vec<&str> = self.memory.meta_keys.iter().map(String::as_str).chain(extracted).collect();
        let mut warnings = Vec::new();
        for (at, rule) in self.monitor.rules.iter().enumerate() {
            warnings.extend(never_sent(rule.condition.names(), &known, &format!("rules[{at}].when")));
        }
        for (at, key) in self.monitor.anomalies.meta.iter().enumerate() {
            warnings.extend(never_sent(vec![key], &known, &format!("anomalies.meta[{at}]")));
        }
        warnings
    }

    /// The next time at which a run is expected, from now on.
    pub fn next_slot(&self, now: Time) -> Option<Time> {
        if self.monitor.paused {
            return None;
        }
        match self.memory.next_slot {
            Some(slot) if slot >= now => Some(slot),
            Some(slot) => match self.monitor.schedule.text().every.filter(|seconds| *seconds > 0) {
                // The slot has come and its grace runs. An interval goes on counting from it, not from now.
                Some(seconds) => {
                    let missed = ((now - slot).num_seconds() / i64::from(seconds)).saturating_add(1);
                    let due = slot.checked_add_signed(chrono::Duration::seconds(missed * i64::from(seconds)));
                    due.and_then(|due| self.monitor.schedule.moved(due))
                }
                None => self.monitor.schedule.next(now),
            },
            None => None,
        }
    }
}

/// Monitors read at once while looking for those that a filter takes.
const BATCH: usize = 500;

/// Where a monitor stands among those of its project: when it was made, and its id. It never changes.
pub type MonitorPlace = (Time, Uuid);

/// Which monitors to list. Unset means any.
#[derive(Debug, Clone, Default)]
pub struct MonitorFilter {
    pub tag: Option<String>,
    pub health: Option<Health>,
    /// Part of name, slug or description, in any case.
    pub query: Option<String>,
}

impl MonitorFilter {
    fn takes(&self, view: &MonitorView) -> bool {
        let tag = self.tag.as_ref().is_none_or(|tag| view.monitor.tags.contains(tag));
        let health = self.health.is_none_or(|health| view.health == health);
        tag && health && self.takes_text(&view.monitor)
    }

    fn takes_text(&self, monitor: &Monitor) -> bool {
        self.query.as_ref().is_none_or(|query| {
            let query = query.to_lowercase();
            [&monitor.name, &monitor.slug, &monitor.description]
                .iter()
                .any(|text| text.to_lowercase().contains(&query))
        })
    }
}

impl Watchclock {
    /// Monitors of a project, failing ones first, then by name; each with its last `recent` runs.
    pub async fn monitors(
        &self,
        project: Uuid,
        filter: &MonitorFilter,
        recent: i64,
    ) -> ServiceResult<Vec<MonitorView>> {
        let monitors = self.store().monitors(project).await?;
        let mut views = self.views(monitors.into_iter().map(Arc::new).collect(), recent).await?;
        views.retain(|view| filter.takes(view));
        views.sort_by_cached_key(|view| (view.health, view.monitor.name.to_lowercase(), view.monitor.id));
        Ok(views)
    }

    /// One page of the monitors of a project, newest first, each with its last run; `after` tells where the page before
    /// ended.
    pub async fn monitors_page(
        &self,
        project: Uuid,
        filter: &MonitorFilter,
        mut after: Option<MonitorPlace>,
        limit: usize,
    ) -> ServiceResult<(Vec<MonitorView>, Option<MonitorPlace>)> {
        let batch = if filter.health.is_some() || filter.query.is_some() { BATCH } else { limit + 1 };
        let mut page = Vec::new();
        // Health is derived and text is compared as people do, so that both are decided here, batch by batch.
        loop {
            let rows = i64::try_from(batch).unwrap_or(i64::MAX);
            let monitors = self.store().monitors_after(project, filter.tag.as_deref(), after, rows).await?;
            let is_last = monitors.len() < batch;
            after = monitors.last().map(|monitor| (monitor.created_at, monitor.id));
            let monitors = monitors.into_iter().filter(|monitor| filter.takes_text(monitor)).map(Arc::new);
            let mut views = self.views(monitors.collect(), 1).await?;
            views.retain(|view| filter.takes(view));
            page.append(&mut views);
            if page.len() > limit {
                page.truncate(limit);
                let last = page.last().map(|view| (view.monitor.created_at, view.monitor.id));
                return Ok((page, last));
            }
            if is_last {
                return Ok((page, None));
            }
        }
    }

    /// One monitor of a project by id or slug, with its last 50 runs.
    pub async fn monitor(&self, project: Uuid, id_or_slug: &str) -> ServiceResult<MonitorView> {
        let id = match Uuid::try_parse(id_or_slug) {
            Ok(id) => id,
            Err(_) => {
                self.store().monitor_by_slug(project, id_or_slug).await?.ok_or(ServiceError::NotFound)?
            }
        };
        let monitors = self.store().monitors_by_id(&[id]).await?;
        let monitors =
            monitors.into_iter().filter(|monitor| monitor.project == project).map(Arc::new).collect();
        self.views(monitors, 50).await?.pop().ok_or(ServiceError::NotFound)
    }

    /// The last notes of a monitor (`log` pings that no run took), newest first.
    pub async fn monitor_notes(&self, monitor: Uuid) -> ServiceResult<Vec<(Time, String)>> {
        Ok(self.store().monitor_notes(monitor, 20).await?)
    }

    async fn views(&self, monitors: Vec<Arc<Monitor>>, recent: i64) -> ServiceResult<Vec<MonitorView>> {
        let now = self.now();
        let ids: Vec<Uuid> = monitors.iter().map(|monitor| monitor.id).collect();
        let mut memories = self.store().memories(&ids).await?;
        let mut incidents: BTreeMap<Uuid, Vec<Incident>> = BTreeMap::new();
        for incident in self.store().open_incidents(&ids).await? {
            incidents.entry(incident.monitor).or_default().push(incident);
        }
        let mut runs: BTreeMap<Uuid, Vec<Run>> = BTreeMap::new();
        if recent > 0 {
            for run in self.store().recent_runs(&ids, recent).await? {
                runs.entry(run.monitor).or_default().push(run);
            }
        }
        Ok(monitors
            .into_iter()
            .filter_map(|monitor| {
                let memory = memories.remove(&monitor.id)?;
                let incidents = incidents.remove(&monitor.id).unwrap_or_default();
                let health = Health::of(&monitor, &memory, incidents.len(), now);
                let recent = runs.remove(&monitor.id).unwrap_or_default();
                Some(MonitorView { monitor, memory, health, incidents, recent })
            })
            .collect())
    }
}

fn never_sent(names: Vec<&str>, known: &[&str], field: &str) -> Vec<Problem> {
    let unknown = names.into_iter().filter(|name| !known.contains(name));
    let warning = |name: &str| {
        let hint = match did_you_mean(name, known.iter().copied()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => String::new(),
        };
        Problem::new(field, format!("no run has reported `{name}` so far{hint}"))
    };
    unknown.map(warning).collect()
}
