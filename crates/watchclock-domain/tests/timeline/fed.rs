//! Feeds the real timeline the way the service does: each step sees only open runs, the named one, and open incidents.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    incident::Incident,
    monitor::{ChannelChoice, Memory, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping::{Output, Ping, RunId, Signal, Source},
    run::{Run, RunFlag, RunStatus},
    schedule::{Schedule, ScheduleText},
    timeline::Timeline,
    usual::Anomalies,
    value::Meta,
};

use crate::{Sign, Step, What};

pub(crate) struct Fed {
    monitor: Monitor,
    now: Time,
    memory: Memory,
    runs: BTreeMap<Uuid, Run>,
    incidents: BTreeMap<Uuid, Incident>,
    last_id: u128,
}

fn epoch() -> Time {
    DateTime::<Utc>::from_timestamp(1_800_000_000, 0).expect("a time within range")
}

impl Fed {
    pub(crate) fn new(allowed: u32) -> Self {
        let policy = if allowed > 1 { OverlapPolicy::Allow } else { OverlapPolicy::Alert };
        let monitor = Monitor {
            id: Uuid::from_u128(1),
            project: Uuid::from_u128(2),
            slug: "job".to_owned(),
            name: "job".to_owned(),
            description: String::new(),
            tags: Vec::new(),
            runbook: String::new(),
            schedule: Schedule::compile(&ScheduleText::none()).expect("no schedule always compiles"),
            broken: None,
            grace: Duration::minutes(5),
            max_duration: Some(Duration::minutes(10)),
            min_duration: None,
            early_tolerance: None,
            overlap: Overlap { policy, allowed },
            rules: Vec::new(),
            extractors: Vec::new(),
            anomalies: Anomalies { duration: false, meta: Vec::new() },
            thresholds: Thresholds::default(),
            alert_after: Duration::zero(),
            alert_unscheduled: false,
            channels: ChannelChoice::All,
            paused: false,
            manual_resume: false,
            post_only: false,
            created_at: epoch(),
            updated_at: epoch(),
            version: 1,
        };
        let memory = Memory::new(epoch());
        Self {
            monitor,
            now: epoch(),
            memory,
            runs: BTreeMap::new(),
            incidents: BTreeMap::new(),
            last_id: 100,
        }
    }

    /// Takes a step; tells whether it changed anything.
    pub(crate) fn take(&mut self, step: &Step) -> bool {
        self.now += Duration::seconds(i64::from(step.after));
        let rid = match &step.what {
            What::Ping { rid: Some(rid), .. } => Some(rid.to_string()),
            _ => None,
        };
        let is_named = |run: &Run| rid.is_some() && run.run_id.as_ref().map(|id| &id.key) == rid.as_ref();
        let is_open = |run: &Run| matches!(run.status, RunStatus::Running | RunStatus::Hung);
        let runs = self.runs.values().filter(|run| is_open(run) || is_named(run)).cloned().collect();
        let incidents =
            self.incidents.values().filter(|incident| incident.resolved_at.is_none()).cloned().collect();
        let mut line = Timeline::new(&self.monitor, self.memory.clone(), runs, incidents);
        let mut last = self.last_id;
        let mut ids = || {
            last += 1;
            Uuid::from_u128(last)
        };
        match &step.what {
            What::Look => line.pass(self.now, &mut ids),
            What::Ping { sign, rid, host, ago } => {
                let ping = Ping {
                    signal: match sign {
                        Sign::Start => Signal::Start,
                        Sign::Good => Signal::Success,
                        Sign::Bad => Signal::Fail,
                        Sign::Log => Signal::Log,
                    },
                    run_id: rid.map(|rid| RunId { key: rid.to_string(), shown: rid.to_string() }),
                    received_at: self.now,
                    happened_at: ago.map(|ago| self.now - Duration::seconds(i64::from(ago))),
                    exit_code: None,
                    message: None,
                    meta: Meta::new(),
                    output: Output::default(),
                    source: Source { host: host.map(|host| host.to_string()), ..Source::default() },
                    notes: Vec::new(),
                    idempotency_key: None,
                };
                line.ping(&ping, &mut ids);
            }
        }
        let changed = line.changed();
        let written = &line.changes;
        for run in &line.runs {
            if written.new_runs.contains(&run.id) || written.changed_runs.contains(&run.id) {
                self.runs.insert(run.id, run.clone());
            } else {
                assert_eq!(self.runs.get(&run.id), Some(run), "a change that would not be written");
            }
        }
        for incident in &line.incidents {
            if written.new_incidents.contains(&incident.id)
                || written.changed_incidents.contains(&incident.id)
            {
                self.incidents.insert(incident.id, incident.clone());
            } else {
                assert_eq!(
                    self.incidents.get(&incident.id),
                    Some(incident),
                    "a change that would not be written"
                );
            }
        }
        assert!(written.memory || line.memory == self.memory, "memory that would not be written");
        self.memory = line.memory.clone();
        drop(line);
        self.last_id = last;
        changed
    }

    /// What must hold whatever happens.
    pub(crate) fn check(&self) {
        let active = self.runs.values().filter(|run| run.status == RunStatus::Running);
        let limits = active.clone().filter_map(|run| run.limit_at);
        assert_eq!(
            i64::try_from(active.count()).expect("few runs"),
            self.memory.active,
            "the count of active runs"
        );
        if let Some(limit) = limits.min() {
            assert!(self.memory.deadline.is_some_and(|deadline| deadline <= limit), "never too late");
        }
        let mut numbers: Vec<i64> = self.runs.values().map(|run| run.number).collect();
        numbers.sort_unstable();
        let count = i64::try_from(numbers.len()).expect("few runs");
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>());
        let mut open: Vec<_> =
            self.incidents.values().filter(|one| one.resolved_at.is_none()).map(|one| one.kind).collect();
        open.sort();
        let kinds = open.len();
        open.dedup();
        assert_eq!(open.len(), kinds, "one open incident of a kind");
        for run in self.runs.values() {
            assert!(run.duration().is_none_or(|duration| duration >= Duration::zero()));
            assert_eq!(run.has_ended(), run.ended_at.is_some());
            for other in &run.overlaps {
                assert!(self.runs[other].overlaps.contains(&run.id), "overlapping runs name each other");
            }
        }
    }

    pub(crate) fn tape(&self) -> String {
        let mut runs: Vec<&Run> = self.runs.values().collect();
        runs.sort_by_key(|run| run.number);
        let seconds = |time: Option<Time>| time.map(|time| (time - epoch()).num_seconds());
        let mut lines: Vec<String> = runs
            .iter()
            .map(|run| {
                let mut line = format!(
                    "#{} {} {:?} {:?}",
                    run.number,
                    run.status.word(),
                    seconds(run.started_at),
                    seconds(run.ended_at)
                );
                for flag in [RunFlag::Overlapped, RunFlag::PairingAssumed, RunFlag::HungUntil] {
                    if run.has(flag) {
                        line = format!("{line} {}", flag.word());
                    }
                }
                line
            })
            .collect();
        let mut open: Vec<&str> = self
            .incidents
            .values()
            .filter(|incident| incident.resolved_at.is_none())
            .map(|incident| incident.kind.word())
            .collect();
        open.sort_unstable();
        lines.extend(open.iter().map(|kind| format!("{kind} is open")));
        lines.join("\n")
    }
}
