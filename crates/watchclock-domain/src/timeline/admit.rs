//! Whether a ping is taken at all. Neighbour: [`crate::ping_limit`] keeps the pace.

use super::Timeline;
use crate::{Time, ping_limit::TooSoon};

impl Timeline<'_> {
    /// Asks for each ping before [`Self::ping`]. One that is not taken changes nothing but how many were turned away.
    pub fn admit(&mut self, now: Time) -> Result<(), TooSoon> {
        let Some(limit) = self.monitor.ping_limit else { return Ok(()) };
        let memory = &mut self.memory;
        let paced = limit.pace(memory.paced_until, now);
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
