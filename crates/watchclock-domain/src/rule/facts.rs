//! What a rule may look at: one run, the runs before it, the time. Neighbour: [`super::verdict`], what comes of it.

use chrono::Duration;

use super::earlier::History;
use crate::{
    Time,
    run::RunStatus,
    value::{Meta, Value},
};

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
    pub meta: Reported<'a>,
    pub overlaps: i64,
    pub attempts: i64,
    pub started_at: Option<Time>,
    /// When it ended; for a run that never was (missed), the time of its slot.
    pub ended_at: Option<Time>,
}

/// The metadata of a run.
#[derive(Debug, Clone, Copy)]
pub enum Reported<'a> {
    All(&'a Meta),
    /// What is kept of an earlier run: a value, if it reported one, for each of some keys.
    Kept {
        keys: &'a [String],
        values: &'a [Option<Value>],
    },
}

impl<'a> From<&'a Meta> for Reported<'a> {
    fn from(meta: &'a Meta) -> Self {
        Self::All(meta)
    }
}

impl<'a> Reported<'a> {
    pub fn get(self, key: &str) -> Option<&'a Value> {
        match self {
            Self::All(meta) => meta.get(key),
            Self::Kept { keys, values } => {
                let place = keys.iter().position(|kept| kept == key)?;
                values.get(place)?.as_ref()
            }
        }
    }

    pub fn iter(self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let (all, kept) = match self {
            Self::All(meta) => (Some(meta), None),
            Self::Kept { keys, values } => (None, Some(keys.iter().zip(values))),
        };
        let all = all.into_iter().flatten().map(|(key, value)| (key.as_str(), value));
        let kept = kept.into_iter().flatten();
        all.chain(kept.filter_map(|(key, value)| Some((key.as_str(), value.as_ref()?))))
    }
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
    pub history: History<'a>,
    /// The moment of the judgement; for a past run, when it ended.
    pub now: Time,
}
