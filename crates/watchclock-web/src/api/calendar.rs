//! `/v1/calendars`: days on which nothing is expected, and reading lists of such days.

use axum::{
    Json as Answer,
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::Value as Json;
use url::Url;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    calendar::{Days, Kind},
    problem::Problem,
};
use watchclock_service::calendar::{CalendarChange, CalendarView, Source};

use super::{
    auth::{Caller, Reader, Writer},
    fields::{Fields, Problems},
    params::Query,
    refusal::Refusal,
    run::known,
    sent::Sent,
    shape::{At, Listing},
};
use crate::state::Web;

/// Fields that can be set.
pub(super) const FIELDS: [&str; 5] = ["name", "project_wide", "dates", "icalendar", "url"];
const READ_ONLY: [&str; 8] =
    ["id", "kind", "upcoming", "timed_events", "fetched_at", "problem", "created_at", "updated_at"];
const SOURCES: [&str; 3] = ["dates", "icalendar", "url"];
/// Days that are shown ahead.
const UPCOMING: usize = 10;

/// Days on which nothing is expected of some monitors, or of all of the project.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Calendar)]
pub(super) struct CalendarShape {
    id: Uuid,
    #[schema(example = "Holidays")]
    name: String,
    /// Whether it counts for every monitor of the project that does not opt out.
    project_wide: bool,
    #[schema(example = "dates", pattern = "^(dates|icalendar|url)$")]
    kind: &'static str,
    /// Of kind `dates`, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    dates: Option<Vec<String>>,
    /// Of kind `icalendar`, as given; lists leave it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    icalendar: Option<String>,
    /// Of kind `url`. A key that may only read is shown its host alone: the rest often is a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The next days off, from today in UTC.
    upcoming: Vec<DayShape>,
    /// Events that cover no whole day; they take nothing off.
    timed_events: usize,
    /// When it was last fetched well.
    fetched_at: Option<At>,
    /// Why the last fetch failed; what was fetched before still counts.
    problem: Option<String>,
    created_at: At,
    updated_at: At,
}

/// A day off.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DayOff)]
struct DayShape {
    #[schema(value_type = String, format = Date, example = "2026-12-25")]
    on: NaiveDate,
    #[schema(example = "Christmas Day")]
    name: Option<String>,
}

/// What is to be set on a calendar: a name, and one of `dates`, `icalendar`, `url`.
#[derive(Debug, ToSchema)]
#[schema(as = CalendarInput)]
#[expect(dead_code, reason = "describes what is read by hand")]
pub(super) struct CalendarInput {
    #[schema(example = "Holidays")]
    name: Option<String>,
    project_wide: Option<bool>,
    /// A day, a range, or a day of every year, each with a name after a blank if you like.
    #[schema(example = json!(["2026-12-24..2026-12-26 Christmas", "01-01 New Year"]))]
    dates: Option<Vec<String>>,
    /// An iCalendar text (RFC 5545); its all-day events count.
    #[schema(example = "BEGIN:VCALENDAR…")]
    icalendar: Option<String>,
    /// The address of an iCalendar, fetched now and once a day.
    #[schema(example = "https://calendar.example.org/holidays.ics")]
    url: Option<String>,
}

impl CalendarShape {
    fn of(web: &Web, view: &CalendarView, (caller, in_full): (&Caller, bool)) -> Self {
        let calendar = &view.calendar;
        let today = web.watchclock().now().date_naive();
        let day = |(on, name): (NaiveDate, Option<&str>)| DayShape { on, name: name.map(str::to_owned) };
        let shown_url = |url: &String| if caller.may_write() { url.clone() } else { host_of(url) };
        Self {
            id: calendar.id,
            name: calendar.name.clone(),
            project_wide: calendar.project_wide,
            kind: calendar.kind.word(),
            dates: (calendar.kind == Kind::Dates)
                .then(|| calendar.content.lines().map(str::to_owned).collect()),
            icalendar: (in_full && calendar.kind == Kind::ICalendar).then(|| calendar.content.clone()),
            url: calendar.url.as_ref().map(shown_url),
            upcoming: view.days.upcoming(today, UPCOMING).into_iter().map(day).collect(),
            timed_events: view.days.timed_events,
            fetched_at: calendar.fetched_at.map(At),
            problem: calendar.problem.clone(),
            created_at: At(calendar.created_at),
            updated_at: At(calendar.updated_at),
        }
    }
}

fn host_of(url: &str) -> String {
    let parsed = Url::parse(url).ok();
    let origin = parsed.as_ref().and_then(|url| Some(format!("{}://{}/…", url.scheme(), url.host_str()?)));
    origin.unwrap_or_else(|| "…".to_owned())
}

/// Lists calendars
///
/// Newest first.
#[utoipa::path(get, path = "/v1/calendars", tag = "calendars", operation_id = "listCalendars",
    params(
        ("limit" = Option<u16>, Query, description = "1 to 500, 50 unless given"),
        ("cursor" = Option<String>, Query, description = "`next` of the page before")),
    responses((status = 200, body = Listing<CalendarShape>)))]
pub(super) async fn list(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
) -> Result<Answer<Listing<CalendarShape>>, Refusal> {
    let params = query.paging();
    let calendars = web.watchclock().calendars(caller.project()).await?;
    let (next, calendars) = params.page(calendars, |view| view.calendar.id)?;
    let shape = |view| CalendarShape::of(&web, view, (&caller, false));
    Ok(Answer(Listing::new(next, calendars.iter().map(shape).collect())))
}

/// Makes a calendar
///
/// Monitors take it by their field `calendars`, or all of them with `project_wide`. An address is fetched at once.
#[utoipa::path(post, path = "/v1/calendars", tag = "calendars", operation_id = "createCalendar",
    request_body(content = CalendarInput, example = json!({
        "name": "Holidays", "project_wide": true, "dates": ["2026-12-24..2026-12-26 Christmas", "01-01 New Year"]})),
    responses((status = 201, body = CalendarShape, headers(("Location" = String, description = "Its path")))))]
pub(super) async fn create(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    sent: Sent,
) -> Result<Response, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let change = read(sent.json()?, true, &mut problems);
    if problems.is_empty() && change.source.is_none() {
        problems.push(Problem::new("dates", "give one of `dates`, `icalendar` and `url`"));
    }
    if !problems.is_empty() {
        return Err(Refusal::wrong(problems));
    }
    let view = web.watchclock().create_calendar(caller.project(), change).await?;
    let location = format!("{}/v1/calendars/{}", web.base_path(), view.calendar.id);
    let shape = CalendarShape::of(&web, &view, (&caller, true));
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Answer(shape)).into_response())
}

/// Shows a calendar
#[utoipa::path(get, path = "/v1/calendars/{id}", tag = "calendars", operation_id = "getCalendar",
    params(("id" = Uuid, Path, description = "The calendar's id")),
    responses((status = 200, body = CalendarShape)))]
pub(super) async fn show(
    State(web): State<Web>,
    Reader(caller): Reader,
    query: Query,
    Path(id): Path<String>,
) -> Result<Answer<CalendarShape>, Refusal> {
    query.none()?;
    let view = web.watchclock().calendar(caller.project(), known(&id)?).await?;
    Ok(Answer(CalendarShape::of(&web, &view, (&caller, true))))
}

/// Changes a calendar
///
/// What is left out stays. Its monitors are planned anew from now on; nothing is alerted for the past.
#[utoipa::path(patch, path = "/v1/calendars/{id}", tag = "calendars", operation_id = "updateCalendar",
    params(("id" = Uuid, Path, description = "The calendar's id")),
    request_body(content = CalendarInput, example = json!({"dates": ["12-25"]})),
    responses((status = 200, body = CalendarShape)))]
pub(super) async fn update(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
    sent: Sent,
) -> Result<Answer<CalendarShape>, Refusal> {
    query.none()?;
    let mut problems = Problems::new();
    let change = read(sent.json()?, false, &mut problems);
    if !problems.is_empty() {
        return Err(Refusal::wrong(problems));
    }
    let view = web.watchclock().update_calendar(caller.project(), known(&id)?, None, change).await?;
    Ok(Answer(CalendarShape::of(&web, &view, (&caller, true))))
}

/// Deletes a calendar
///
/// Its days count no more from now on; monitors that list it list it no more.
#[utoipa::path(delete, path = "/v1/calendars/{id}", tag = "calendars", operation_id = "deleteCalendar",
    params(("id" = Uuid, Path, description = "The calendar's id")),
    responses((status = 204, description = "It is gone")))]
pub(super) async fn delete(
    State(web): State<Web>,
    Writer(caller): Writer,
    query: Query,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    query.none()?;
    web.watchclock().delete_calendar(caller.project(), known(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn read(json: Json, is_new: bool, problems: &mut Problems) -> CalendarChange {
    let Some(mut fields) = Fields::with_read_only(json, "", (&FIELDS, &READ_ONLY), problems) else {
        return CalendarChange::default();
    };
    if is_new {
        fields.drop_nulls();
    }
    fields.fill_nulls(|name| (name == "project_wide").then(|| Json::from(false)));
    let given: Vec<&str> = SOURCES.into_iter().filter(|name| fields.has(name)).collect();
    if let [_, second, ..] = given.as_slice() {
        fields.wrong(second, "give only one of `dates`, `icalendar` and `url`");
    }
    let source = match given.first() {
        Some(&"dates") => dates(&mut fields, "dates").map(|(text, _)| Source::Dates(text)),
        Some(&"icalendar") => fields.text("icalendar").map(Source::ICalendar),
        Some(&"url") => fields.text("url").map(Source::Url),
        _ => None,
    };
    CalendarChange { name: fields.text("name"), project_wide: fields.flag("project_wide"), source }
}

/// Takes a list of dates: as text, and what it names. Each problem has the place of its entry: `dates[1]`.
pub(super) fn dates(fields: &mut Fields<'_>, name: &str) -> Option<(String, Days)> {
    let field = fields.field(name);
    let entries = fields.texts(name)?;
    let lines: usize = entries.iter().map(|entry| entry.split('\n').count()).sum();
    let one_each = lines == entries.len();
    let text = entries.join("\n");
    match Days::parse(Kind::Dates, &text) {
        Ok(days) => Some((text, days)),
        Err(found) => {
            fields
                .problems
                .extend(found.into_iter().map(|problem| in_entry(problem, &text, &field, one_each)));
            None
        }
    }
}

/// A problem of a text, told of the entry that became its line.
fn in_entry(problem: Problem, text: &str, field: &str, one_each: bool) -> Problem {
    let Some(at) = problem.at.filter(|_| one_each) else { return problem.in_field(field) };
    let before: String = text.chars().take(at).collect();
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |end| before[..=end].chars().count());
    let prefix = format!("line {}: ", line + 1);
    let message = problem.message.strip_prefix(&prefix).unwrap_or(&problem.message).to_owned();
    Problem { field: format!("{field}[{line}]"), message, at: Some(at - start), len: problem.len }
}
