//! Monitors: making, changing and looking at them. Neighbour: `intake` is where their pings go.

mod change;
mod past;
mod values;
mod view;

use std::sync::Arc;

pub use change::{MonitorChange, RuleChange, never_fires};
pub use past::Past;
use uuid::Uuid;
pub use view::{MonitorFilter, MonitorPlace, MonitorView};
use watchclock_domain::{
    monitor::{ChannelChoice, Memory, Monitor},
    problem::Problem,
    timeline::{Timeline, slots},
};
use watchclock_store::{Batch, StoreError, Tx};

use crate::{ServiceError, ServiceResult, Watchclock, incident::comment};

impl Watchclock {
    /// Makes a monitor; every problem of what was given comes back at once.
    pub async fn create_monitor(&self, project: Uuid, change: MonitorChange) -> ServiceResult<MonitorView> {
        let now = self.now();
        let blank = change::blank(crate::secret::unguessable_id(), project, now);
        let days = self.store().calendar_days(&[project]).await?;
        let mut tx = self.store().begin().await?;
        let named = NamedChannels::of(&change);
        let problems = self.unknown_channels(&mut tx, &blank, &named).await?;
        let slug = change.slug_after(&blank);
        let applied = change.apply(&blank, (now, &days), || self.new_id());
        let monitor = self.whole(applied, problems, (&blank, &slug)).await?;
        let mut memory = Memory::new(now);
        slots::restart_counting(&monitor, &mut memory, now);
        self.store()
            .add_monitor(&mut tx, &monitor, &memory)
            .await
            .map_err(|error| slug_taken(error, &monitor.slug))?;
        self.store().commit(tx).await?;
        self.inner.wakes.evaluator.notify_one();
        self.monitor(project, &monitor.id.to_string()).await
    }

    /// Changes a monitor; with `if_version`, only that version of it. An edited schedule starts counting from now.
    pub async fn update_monitor(
        &self,
        project: Uuid,
        id: Uuid,
        if_version: Option<i64>,
        change: MonitorChange,
    ) -> ServiceResult<MonitorView> {
        let days = self.store().calendar_days(&[project]).await?;
        let named = NamedChannels::of(&change);
        let slug = change.slug.as_deref().map(|slug| slug.trim().to_owned());
        self.change_monitor(project, id, if_version, (&named, slug.as_deref()), |monitor| {
            change.apply(monitor, (self.now(), &days), || self.new_id())
        })
        .await
    }

    /// No deadlines and no alerts until it is resumed; pings are recorded. Open incidents stay open; of those whose alert
    /// has not gone out, people hear after the pause, if they are still open then.
    pub async fn pause_monitor(&self, project: Uuid, id: Uuid) -> ServiceResult<MonitorView> {
        self.change_monitor(project, id, None, (&NamedChannels::default(), None), |monitor| {
            Ok(Monitor { paused: true, ..monitor.clone() })
        })
        .await
    }

    /// Counts slots from now on.
    pub async fn resume_monitor(&self, project: Uuid, id: Uuid) -> ServiceResult<MonitorView> {
        self.change_monitor(project, id, None, (&NamedChannels::default(), None), |monitor| {
            Ok(Monitor { paused: false, ..monitor.clone() })
        })
        .await
    }

    async fn change_monitor(
        &self,
        project: Uuid,
        id: Uuid,
        if_version: Option<i64>,
        (named, slug): (&NamedChannels, Option<&str>),
        edit: impl FnOnce(&Monitor) -> Result<Monitor, Vec<Problem>>,
    ) -> ServiceResult<MonitorView> {
        let now = self.now();
        let mut tx = self.store().begin().await?;
        let mut facts = self.store().lock_facts(&mut tx, &[id], &[], false).await?;
        let facts = facts.remove(&id).ok_or(ServiceError::NotFound)?;
        let before = self.inner.cache.reload_in(self.store(), &mut tx, &[id]).await?.remove(&id);
        let before = before.filter(|monitor| monitor.project == project).ok_or(ServiceError::NotFound)?;
        if if_version.is_some_and(|version| version != before.version) {
            return Err(ServiceError::Stale);
        }
        let problems = self.unknown_channels(&mut tx, &before, named).await?;
        let mut after = self.whole(edit(&before), problems, (&before, slug.unwrap_or(&before.slug))).await?;
        after.version = before.version + 1;
        after.updated_at = now;
        let found = self.read_again(&mut tx, &before, &after).await?;
        let mut line = Timeline::new(&after, facts.memory, facts.runs, facts.incidents);
        line.gaps = self.gaps();
        if !found.is_empty() {
            line.memory.learn_keys(&found);
            line.memory.past_version += 1;
            line.changes.memory = true;
        }
        let new_schedule = before.schedule.text() != after.schedule.text();
        let resumed = before.paused && !after.paused;
        if new_schedule || resumed {
            slots::restart_counting(&after, &mut line.memory, now);
        } else if before.schedule != after.schedule {
            slots::replan_days(&after, &mut line.memory, now);
        }
        if before.max_duration != after.max_duration {
            line.limit_changed(now);
        }
        if before.ping_limit != after.ping_limit {
            line.forget_pace();
        }
        line.resolve_by_edit(now);
        if after.paused && !before.paused {
            let open: Vec<Uuid> = line.incidents.iter().map(|incident| incident.id).collect();
            for incident in open {
                if self.store().cancel_unsent(&mut tx, incident, now).await? {
                    line.hold_alert(incident, now);
                }
            }
        }
        line.replan();
        if after.broken.is_some() {
            // What cannot be read stays as it is stored.
            self.store().set_paused(&mut tx, id, after.paused).await?;
        } else {
            let updated = self.store().update_monitor(&mut tx, &after).await;
            updated.map_err(|error| slug_taken(error, &after.slug))?;
        }
        let alerts = self.compose_alerts(&mut tx, &[&line]).await?;
        let alerting = !alerts.is_empty();
        self.store().write(&mut tx, &Batch { timelines: vec![&line], alerts }).await?;
        self.store().commit(tx).await?;
        self.inner.cache.reload(self.store(), &[id]).await?;
        self.wake(std::iter::once(&line), alerting);
        self.monitor(project, &id.to_string()).await
    }

    /// Everything that making such a monitor, or changing `before` so, would be refused for.
    pub async fn monitor_problems(
        &self,
        project: Uuid,
        before: Option<&Monitor>,
        change: MonitorChange,
    ) -> ServiceResult<Vec<Problem>> {
        let now = self.now();
        let days = self.store().calendar_days(&[project]).await?;
        let blank = change::blank(Uuid::nil(), project, now);
        let before = before.unwrap_or(&blank);
        let mut tx = self.store().begin().await?;
        let mut problems = self.unknown_channels(&mut tx, before, &NamedChannels::of(&change)).await?;
        let slug = change.slug_after(before);
        let applied = change.apply(before, (now, &days), Uuid::nil);
        problems.extend(applied.err().unwrap_or_default());
        problems.extend(self.taken(before, &slug).await?);
        Ok(problems)
    }

    /// What came of a change, or everything that is wrong with it. That the slug alone is taken, the constraint tells.
    async fn whole(
        &self,
        applied: Result<Monitor, Vec<Problem>>,
        mut problems: Vec<Problem>,
        (before, slug): (&Monitor, &str),
    ) -> ServiceResult<Monitor> {
        match applied {
            Ok(applied) if problems.is_empty() => Ok(applied),
            applied => {
                problems.extend(applied.err().unwrap_or_default());
                problems.extend(self.taken(before, slug).await?);
                Err(ServiceError::Invalid(problems))
            }
        }
    }

    /// Whether the slug that a monitor would have is that of another.
    async fn taken(&self, before: &Monitor, slug: &str) -> ServiceResult<Option<Problem>> {
        if slug == before.slug {
            return Ok(None);
        }
        let other = self.store().monitor_by_slug(before.project, slug).await?;
        Ok(other.filter(|other| *other != before.id).map(|_| Problem::new("slug", taken_words(slug))))
    }

    /// Deletes a monitor with its runs. What was alerted is told to be over; what was not, is cancelled.
    pub async fn delete_monitor(&self, project: Uuid, id: Uuid) -> ServiceResult<()> {
        self.delete_monitor_if(project, id, None).await
    }

    /// The same; with `if_version`, only that version of it.
    pub async fn delete_monitor_if(
        &self,
        project: Uuid,
        id: Uuid,
        if_version: Option<i64>,
    ) -> ServiceResult<()> {
        let now = self.now();
        let mut tx = self.store().begin().await?;
        // The lock keeps pings out until the monitor is gone.
        let facts = self.store().lock_facts(&mut tx, &[id], &[], false).await?.remove(&id);
        let monitor = self.inner.cache.reload_in(self.store(), &mut tx, &[id]).await?.remove(&id);
        let monitor = monitor.filter(|monitor| monitor.project == project);
        let (Some(facts), Some(monitor)) = (facts, monitor) else { return Err(ServiceError::NotFound) };
        if if_version.is_some_and(|version| version != facts.version) {
            return Err(ServiceError::Stale);
        }
        let mut line = Timeline::new(&monitor, facts.memory, facts.runs, facts.incidents);
        line.resolve_all("the monitor was deleted", now);
        let alerts = self.compose_alerts(&mut tx, &[&line]).await?;
        let told: Vec<Uuid> = alerts.iter().map(|alert| alert.id).collect();
        self.store().write(&mut tx, &Batch { timelines: vec![&line], alerts }).await?;
        self.store().detach_alerts(&mut tx, &told).await?;
        if !self.store().remove_monitor(&mut tx, project, id, now).await? {
            return Err(ServiceError::NotFound);
        }
        self.store().commit(tx).await?;
        self.inner.cache.reload(self.store(), &[id]).await?;
        self.inner.wakes.deliverer.notify_one();
        Ok(())
    }

    /// Resolves an incident by hand, without a faked ping; nothing happens to one that is resolved already.
    pub async fn resolve_incident(&self, project: Uuid, id: Uuid, by: &str) -> ServiceResult<()> {
        self.resolve_incident_saying(project, id, by, None).await
    }

    /// The same, with a comment.
    pub async fn resolve_incident_saying(
        &self,
        project: Uuid,
        id: Uuid,
        by: &str,
        text: Option<&str>,
    ) -> ServiceResult<()> {
        let now = self.now();
        let comment = comment(id, now, by, text)?;
        let incident = self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let mut tx = self.store().begin().await?;
        let mut facts = self.store().lock_facts(&mut tx, &[incident.monitor], &[], false).await?;
        let facts = facts.remove(&incident.monitor).ok_or(ServiceError::NotFound)?;
        let monitors = self.inner.cache.reload_in(self.store(), &mut tx, &[incident.monitor]).await?;
        let monitor: &Arc<Monitor> = monitors.get(&incident.monitor).ok_or(ServiceError::NotFound)?;
        let mut line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
        if line.resolve_by_hand(id, by, now) {
            let alerts = self.compose_alerts(&mut tx, &[&line]).await?;
            self.store().write(&mut tx, &Batch { timelines: vec![&line], alerts }).await?;
        }
        if let Some(comment) = comment {
            self.store().comment_once(&mut tx, &comment).await?;
        }
        self.store().commit(tx).await?;
        self.inner.wakes.deliverer.notify_one();
        Ok(())
    }

    /// What is wrong with the channels that a change names. What was right when it was set may be gone by now; that must
    /// not stop other changes, so only what is new is looked at.
    async fn unknown_channels(
        &self,
        tx: &mut Tx,
        before: &Monitor,
        named: &NamedChannels,
    ) -> ServiceResult<Vec<Problem>> {
        let mut problems = Vec::new();
        let own = named.own.iter().filter(|choice| **choice != before.channels);
        let of_rules = named
            .of_rules
            .iter()
            .filter(|(_, ids)| before.rules.iter().all(|rule| rule.channels.as_ref() != Some(ids)));
        let all = own
            .map(|choice| (String::new(), choice.clone()))
            .chain(of_rules.map(|(at, ids)| (format!("rules[{at}]."), ChannelChoice::Some(ids.clone()))));
        for (place, choice) in all {
            match self.check_channels(tx, before.project, &choice).await {
                Err(ServiceError::Invalid(found)) => problems.extend(found.into_iter().map(|problem| {
                    let field = format!("{place}{}", problem.field);
                    problem.in_field(field)
                })),
                other => other?,
            }
        }
        Ok(problems)
    }

    /// Every channel that a monitor names must be one of its project. In the caller's transaction: waiting for a second
    /// connection there, many could wait for each other.
    async fn check_channels(&self, tx: &mut Tx, project: Uuid, choice: &ChannelChoice) -> ServiceResult<()> {
        let ChannelChoice::Some(ids) = choice else { return Ok(()) };
        let known = self.store().known_channels(tx, project, ids).await?;
        let unknown = |(at, id): (usize, &Uuid)| {
            let problem = || Problem::new(format!("channels[{at}]"), format!("there is no channel {id}"));
            (!known.contains(id)).then(problem)
        };
        let problems: Vec<Problem> = ids.iter().enumerate().filter_map(unknown).collect();
        if problems.is_empty() { Ok(()) } else { Err(ServiceError::Invalid(problems)) }
    }
}

/// The channels that a change names.
#[derive(Debug, Default)]
struct NamedChannels {
    own: Option<ChannelChoice>,
    /// With the place of the rule.
    of_rules: Vec<(usize, Vec<Uuid>)>,
}

impl NamedChannels {
    fn of(change: &MonitorChange) -> Self {
        let rules = change.rules.iter().flatten().enumerate();
        Self {
            own: change.channels.clone(),
            of_rules: rules.filter_map(|(at, rule)| Some((at, rule.channels.clone()??))).collect(),
        }
    }
}

fn slug_taken(error: StoreError, slug: &str) -> ServiceError {
    if error.exists("monitors_slug") { ServiceError::taken("slug", taken_words(slug)) } else { error.into() }
}

fn taken_words(slug: &str) -> String {
    format!("another monitor of this project has the slug `{slug}` already")
}
