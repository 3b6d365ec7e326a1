//! Composes what an alert tells from what the domain decided: a snapshot, so that a late mail tells what was true then.

use std::collections::HashMap;

use uuid::Uuid;
use watchclock_domain::{
    incident::{self, AlertDue, Incident, Kind},
    monitor::{ChannelChoice, Monitor},
    run::{Run, RunStatus},
    schedule::{RUNS_LOOKED_AT, zone_hint},
    span,
    timeline::Timeline,
    value::grouped,
};
use watchclock_notify::{Alert, AlertEvent, MonitorRef, RunRef};
use watchclock_store::{AlertRow, StoreResult, Tx};

use crate::Watchclock;

/// How much of the output's end an alert carries, in characters.
const TAIL_CHARS: usize = 4_000;

impl Watchclock {
    /// Alerts of changed timelines, with a delivery for each channel that should hear of them.
    pub(crate) async fn compose_alerts(
        &self,
        tx: &mut Tx,
        lines: &[&Timeline<'_>],
    ) -> StoreResult<Vec<AlertRow>> {
        let mut projects: Vec<Uuid> = lines
            .iter()
            .filter(|line| !line.changes.alerts.is_empty())
            .map(|line| line.monitor.project)
            .collect();
        if projects.is_empty() {
            return Ok(Vec::new());
        }
        projects.sort_unstable();
        projects.dedup();
        let mut channels: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
        for (project, channel) in self.store().enabled_channels(tx, &projects).await? {
            channels.entry(project).or_default().push(channel);
        }
        let names: HashMap<Uuid, String> =
            self.store().project_names(tx, &projects).await?.into_iter().collect();
        let mut rows = Vec::new();
        for line in lines {
            let monitor = line.monitor;
            let name = names.get(&monitor.project).map_or("", String::as_str);
            let known = channels.get(&monitor.project).map_or(&[][..], Vec::as_slice);
            for due in &line.changes.alerts {
                let Some(incident) = line.incident(due.incident) else { continue };
                let tail = self.output_tail(tx, line, due.run).await?;
                let hears = hears(line, incident, due.event);
                let mut alert = compose(line, incident, due, name, tail);
                let was_pinged = line.memory.last_ping_at.is_some();
                if incident.kind == Kind::Missed && alert.event == AlertEvent::Opened && was_pinged {
                    let starts = self.store().last_starts(tx, monitor.id, RUNS_LOOKED_AT).await?;
                    let hint = zone_hint(&monitor.schedule, &starts);
                    alert.facts.extend(hint.map(|hint| ("time zone".to_owned(), hint.words())));
                }
                if alert.event == AlertEvent::Opened {
                    alert.facts.extend(turned_away(line, incident));
                }
                rows.push(AlertRow {
                    id: self.new_id(),
                    project: monitor.project,
                    incident: incident.id,
                    event: due.event.word().to_owned(),
                    sequence: due.sequence,
                    at: due.at,
                    due_at: due.due_at,
                    content: serde_json::to_value(&alert).unwrap_or_default(),
                    channels: known
                        .iter()
                        .filter(|channel| hears.is_none_or(|some| some.contains(*channel)))
                        .map(|channel| (self.new_id(), *channel))
                        .collect(),
                });
            }
        }
        Ok(rows)
    }

    /// The end of a run's output: what came with the ping just now, else what is stored.
    async fn output_tail(
        &self,
        tx: &mut Tx,
        line: &Timeline<'_>,
        run: Option<Uuid>,
    ) -> StoreResult<Option<String>> {
        let Some(run) = run else { return Ok(None) };
        let fresh =
            line.changes.outputs.iter().rev().find(|(of, _)| *of == run).map(|(_, output)| output.text());
        let text = match fresh {
            Some(text) => Some(text),
            None if line.run(run).is_some_and(|run| run.output_size > 0) => {
                self.store().outputs(tx, &[run]).await?.pop().map(|(_, text)| text)
            }
            None => None,
        };
        Ok(text.map(|text| last_chars(&text, TAIL_CHARS)).filter(|text| !text.trim().is_empty()))
    }
}

/// The channels that should hear of it; none for every one. Of a resolution all do that heard of the opening: the store
/// knows them.
fn hears<'l>(line: &'l Timeline<'_>, incident: &Incident, event: incident::AlertEvent) -> Option<&'l [Uuid]> {
    if event == incident::AlertEvent::Resolved {
        return None;
    }
    let rule = line.monitor.rules.iter().find(|rule| Some(rule.id) == incident.rule);
    match (rule.and_then(|rule| rule.channels.as_deref()), &line.monitor.channels) {
        (Some(ids), _) => Some(ids),
        (None, ChannelChoice::Some(ids)) => Some(ids),
        (None, ChannelChoice::All) => None,
    }
}

/// Where a ping is what is missing, and the last one that came was past the limit: that it came.
fn turned_away(line: &Timeline<'_>, incident: &Incident) -> Option<(String, String)> {
    let memory = &line.memory;
    let last = memory.pings_refused_at.filter(|refused| Some(*refused) > memory.last_ping_at)?;
    let pings = match memory.pings_refused {
        1 => "1 ping".to_owned(),
        count => format!("{} pings so far, the last", grouped(&count.to_string())),
    };
    let why = line.monitor.ping_limit.map_or_else(String::new, |limit| {
        format!(", since the limit is {} a minute", grouped(&limit.per_minute().to_string()))
    });
    let words = format!("{pings} at {}{why}", line.monitor.schedule.zone().show(last));
    matches!(incident.kind, Kind::Missed | Kind::Hung).then(|| ("turned away".to_owned(), words))
}

fn last_chars(text: &str, most: usize) -> String {
    let skip = text.chars().count().saturating_sub(most);
    text.chars().skip(skip).collect()
}

fn compose(
    line: &Timeline<'_>,
    incident: &Incident,
    due: &AlertDue,
    project: &str,
    output_tail: Option<String>,
) -> Alert {
    let monitor = line.monitor;
    let zone = monitor.schedule.zone();
    let run = due.run.and_then(|run| line.run(run)).filter(|run| run.status != RunStatus::Missed);
    let event = event(due.event);
    let resolved = incident.resolved_at.filter(|_| event == AlertEvent::Resolved);
    Alert {
        event,
        incident: incident.id,
        kind: incident.kind.word().to_owned(),
        rule: incident.rule_name.clone(),
        severity: incident.severity.word().to_owned(),
        project: project.to_owned(),
        monitor: MonitorRef {
            id: monitor.id,
            name: monitor.name.clone(),
            slug: monitor.slug.clone(),
            schedule_words: monitor.schedule.words(),
            tz: zone.name().to_owned(),
        },
        summary: incident.summary.clone(),
        at: due.at,
        opened_at: incident.opened_at,
        resolved_at: resolved,
        opened_local: zone.show(incident.opened_at),
        resolved_local: resolved.map(|at| zone.show(at)),
        lasted: resolved.map(|at| span::words(at - incident.opened_at)),
        expected: expected(monitor, incident),
        reported: run.map(reported).unwrap_or_default(),
        facts: incident.facts.iter().filter(|(name, _)| !is_told(incident.kind, name)).cloned().collect(),
        fine_before: line
            .memory
            .fine_since
            .filter(|_| resolved.is_none())
            .map(|since| span::words(due.at - since)),
        missed_runs: (incident.kind == Kind::Missed).then_some(incident.run_count),
        output_tail,
        run: run.map(|run| RunRef {
            number: run.number,
            rid: run.run_id.as_ref().map(|id| id.shown.clone()),
            path: format!("/runs/{}", run.id),
        }),
        runbook: Some(monitor.runbook.clone()).filter(|runbook| !runbook.is_empty()),
        path: format!("/incidents/{}", incident.id),
    }
}

fn event(event: incident::AlertEvent) -> AlertEvent {
    match event {
        incident::AlertEvent::Opened => AlertEvent::Opened,
        incident::AlertEvent::Reminder => AlertEvent::Reminder,
        incident::AlertEvent::Resolved => AlertEvent::Resolved,
    }
}

fn expected(monitor: &Monitor, incident: &Incident) -> Option<String> {
    match incident.kind {
        Kind::Missed => {
            let slot = incident.facts.iter().find(|(name, _)| name == "expected");
            let when = slot.map_or_else(|| monitor.schedule.words(), |(_, slot)| format!("at {slot}"));
            Some(format!("a start {when}, at most {} later", span::words(monitor.grace)))
        }
        Kind::Failed => Some("an end with success".to_owned()),
        Kind::Overlap => Some(match monitor.overlap.allowed {
            0 | 1 => "one run at a time".to_owned(),
            allowed => format!("at most {allowed} runs at a time"),
        }),
        Kind::Hung | Kind::Fast | Kind::Slow | Kind::Rule | Kind::Unscheduled => None,
    }
}

/// Whether a fact of an incident is part of what was expected, or of what the monitor is.
fn is_told(kind: Kind, fact: &str) -> bool {
    kind == Kind::Missed && matches!(fact, "expected" | "grace" | "schedule")
}

fn reported(run: &Run) -> Vec<(String, String)> {
    let mut reported = Vec::new();
    if let Some(duration) = run.duration() {
        reported.push(("duration".to_owned(), span::words(duration)));
    }
    if let Some(code) = run.exit_code {
        reported.push(("exit code".to_owned(), code.to_string()));
    }
    if let Some(message) = &run.message {
        reported.push(("message".to_owned(), message.clone()));
    }
    if let Some(host) = &run.source.host {
        reported.push(("host".to_owned(), host.clone()));
    }
    reported.extend(run.meta.iter().take(30).map(|(key, value)| (key.clone(), value.to_string())));
    reported
}
