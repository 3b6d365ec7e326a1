//! One execution of a job, or a slot that nothing filled. Neighbours: [`crate::ping`] makes runs, [`crate::rule`] judges them.

use uuid::Uuid;

use crate::{
    Time,
    ping::{RunId, Source},
    value::Meta,
};

/// Most overlapping runs that a run names; the count goes on.
pub const MAX_OVERLAPS_NAMED: usize = 20;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunStatus {
    Running,
    Success,
    Failed,
    /// Passed its limit without an end.
    Hung,
    /// A slot that passed without a run.
    Missed,
    /// A start that the overlap policy refused.
    Skipped,
    /// A slot or limit that fell into our own downtime.
    Unknown,
}

impl RunStatus {
    /// Whether metadata that such a run reported is missed where later runs do not report it.
    pub(crate) fn teaches_keys(self) -> bool {
        matches!(self, Self::Success | Self::Failed | Self::Hung | Self::Unknown)
    }

    pub const ALL: [Self; 7] =
        [Self::Running, Self::Success, Self::Failed, Self::Hung, Self::Missed, Self::Skipped, Self::Unknown];

    /// The word used in tables, URLs, pages and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Success => "success",
            Self::Failed => "failed",
            Self::Hung => "hung",
            Self::Missed => "missed",
            Self::Skipped => "skipped",
            Self::Unknown => "unknown",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }
}

/// A mark on a run; a run carries any number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunFlag {
    Overlapped,
    LateStart,
    Unscheduled,
    TooFast,
    TooSlow,
    RuleBroken,
    /// An end without run id was paired by source and order.
    PairingAssumed,
    /// Was hung, then ended after all.
    HungUntil,
}

impl RunFlag {
    pub const ALL: [Self; 8] = [
        Self::Overlapped,
        Self::LateStart,
        Self::Unscheduled,
        Self::TooFast,
        Self::TooSlow,
        Self::RuleBroken,
        Self::PairingAssumed,
        Self::HungUntil,
    ];

    /// The word used in tables, URLs and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Overlapped => "overlapped",
            Self::LateStart => "late_start",
            Self::Unscheduled => "unscheduled",
            Self::TooFast => "too_fast",
            Self::TooSlow => "too_slow",
            Self::RuleBroken => "rule_broken",
            Self::PairingAssumed => "pairing_assumed",
            Self::HungUntil => "hung_until",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flag| flag.word() == word)
    }
}

/// One run, without its output (that is kept and read apart).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub id: Uuid,
    pub monitor: Uuid,
    /// 1, 2, 3 … per monitor, in the order in which the server first heard of them; never reused.
    pub number: i64,
    pub run_id: Option<RunId>,
    pub status: RunStatus,
    /// Sorted, each once.
    pub flags: Vec<RunFlag>,
    /// The slot that this run fills, if any.
    pub slot: Option<Time>,
    /// Unknown for a run of which only the end was heard, and for a missed slot.
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    /// When the server first heard of it.
    pub first_seen_at: Time,
    /// When it counts as hung; only while running.
    pub limit_at: Option<Time>,
    /// When it was declared hung.
    pub hung_at: Option<Time>,
    pub exit_code: Option<u8>,
    pub message: Option<String>,
    pub meta: Meta,
    pub source: Source,
    /// The most recent runs that it overlapped, at most [`MAX_OVERLAPS_NAMED`], oldest first.
    pub overlaps: Vec<Uuid>,
    /// How many runs it overlapped in all.
    pub overlap_count: i64,
    /// Size of the output as sent, in bytes.
    pub output_size: u64,
    /// What was assumed, dropped or contradicted, one sentence each.
    pub notes: Vec<String>,
}

impl Run {
    /// How long it took; never negative. Known when both ends are.
    pub fn duration(&self) -> Option<chrono::Duration> {
        took(self.started_at, self.ended_at)
    }

    pub fn has(&self, flag: RunFlag) -> bool {
        self.flags.contains(&flag)
    }

    pub fn flag(&mut self, flag: RunFlag) {
        if let Err(at) = self.flags.binary_search(&flag) {
            self.flags.insert(at, flag);
        }
    }

    pub fn is_active(&self) -> bool {
        self.status == RunStatus::Running
    }

    /// Whether an end ping is still waited for, or would be taken.
    pub fn is_open(&self) -> bool {
        matches!(self.status, RunStatus::Running | RunStatus::Hung)
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.status, RunStatus::Success | RunStatus::Failed)
    }

    /// From when on it is part of the history of others; for one that goes on, since it was first seen.
    pub fn over_at(&self) -> Time {
        let over = match self.status {
            RunStatus::Success | RunStatus::Failed => self.ended_at,
            RunStatus::Hung | RunStatus::Unknown => self.hung_at,
            RunStatus::Running | RunStatus::Missed | RunStatus::Skipped => None,
        };
        over.unwrap_or(self.first_seen_at)
    }
}

/// From start to end; never negative.
pub(crate) fn took(started_at: Option<Time>, ended_at: Option<Time>) -> Option<chrono::Duration> {
    Some((ended_at? - started_at?).max(chrono::Duration::zero()))
}
