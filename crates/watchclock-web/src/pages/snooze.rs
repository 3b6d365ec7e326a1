//! Making an incident quiet for a while. Neighbour: `incident_page` offers it.

use axum::{
    extract::{Path, State},
    response::Response,
};
use chrono::Duration;
use watchclock_domain::{Time, incident::Incident, monitor::Monitor, schedule};
use watchclock_service::{ServiceError, snooze::Snooze};

use super::{
    errors::PageResult, fields::Form, flash::Note, moments::Moments, respond, runs::id, session::Member,
    views::parts::Choice,
};
use crate::state::Web;

/// For how long: what is sent, and its words.
const CHOICES: [(&str, &str, i64); 5] = [
    ("1h", "1 hour", 1),
    ("4h", "4 hours", 4),
    ("1d", "a day", 24),
    ("7d", "a week", 168),
    ("slot", "until its next slot", 0),
];

/// What a select offers.
pub(crate) fn choices(monitor: &Monitor) -> Vec<Choice> {
    let has_slots = monitor.schedule.text().kind != schedule::Kind::None;
    let fit = CHOICES.iter().filter(|(.., hours)| *hours > 0 || has_slots);
    fit.map(|(value, label, _)| Choice::of(value, label, *value == "4h")).collect()
}

/// Until when an incident is quiet, if it is.
pub(crate) fn until(incident: &Incident, now: Time) -> Option<Time> {
    incident.snoozed_until.filter(|until| *until > now && incident.resolved_at.is_none())
}

/// `POST /incidents/{id}/snooze`: quiet until then, and one reminder if it is still open.
pub(crate) async fn snooze(
    State(web): State<Web>,
    member: Member,
    Path(incident): Path<String>,
    Form(form): Form,
) -> PageResult<Response> {
    member.may_change()?;
    let incident = id(&incident)?;
    let hours = CHOICES.iter().find(|(value, ..)| *value == form.get("for")).map_or(4, |(.., hours)| *hours);
    let snooze = if hours == 0 { Snooze::Slots(1) } else { Snooze::For(Duration::hours(hours)) };
    let watchclock = web.watchclock();
    let project = member.project.id;
    let note = match watchclock.snooze_incident(project, incident, &member.user.email, snooze).await {
        Ok(until) => {
            let of = watchclock.incident(project, incident).await?.incident.monitor;
            let view = watchclock.monitor(project, &of.to_string()).await?;
            let moments = Moments::new(*view.monitor.schedule.zone(), watchclock.now());
            let until = Moments { tells_offset: true, ..moments }.short(until).text;
            Note::good(format!("Quiet until {until}. If it is still open then, one reminder tells so."))
        }
        Err(ServiceError::Conflict(text)) => Note::bad(text),
        Err(ServiceError::Invalid(problems)) => {
            let text: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            Note::bad(format!("It was not snoozed: {}.", text.join("; ")))
        }
        Err(error) => return Err(error.into()),
    };
    Ok(respond::to_with(&web, &format!("/incidents/{incident}"), &note))
}
