//! The form of a calendar of days off. Neighbour: `calendars` lists and deletes them.

use axum::{
    extract::{Path, State},
    response::Response,
};
use watchclock_domain::calendar::Kind;
use watchclock_service::{
    ServiceError,
    calendar::{Calendar, CalendarChange, CalendarView, Source},
};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    problems::Problems,
    respond,
    runs::id,
    session::Member,
    views::{calendars::CalendarForm, parts::Choice, shell::Section},
};
use crate::state::Web;

/// `GET /settings/calendars/new`
pub(crate) async fn new(State(web): State<Web>, member: Member) -> PageResult {
    member.may_change()?;
    Ok(respond::page(&form(&web, &member, None, &Fields::default(), Problems::default()).await?))
}

/// `POST /settings/calendars`
pub(crate) async fn create(State(web): State<Web>, member: Member, Form(fields): Form) -> PageResult {
    member.may_change()?;
    save(&web, &member, None, &fields).await
}

/// `GET /settings/calendars/{id}/edit`
pub(crate) async fn edit(State(web): State<Web>, member: Member, Path(calendar): Path<String>) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().calendar(member.project.id, id(&calendar)?).await?;
    let mut fields = written(&view.calendar);
    fields.set("version", view.version.to_string());
    Ok(respond::page(&form(&web, &member, Some(&view), &fields, Problems::default()).await?))
}

/// `POST /settings/calendars/{id}/edit`
pub(crate) async fn update(
    State(web): State<Web>,
    member: Member,
    Path(calendar): Path<String>,
    Form(fields): Form,
) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().calendar(member.project.id, id(&calendar)?).await?;
    save(&web, &member, Some(&view), &fields).await
}

async fn save(
    web: &Web,
    member: &Member,
    before: Option<&CalendarView>,
    fields: &Fields,
) -> PageResult<Response> {
    let watchclock = web.watchclock();
    let change = CalendarChange {
        name: Some(fields.get("name").to_owned()),
        project_wide: Some(fields.is_ticked("project_wide")),
        // An address that stays is not fetched again, so that a name can change while its server is down.
        source: Some(source(fields))
            .filter(|source| before.is_none_or(|before| *source != stored(&before.calendar))),
    };
    let saved = match before {
        None => watchclock.create_calendar(member.project.id, change).await,
        Some(view) => {
            let id = view.calendar.id;
            watchclock.update_calendar(member.project.id, id, fields.version(), change).await
        }
    };
    let problems = match saved {
        Ok(view) => {
            let note = Note::good(format!("{} is saved. Its days count from now on.", view.calendar.name));
            return Ok(respond::to_with(web, "/settings/calendars", &note));
        }
        Err(ServiceError::Stale) if let Some(before) = before => {
            let now = watchclock.calendar(member.project.id, before.calendar.id).await?;
            let mut fields = fields.clone();
            fields.set("version", now.version.to_string());
            let stale = Problems::stale("calendar");
            return Ok(respond::wrong(&form(web, member, Some(&now), &fields, stale).await?));
        }
        Err(ServiceError::Conflict(text)) => Problems::one("name", &text),
        Err(error) => Problems::of(error)?,
    };
    Ok(respond::wrong(&form(web, member, before, fields, problems).await?))
}

fn kind(fields: &Fields) -> Kind {
    Kind::from_word(fields.get("kind")).unwrap_or(Kind::Dates)
}

fn source(fields: &Fields) -> Source {
    // Browsers end lines in their own way.
    let text = |name: &str| fields.raw(name).unwrap_or_default().replace("\r\n", "\n").trim().to_owned();
    match kind(fields) {
        Kind::Dates => Source::Dates(text("dates")),
        Kind::ICalendar => Source::ICalendar(text("icalendar")),
        Kind::Url => Source::Url(text("url")),
    }
}

/// The source of a stored calendar, as its form would send it.
fn stored(calendar: &Calendar) -> Source {
    source(&written(calendar))
}

/// A calendar as its form would send it.
fn written(calendar: &Calendar) -> Fields {
    let content = match calendar.kind {
        Kind::Dates | Kind::ICalendar => calendar.content.clone(),
        Kind::Url => calendar.url.clone().unwrap_or_default(),
    };
    let mut fields = Fields::default();
    fields.put("name".to_owned(), calendar.name.clone());
    fields.put("kind".to_owned(), calendar.kind.word().to_owned());
    fields.put(calendar.kind.word().to_owned(), content);
    if calendar.project_wide {
        fields.put("project_wide".to_owned(), "yes".to_owned());
    }
    fields
}

async fn form(
    web: &Web,
    member: &Member,
    before: Option<&CalendarView>,
    fields: &Fields,
    mut problems: Problems,
) -> PageResult<CalendarForm> {
    let before = before.map(|view| &view.calendar);
    let stored_name = before.map(|calendar| calendar.name.clone()).unwrap_or_default();
    let title = before.map_or_else(|| "New calendar".to_owned(), |_| format!("Edit {stored_name}"));
    let chosen = kind(fields);
    let mut take = |name: &str| problems.field(name, fields.raw(name).unwrap_or_default());
    let view = CalendarForm {
        shell: member.shell(web, &title, Section::Settings).await?,
        id: before.map(|calendar| calendar.id.to_string()).unwrap_or_default(),
        stored_name,
        name: take("name"),
        kinds: [(Kind::Dates, "Dates"), (Kind::Url, "Address"), (Kind::ICalendar, "iCalendar")]
            .map(|(each, label)| Choice::of(each.word(), label, each == chosen))
            .into(),
        dates: take("dates"),
        icalendar: take("icalendar"),
        url: take("url"),
        project_wide: fields.is_ticked("project_wide"),
        version: fields.get("version").to_owned(),
        problems: Vec::new(),
    };
    Ok(CalendarForm { problems: problems.rest(), ..view })
}
