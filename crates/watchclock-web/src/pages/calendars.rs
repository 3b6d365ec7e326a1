//! Calendars of days off: the list and deleting. Neighbour: `calendar_form` makes and edits them.

use axum::extract::{Path, State};
use chrono::NaiveDate;
use uuid::Uuid;
use watchclock_domain::calendar::Kind;
use watchclock_service::{
    calendar::{Calendar, CalendarView},
    monitor::{MonitorFilter, MonitorView},
};

use super::{
    errors::PageResult,
    flash::Note,
    moments::Moments,
    respond,
    runs::id,
    session::Member,
    views::{
        calendars::{CalendarDelete, CalendarList, CalendarRow},
        parts::Link,
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// Days of a calendar that are listed.
const UPCOMING: usize = 4;

/// `GET /settings/calendars`
pub(crate) async fn list(State(web): State<Web>, member: Member) -> PageResult {
    let watchclock = web.watchclock();
    let calendars = watchclock.calendars(member.project.id).await?;
    let monitors = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?;
    let shell = member.shell(&web, "Calendars", Section::Settings).await?;
    let moments = Moments::utc(watchclock.now());
    let rows = calendars.iter().map(|view| row(&shell.base, view, &monitors, &moments)).collect();
    let may_change = member.may_change().is_ok();
    Ok(respond::page(&CalendarList { shell, rows, may_change }))
}

fn row(base: &str, view: &CalendarView, monitors: &[MonitorView], moments: &Moments) -> CalendarRow {
    let calendar = &view.calendar;
    let day = |(on, name): (NaiveDate, Option<&str>)| {
        (on.format("%a %-d %b %Y").to_string(), name.unwrap_or_default().to_owned())
    };
    let link = |view: &MonitorView| Link {
        href: format!("{base}/monitors/{}", view.monitor.id),
        text: view.monitor.name.clone(),
        current: false,
    };
    CalendarRow {
        id: calendar.id.to_string(),
        name: calendar.name.clone(),
        source: source(calendar),
        upcoming: view.days.upcoming(moments.now.date_naive(), UPCOMING).into_iter().map(day).collect(),
        project_wide: calendar.project_wide,
        monitors: monitors.iter().filter(|view| lists(view, calendar.id)).map(link).collect(),
        left_out: match view.days.timed_events {
            0 => String::new(),
            some => format!("{} with a time of day left out", words::count(some, "event")),
        },
        fetched: calendar.fetched_at.map(|at| moments.short(at)),
        problem: calendar.problem.clone(),
    }
}

/// Where its days come from; of an address, which may hold a secret, only the host.
fn source(calendar: &Calendar) -> String {
    match calendar.kind {
        Kind::Dates => "a list of dates".to_owned(),
        Kind::ICalendar => "an iCalendar text".to_owned(),
        Kind::Url => {
            let url = calendar.url.as_deref().and_then(|url| url::Url::parse(url).ok());
            let host = url.as_ref().and_then(|url| url.host_str()).unwrap_or("its address");
            format!("fetched every day from {host}")
        }
    }
}

fn lists(view: &MonitorView, calendar: Uuid) -> bool {
    view.monitor.calendars.own.contains(&calendar)
}

/// `GET /settings/calendars/{id}/delete`
pub(crate) async fn ask_delete(
    State(web): State<Web>,
    member: Member,
    Path(calendar): Path<String>,
) -> PageResult {
    member.may_change()?;
    let watchclock = web.watchclock();
    let calendar = watchclock.calendar(member.project.id, id(&calendar)?).await?.calendar;
    let monitors = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?;
    let counts = |view: &&MonitorView| {
        lists(view, calendar.id) || (calendar.project_wide && view.monitor.calendars.of_project)
    };
    Ok(respond::page(&CalendarDelete {
        shell: member.shell(&web, &format!("Delete {}", calendar.name), Section::Settings).await?,
        id: calendar.id.to_string(),
        used_by: words::count(monitors.iter().filter(counts).count(), "monitor"),
        name: calendar.name,
    }))
}

/// `POST /settings/calendars/{id}/delete`
pub(crate) async fn delete(
    State(web): State<Web>,
    member: Member,
    Path(calendar): Path<String>,
) -> PageResult {
    member.may_change()?;
    let calendar = id(&calendar)?;
    let name = web.watchclock().calendar(member.project.id, calendar).await?.calendar.name;
    web.watchclock().delete_calendar(member.project.id, calendar).await?;
    let note = Note::good(format!("{name} is deleted. Its days count no more from now on."));
    Ok(respond::to_with(&web, "/settings/calendars", &note))
}
