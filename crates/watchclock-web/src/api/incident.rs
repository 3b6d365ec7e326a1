//! `/v1/incidents`: what is or was wrong, and who took care of it.

use axum::{
    Json as Answer,
    extract::{Path, State},
};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::incident::Kind;
use watchclock_service::incident::{EventRow, IncidentFilter, IncidentView};

use super::{
    auth::{Caller, Reader, Writer},
    delivery::DeliveryShape,
    fields::{Fields, Problems},
    monitor,
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::{At, Listing, Pairs},
};
use crate::state::Web;

/// Something is or was wrong with a monitor, with its story and with what people heard of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Incident)]
pub(super) struct IncidentShape {
    id: Uuid,
    /// The id of its monitor.
    monitor: Uuid,
    #[schema(example = "failed", pattern = "^(missed|failed|hung|overlap|rule|fast|slow|unscheduled)$")]
    kind: &'static str,
    /// The name of the rule that was true.
    rule: Option<String>,
    rule_id: Option<Uuid>,
    #[schema(example = "critical", pattern = "^(warning|critical)$")]
    severity: &'static str,
    /// One line.
    #[schema(example = "records_processed is 0")]
    summary: String,
    /// What the decision rests on.
    facts: Pairs,
    /// The runs that it is about, oldest first, at most the last 50.
    runs: Vec<Uuid>,
    run_count: i64,
    opened_at: At,
    acknowledged_at: Option<At>,
    acknowledged_by: Option<String>,
    resolved_at: Option<At>,
    resolved_by: Option<String>,
    /// Quiet until then.
    snoozed_until: Option<At>,
    snoozed_by: Option<String>,
    /// In order.
    events: Vec<EventShape>,
    /// In order.
    deliveries: Vec<DeliveryShape>,
}

/// One thing that happened to an incident.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = IncidentEvent)]
struct EventShape {
    at: At,
    #[schema(example = "opened")]
    event: String,
    /// Who did it; null when it happened by itself.
    by: Option<String>,
    text: String,
}

/// What is said with an action.
#[derive(Debug, ToSchema)]
#[schema(as = CommentInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct CommentInput {
    #[schema(example = "the disk was full; cleaned up")]
    text: String,
}

impl IncidentShape {
    fn of(view: &IncidentView) -> Self {
        let incident = &view.incident;
        let event = |row: &EventRow| EventShape {
            at: At(row.at),
            event: row.event.clone(),
            by: row.by.clone(),
            text: row.text.clone(),
        };
        let facts = incident.facts.iter().map(|(name, fact)| (name.clone(), Json::from(fact.clone())));
        Self {
            id: incident.id,
            monitor: incident.monitor,
            kind: incident.kind.word(),
            rule: incident.rule_name.clone(),
            rule_id: incident.rule,
            severity: incident.severity.word(),
            summary: incident.summary.clone(),
            facts: Pairs(facts.collect()),
            runs: incident.runs.clone(),
            run_count: incident.run_count,
            opened_at: At(incident.opened_at),
            acknowledged_at: incident.acknowledged_at.map(At),
            acknowledged_by: incident.acknowledged_by.clone(),
            resolved_at: incident.resolved_at.map(At),
            resolved_by: incident.resolved_by.clone(),
            snoozed_until: incident.snoozed_until.map(At),
            snoozed_by: incident.snoozed_by.clone(),
            events: view.events.iter().map(event).collect(),
            deliveries: view.deliveries.iter().map(DeliveryShape::of).collect(),
        }
    }
}

/// Lists incidents
///
/// Newest first.
#[utoipa::path(get, path = "/v1/incidents", tag = "incidents", operation_id = "listIncidents",
    params(
        ("open" = Option<bool>, Query, description = "`true`: only open ones, `false`: only resolved ones"),
        ("monitor" = Option<String>, Query, description = "Only those of this monitor, by id or slug"),
        ("kind" = Option<String>, Query,
            description = "`missed`, `failed`, `hung`, `overlap`, `rule`, `fast`, `slow` or `unscheduled`"),
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<IncidentShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<IncidentShape>>, Refusal> {
    let mut params = query.params(&["open", "monitor", "kind", "limit", "cursor"]);
    let of = params.text("monitor");
    let mut filter = IncidentFilter {
        open: params.flag("open"),
        monitor: None,
        kind: params.word("kind", &Kind::ALL, Kind::word),
        before: params.id_cursor(),
        limit: params.limit(),
    };
    params.done()?;
    if let Some(of) = of {
        filter.monitor = Some(monitor::find(&web, &caller, &of).await?.monitor.id);
    }
    let page = web.watchclock().incident_views(caller.project(), &filter).await?;
    Ok(Answer(Listing::new(page.next, page.items.iter().map(IncidentShape::of).collect())))
}

/// Shows an incident
#[utoipa::path(get, path = "/v1/incidents/{id}", tag = "incidents", operation_id = "getIncident",
    params(("id" = Uuid, Path, description = "The incident's id")),
    responses((status = 200, body = IncidentShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<IncidentShape>, Refusal> {
    query.none()?;
    full(&web, &caller, known(&id)?).await
}

pub(super) async fn full(web: &Web, caller: &Caller, id: Uuid) -> Result<Answer<IncidentShape>, Refusal> {
    Ok(Answer(IncidentShape::of(&web.watchclock().incident(caller.project(), id).await?)))
}

/// Acknowledges an open incident
///
/// Stops reminders; it stays open. A `text` is kept as a comment. Done once, however often it is sent.
#[utoipa::path(post, path = "/v1/incidents/{id}/acknowledge", tag = "incidents",
    operation_id = "acknowledgeIncident",
    params(("id" = Uuid, Path, description = "The incident's id")),
    request_body(content = Option<CommentInput>),
    responses((status = 200, body = IncidentShape)))]
pub(super) async fn acknowledge(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<IncidentShape>, Refusal> {
    query.none()?;
    let (id, text) = (known(&id)?, text(&sent, false)?);
    let (project, by) = (caller.project(), caller.name());
    web.watchclock().acknowledge_incident_saying(project, id, &by, text.as_deref()).await?;
    full(&web, &caller, id).await
}

/// Resolves an incident by hand
///
/// Without a faked ping. A `text` is kept as a comment. Done once, however often it is sent.
#[utoipa::path(post, path = "/v1/incidents/{id}/resolve", tag = "incidents", operation_id = "resolveIncident",
    params(("id" = Uuid, Path, description = "The incident's id")),
    request_body(content = Option<CommentInput>),
    responses((status = 200, body = IncidentShape)))]
pub(super) async fn resolve(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<IncidentShape>, Refusal> {
    query.none()?;
    let (id, text) = (known(&id)?, text(&sent, false)?);
    let (project, by) = (caller.project(), caller.name());
    web.watchclock().resolve_incident_saying(project, id, &by, text.as_deref()).await?;
    full(&web, &caller, id).await
}

/// Adds a comment to an incident
#[utoipa::path(post, path = "/v1/incidents/{id}/comment", tag = "incidents", operation_id = "commentIncident",
    params(("id" = Uuid, Path, description = "The incident's id")),
    request_body(content = CommentInput),
    responses((status = 200, body = IncidentShape)))]
pub(super) async fn comment(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<IncidentShape>, Refusal> {
    query.none()?;
    let (id, text) = (known(&id)?, text(&sent, true)?.unwrap_or_default());
    web.watchclock().comment_incident(caller.project(), id, &caller.name(), &text).await?;
    full(&web, &caller, id).await
}

/// The text of an action, checked before anything is done.
fn text(sent: &Sent, is_needed: bool) -> Result<Option<String>, Refusal> {
    let json = if is_needed { sent.json()? } else { sent.json_or_nothing()? };
    let mut problems = Problems::new();
    let text = Fields::of(json, "", &["text"], &mut problems).and_then(|mut fields| {
        fields.drop_nulls();
        if is_needed && !fields.has("text") {
            fields.wrong("text", "say something");
        }
        let text = fields.text("text")?;
        if text.trim().is_empty() || text.trim().chars().count() > 4_000 {
            fields.wrong("text", "a comment has 1 to 4000 characters");
        }
        Some(text)
    });
    if problems.is_empty() { Ok(text) } else { Err(Refusal::wrong(problems)) }
}
