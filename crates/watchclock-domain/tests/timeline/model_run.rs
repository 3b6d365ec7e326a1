//! A run of the naive model, and how a tape tells of it. Neighbour: `model` decides.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    Success,
    Failed,
    Hung,
    Missed,
    Skipped,
    Unknown,
}

impl Status {
    pub(crate) fn word(self) -> &'static str {
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
}

#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Which it is, whatever its number becomes.
    pub(crate) id: usize,
    pub(crate) number: usize,
    pub(crate) rid: Option<u8>,
    pub(crate) host: Option<u8>,
    pub(crate) status: Status,
    pub(crate) slot: Option<i64>,
    pub(crate) started: Option<i64>,
    pub(crate) ended: Option<i64>,
    pub(crate) limit: Option<i64>,
    pub(crate) hung: Option<i64>,
    /// When it was first heard of.
    pub(crate) seen: i64,
    pub(crate) overlaps: usize,
    pub(crate) overlapped: bool,
    pub(crate) late: bool,
    pub(crate) unscheduled: bool,
    pub(crate) fast: bool,
    pub(crate) assumed: bool,
}

/// A run as tapes tell of it.
pub(crate) fn line(run: &Run) -> String {
    let mut line = format!(
        "#{} {} slot {:?} {:?} to {:?} overlaps {}",
        run.number,
        run.status.word(),
        run.slot,
        run.started,
        run.ended,
        run.overlaps
    );
    for (flag, is_set) in [
        ("overlapped", run.overlapped),
        ("late_start", run.late),
        ("unscheduled", run.unscheduled),
        ("too_fast", run.fast),
        ("pairing_assumed", run.assumed),
        ("hung_until", run.hung.is_some() && run.ended.is_some()),
    ] {
        if is_set {
            line = format!("{line} {flag}");
        }
    }
    line
}
