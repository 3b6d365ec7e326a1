//! One incident: what happened, who was told, what their servers answered, and what one can do about it.

use std::collections::HashMap;

use axum::{
    extract::{Path, State},
    response::Response,
};
use uuid::Uuid;
use watchclock_domain::{
    incident::{Incident, Kind},
    ping::Output,
    run::Run,
    value,
};
use watchclock_service::{
    ServiceError, ServiceResult,
    channel::DeliveryRow,
    incident::{EventRow, IncidentView},
};

use super::{
    channel_words,
    errors::PageResult,
    fields::Form,
    flash::Note,
    incident_words, incidents,
    moments::Moments,
    monitor_page,
    problems::Problems,
    respond, run_words,
    runs::id,
    said,
    session::Member,
    snooze,
    views::{
        incident_page::{Attempt, Delivery, Event, IncidentPage, IncidentRun},
        parts::{Field, Link, Said},
        shell::Section,
    },
};
use crate::state::Web;

/// How much of the output's end is shown, in characters.
const TAIL: usize = 2_000;
/// Runs that are listed, the newest.
const RUNS: usize = 10;

/// `GET /incidents/{id}`
pub(crate) async fn show(State(web): State<Web>, member: Member, Path(incident): Path<String>) -> PageResult {
    Ok(respond::page(&page(&web, &member, id(&incident)?, Field::default()).await?))
}

async fn page(web: &Web, member: &Member, incident: Uuid, comment: Field) -> PageResult<IncidentPage> {
    let watchclock = web.watchclock();
    let project = member.project.id;
    let view = watchclock.incident(project, incident).await?;
    let of = watchclock.monitor(project, &view.incident.monitor.to_string()).await?;
    let moments = Moments::new(*of.monitor.schedule.zone(), watchclock.now());
    let title = said::line(view.incident.kind, &view.incident.summary, &moments);
    let shell = member.shell(web, &title, Section::Incidents).await?;
    let base = shell.base.clone();
    let IncidentView { incident, events, deliveries } = view;
    let mut runs = watchclock.runs_by_id(project, &incident.runs).await?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.number));
    runs.truncate(RUNS);
    let kinds: HashMap<Uuid, String> = watchclock
        .channels(project)
        .await?
        .into_iter()
        .map(|channel| (channel.id, channel.settings.kind().to_owned()))
        .collect();
    let is_open = incident.resolved_at.is_none();
    let may_change = member.may_change().is_ok();
    Ok(IncidentPage {
        id: incident.id.to_string(),
        monitor: Link {
            href: format!("{base}/monitors/{}", of.monitor.id),
            text: of.monitor.name.clone(),
            current: false,
        },
        kind: incident.kind.word().to_owned(),
        severity: incident.severity.word().to_owned(),
        state: incidents::state(&incident, moments.now).to_owned(),
        summary: said::pieces(incident.kind, &incident.summary, &moments),
        meaning: incident_words::meaning(&incident, &of.monitor),
        opened: moments.full(incident.opened_at),
        resolved: incident.resolved_at.map(|at| moments.full(at)),
        resolved_by: incident.resolved_by.clone().unwrap_or_default(),
        lasted: incidents::lasted(&incident, &moments),
        zone: moments.zone.name().to_owned(),
        facts: incident.facts.iter().map(|(name, value)| fact(&incident, name, value, &moments)).collect(),
        runbook_is_link: monitor_page::is_link(&of.monitor.runbook),
        runbook: of.monitor.runbook.clone(),
        output_tail: tail(web, project, runs.first()).await?,
        events: events.into_iter().map(|row| event(incident.kind, row, &moments)).collect(),
        runs: runs
            .iter()
            .map(|run| IncidentRun {
                number: run.number,
                href: run_words::href(&base, run),
                status: run.status.word().to_owned(),
                when: run_words::when(run, &moments),
                duration: run_words::duration(run, &moments),
            })
            .collect(),
        more_runs: u64::try_from(incident.run_count).unwrap_or(0).saturating_sub(runs.len() as u64),
        deliveries: deliveries
            .into_iter()
            .map(|row| {
                let channel = channel_words::href(&base, row.channel_id, may_change);
                delivery(channel, row, &kinds, &moments)
            })
            .collect(),
        comment,
        may_acknowledge: may_change && is_open && incident.acknowledged_at.is_none(),
        may_resolve: may_change && is_open,
        snoozed: snooze::until(&incident, moments.now).map(|until| moments.full(until)),
        snoozes: if may_change && is_open { snooze::choices(&of.monitor) } else { Vec::new() },
        may_comment: may_change,
        shell,
    })
}

/// The end of what the newest of its runs printed.
async fn tail(web: &Web, project: Uuid, run: Option<&Run>) -> PageResult<String> {
    let Some(run) = run.filter(|run| run.output_size > 0) else { return Ok(String::new()) };
    let output = web.watchclock().output(project, run.id).await?;
    let text = output.as_ref().map(Output::text).unwrap_or_default();
    let skip = text.chars().count().saturating_sub(TAIL);
    Ok(text.chars().skip(skip).collect())
}

/// What was read, for people. Other facts than those of rules are words already.
fn fact(incident: &Incident, name: &str, value: &str, moments: &Moments) -> (String, Vec<Said>) {
    let value = match incident.kind {
        Kind::Rule => vec![Said::Text(value::reported(name, value))],
        kind => said::pieces(kind, value, moments),
    };
    (name.to_owned(), value)
}

fn event(kind: Kind, row: EventRow, moments: &Moments) -> Event {
    let text = match row.event.as_str() {
        "comment" => vec![Said::Text(row.text)],
        "snoozed" => said::split(&row.text, moments),
        _ => said::pieces(kind, &row.text, moments),
    };
    let event = match row.event.as_str() {
        "comment" => "commented".to_owned(),
        "again" => "added".to_owned(),
        _ => row.event,
    };
    Event { event, at: moments.full(row.at), by: row.by.unwrap_or_default(), text }
}

fn delivery(channel: String, row: DeliveryRow, kinds: &HashMap<Uuid, String>, moments: &Moments) -> Delivery {
    let next = match row.status.as_str() {
        "retry" => format!("{}, attempt {}", moments.ago(row.due_at), row.attempts.len() + 1),
        "queued" if row.due_at > moments.now => moments.ago(row.due_at),
        _ => String::new(),
    };
    Delivery {
        channel: Link { href: channel, text: row.channel_name, current: false },
        kind: kinds.get(&row.channel_id).cloned().unwrap_or_default(),
        event: row.event,
        status: row.status,
        next_attempt: next,
        attempts: row
            .attempts
            .into_iter()
            .map(|attempt| Attempt {
                at: moments.full(attempt.at),
                ok: attempt.ok,
                answer: attempt.answer,
                took: String::new(),
            })
            .collect(),
    }
}

/// `POST /incidents/{id}/acknowledge`
pub(crate) async fn acknowledge(
    State(web): State<Web>,
    member: Member,
    Path(incident): Path<String>,
) -> PageResult {
    member.may_change()?;
    let incident = id(&incident)?;
    let done = web.watchclock().acknowledge_incident(member.project.id, incident, &member.user.email).await;
    back(&web, incident, done, "Acknowledged: no more reminders for this incident.")
}

/// `POST /incidents/{id}/resolve`
pub(crate) async fn resolve(
    State(web): State<Web>,
    member: Member,
    Path(incident): Path<String>,
) -> PageResult {
    member.may_change()?;
    let incident = id(&incident)?;
    let done = web.watchclock().resolve_incident(member.project.id, incident, &member.user.email).await;
    back(&web, incident, done, "Resolved. It opens again if the monitor finds it wrong again.")
}

/// `POST /incidents/{id}/comment`
pub(crate) async fn comment(
    State(web): State<Web>,
    member: Member,
    Path(incident): Path<String>,
    Form(form): Form,
) -> PageResult {
    member.may_change()?;
    let incident = id(&incident)?;
    let text = form.raw("text").unwrap_or_default().replace("\r\n", "\n");
    match web.watchclock().comment_incident(member.project.id, incident, &member.user.email, &text).await {
        Err(error @ ServiceError::Invalid(_)) => {
            let field = Problems::of(error)?.field("text", &text);
            Ok(respond::wrong(&page(&web, &member, incident, field).await?))
        }
        done => back(&web, incident, done, "Your comment is added."),
    }
}

/// Back to the page, which tells what came of it; a conflict is news, not an error.
fn back(web: &Web, incident: Uuid, done: ServiceResult<()>, good: &str) -> PageResult<Response> {
    let note = match done {
        Ok(()) => Note::good(good),
        Err(ServiceError::Conflict(text)) => Note::bad(text),
        Err(error) => return Err(error.into()),
    };
    Ok(respond::to_with(web, &format!("/incidents/{incident}"), &note))
}
