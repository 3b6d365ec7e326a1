//! Incidents that are quiet for a while: until when, and what is told at the end. Neighbour: `incidents` opens and resolves.

use uuid::Uuid;

use super::Timeline;
use crate::{
    Time,
    incident::{AlertDue, AlertEvent, Incident, IncidentEvent},
    schedule,
};

/// Most slots that a snooze may wait for.
pub const MAX_SLOTS: u32 = 1_000;

impl Timeline<'_> {
    /// When so many next slots and their grace have passed; none when there are no such slots.
    pub fn after_slots(&self, count: u32, now: Time) -> Option<Time> {
        let schedule = &self.monitor.schedule;
        // An interval counts from the last run, the others from the calendar.
        let first = match schedule.text().kind {
            schedule::Kind::Every => self.memory.next_slot.filter(|slot| *slot > now),
            _ => None,
        };
        let first = first.or_else(|| schedule.next(now))?;
        let slots = std::iter::successors(Some(first), |slot| schedule.next(*slot));
        let last = slots.take(usize::try_from(count).ok()?).last()?;
        self.monitor.start_by(last)
    }

    /// Makes an open incident quiet until a moment; tells whether that changed anything. None: there is none such.
    pub fn snooze(&mut self, incident: Uuid, until: Time, by: &str, now: Time) -> Option<bool> {
        let is_it = |open: &&mut Incident| open.id == incident && open.resolved_at.is_none();
        let open = self.incidents.iter_mut().find(is_it)?;
        if open.snoozed_until == Some(until) {
            return Some(false);
        }
        open.snoozed_until = Some(until);
        open.snoozed_by = Some(by.to_owned());
        self.mark_incident(incident);
        let text = format!("until {}", self.monitor.schedule.zone().show(until));
        let by = Some(by.to_owned());
        self.changes.events.push(IncidentEvent { incident, at: now, event: "snoozed", by, text });
        self.set_deadline(false);
        Some(true)
    }

    /// A pause held back the alert of an open incident: it is told as one whose snooze ends as soon as it is resumed.
    pub fn hold_alert(&mut self, incident: Uuid, now: Time) {
        if let Some(open) = self.incidents.iter_mut().find(|open| open.id == incident) {
            open.snoozed_until = open.snoozed_until.max(Some(now));
            self.mark_incident(incident);
        }
    }

    /// When the next snooze ends.
    pub(super) fn next_snooze_end(&self) -> Option<Time> {
        let open = self.incidents.iter().filter(|incident| incident.resolved_at.is_none());
        open.filter_map(|incident| incident.snoozed_until).min()
    }

    /// Tells, once, of incidents that are still open when their snooze ends.
    pub(super) fn end_snoozes(&mut self, now: Time) {
        if !self.is_watched() {
            return;
        }
        let mut over = Vec::new();
        for incident in &mut self.incidents {
            let ends = incident.snoozed_until.is_some_and(|until| until <= now);
            if ends && incident.resolved_at.is_none() {
                incident.snoozed_until = None;
                incident.hushed = false;
                incident.reminders = incident.reminders.saturating_add(1);
                over.push((incident.id, incident.reminders, incident.runs.last().copied()));
            }
        }
        for (incident, sequence, run) in over {
            self.mark_incident(incident);
            self.event(incident, now, "reminder", "its snooze ended and it is still open".to_owned());
            let event = AlertEvent::Reminder;
            self.changes.alerts.push(AlertDue { incident, event, sequence, at: now, run, due_at: now });
        }
    }
}
