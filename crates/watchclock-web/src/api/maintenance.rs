//! `/v1/maintenance-windows`: when the opening of incidents is suppressed.

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    maintenance::{MonitorChoice, When},
    problem::Problem,
};
use watchclock_service::maintenance::{Comes, WindowChange, WindowView};

use super::{
    auth::{Caller, Reader, Writer},
    fields::{self, Fields, Problems},
    input::SpanInput,
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::{At, Listing, Seconds},
};
use crate::state::Web;

/// Fields of a window.
pub(super) const FIELDS: [&str; 7] = ["name", "monitors", "from", "to", "cron", "tz", "lasts"];
/// What is answered and never set.
const READ_ONLY: [&str; 6] = ["id", "broken", "on", "next", "created_at", "updated_at"];

/// A time in which no incident opens; pings are recorded and incidents resolve as always.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceWindow)]
pub(super) struct WindowShape {
    id: Uuid,
    /// What is done then.
    #[schema(example = "database upgrade")]
    name: String,
    /// `["*"]` for every monitor, also those made later; else their ids.
    #[schema(example = json!(["*"]))]
    monitors: Vec<String>,
    /// Of a window that comes once.
    from: Option<At>,
    /// Its end, exclusive.
    to: Option<At>,
    /// Of a recurring window: each match begins one.
    #[schema(example = json!(["0 22 * * *"]))]
    cron: Option<Vec<String>>,
    /// Where a recurring window is read, and where people read one that comes once.
    #[schema(example = "Europe/Berlin")]
    tz: String,
    /// Of a recurring window: its length on the wall clock.
    lasts: Option<Seconds>,
    /// Why what is stored of it cannot be read, else null. It suppresses nothing until `from` and `to`, or `cron` and
    /// `lasts`, are set anew.
    broken: Option<String>,
    /// Whether it is on now.
    on: bool,
    /// The time that is on, else the next one; null when it is over.
    next: Option<SpanShape>,
    created_at: At,
    updated_at: At,
}

/// From when to when a window is on.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MaintenanceSpan)]
struct SpanShape {
    from: At,
    to: At,
}

/// What is to be set on a window: `from` and `to` for one that comes once, or `cron` and `lasts`; `tz` with both.
#[derive(Debug, ToSchema)]
#[schema(as = MaintenanceWindowInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct WindowInput {
    #[schema(example = "database upgrade")]
    name: Option<String>,
    /// `["*"]` for all, which a new one has unless given; else ids or slugs.
    monitors: Option<Vec<String>>,
    from: Option<At>,
    to: Option<At>,
    /// Expressions of which each match begins a window; one may stand without a list.
    #[schema(example = json!(["0 22 * * *"]))]
    cron: Option<Vec<String>>,
    /// UTC unless given.
    #[schema(example = "Europe/Berlin")]
    tz: Option<String>,
    /// Measured on the wall clock: 8 hours from 22:00 end at 06:00, also when the clocks change.
    lasts: Option<SpanInput>,
}

impl WindowShape {
    fn of(view: &WindowView) -> Self {
        let window = &view.window;
        let (from, to, starts, lasts, tz) = match &window.when {
            When::Once { zone, .. } if view.broken.is_some() => (None, None, None, None, zone.name()),
            When::Once { from, to, zone } => (Some(At(*from)), Some(At(*to)), None, None, zone.name()),
            When::Recurring { starts, lasts } => {
                (None, None, Some(starts.text()), Some(Seconds(*lasts)), starts.text().tz.as_str())
            }
        };
        Self {
            id: window.id,
            name: window.name.clone(),
            monitors: match &window.monitors {
                MonitorChoice::All => vec!["*".to_owned()],
                MonitorChoice::Some(ids) => ids.iter().map(Uuid::to_string).collect(),
            },
            from,
            to,
            cron: starts.map(|text| text.lines.clone()),
            tz: tz.to_owned(),
            lasts,
            broken: view.broken.clone(),
            on: view.is_on,
            next: view.span.map(|span| SpanShape { from: At(span.from), to: At(span.to) }),
            created_at: At(view.created_at),
            updated_at: At(view.updated_at),
        }
    }
}

/// Lists maintenance windows
///
/// Newest first.
#[utoipa::path(get, path = "/v1/maintenance-windows", tag = "maintenance", operation_id = "listMaintenanceWindows",
    params(
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<WindowShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<WindowShape>>, Refusal> {
    let params = query.paging();
    let windows = web.watchclock().maintenance_windows(caller.project()).await?;
    let (next, windows) = params.page(windows, |view| view.window.id)?;
    Ok(Answer(Listing::new(next, windows.iter().map(WindowShape::of).collect())))
}

/// Makes a maintenance window
#[utoipa::path(post, path = "/v1/maintenance-windows", tag = "maintenance",
    operation_id = "createMaintenanceWindow",
    request_body(content = WindowInput, examples(
        ("once" = (value = json!({"name": "database upgrade", "from": "2026-02-01T20:00:00Z",
            "to": "2026-02-01T23:00:00Z"}))),
        ("recurring" = (value = json!({"name": "nightly freeze", "monitors": ["sync"], "cron": "0 22 * * *",
            "tz": "Europe/Berlin", "lasts": "8h"}))))),
    responses((status = 201, body = WindowShape, headers(("Location" = String, description = "Its path")))))]
pub(super) async fn create(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let change = read(&web, &caller, sent.json()?, None).await?;
    let view = web.watchclock().create_maintenance_window(caller.project(), change).await?;
    let location = format!("{}/v1/maintenance-windows/{}", web.base_path(), view.window.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(WindowShape::of(&view))).into_response())
}

/// Shows a maintenance window
#[utoipa::path(get, path = "/v1/maintenance-windows/{id}", tag = "maintenance",
    operation_id = "getMaintenanceWindow",
    params(("id" = Uuid, Path, description = "The window's id")),
    responses((status = 200, body = WindowShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<WindowShape>, Refusal> {
    query.none()?;
    let view = web.watchclock().maintenance_window(caller.project(), known(&id)?).await?;
    Ok(Answer(WindowShape::of(&view)))
}

/// Changes a maintenance window
///
/// What is left out stays. Setting `to` to now ends one that is on.
#[utoipa::path(patch, path = "/v1/maintenance-windows/{id}", tag = "maintenance",
    operation_id = "updateMaintenanceWindow",
    params(("id" = Uuid, Path, description = "The window's id")),
    request_body(content = WindowInput, example = json!({"lasts": "6h"})),
    responses((status = 200, body = WindowShape)))]
pub(super) async fn update(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<WindowShape>, Refusal> {
    query.none()?;
    let json = sent.json()?;
    let before = web.watchclock().maintenance_window(caller.project(), known(&id)?).await?;
    let change = read(&web, &caller, json, Some(&before)).await?;
    let view =
        web.watchclock().update_maintenance_window(caller.project(), before.window.id, None, change).await?;
    Ok(Answer(WindowShape::of(&view)))
}

/// Deletes a maintenance window
///
/// One that is on ends with it.
#[utoipa::path(delete, path = "/v1/maintenance-windows/{id}", tag = "maintenance",
    operation_id = "deleteMaintenanceWindow",
    params(("id" = Uuid, Path, description = "The window's id")),
    responses((status = 204, description = "It is gone")))]
pub(super) async fn delete(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    query.none()?;
    web.watchclock().delete_maintenance_window(caller.project(), known(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Reads what is to be set; everything that is wrong with it comes back at once.
async fn read(
    web: &Web,
    caller: &Caller,
    json: Json,
    before: Option<&WindowView>,
) -> Result<WindowChange, Refusal> {
    let mut problems = Problems::new();
    let read = Fields::with_read_only(json, "", (&FIELDS, &READ_ONLY), &mut problems).map(|mut fields| {
        match before {
            Some(_) => fields.fill_nulls(|name| match name {
                "monitors" => Some(Json::from("*")),
                "tz" => Some(Json::from("UTC")),
                _ => None,
            }),
            None => fields.drop_nulls(),
        }
        let given = |names: [&str; 2]| names.iter().any(|name| fields.has(name));
        let comes = match (given(["from", "to"]), given(["cron", "lasts"])) {
            (true, false) => Some(Comes::Once),
            (false, true) => Some(Comes::AgainAndAgain),
            _ => None,
        };
        let change = WindowChange {
            comes,
            name: fields.text("name"),
            monitors: None,
            from: fields.time("from"),
            to: fields.time("to"),
            cron: fields.texts("cron"),
            tz: fields.text("tz"),
            lasts: fields.span("lasts"),
        };
        (change, names(&mut fields))
    });
    let Some((mut change, named)) = read else { return Err(Refusal::wrong(problems)) };
    if let Some(named) = named {
        change.monitors = Some(choice(web, caller, &named, &mut problems).await?);
    }
    let project = caller.project();
    fields::add(&mut problems, web.watchclock().window_problems(project, before, change.clone()).await?);
    if problems.is_empty() { Ok(change) } else { Err(Refusal::wrong(problems)) }
}

/// What is named as a monitor, each with its place; what is no text is told, and the others are still looked up.
fn names(fields: &mut Fields<'_>) -> Option<Vec<(String, String)>> {
    if fields.is_text("monitors") {
        return fields.text("monitors").map(|name| vec![("monitors".to_owned(), name)]);
    }
    let items = fields.list("monitors")?;
    let read =
        |(place, item): (String, Json)| Some((place.clone(), fields::text_of(item, place, fields.problems)?));
    Some(items.into_iter().filter_map(read).collect())
}

/// Monitors by id or slug, or all of them.
async fn choice(
    web: &Web,
    caller: &Caller,
    named: &[(String, String)],
    problems: &mut Problems,
) -> Result<MonitorChoice, Refusal> {
    let (places, named): (Vec<String>, Vec<String>) = named.iter().cloned().unzip();
    if named == ["*"] {
        return Ok(MonitorChoice::All);
    }
    let monitors = web.watchclock().monitors_named(caller.project(), &named).await?;
    let mut ids = Vec::new();
    for ((place, name), id) in places.into_iter().zip(&named).zip(monitors) {
        match id {
            Some(id) if !ids.contains(&id) => ids.push(id),
            Some(_) => {}
            None => {
                let shown: String = name.chars().filter(|c| !c.is_control()).take(100).collect();
                let message = format!(
                    "there is no monitor `{shown}` in this project; give ids, slugs, or [\"*\"] for all"
                );
                problems.push(Problem::new(place, message));
            }
        }
    }
    Ok(MonitorChoice::Some(ids))
}
