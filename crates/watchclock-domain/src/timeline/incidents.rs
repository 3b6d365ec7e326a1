//! Opening, adding to and resolving incidents, with the alerts that follow. Neighbours decide when; this knows how.

use uuid::Uuid;

use super::{NewIds, Timeline};
use crate::{
    Time,
    incident::{AlertDue, AlertEvent, Incident, IncidentEvent, Kind, MAX_RUNS_NAMED},
    rule::Rule,
    schedule,
};

impl Timeline<'_> {
    pub(super) fn open_index(&self, kind: Kind, rule: Option<Uuid>) -> Option<usize> {
        self.incidents.iter().position(|incident| {
            incident.kind == kind && incident.rule == rule && incident.resolved_at.is_none()
        })
    }

    /// Opens an incident, or adds to the one that is open. None while the monitor is paused, or where maintenance
    /// suppresses the opening.
    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one incident; a struct would only repeat them"
    )]
    pub(super) fn open_or_add(
        &mut self,
        kind: Kind,
        rule: Option<&Rule>,
        summary: String,
        facts: Vec<(String, String)>,
        runs: &[Uuid],
        now: Time,
        ids: &mut dyn NewIds,
    ) -> Option<usize> {
        if !self.is_watched() {
            return None;
        }
        if let Some(index) = self.open_index(kind, rule.map(|rule| rule.id)) {
            let incident = &mut self.incidents[index];
            add_runs(incident, runs);
            incident.progress = 0;
            let id = incident.id;
            let is_untold = std::mem::take(&mut incident.hushed) && incident.snoozed_until.is_none();
            self.mark_incident(id);
            self.event(id, now, "again", summary);
            if is_untold {
                self.tell_opened(id, runs, now);
            }
            return Some(index);
        }
        if self.is_quiet(now) {
            return None;
        }
        let mut incident = Incident {
            id: ids.new_id(),
            monitor: self.monitor.id,
            kind,
            rule: rule.map(|rule| rule.id),
            rule_name: rule.map(|rule| rule.name.clone()),
            severity: rule.map_or_else(|| self.monitor.severity_of(kind), |rule| rule.severity),
            summary: summary.clone(),
            facts,
            runs: Vec::new(),
            run_count: 0,
            pending: Vec::new(),
            progress: 0,
            opened_at: now,
            acknowledged_at: None,
            acknowledged_by: None,
            resolved_at: None,
            resolved_by: None,
            hushed: false,
            snoozed_until: None,
            snoozed_by: None,
            reminders: 0,
        };
        add_runs(&mut incident, runs);
        let id = incident.id;
        self.incidents.push(incident);
        self.changes.new_incidents.insert(id);
        self.event(id, now, "opened", summary);
        self.tell_opened(id, runs, now);
        Some(self.incidents.len() - 1)
    }

    fn tell_opened(&mut self, incident: Uuid, runs: &[Uuid], now: Time) {
        self.changes.alerts.push(AlertDue {
            incident,
            event: AlertEvent::Opened,
            sequence: 1,
            at: now,
            run: runs.last().copied(),
            due_at: now.checked_add_signed(self.monitor.alert_after).unwrap_or(now),
        });
    }

    /// Resolves the open incident of a kind and rule, if there is one.
    pub(super) fn resolve(
        &mut self,
        kind: Kind,
        rule: Option<Uuid>,
        why: &str,
        run: Option<Uuid>,
        now: Time,
    ) {
        let Some(index) = self.open_index(kind, rule) else { return };
        let id = self.close(index, why, now);
        self.event(id, now, "resolved", why.to_owned());
        if kind != Kind::Unscheduled {
            self.tell_resolved(id, run, now);
        }
    }

    /// Resolves an incident because somebody says so; tells whether it was open.
    pub fn resolve_by_hand(&mut self, id: Uuid, by: &str, now: Time) -> bool {
        let is_it = |incident: &Incident| incident.id == id && incident.resolved_at.is_none();
        let Some(index) = self.incidents.iter().position(is_it) else { return false };
        self.close(index, by, now);
        let (by, text) = (Some(by.to_owned()), "by hand".to_owned());
        self.changes.events.push(IncidentEvent { incident: id, at: now, event: "resolved", by, text });
        self.tell_resolved(id, None, now);
        true
    }

    fn close(&mut self, index: usize, by: &str, now: Time) -> Uuid {
        let incident = &mut self.incidents[index];
        incident.resolved_at = Some(now.max(incident.opened_at));
        incident.resolved_by = Some(by.to_owned());
        incident.pending.clear();
        incident.snoozed_until = None;
        let id = incident.id;
        self.mark_incident(id);
        if self.incidents.iter().all(|incident| incident.resolved_at.is_some()) {
            self.memory.fine_since = Some(now);
            self.changes.memory = true;
        }
        id
    }

    fn tell_resolved(&mut self, incident: Uuid, run: Option<Uuid>, now: Time) {
        self.changes.alerts.push(AlertDue {
            incident,
            event: AlertEvent::Resolved,
            sequence: 1,
            at: now,
            run,
            due_at: now,
        });
    }

    /// Resolves whatever is open: the monitor will be gone.
    pub fn resolve_all(&mut self, why: &str, now: Time) {
        let open: Vec<(Kind, Option<Uuid>)> = self
            .incidents
            .iter()
            .filter(|incident| incident.resolved_at.is_none())
            .map(|incident| (incident.kind, incident.rule))
            .collect();
        for (kind, rule) in open {
            self.resolve(kind, rule, why, None, now);
        }
    }

    /// Resolves what an edit of the configuration made right, or what nothing could resolve any more.
    pub fn resolve_by_edit(&mut self, now: Time) {
        self.rules_changed(now);
        if self.monitor.min_duration.is_none() && self.usual_duration().is_none() {
            self.resolve(Kind::Fast, None, "the shortest duration was unset", None, now);
        }
        if self.memory.active <= i64::from(self.monitor.overlap.allowed.max(1)) {
            self.resolve(Kind::Overlap, None, "as many runs at once are allowed now", None, now);
        }
        if self.monitor.schedule.text().kind == schedule::Kind::None && self.monitor.broken.is_none() {
            self.resolve(Kind::Missed, None, "no runs are expected any more", None, now);
        }
    }

    /// A run started (or ended without a start): nothing is missing any more, unless it was before what is missing.
    pub(super) fn resolve_missed(&mut self, started: Time, now: Time, run: Option<Uuid>) {
        if self.open_index(Kind::Missed, None).is_some() && !self.is_before_last_slot(started, now) {
            self.resolve(Kind::Missed, None, "a run started", run, now);
        }
    }

    pub(super) fn event(&mut self, incident: Uuid, at: Time, event: &'static str, text: String) {
        self.changes.events.push(IncidentEvent { incident, at, event, by: None, text });
    }

    pub(super) fn mark_incident(&mut self, id: Uuid) {
        if !self.changes.new_incidents.contains(&id) {
            self.changes.changed_incidents.insert(id);
        }
    }
}

/// Adds runs that the incident does not name yet, keeping the most recent.
fn add_runs(incident: &mut Incident, runs: &[Uuid]) {
    for run in runs {
        if !incident.runs.contains(run) {
            incident.runs.push(*run);
            incident.run_count += 1;
        }
    }
    let over = incident.runs.len().saturating_sub(MAX_RUNS_NAMED);
    incident.runs.drain(..over);
}
