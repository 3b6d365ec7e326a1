//! Describes a monitor in the words of its page and creates it. Neighbour: `job` is what acts on it.

use chrono::Duration;
use watchclock_domain::{
    monitor::{ChannelChoice, Overlap, OverlapPolicy, Thresholds},
    rule::{AppliesTo, IfMissing},
    schedule::ScheduleText,
    span,
};
use watchclock_service::monitor::{MonitorChange, RuleChange};

use crate::{job::Job, world::World};

/// A monitor that is about to be. Spans are as people write them: `10m`, `90s`, `2h`.
#[derive(Debug)]
#[must_use = "end with `create().await`"]
pub struct MonitorBuilder<'w> {
    world: &'w World,
    change: MonitorChange,
    schedule: Option<String>,
    tz: Option<String>,
}

/// A span as people write it.
pub fn span_of(text: &str) -> Duration {
    span::parse(text).unwrap_or_else(|problem| panic!("`{text}` is no span: {problem}"))
}

impl<'w> MonitorBuilder<'w> {
    pub(crate) fn new(world: &'w World, name: &str) -> Self {
        let change = MonitorChange { name: Some(name.to_owned()), ..MonitorChange::default() };
        Self { world, change, schedule: None, tz: None }
    }

    /// `0 3 * * *`
    pub fn cron(mut self, line: &str) -> Self {
        self.schedule = Some(line.to_owned());
        self
    }

    /// An interval: `5m`.
    pub fn every(mut self, interval: &str) -> Self {
        self.schedule = Some(format!("every {interval}"));
        self
    }

    pub fn tz(mut self, zone: &str) -> Self {
        self.tz = Some(zone.to_owned());
        self
    }

    pub fn grace(mut self, grace: &str) -> Self {
        self.change.grace = Some(span_of(grace));
        self
    }

    pub fn max_duration(mut self, limit: &str) -> Self {
        self.change.max_duration = Some(Some(span_of(limit)));
        self
    }

    pub fn min_duration(mut self, limit: &str) -> Self {
        self.change.min_duration = Some(Some(span_of(limit)));
        self
    }

    pub fn early_tolerance(mut self, early: &str) -> Self {
        self.change.early_tolerance = Some(Some(span_of(early)));
        self
    }

    /// Allows so many runs at once.
    pub fn allow(mut self, allowed: u32) -> Self {
        self.change.overlap = Some(Overlap { policy: OverlapPolicy::Allow, allowed });
        self
    }

    /// Refuses a start while a run is active.
    pub fn refuse(mut self) -> Self {
        self.change.overlap = Some(Overlap { policy: OverlapPolicy::Refuse, allowed: 1 });
        self
    }

    /// A rule with nothing but its condition.
    pub fn rule(self, when: &str) -> Self {
        self.rule_with(when, |_| {})
    }

    /// A rule that is true only after so many runs in a row.
    pub fn rule_for(self, when: &str, runs: u16) -> Self {
        self.rule_with(when, |rule| rule.for_runs = runs)
    }

    /// A rule over every end, good or bad.
    pub fn rule_of_any_end(self, when: &str) -> Self {
        self.rule_with(when, |rule| rule.applies_to = AppliesTo::Any)
    }

    /// A rule over bad ends.
    pub fn rule_of_failures(self, when: &str) -> Self {
        self.rule_with(when, |rule| rule.applies_to = AppliesTo::Fail)
    }

    /// A rule that does not mind a missing field.
    pub fn rule_if_there(self, when: &str) -> Self {
        self.rule_with(when, |rule| rule.if_missing = IfMissing::Ignore)
    }

    /// A rule of which only these channels hear.
    pub fn rule_to(self, when: &str, channels: &[uuid::Uuid]) -> Self {
        self.rule_with(when, |rule| rule.channels = Some(Some(channels.to_vec())))
    }

    /// Metadata out of the output: a name and `/Processed (\d+) rows/`.
    pub fn extractor(mut self, name: &str, pattern: &str) -> Self {
        self.change.extractors.get_or_insert_default().push((name.to_owned(), pattern.to_owned()));
        self
    }

    /// Watches metadata without a rule.
    pub fn watch(mut self, keys: &[&str]) -> Self {
        self.change.anomalies.get_or_insert_default().meta = keys.iter().map(|&key| key.to_owned()).collect();
        self
    }

    /// Lets any duration pass.
    pub fn any_duration(mut self) -> Self {
        self.change.anomalies.get_or_insert_default().duration = false;
        self
    }

    fn rule_with(mut self, when: &str, edit: impl FnOnce(&mut RuleChange)) -> Self {
        let mut rule = RuleChange::when(when);
        edit(&mut rule);
        self.change.rules.get_or_insert_default().push(rule);
        self
    }

    pub fn thresholds(mut self, edit: impl FnOnce(&mut Thresholds)) -> Self {
        edit(self.change.thresholds.get_or_insert_default());
        self
    }

    pub fn alert_after(mut self, span: &str) -> Self {
        self.change.alert_after = Some(span_of(span));
        self
    }

    pub fn alert_unscheduled(mut self) -> Self {
        self.change.alert_unscheduled = Some(true);
        self
    }

    pub fn channels(mut self, channels: &[uuid::Uuid]) -> Self {
        self.change.channels = Some(ChannelChoice::Some(channels.to_vec()));
        self
    }

    pub fn manual_resume(mut self) -> Self {
        self.change.manual_resume = Some(true);
        self
    }

    pub fn post_only(mut self) -> Self {
        self.change.post_only = Some(true);
        self
    }

    /// Takes so many pings a minute.
    pub fn ping_limit(mut self, per_minute: u32) -> Self {
        self.change.ping_limit = Some(Some(per_minute));
        self
    }

    /// Creates it now, by the clock of the world.
    pub async fn create(self) -> Job {
        let mut change = self.change;
        if let Some(text) = &self.schedule {
            let schedule = ScheduleText::from_shorthand(text, self.tz.as_deref());
            change.schedule = Some(schedule.unwrap_or_else(|problems| panic!("`{text}`: {problems:?}")));
        }
        let world = self.world;
        let made = world.watchclock().create_monitor(world.project().id, change).await;
        let made = made.unwrap_or_else(|error| panic!("the monitor cannot be made: {error}"));
        Job::new(world, &made.monitor)
    }
}
