//! What a rule may look at: one run, the runs before it, the time. Neighbour: [`super::verdict`], what comes of it.

use chrono::Duration;

use crate::{Time, run::RunStatus, value::Meta};

/// One run as rules see it.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    pub status: RunStatus,
    pub duration: Option<Duration>,
    pub exit_code: Option<u8>,
    pub message: Option<&'a str>,
    /// The kept end of the output; of earlier runs it is never read.
    pub output: Option<&'a str>,
    /// Size of the output as sent, in bytes.
    pub output_size: u64,
    pub host: Option<&'a str>,
    pub env: Option<&'a str>,
    pub meta: &'a Meta,
    pub overlaps: i64,
    pub attempts: i64,
    pub started_at: Option<Time>,
    /// When it ended; for a run that never was (missed), the time of its slot.
    pub ended_at: Option<Time>,
}

impl Judged<'_> {
    /// Good runs are those that teach what is usual.
    pub fn is_good(&self) -> bool {
        self.status == RunStatus::Success
    }

    /// The moment by which it belongs to a window of time.
    pub fn at(&self) -> Option<Time> {
        self.ended_at.or(self.started_at)
    }
}

/// Everything that one judgement takes.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    pub run: Judged<'a>,
    /// The runs before this one, oldest first, any status.
    pub history: &'a [Judged<'a>],
    /// The moment of the judgement; for a past run, when it ended.
    pub now: Time,
}
