//! Making, editing and deleting monitors. Neighbours: `monitor_read` and `monitor_fill` are the two ways of the form.

use axum::{
    extract::{Path, State},
    response::Response,
};
use watchclock_domain::problem::Problem;
use watchclock_service::{ServiceError, monitor::MonitorView};

use super::{
    bench::{Bench, Part},
    errors::{PageError, PageResult},
    fields::{Fields, Form, Query},
    flash::Note,
    monitor_check,
    monitor_fill::{self, Subject},
    monitor_read::{self, ReadForm},
    names,
    problems::Problems,
    respond, row_buttons, rule_import, rule_rows,
    session::Member,
    views::{
        monitor_form::MonitorForm,
        monitor_page::MonitorDelete,
        parts::Problem as Shown,
        rules::{ImportCheck, Suggestions},
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// Rules that are tried at once when a form is shown.
const TRIED: usize = 10;

/// A monitor of the member's project, by id or slug.
pub(crate) async fn find(web: &Web, member: &Member, id: &str) -> PageResult<MonitorView> {
    if id.contains('\0') {
        return Err(PageError::NotFound);
    }
    Ok(web.watchclock().monitor(member.project.id, id).await?)
}

/// `GET /monitors/new`
pub(crate) async fn new(State(web): State<Web>, member: Member) -> PageResult {
    member.may_change()?;
    Ok(respond::page(&form(&web, &member, None, &monitor_fill::blank(), Problems::default()).await?))
}

/// `POST /monitors`
pub(crate) async fn create(State(web): State<Web>, member: Member, Form(fields): Form) -> PageResult {
    member.may_change()?;
    save(&web, &member, None, &fields).await
}

/// `GET /monitors/{id}/edit`; `?when=` brings rules that stand in the form, not yet saved.
pub(crate) async fn edit(
    State(web): State<Web>,
    member: Member,
    Path(id): Path<String>,
    Query(query): Query,
) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    let mut fields = monitor_read::written(&view.monitor);
    query.all("when").filter(|when| !when.is_empty()).for_each(|when| rule_rows::add(&mut fields, when));
    Ok(respond::page(&form(&web, &member, Some(&view), &fields, Problems::default()).await?))
}

/// `POST /monitors/{id}/edit`
pub(crate) async fn update(
    State(web): State<Web>,
    member: Member,
    Path(id): Path<String>,
    Form(fields): Form,
) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    save(&web, &member, Some(&view), &fields).await
}

async fn save(
    web: &Web,
    member: &Member,
    before: Option<&MonitorView>,
    fields: &Fields,
) -> PageResult<Response> {
    let project = member.project.id;
    if let Some(fields) = row_buttons::pressed(fields) {
        return Ok(respond::page(&form(web, member, before, &fields, Problems::default()).await?));
    }
    let monitor = before.map(|view| &*view.monitor);
    let read = monitor_read::read(fields, monitor);
    if fields.is_ticked("check") || !read.is_readable() {
        let found = web.watchclock().monitor_problems(project, monitor, read.change.clone()).await?;
        let problems = read.problems(found);
        let is_fine = problems.is_empty();
        let view = form(web, member, before, fields, problems).await?;
        return Ok(if is_fine { respond::page(&view) } else { respond::wrong(&view) });
    }
    let saved = match before {
        None => web.watchclock().create_monitor(project, read.change.clone()).await,
        Some(view) => {
            let version = fields.version();
            web.watchclock().update_monitor(project, view.monitor.id, version, read.change.clone()).await
        }
    };
    match saved {
        Ok(saved) => {
            let done = if before.is_some() { "saved" } else { "made" };
            let note = Note::good(format!("{} is {done}.", saved.monitor.name));
            Ok(respond::to_with(web, &format!("/monitors/{}", saved.monitor.id), &note))
        }
        Err(error) => refuse(web, member, before, fields, read, error).await,
    }
}

async fn refuse(
    web: &Web,
    member: &Member,
    before: Option<&MonitorView>,
    fields: &Fields,
    read: ReadForm,
    error: ServiceError,
) -> PageResult<Response> {
    let found = match error {
        ServiceError::Invalid(found) => found,
        ServiceError::Taken(taken) => vec![taken],
        ServiceError::Stale => {
            let changed = "somebody changed this monitor meanwhile; saving again puts yours in its place";
            vec![Problem::new("", changed)]
        }
        other => return Err(other.into()),
    };
    let mut view = form(web, member, before, fields, read.problems(found)).await?;
    if let Some(before) = before {
        view.version = before.monitor.version.to_string();
    }
    Ok(respond::wrong(&view))
}

async fn form(
    web: &Web,
    member: &Member,
    before: Option<&MonitorView>,
    fields: &Fields,
    problems: Problems,
) -> PageResult<MonitorForm> {
    let project = member.project.id;
    let title = before.map_or_else(|| "New monitor".to_owned(), |view| format!("Edit {}", view.monitor.name));
    let shell = member.shell(web, &title, Section::Monitors).await?;
    let subject = Subject {
        id: before.map(|view| view.monitor.id.to_string()).unwrap_or_default(),
        stored_name: before.map(|view| view.monitor.name.clone()).unwrap_or_default(),
        memory: before.map(|view| &view.memory),
        names: names::of_monitor(before),
        channels: web.watchclock().channels(project).await?,
        calendars: web.watchclock().calendars(project).await?,
    };
    let mut view = monitor_fill::fill(shell, subject, fields, problems);
    if let Some(why) = before.and_then(|view| view.monitor.broken.as_ref()) {
        let kept = "what could not be read is left out below, and saving puts what stands here in its place";
        view.problems.push(Shown::of(&format!("The stored configuration cannot be read: {why}; {kept}.")));
    }
    // A problem with the zone stands beside the zone already.
    if view.schedule.tz.problem.is_none() {
        view.schedule_check = monitor_check::schedule(web, project, fields).await?;
    }
    let bench = Bench::of(web, project, before.map(|view| view.monitor.id), fields, Part::All).await?;
    for row in view.rules.iter_mut().filter(|row| row.when.problem.is_none()).take(TRIED) {
        row.check = bench.rule(row.index);
    }
    for row in view.extractors.iter_mut().filter(|row| !row.is_wrong()) {
        row.check = bench.extractor(row.index);
    }
    view.sample = bench.sample();
    view.suggestions = Suggestions { items: bench.suggestions(), action: view.action() };
    view.import = ImportCheck { action: view.action(), ..rule_import::check(fields) };
    Ok(view)
}

/// `POST /monitors/{id}/pause`
pub(crate) async fn pause(State(web): State<Web>, member: Member, Path(id): Path<String>) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    let view = web.watchclock().pause_monitor(member.project.id, view.monitor.id).await?;
    let until = if view.monitor.manual_resume {
        "It stays so until somebody resumes it"
    } else {
        "The next ping resumes it"
    };
    let note = Note::good(format!("{} is paused. {until}.", view.monitor.name));
    Ok(respond::to_with(&web, &format!("/monitors/{}", view.monitor.id), &note))
}

/// `POST /monitors/{id}/resume`
pub(crate) async fn resume(State(web): State<Web>, member: Member, Path(id): Path<String>) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    let view = web.watchclock().resume_monitor(member.project.id, view.monitor.id).await?;
    let note = Note::good(format!("{} is watched again. Slots count from now on.", view.monitor.name));
    Ok(respond::to_with(&web, &format!("/monitors/{}", view.monitor.id), &note))
}

/// `GET /monitors/{id}/delete`
pub(crate) async fn ask_delete(State(web): State<Web>, member: Member, Path(id): Path<String>) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    let runs = usize::try_from(view.memory.next_number - 1).unwrap_or(0);
    let mut loses = vec![format!("{} and their output", words::count(runs, "run"))];
    if !view.incidents.is_empty() {
        loses.push(format!("{} that are open", words::count(view.incidents.len(), "incident")));
    }
    if !view.monitor.rules.is_empty() {
        loses.push(words::count(view.monitor.rules.len(), "rule"));
    }
    let page = MonitorDelete {
        shell: member.shell(&web, &format!("Delete {}", view.monitor.name), Section::Monitors).await?,
        id: view.monitor.id.to_string(),
        name: view.monitor.name.clone(),
        loses,
    };
    Ok(respond::page(&page))
}

/// `POST /monitors/{id}/delete`
pub(crate) async fn delete(State(web): State<Web>, member: Member, Path(id): Path<String>) -> PageResult {
    member.may_change()?;
    let view = find(&web, &member, &id).await?;
    web.watchclock().delete_monitor(member.project.id, view.monitor.id).await?;
    Ok(respond::to_with(&web, "/", &Note::good(format!("{} is deleted.", view.monitor.name))))
}
