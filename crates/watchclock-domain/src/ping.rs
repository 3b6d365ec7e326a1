//! One signal of a job, as decoded from the wire. Neighbour: [`crate::run`] is what pings become.

use crate::{
    Time,
    value::{Meta, Value},
};

/// What a ping says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Signal {
    Start,
    Success,
    Fail,
    /// Adds output to a run, changes no state.
    Log,
    /// The exit code of the job: 0 is success, anything else a failure.
    Exit(u8),
}

impl Signal {
    /// Whether this signal ends a run, and how.
    pub fn success(self) -> Option<bool> {
        match self {
            Self::Start | Self::Log => None,
            Self::Success => Some(true),
            Self::Fail => Some(false),
            Self::Exit(code) => Some(code == 0),
        }
    }
}

/// A run id that the job gave, normalised so that two spellings of one id are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunId {
    /// What is compared: UUIDs without dashes and in lower case; text that does not fit, hashed.
    pub key: String,
    /// What the job wrote, for people; cut to 100 characters.
    pub shown: String,
}

/// Where a ping came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// Client address as text; garbage from a trusted proxy is kept as it came.
    pub addr: Option<String>,
    pub user_agent: Option<String>,
    pub host: Option<String>,
    pub env: Option<String>,
}

impl Source {
    /// Whether two pings look like the same sender: by host where both tell one, else by address.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.host, &other.host) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.addr == other.addr,
        }
    }
}

/// Kept of each run's output, in bytes.
pub const OUTPUT_LIMIT: usize = 100_000;

/// The end of what a job printed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// The last bytes, raw; shown with invalid UTF-8 and NUL replaced.
    pub tail: Vec<u8>,
    /// How many bytes were cut off before the tail.
    pub cut: u64,
}

impl Output {
    /// Size as the job sent it, in bytes.
    pub fn size(&self) -> u64 {
        self.tail.len() as u64 + self.cut
    }

    pub fn is_empty(&self) -> bool {
        self.tail.is_empty()
    }

    /// The text as it can be shown and stored anywhere: no NUL, no broken characters, whole lines where cut.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.tail).replace('\0', "\u{fffd}")
    }

    /// Adds more, keeping the last `limit` bytes.
    pub fn append(&mut self, more: &Self, limit: usize) {
        if more.is_empty() {
            return;
        }
        if more.cut > 0 {
            self.cut += self.tail.len() as u64 + more.cut;
            self.tail.clear();
        } else if !self.tail.is_empty() && !self.tail.ends_with(b"\n") {
            self.tail.push(b'\n');
        }
        self.tail.extend_from_slice(&more.tail);
        let over = self.tail.len().saturating_sub(limit);
        self.tail.drain(..over);
        self.cut += over as u64;
    }
}

/// A ping after decoding: everything that a job said, and how it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ping {
    pub signal: Signal,
    pub run_id: Option<RunId>,
    /// When the server had read it.
    pub received_at: Time,
    /// When it happened at the job, if it said so and is believed (−7 days … +5 min).
    pub happened_at: Option<Time>,
    pub exit_code: Option<u8>,
    pub message: Option<String>,
    pub meta: Meta,
    pub output: Output,
    pub source: Source,
    /// What was dropped, cut or not believed, one sentence each, shown on the run.
    pub notes: Vec<String>,
    /// The same key on the same monitor within 24 h is the same ping.
    pub idempotency_key: Option<String>,
}

impl Ping {
    /// The time that counts for the run.
    pub fn at(&self) -> Time {
        self.happened_at.unwrap_or(self.received_at)
    }

    /// A value that the job reported under `key`.
    pub fn meta(&self, key: &str) -> Option<&Value> {
        self.meta.get(key)
    }
}
