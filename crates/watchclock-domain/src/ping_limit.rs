//! How many pings of a monitor are taken in a minute, where that is limited. Neighbour: [`crate::timeline`] counts the others.

use chrono::Duration;

use crate::Time;

/// Pings a minute: so many at once, then one after each part of a minute.
///
/// The pace is kept as one moment, until when the pings so far would take if they came evenly (the generic cell rate
/// algorithm of ITU-T I.371); so there is no window at whose edge twice as many pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PingLimit(u32);

/// How long to wait with a ping that came too soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSoon {
    pub limit: PingLimit,
    /// Whole ones, from 1 to 60.
    pub wait_seconds: u32,
}

/// What a ping came to, and the pace from then on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Paced {
    pub(crate) until: Time,
    pub(crate) admitted: Result<(), TooSoon>,
}

impl PingLimit {
    /// A hundred a second.
    pub const MOST: u32 = 6_000;

    /// None unless it is from 1 to [`Self::MOST`].
    pub fn new(per_minute: u32) -> Option<Self> {
        (1..=Self::MOST).contains(&per_minute).then_some(Self(per_minute))
    }

    pub fn per_minute(self) -> u32 {
        self.0
    }

    /// What one ping takes, in microseconds, as moments are stored; rounded up, so that no minute has one too many.
    fn step(self) -> i64 {
        60_000_000_u32.div_ceil(self.0).into()
    }

    /// Admits a ping, or not. `until` is the pace so far; none where no ping came before.
    pub(crate) fn pace(self, until: Option<Time>, now: Time) -> Paced {
        let ahead = until.map_or(0, |until| (until - now).num_microseconds().unwrap_or(i64::MAX)).max(0);
        let room = self.step() * i64::from(self.0);
        let wait = ahead.saturating_add(self.step()).saturating_sub(room);
        let (ahead, admitted) = if wait <= 0 {
            (ahead + self.step(), Ok(()))
        } else {
            // Only a clock that was set back makes a longer wait. Two servers whose clocks differ a little do not, so
            // that pings that change between them are not too many.
            let wait = u32::try_from(wait).map_or(60_000_000, |wait| wait.min(60_000_000));
            let too_soon = TooSoon { limit: self, wait_seconds: wait.div_ceil(1_000_000) };
            (i64::from(wait) + room - self.step(), Err(too_soon))
        };
        Paced { until: now + Duration::microseconds(ahead), admitted }
    }
}

#[cfg(test)]
#[path = "ping_limit_tests.rs"]
mod tests;
