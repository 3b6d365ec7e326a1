//! `POST /v1/incidents/{id}/snooze`: quiet for a while. Neighbour: `incident` has the other actions.

use axum::{
    Json as Answer,
    extract::{Path, State},
};
use serde_json::Value as Json;
use utoipa::ToSchema;
use watchclock_domain::timeline::snooze::MAX_SLOTS;
use watchclock_service::snooze::Snooze;

use super::{
    auth::Writer,
    fields::{Fields, Problems},
    incident::{self, IncidentShape},
    input::SpanInput,
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::At,
};
use crate::state::Web;

/// Fields of the call.
pub(super) const FIELDS: [&str; 4] = ["until", "for", "slots", "text"];

/// For how long an incident is to be quiet: one of `until`, `for` and `slots`.
#[derive(Debug, ToSchema)]
#[schema(as = SnoozeInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct SnoozeInput {
    until: Option<At>,
    r#for: Option<SpanInput>,
    /// Until so many next slots of its monitor, and their grace, have passed.
    #[schema(example = 2, minimum = 1, maximum = 1000)]
    slots: Option<u32>,
    /// Kept as a comment.
    text: Option<String>,
}

/// Snoozes an open incident
///
/// Quiet until then: no reminders, and what has not gone out yet does not. A recovery is told as always; if it is still
/// open at the end, one reminder says so. Snoozing again replaces the time.
#[utoipa::path(post, path = "/v1/incidents/{id}/snooze", tag = "incidents", operation_id = "snoozeIncident",
    params(("id" = Uuid, Path, description = "The incident's id")),
    request_body(content = SnoozeInput, examples(
        ("for" = (value = json!({"for": "2h"}))), ("slots" = (value = json!({"slots": 2}))),
        ("until" = (value = json!({"until": "2026-02-01T06:00:00Z"}))))),
    responses((status = 200, body = IncidentShape)))]
pub(super) async fn snooze(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<IncidentShape>, Refusal> {
    query.none()?;
    let (id, (snooze, text)) = (known(&id)?, read(sent.json()?)?);
    let (project, by) = (caller.project(), caller.name());
    web.watchclock().snooze_incident_saying(project, id, &by, snooze, text.as_deref()).await?;
    incident::full(&web, &caller, id).await
}

fn read(json: Json) -> Result<(Snooze, Option<String>), Refusal> {
    let mut problems = Problems::new();
    let read = Fields::of(json, "", &FIELDS, &mut problems).and_then(|mut fields| {
        fields.drop_nulls();
        let given: Vec<&str> = FIELDS[..3].iter().copied().filter(|name| fields.has(name)).collect();
        match given.as_slice() {
            [_] => {}
            [] => fields.wrong("until", "say how long: `until`, `for` or `slots`"),
            [_, second, ..] => fields.wrong(second, "give one of `until`, `for` and `slots`"),
        }
        let until = fields.time("until").map(Snooze::Until);
        let span = fields.span("for").map(Snooze::For);
        let slots = fields.whole("slots", 1..=i64::from(MAX_SLOTS));
        let slots = slots.and_then(|slots| u32::try_from(slots).ok()).map(Snooze::Slots);
        let text = fields.text("text");
        if text.as_ref().is_some_and(|text| text.trim().is_empty() || text.trim().chars().count() > 4_000) {
            fields.wrong("text", "a comment has 1 to 4000 characters");
        }
        Some((until.or(span).or(slots)?, text))
    });
    read.filter(|_| problems.is_empty()).ok_or_else(|| Refusal::wrong(problems))
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn one_way_to_say_how_long() {
        let until = "2027-01-04T00:00:00Z".parse().unwrap();
        for (json, snooze) in [
            (json!({"until": "2027-01-04T00:00:00Z"}), Snooze::Until(until)),
            (json!({"for": "2h"}), Snooze::For(chrono::Duration::hours(2))),
            (json!({"for": 90}), Snooze::For(chrono::Duration::seconds(90))),
            (json!({"slots": 2}), Snooze::Slots(2)),
        ] {
            assert_eq!(read(json).unwrap().0, snooze);
        }
        for json in [
            json!({}),
            json!({"until": "soon"}),
            json!({"for": "2h", "slots": 2}),
            json!({"slots": 0}),
            json!({"for": null}),
            json!({"for": "2h", "text": " "}),
            json!({"for": "2h", "why": "x"}),
        ] {
            assert_eq!(read(json).unwrap_err().into_response().status(), 422);
        }
    }
}
