//! A stored configuration becomes a monitor; what cannot be read of it is said. Neighbour: `monitor` reads and writes the rows.

use chrono::Duration;
use watchclock_domain::{
    monitor::{CalendarChoice, ChannelChoice, DEFAULT_GRACE, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping_limit::PingLimit,
    schedule::{Kind, Schedule, ScheduleText},
    span,
    usual::Anomalies,
};

use crate::{
    calendar::CalendarDays,
    maintenance::ProjectWindows,
    monitor::MonitorRow,
    rule::{RuleRow, extractors},
};

/// A year, the longest of every length.
const LONGEST: Duration = Duration::days(366);

impl MonitorRow {
    /// A row that cannot be understood (changed by hand, or by a later version) becomes a monitor that says so; where it is
    /// the schedule or how long after it a run is missed, it expects nothing. It stops nobody else.
    pub(crate) fn into_monitor(
        self,
        rules: Vec<RuleRow>,
        windows: &ProjectWindows,
        days: &CalendarDays,
    ) -> Monitor {
        let mut broken = Vec::new();
        let seconds = Duration::try_seconds;
        let mut expects = true;
        let mut length = |name: &str, least: Duration, stored: i64, read: Option<Duration>| {
            let fits = read.filter(|read| (least..=LONGEST).contains(read));
            if fits.is_none() {
                let least = span::words(least);
                broken.push(format!("{name} is {stored}, which is no length from {least} to a year"));
            }
            fits
        };
        let (none, least) = (Duration::zero(), Duration::seconds(1));
        let grace = length("grace_seconds", none, self.grace_seconds, seconds(self.grace_seconds));
        let alert_after = self.alert_after_seconds;
        let alert_after = length("alert_after_seconds", none, alert_after, seconds(alert_after));
        let max = self.max_seconds.and_then(|max| length("max_seconds", least, max, seconds(max)));
        let early = self.early_seconds.map(|early| length("early_seconds", least, early, seconds(early)));
        let millisecond = Duration::milliseconds(1);
        let min = self
            .min_milliseconds
            .and_then(|min| length("min_milliseconds", millisecond, min, Duration::try_milliseconds(min)));
        expects &= grace.is_some() && early != Some(None);
        let overlap = self.overlap(&mut broken);
        let thresholds = thresholds(&self.thresholds, &mut broken);
        let ping_limit = self.ping_limit.and_then(|limit| {
            let known = u32::try_from(limit).ok().and_then(PingLimit::new);
            if known.is_none() {
                broken.push(format!("ping_limit is {limit}, not from 1 to {}", PingLimit::MOST));
            }
            known
        });
        let schedule = self.schedule(&mut broken).filter(|_| expects);
        let nothing = || Schedule::compile(&ScheduleText::none()).expect("no schedule always compiles");
        let calendars = CalendarChoice { own: self.calendar_ids, of_project: self.project_calendars };
        let days_off = days.off(self.project_id, &calendars);
        let schedule = schedule.unwrap_or_else(nothing).with_days_off(days_off);
        let read = |row: RuleRow| row.into_rule().map_err(|problem| broken.push(problem)).ok();
        let rules = rules.into_iter().filter_map(read).collect();
        let extractors = extractors(&self.extractors, &mut broken);
        Monitor {
            id: self.id,
            project: self.project_id,
            slug: self.slug,
            name: self.name,
            description: self.description,
            tags: self.tags,
            runbook: self.runbook,
            schedule,
            calendars,
            broken: (!broken.is_empty()).then(|| broken.join("; ")),
            grace: grace.unwrap_or(DEFAULT_GRACE),
            max_duration: max,
            min_duration: min,
            early_tolerance: early.flatten(),
            overlap,
            rules,
            extractors,
            anomalies: Anomalies { duration: self.anomalies_duration, meta: self.anomalies_meta },
            thresholds,
            alert_after: alert_after.unwrap_or_default(),
            alert_unscheduled: self.alert_unscheduled,
            channels: self.channel_ids.map_or(ChannelChoice::All, ChannelChoice::Some),
            paused: self.paused,
            manual_resume: self.manual_resume,
            post_only: self.post_only,
            ping_limit,
            maintenance: windows.of_monitor(self.project_id, self.id),
            created_at: self.created_at,
            updated_at: self.updated_at,
            version: self.version,
        }
    }

    fn schedule(&self, broken: &mut Vec<String>) -> Option<Schedule> {
        let Some(kind) = Kind::from_word(&self.schedule_kind) else {
            broken.push(format!("schedule kind `{}` is unknown", self.schedule_kind));
            return None;
        };
        let text = ScheduleText {
            kind,
            every: self.schedule_every.and_then(|seconds| u32::try_from(seconds).ok()),
            lines: self.schedule_lines.clone(),
            tz: self.time_zone.clone(),
        };
        let told =
            |problems: Vec<_>| broken.extend(problems.first().map(|problem| format!("schedule: {problem}")));
        Schedule::compile(&text).map_err(told).ok()
    }

    fn overlap(&self, broken: &mut Vec<String>) -> Overlap {
        let policy = OverlapPolicy::from_word(&self.overlap_policy);
        if policy.is_none() {
            broken.push(format!("overlap policy `{}` is unknown", self.overlap_policy));
        }
        let allowed = u32::try_from(self.overlap_allowed).ok().filter(|runs| (1..=1_000).contains(runs));
        if allowed.is_none() {
            broken.push(format!("overlap_allowed is {}, not from 1 to 1000", self.overlap_allowed));
        }
        Overlap { policy: policy.unwrap_or(OverlapPolicy::Alert), allowed: allowed.unwrap_or(1) }
    }
}

/// Thresholds by name; one that is not there is as usual.
fn thresholds(json: &serde_json::Value, broken: &mut Vec<String>) -> Thresholds {
    let normal = Thresholds::default();
    if !json.is_object() {
        broken.push(format!("thresholds are `{json}`, no object"));
    }
    let mut read = |name: &str, normal: u16| {
        let Some(stored) = json.get(name) else { return normal };
        let number = stored.as_u64().and_then(|number| u16::try_from(number).ok());
        number.filter(|number| (1..=100).contains(number)).unwrap_or_else(|| {
            broken.push(format!("the threshold `{name}` is `{stored}`, not from 1 to 100"));
            normal
        })
    };
    Thresholds {
        failed: read("failed", normal.failed),
        missed: read("missed", normal.missed),
        rule: read("rule", normal.rule),
        fast: read("fast", normal.fast),
        slow: read("slow", normal.slow),
        recover: read("recover", normal.recover),
    }
}
