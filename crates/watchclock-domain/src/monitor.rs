//! One scheduled job as configured, and what is remembered of it between pings. Neighbour: [`crate::timeline`] decides.

use std::collections::BTreeMap;

use chrono::Duration;
use uuid::Uuid;

use crate::{
    Time,
    maintenance::Maintenance,
    ping_limit::PingLimit,
    rule::{Extractor, Rule, Severity},
    schedule::Schedule,
    usual::{self, Anomalies},
};

/// Grace of a monitor that does not set one.
pub const DEFAULT_GRACE: Duration = Duration::minutes(5);

/// What a start gets while as many runs are active as are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OverlapPolicy {
    /// Recorded, flagged, alerted.
    Alert,
    /// Recorded; flagged only past the allowed number.
    Allow,
    /// Answered 409 and recorded as skipped.
    Refuse,
}

impl OverlapPolicy {
    pub const ALL: [Self; 3] = [Self::Alert, Self::Allow, Self::Refuse];

    pub fn word(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Allow => "allow",
            Self::Refuse => "refuse",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|policy| policy.word() == word)
    }
}

/// How many runs may be active at once, and what happens past that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    pub policy: OverlapPolicy,
    /// At least 1.
    pub allowed: u32,
}

impl Default for Overlap {
    fn default() -> Self {
        Self { policy: OverlapPolicy::Alert, allowed: 1 }
    }
}

/// How many in a row open an incident of each kind, and how many good ones resolve it. All at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    pub failed: u16,
    pub missed: u16,
    pub rule: u16,
    pub fast: u16,
    pub slow: u16,
    pub recover: u16,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { failed: 1, missed: 1, rule: 1, fast: 1, slow: 1, recover: 1 }
    }
}

/// Which channels hear of a monitor's incidents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ChannelChoice {
    /// Every channel of the project, also those made later.
    #[default]
    All,
    Some(Vec<Uuid>),
}

/// Which calendars' days count for a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarChoice {
    /// Its own.
    pub own: Vec<Uuid>,
    /// Those of the whole project, too.
    pub of_project: bool,
}

impl Default for CalendarChoice {
    fn default() -> Self {
        Self { own: Vec::new(), of_project: true }
    }
}

/// One scheduled job, as configured.
#[derive(Debug, Clone)]
pub struct Monitor {
    pub id: Uuid,
    pub project: Uuid,
    /// Unique within the project.
    pub slug: String,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    /// What to do when it breaks: text or a link.
    pub runbook: String,
    /// With the days off of its calendars.
    pub schedule: Schedule,
    pub calendars: CalendarChoice,
    /// Why the stored configuration could not be understood; such a monitor expects nothing and says so.
    pub broken: Option<String>,
    pub grace: Duration,
    /// Unset means a learned limit, see [`Memory::learned_limit`].
    pub max_duration: Option<Duration>,
    pub min_duration: Option<Duration>,
    /// Unset means one minute or a tenth of the interval, whichever is smaller.
    pub early_tolerance: Option<Duration>,
    pub overlap: Overlap,
    pub rules: Vec<Rule>,
    /// Each name once; in the order of names.
    pub extractors: Vec<Extractor>,
    pub anomalies: Anomalies,
    pub thresholds: Thresholds,
    /// Holds the first alert back; a recovery meanwhile cancels it.
    pub alert_after: Duration,
    pub alert_unscheduled: bool,
    pub channels: ChannelChoice,
    pub paused: bool,
    /// A ping does not resume a paused monitor.
    pub manual_resume: bool,
    /// GET and HEAD signals are refused, against link prefetchers.
    pub post_only: bool,
    /// Unset: every ping is taken.
    pub ping_limit: Option<PingLimit>,
    pub maintenance: Maintenance,
    pub created_at: Time,
    pub updated_at: Time,
    /// Grows with every change of the configuration.
    pub version: i64,
}

impl Monitor {
    pub fn severity_of(&self, kind: crate::incident::Kind) -> Severity {
        use crate::incident::Kind;
        match kind {
            Kind::Missed | Kind::Failed | Kind::Hung => Severity::Critical,
            Kind::Overlap | Kind::Rule | Kind::Fast | Kind::Slow | Kind::Unscheduled => Severity::Warning,
        }
    }

    /// Until when a run may start for `slot` and be on time.
    pub fn start_by(&self, slot: Time) -> Option<Time> {
        self.schedule.latest(slot).checked_add_signed(self.grace)
    }

    /// How early a run may start and still fill `slot`.
    pub fn tolerance(&self, slot: Time) -> Duration {
        self.early_tolerance.unwrap_or_else(|| {
            let interval = self.schedule.next(slot).map_or(Duration::minutes(10), |next| next - slot);
            (interval / 10).min(Duration::minutes(1))
        })
    }
}

/// How many good runs teach the usual duration.
pub const REMEMBERED_DURATIONS: usize = usual::LOOKED_AT;

/// What is remembered of a monitor between pings: small, hot, written with most pings.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Grows by one with each write of this monitor's facts: whoever writes must have seen the last.
    pub version: i64,
    /// The number that the next run gets.
    pub next_number: i64,
    /// How many runs have status running.
    pub active: i64,
    /// How many runs have status hung.
    pub hung: i64,
    /// Counting of slots starts here: created, schedule edited, resumed.
    pub anchor: Time,
    /// The first slot that is not filled, covered or missed yet.
    pub next_slot: Option<Time>,
    /// The last slot that a run filled.
    pub filled_slot: Option<Time>,
    /// When something could next become wrong. May be too early, never too late.
    pub deadline: Option<Time>,
    /// Of those that were taken.
    pub last_ping_at: Option<Time>,
    /// How far pings are ahead of [`Monitor::ping_limit`]; none where there is no limit.
    pub paced_until: Option<Time>,
    /// How many pings a limit has turned away, ever.
    pub pings_refused: i64,
    pub pings_refused_at: Option<Time>,
    pub last_started_at: Option<Time>,
    pub last_ended_at: Option<Time>,
    pub last_success_at: Option<Time>,
    pub failed_streak: i32,
    pub missed_streak: i32,
    pub fast_streak: i32,
    /// As with rules: above zero too slow, below not.
    pub slow_streak: i32,
    pub good_streak: i32,
    /// Runs in a row for which a rule was true (above zero) or false (below), by rule.
    pub rule_streaks: BTreeMap<Uuid, i32>,
    /// When a rule may next become true or false though no run ends.
    pub rules_due: Option<Time>,
    /// Grows whenever the finished runs change.
    pub past_version: i64,
    /// Durations of the last good runs in milliseconds, oldest first, at most [`REMEMBERED_DURATIONS`].
    pub good_durations: Vec<i64>,
    /// Hung runs after which no start was heard yet.
    pub hung_unseen: Vec<Uuid>,
    /// Metadata keys that runs have reported, in the order in which they were first seen.
    pub meta_keys: Vec<String>,
    /// Since when no incident was open.
    pub fine_since: Option<Time>,
    /// Until when a run may still start for what fell into our own downtime; none once a run was seen.
    pub fresh_until: Option<Time>,
    /// When the maintenance ends that held something back.
    pub quiet_until: Option<Time>,
    /// Hung runs, and slots missed, of whose incidents maintenance holds back the opening.
    pub held_runs: Vec<Uuid>,
}

impl Memory {
    pub fn new(now: Time) -> Self {
        Self {
            version: 0,
            next_number: 1,
            active: 0,
            hung: 0,
            anchor: now,
            next_slot: None,
            filled_slot: None,
            deadline: None,
            last_ping_at: None,
            paced_until: None,
            pings_refused: 0,
            pings_refused_at: None,
            last_started_at: None,
            last_ended_at: None,
            last_success_at: None,
            failed_streak: 0,
            missed_streak: 0,
            fast_streak: 0,
            slow_streak: 0,
            good_streak: 0,
            rule_streaks: BTreeMap::new(),
            rules_due: None,
            past_version: 0,
            good_durations: Vec::new(),
            hung_unseen: Vec::new(),
            meta_keys: Vec::new(),
            fine_since: None,
            fresh_until: None,
            quiet_until: None,
            held_runs: Vec::new(),
        }
    }

    /// Remembers that runs report these keys; of more than 100 the first ones. Tells whether one was new.
    pub fn learn_keys<'k>(&mut self, keys: impl IntoIterator<Item = &'k String>) -> bool {
        const MOST: usize = 100;
        let known = self.meta_keys.len();
        for key in keys {
            if self.meta_keys.len() < MOST && !self.meta_keys.contains(key) {
                self.meta_keys.push(key.clone());
            }
        }
        self.meta_keys.len() > known
    }

    /// The limit of a run where `max_duration` is unset: six times the longest of the last good runs, at least
    /// that run plus one hour; with fewer than five good runs, 24 hours.
    pub fn learned_limit(&self) -> Duration {
        match self.good_durations.iter().max() {
            Some(&longest) if self.good_durations.len() >= 5 => {
                let limit = longest.saturating_mul(6).max(longest.saturating_add(3_600_000));
                Duration::try_milliseconds(limit).unwrap_or(Duration::MAX)
            }
            _ => Duration::hours(24),
        }
    }

    pub(crate) fn learn(&mut self, duration: Duration) {
        if self.good_durations.len() >= REMEMBERED_DURATIONS {
            let over = self.good_durations.len() + 1 - REMEMBERED_DURATIONS;
            self.good_durations.drain(..over);
        }
        self.good_durations.push(duration.num_milliseconds());
    }
}

/// Health as shown, derived from configuration, memory and open incidents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Health {
    Failing,
    Late,
    Waiting,
    Healthy,
    Paused,
}

impl Health {
    pub const ALL: [Self; 5] = [Self::Failing, Self::Late, Self::Waiting, Self::Healthy, Self::Paused];

    pub fn word(self) -> &'static str {
        match self {
            Self::Failing => "failing",
            Self::Late => "late",
            Self::Waiting => "waiting",
            Self::Healthy => "healthy",
            Self::Paused => "paused",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|health| health.word() == word)
    }

    pub fn of(monitor: &Monitor, memory: &Memory, open_incidents: usize, now: Time) -> Self {
        let passed = memory
            .next_slot
            .is_some_and(|slot| slot < now && memory.last_ended_at.is_none_or(|at| at < slot));
        if monitor.paused {
            Self::Paused
        } else if open_incidents > 0 || monitor.broken.is_some() {
            Self::Failing
        } else if memory.fresh_until.is_some() || (passed && memory.active == 0) {
            Self::Late
        } else if memory.last_ping_at.is_none() {
            Self::Waiting
        } else {
            Self::Healthy
        }
    }
}
