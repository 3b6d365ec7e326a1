//! Feeds the real timeline the way the service does: each step sees only open runs, the named one, and open incidents.

use std::collections::BTreeMap;

use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    gap::Gap,
    incident::Incident,
    maintenance::{Maintenance, MonitorChoice, When, Window},
    monitor::{ChannelChoice, Memory, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping::{Output, Ping, RunId, Signal, Source},
    run::{Run, RunFlag, RunStatus},
    schedule::{Schedule, Zone},
    timeline::{Timeline, slots},
    usual::Anomalies,
    value::Meta,
};

use crate::steps::{Edit, Plan, Policy, Setup, Sign, Step, What, open_line};

pub(crate) struct Fed {
    monitor: Monitor,
    now: Time,
    memory: Memory,
    gaps: Vec<Gap>,
    runs: BTreeMap<Uuid, Run>,
    incidents: BTreeMap<Uuid, Incident>,
    last_id: u128,
}

fn seconds(seconds: u32) -> Duration {
    Duration::seconds(i64::from(seconds))
}

fn schedule(plan: Plan) -> Schedule {
    Schedule::compile(&plan.text()).expect("such schedules compile")
}

fn overlap(policy: Policy, allowed: u32) -> Overlap {
    let policy = match policy {
        Policy::Alert => OverlapPolicy::Alert,
        Policy::Allow => OverlapPolicy::Allow,
        Policy::Refuse => OverlapPolicy::Refuse,
    };
    Overlap { policy, allowed }
}

fn window((from, to): (u32, u32)) -> Window {
    let when = When::Once { from: epoch() + seconds(from), to: epoch() + seconds(to), zone: Zone::utc() };
    Window { id: Uuid::from_u128(3), name: "upgrade".to_owned(), monitors: MonitorChoice::All, when }
}

fn epoch() -> Time {
    DateTime::<Utc>::from_timestamp(1_800_000_000, 0).expect("a time within range")
}

impl Fed {
    pub(crate) fn new(setup: &Setup) -> Self {
        let thresholds = Thresholds {
            failed: setup.failed,
            fast: setup.failed,
            missed: setup.missed,
            recover: setup.recover,
            ..Thresholds::default()
        };
        let monitor = Monitor {
            id: Uuid::from_u128(1),
            project: Uuid::from_u128(2),
            slug: "job".to_owned(),
            name: "job".to_owned(),
            description: String::new(),
            tags: Vec::new(),
            runbook: String::new(),
            schedule: schedule(setup.plan),
            calendars: watchclock_domain::monitor::CalendarChoice::default(),
            broken: None,
            grace: seconds(setup.grace),
            max_duration: Some(seconds(setup.limit)),
            min_duration: setup.min.map(seconds),
            early_tolerance: setup.early.map(seconds),
            overlap: overlap(setup.policy, setup.allowed),
            rules: Vec::new(),
            extractors: Vec::new(),
            anomalies: Anomalies { duration: false, meta: Vec::new() },
            thresholds,
            alert_after: Duration::zero(),
            alert_unscheduled: false,
            channels: ChannelChoice::All,
            paused: false,
            manual_resume: setup.manual_resume,
            post_only: false,
            ping_limit: None,
            maintenance: Maintenance { windows: setup.window.map(window).into_iter().collect(), version: 1 },
            created_at: epoch(),
            updated_at: epoch(),
            version: 1,
        };
        let mut memory = Memory::new(epoch());
        slots::restart_counting(&monitor, &mut memory, epoch());
        Self {
            monitor,
            now: epoch(),
            memory,
            gaps: Vec::new(),
            runs: BTreeMap::new(),
            incidents: BTreeMap::new(),
            last_id: 100,
        }
    }

    /// Takes a step; tells whether it changed anything.
    pub(crate) fn take(&mut self, step: &Step) -> bool {
        self.now += seconds(step.after);
        if let What::Down(down) = step.what {
            let from = self.now;
            self.now += seconds(down);
            self.gaps.push(Gap { from, to: self.now });
        }
        let before = self.now;
        if let What::Back(back) = step.what {
            self.now -= seconds(back);
            self.gaps.retain(|gap| gap.from < self.now);
            for gap in &mut self.gaps {
                gap.to = gap.to.min(self.now);
            }
        }
        let limit = self.monitor.max_duration;
        let edited = self.edit(&step.what);
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
        line.gaps = self.gaps.clone().into();
        let mut last = self.last_id;
        let mut ids = || {
            last += 1;
            Uuid::from_u128(last)
        };
        match &step.what {
            What::Look | What::Down(_) => line.pass(self.now, &mut ids),
            What::Back(_) => {
                line.clock_set_back(before, self.now);
                line.pass(self.now, &mut ids);
            }
            What::Resolve => {
                let open: Vec<Uuid> = line.incidents.iter().map(|incident| incident.id).collect();
                for incident in open {
                    assert!(line.resolve_by_hand(incident, "ada", self.now), "it is open");
                }
            }
            What::Pause | What::Resume | What::Edit(_) => {
                if limit != self.monitor.max_duration {
                    line.limit_changed(self.now);
                }
                line.resolve_by_edit(self.now);
                line.replan();
            }
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
        let resumed = written.resumed;
        drop(line);
        self.monitor.paused &= !resumed;
        self.last_id = last;
        changed || edited
    }

    /// Changes the configuration as the service does.
    fn edit(&mut self, what: &What) -> bool {
        let before = (self.monitor.schedule.text().clone(), self.monitor.paused);
        match what {
            What::Pause => self.monitor.paused = true,
            What::Resume => self.monitor.paused = false,
            What::Edit(Edit::Plan(plan)) => self.monitor.schedule = schedule(*plan),
            What::Edit(Edit::Min(min)) => self.monitor.min_duration = min.map(seconds),
            What::Edit(Edit::Limit(limit)) => self.monitor.max_duration = Some(seconds(*limit)),
            What::Edit(Edit::Overlap(policy, allowed)) => self.monitor.overlap = overlap(*policy, *allowed),
            What::Edit(Edit::Grace(grace)) => self.monitor.grace = seconds(*grace),
            What::Edit(Edit::Early(early)) => self.monitor.early_tolerance = early.map(seconds),
            What::Edit(Edit::Counts(failed, missed, recover)) => {
                let counts = &mut self.monitor.thresholds;
                (counts.failed, counts.fast) = (*failed, *failed);
                (counts.missed, counts.recover) = (*missed, *recover);
            }
            What::Look | What::Down(_) | What::Back(_) | What::Resolve | What::Ping { .. } => return false,
        }
        if before.0 != *self.monitor.schedule.text() || before.1 && !self.monitor.paused {
            slots::restart_counting(&self.monitor, &mut self.memory, self.now);
        }
        true
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
        numbers.dedup();
        assert_eq!(numbers.len(), self.runs.len(), "a number belongs to one run");
        assert!(numbers.last().is_none_or(|last| *last < self.memory.next_number), "numbers only grow");
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
                    "#{} {} slot {:?} {:?} to {:?} overlaps {}",
                    run.number,
                    run.status.word(),
                    seconds(run.slot),
                    seconds(run.started_at),
                    seconds(run.ended_at),
                    run.overlap_count
                );
                for flag in [
                    RunFlag::Overlapped,
                    RunFlag::LateStart,
                    RunFlag::Unscheduled,
                    RunFlag::TooFast,
                    RunFlag::PairingAssumed,
                    RunFlag::HungUntil,
                ] {
                    if run.has(flag) {
                        line = format!("{line} {}", flag.word());
                    }
                }
                line
            })
            .collect();
        let open = self.incidents.values().filter(|incident| incident.resolved_at.is_none());
        let mut open: Vec<(&str, i64)> =
            open.map(|incident| (incident.kind.word(), incident.run_count)).collect();
        open.sort_unstable();
        lines.extend(open.iter().map(|(kind, runs)| open_line(kind, *runs)));
        lines.push(format!("paused: {}", self.monitor.paused));
        lines.join("\n")
    }
}
