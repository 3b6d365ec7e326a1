//! Whether a ping is taken at all. Neighbour: [`crate::ping_limit`] keeps the pace.

use chrono::Duration;

use super::Timeline;
use crate::{Time, ping_limit::TooSoon};

/// By how much pings come in another order than they are taken in, at two lanes or at servers whose clocks differ. One that is
/// further behind tells of a clock that was set back.
const OUT_OF_ORDER: Duration = Duration::seconds(10);

impl Timeline<'_> {
    /// Asks for each ping before [`Self::ping`]. One that is not taken changes nothing but how many were turned away.
    pub fn admit(&mut self, now: Time) -> Result<(), TooSoon> {
        let Some(limit) = self.monitor.ping_limit else { return Ok(()) };
        let memory = &mut self.memory;
        // The pace knows but one clock. Else of two pings at once the one taken second would seem to come before its turn.
        let last = memory.last_ping_at.filter(|last| *last - now <= OUT_OF_ORDER);
        let paced = limit.pace(memory.paced_until, last.map_or(now, |last| last.max(now)));
        memory.paced_until = Some(paced.until);
        if paced.admitted.is_err() {
            memory.pings_refused += 1;
            memory.pings_refused_at = memory.pings_refused_at.max(Some(now));
            self.changes.refused = true;
        }
        self.changes.memory = true;
        paced.admitted
    }

    /// Starts the pace anew, as under another limit.
    pub fn forget_pace(&mut self) {
        self.memory.paced_until = None;
        self.changes.memory = true;
    }
}
