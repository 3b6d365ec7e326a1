//! Snoozing an incident: quiet for a while, and one reminder if it is still open then. Neighbour: `evaluate` ends it.

use chrono::Duration;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    timeline::{Timeline, snooze::MAX_SLOTS},
};
use watchclock_store::Batch;

use crate::{ServiceError, ServiceResult, Watchclock, incident::comment};

/// A year.
const LONGEST: Duration = Duration::days(366);

/// For how long an incident is to be quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snooze {
    Until(Time),
    For(Duration),
    /// Until so many next slots of its monitor, and their grace, have passed.
    Slots(u32),
}

impl Watchclock {
    /// Makes an open incident quiet. The same again changes nothing; another time replaces the one before.
    pub async fn snooze_incident(
        &self,
        project: Uuid,
        id: Uuid,
        by: &str,
        snooze: Snooze,
    ) -> ServiceResult<Time> {
        self.snooze_incident_saying(project, id, by, snooze, None).await
    }

    /// The same, with a comment.
    pub async fn snooze_incident_saying(
        &self,
        project: Uuid,
        id: Uuid,
        by: &str,
        snooze: Snooze,
        text: Option<&str>,
    ) -> ServiceResult<Time> {
        let incident = self.store().incident(project, id).await?.ok_or(ServiceError::NotFound)?;
        let now = self.now();
        let comment = comment(id, now, by, text)?;
        let mut tx = self.store().begin().await?;
        let mut facts = self.store().lock_facts(&mut tx, &[incident.monitor], &[], false).await?;
        let facts = facts.remove(&incident.monitor).ok_or(ServiceError::NotFound)?;
        let monitors = self.inner.cache.reload_in(self.store(), &mut tx, &[incident.monitor]).await?;
        let monitor = monitors.get(&incident.monitor).ok_or(ServiceError::NotFound)?;
        let mut line = Timeline::new(monitor, facts.memory, facts.runs, facts.incidents);
        line.gaps = self.gaps();
        let until = end(&line, snooze, now)?;
        let resolved = || ServiceError::Conflict("the incident is resolved already".to_owned());
        if line.snooze(id, until, by, now).ok_or_else(resolved)? {
            // What has not gone out is told by the reminder, if there is still something to tell.
            self.store().cancel_unsent(&mut tx, id, now).await?;
            self.store().write(&mut tx, &Batch { timelines: vec![&line], alerts: Vec::new() }).await?;
        }
        if let Some(comment) = comment {
            self.store().comment_once(&mut tx, &comment).await?;
        }
        self.store().commit(tx).await?;
        self.wake(std::iter::once(&line), false);
        Ok(until)
    }
}

fn end(line: &Timeline<'_>, snooze: Snooze, now: Time) -> ServiceResult<Time> {
    let (field, until) = match snooze {
        Snooze::Until(until) => ("until", until),
        Snooze::For(span) => {
            let too_long = || ServiceError::invalid("for", "must be at most a year");
            ("for", now.checked_add_signed(span).ok_or_else(too_long)?)
        }
        Snooze::Slots(slots) => {
            if !(1..=MAX_SLOTS).contains(&slots) {
                return Err(ServiceError::invalid("slots", format!("must be from 1 to {MAX_SLOTS}")));
            }
            let none = "its monitor expects no runs; give `until` or `for`";
            ("slots", line.after_slots(slots, now).ok_or_else(|| ServiceError::invalid("slots", none))?)
        }
    };
    if until <= now {
        return Err(ServiceError::invalid(field, "must end in the future"));
    }
    if until - now > LONGEST && field != "slots" {
        return Err(ServiceError::invalid(field, "must be at most a year"));
    }
    Ok(until)
}
