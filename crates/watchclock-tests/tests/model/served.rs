//! A monitor of the real service, driven and read as the model's steps and tape ask for; the sequences are made in `main`.

use std::collections::BTreeMap;

use chrono::Duration;
use futures_util::future::join_all;
use tokio::sync::Semaphore;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::MonitorChoice,
    monitor::{Overlap, OverlapPolicy, Thresholds},
    ping::{Output, Ping, RunId, Signal, Source},
    run::{Run, RunFlag},
    usual::Anomalies,
    value::Meta,
};
use watchclock_service::{
    Watchclock,
    incident::IncidentFilter,
    maintenance::WindowChange,
    monitor::MonitorChange,
    ping::{PingRequest, PingTo},
};
use watchclock_tests::{World, world::time};

use crate::steps::{Edit, Policy, Setup, Sign, What, open_line};

/// Where the model's seconds begin.
const EPOCH: &str = "2027-01-15T08:00:00Z";

fn seconds(seconds: u32) -> Duration {
    Duration::seconds(i64::from(seconds))
}

fn overlap(policy: Policy, allowed: u32) -> Overlap {
    let policy = match policy {
        Policy::Alert => OverlapPolicy::Alert,
        Policy::Allow => OverlapPolicy::Allow,
        Policy::Refuse => OverlapPolicy::Refuse,
    };
    Overlap { policy, allowed }
}

/// Two servers on one database.
pub(crate) struct Servers<'w> {
    world: &'w World,
    both: [Watchclock; 2],
}

/// Edits at a time, of all monitors together: see `MADE_AT_ONCE`.
static EDITING: Semaphore = Semaphore::const_new(2);

impl<'w> Servers<'w> {
    pub(crate) fn new(world: &'w World) -> Self {
        Self { world, both: [world.watchclock(), world.second_server()] }
    }

    /// One of them starts anew: nothing is left of it but what is in the database.
    pub(crate) fn restart(&mut self, first: bool) {
        self.both[usize::from(first)] = self.world.second_server();
    }

    pub(crate) fn pick(&self, first: bool) -> &Watchclock {
        &self.both[usize::from(first)]
    }

    /// Sets the clock to so many seconds from the beginning.
    pub(crate) fn set(&self, moment: u32) {
        self.world.at(&(time(EPOCH) + seconds(moment)).to_rfc3339());
    }

    /// Nobody beats until so many seconds from the beginning; then both start anew.
    pub(crate) fn set_after_silence(&mut self, moment: u32) {
        self.world.set_clock(&(time(EPOCH) + seconds(moment)).to_rfc3339());
        for server in [true, false] {
            self.restart(server);
        }
    }

    /// The clock shows so many seconds from the beginning again.
    pub(crate) fn set_back(&self, moment: u32) {
        self.world.set_clock(&(time(EPOCH) + seconds(moment)).to_rfc3339());
    }

    /// What each monitor came to, as the model writes it.
    pub(crate) async fn tapes(&self, ids: &[Uuid]) -> Vec<String> {
        let runs = self.both[0].recent_runs(ids, 200).await.expect("runs can be read");
        let open = "select string_agg(monitor_id || ' ' || kind || ' ' || run_count, ',' order by kind) from incidents where resolved_at is null";
        let paused = "select string_agg(id::text, ',') from monitors where paused";
        let database = self.world.database();
        let (open, paused) = (database.value(open).await, database.value(paused).await);
        let (open, paused) = (open.unwrap_or_default(), paused.unwrap_or_default());
        let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (monitor, kind) in open.split(',').filter_map(|line| line.split_once(' ')) {
            kinds.entry(monitor).or_default().push(kind);
        }
        let tape = |id: &Uuid| {
            let name = id.to_string();
            let mut runs: Vec<&Run> = runs.get(id).into_iter().flatten().collect();
            runs.sort_by_key(|run| run.number);
            let mut lines: Vec<String> = runs.into_iter().map(line).collect();
            let open = kinds.get(name.as_str()).into_iter().flatten();
            let open = open.filter_map(|line| line.split_once(' '));
            lines.extend(open.map(|(kind, runs)| open_line(kind, runs.parse().expect("a count"))));
            lines.push(format!("paused: {}", paused.contains(&name)));
            lines.join("\n")
        };
        ids.iter().map(tape).collect()
    }
}

fn line(run: &Run) -> String {
    let since = |at: Option<Time>| at.map(|at| (at - time(EPOCH)).num_seconds());
    let mut line = format!(
        "#{} {} slot {:?} {:?} to {:?} overlaps {}",
        run.number,
        run.status.word(),
        since(run.slot),
        since(run.started_at),
        since(run.ended_at),
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
}

/// One monitor.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) monitor: Uuid,
    project: Uuid,
}

impl Served {
    /// A new monitor at the model's beginning.
    pub(crate) async fn create(world: &World, number: usize, setup: &Setup) -> Self {
        let project = world.project().id;
        let mut thresholds = Thresholds::default();
        (thresholds.failed, thresholds.fast) = (setup.failed, setup.failed);
        (thresholds.missed, thresholds.recover) = (setup.missed, setup.recover);
        let change = MonitorChange {
            name: Some(format!("job {number}")),
            schedule: Some(setup.plan.text()),
            min_duration: Some(setup.min.map(seconds)),
            anomalies: Some(Anomalies { duration: false, meta: Vec::new() }),
            grace: Some(seconds(setup.grace)),
            early_tolerance: Some(setup.early.map(seconds)),
            max_duration: Some(Some(seconds(setup.limit))),
            overlap: Some(overlap(setup.policy, setup.allowed)),
            thresholds: Some(thresholds),
            manual_resume: Some(setup.manual_resume),
            ..MonitorChange::default()
        };
        let made = world.watchclock().create_monitor(project, change).await.expect("it can be made");
        let monitor = made.monitor.id;
        if let Some((from, to)) = setup.window {
            let window = WindowChange {
                name: Some(format!("upgrade {number}")),
                monitors: Some(MonitorChoice::Some(vec![monitor])),
                from: Some(time(EPOCH) + seconds(from)),
                to: Some(time(EPOCH) + seconds(to)),
                ..WindowChange::default()
            };
            let made = world.watchclock().create_maintenance_window(project, window).await;
            made.expect("a window can be made");
        }
        Self { monitor, project }
    }

    /// Takes what happens at one moment, in this order; pings that follow each other arrive together.
    pub(crate) async fn take(&self, server: &Watchclock, due: &[What]) {
        for due in due.chunk_by(|one, next| is_ping(one) && is_ping(next)) {
            let pings = due.iter().filter_map(|what| self.request(server.now(), what));
            for answer in join_all(pings.map(|ping| server.ping(ping))).await {
                answer.expect("a ping is stored");
            }
            for what in due {
                self.edit(server, what).await;
            }
        }
    }

    async fn edit(&self, server: &Watchclock, what: &What) {
        let change = match what {
            What::Pause => MonitorChange { paused: Some(true), ..MonitorChange::default() },
            What::Resume => MonitorChange { paused: Some(false), ..MonitorChange::default() },
            What::Edit(Edit::Plan(plan)) => {
                MonitorChange { schedule: Some(plan.text()), ..MonitorChange::default() }
            }
            What::Edit(Edit::Min(min)) => {
                MonitorChange { min_duration: Some(min.map(seconds)), ..MonitorChange::default() }
            }
            What::Edit(Edit::Limit(limit)) => {
                MonitorChange { max_duration: Some(Some(seconds(*limit))), ..MonitorChange::default() }
            }
            What::Edit(Edit::Overlap(policy, allowed)) => {
                MonitorChange { overlap: Some(overlap(*policy, *allowed)), ..MonitorChange::default() }
            }
            What::Edit(Edit::Grace(grace)) => {
                MonitorChange { grace: Some(seconds(*grace)), ..MonitorChange::default() }
            }
            What::Edit(Edit::Early(early)) => {
                MonitorChange { early_tolerance: Some(early.map(seconds)), ..MonitorChange::default() }
            }
            What::Edit(Edit::Counts(failed, missed, recover)) => {
                let (failed, missed, recover) = (*failed, *missed, *recover);
                let thresholds =
                    Thresholds { failed, fast: failed, missed, recover, ..Thresholds::default() };
                MonitorChange { thresholds: Some(thresholds), ..MonitorChange::default() }
            }
            What::Resolve => return self.resolve(server).await,
            What::Look | What::Down(_) | What::Back(_) | What::Ping { .. } => return,
        };
        let _one = EDITING.acquire().await.expect("it is never closed");
        let done = server.update_monitor(self.project, self.monitor, None, change).await;
        done.expect("the monitor can be changed");
    }

    /// Resolves by hand whatever is open.
    async fn resolve(&self, server: &Watchclock) {
        let _one = EDITING.acquire().await.expect("it is never closed");
        let filter = IncidentFilter {
            monitor: Some(self.monitor),
            open: Some(true),
            limit: 50,
            ..IncidentFilter::default()
        };
        let open = server.incidents(self.project, &filter).await.expect("incidents can be read");
        for incident in open.items {
            let done = server.resolve_incident(self.project, incident.id, "ada").await;
            done.expect("an incident can be resolved");
        }
    }

    fn request(&self, now: Time, what: &What) -> Option<PingRequest> {
        let What::Ping { sign, rid, host, ago } = what else { return None };
        let ping = Ping {
            signal: match sign {
                Sign::Start => Signal::Start,
                Sign::Good => Signal::Success,
                Sign::Bad => Signal::Fail,
                Sign::Log => Signal::Log,
            },
            run_id: rid.map(|rid| RunId { key: rid.to_string(), shown: rid.to_string() }),
            received_at: now,
            happened_at: ago.map(|ago| now - Duration::seconds(i64::from(ago))),
            exit_code: None,
            message: None,
            meta: Meta::new(),
            output: Output::default(),
            source: Source { host: host.map(|host| host.to_string()), ..Source::default() },
            notes: Vec::new(),
            idempotency_key: None,
        };
        Some(PingRequest { to: PingTo::Id(self.monitor), ping, create: None, is_get: false })
    }
}

fn is_ping(what: &What) -> bool {
    matches!(what, What::Ping { .. })
}
