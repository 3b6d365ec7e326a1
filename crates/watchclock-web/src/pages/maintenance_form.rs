//! The form of a maintenance window. Neighbour: `maintenance` lists, ends and deletes them.

use axum::{
    extract::{Path, State},
    response::Response,
};
use chrono::NaiveDateTime;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::{MonitorChoice, When},
    problem::Problem,
    schedule::{Zone, zone_names},
    span,
};
use watchclock_service::{
    ServiceError,
    maintenance::{Comes, WindowChange, WindowView},
    monitor::MonitorFilter,
};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    problems::Problems,
    respond,
    runs::id,
    session::Member,
    views::{maintenance::WindowForm, parts::Choice, shell::Section},
};
use crate::state::Web;

/// As browsers write a moment without a zone.
const CIVIL: &str = "%Y-%m-%dT%H:%M";

/// `GET /maintenance/new`
pub(crate) async fn new(State(web): State<Web>, member: Member) -> PageResult {
    member.may_change()?;
    let fields =
        Fields::of(vec![("kind".to_owned(), "once".to_owned()), ("all".to_owned(), "yes".to_owned())]);
    Ok(respond::page(&form(&web, &member, None, &fields, Problems::default()).await?))
}

/// `POST /maintenance`
pub(crate) async fn create(State(web): State<Web>, member: Member, Form(fields): Form) -> PageResult {
    member.may_change()?;
    save(&web, &member, None, &fields).await
}

/// `GET /maintenance/{id}/edit`
pub(crate) async fn edit(State(web): State<Web>, member: Member, Path(window): Path<String>) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().maintenance_window(member.project.id, id(&window)?).await?;
    let problems = match &view.broken {
        Some(why) => {
            Problems::one("", &format!("what is stored cannot be read ({why}): say anew when it is on"))
        }
        None => Problems::default(),
    };
    Ok(respond::page(&form(&web, &member, Some(&view), &written(&view), problems).await?))
}

/// `POST /maintenance/{id}/edit`
pub(crate) async fn update(
    State(web): State<Web>,
    member: Member,
    Path(window): Path<String>,
    Form(fields): Form,
) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().maintenance_window(member.project.id, id(&window)?).await?;
    save(&web, &member, Some(&view), &fields).await
}

async fn save(
    web: &Web,
    member: &Member,
    before: Option<&WindowView>,
    fields: &Fields,
) -> PageResult<Response> {
    let watchclock = web.watchclock();
    let project = member.project.id;
    let mut problems = Problems::default();
    let change = read(fields, &mut problems);
    if !problems.is_empty() {
        let found = watchclock.window_problems(project, before, change).await?;
        // What could not be read is not missing.
        problems.extend_new(found);
        return Ok(respond::wrong(&form(web, member, before, fields, problems).await?));
    }
    let saved = match before {
        None => watchclock.create_maintenance_window(project, change).await,
        Some(view) => {
            let id = view.window.id;
            watchclock.update_maintenance_window(project, id, fields.version(), change).await
        }
    };
    match saved {
        Ok(view) => {
            let done = if before.is_some() { "saved" } else { "planned" };
            let note = Note::good(format!("{} is {done}.", view.window.name));
            Ok(respond::to_with(web, "/maintenance", &note))
        }
        Err(ServiceError::Stale) if let Some(before) = before => {
            let now = watchclock.maintenance_window(project, before.window.id).await?;
            let mut fields = fields.clone();
            fields.set("version", now.version.to_string());
            let stale = Problems::stale("maintenance window");
            Ok(respond::wrong(&form(web, member, Some(&now), &fields, stale).await?))
        }
        Err(ServiceError::Conflict(text)) => {
            Ok(respond::wrong(&form(web, member, before, fields, Problems::one("", &text)).await?))
        }
        Err(error) => Ok(respond::wrong(&form(web, member, before, fields, Problems::of(error)?).await?)),
    }
}

fn read(fields: &Fields, problems: &mut Problems) -> WindowChange {
    let tz = fields.some("tz").unwrap_or("UTC");
    let is_recurring = fields.get("kind") == "recurring";
    let mut change = WindowChange {
        comes: Some(if is_recurring { Comes::AgainAndAgain } else { Comes::Once }),
        tz: Some(tz.to_owned()),
        name: Some(fields.get("name").to_owned()),
        monitors: Some(if fields.is_ticked("all") {
            MonitorChoice::All
        } else {
            MonitorChoice::Some(fields.all("monitors").filter_map(|id| Uuid::try_parse(id).ok()).collect())
        }),
        ..WindowChange::default()
    };
    if is_recurring {
        change.cron = Some(fields.lines("cron"));
        match fields.some("lasts").map(span::parse) {
            None => {}
            Some(Ok(lasts)) => change.lasts = Some(lasts),
            Some(Err(problem)) => problems.push(problem.in_field("lasts")),
        }
        return change;
    }
    // The zone that is none is told by the service.
    let zone = Zone::named(tz).unwrap_or_else(|_| Zone::utc());
    change.from = moment(fields, "from", zone, problems);
    change.to = moment(fields, "to", zone, problems);
    change
}

/// A moment on the clocks of a zone; of an hour that is shown twice the first, of one that is skipped what follows it.
fn moment(fields: &Fields, name: &str, zone: Zone, problems: &mut Problems) -> Option<Time> {
    let text = fields.some(name);
    let civil = text.and_then(|text| {
        let text = text.replace(' ', "T");
        [CIVIL, "%Y-%m-%dT%H:%M:%S"].iter().find_map(|form| NaiveDateTime::parse_from_str(&text, form).ok())
    });
    match (text, civil) {
        (_, Some(civil)) => Some(zone.at_civil(civil)),
        (None, None) => {
            problems.push(Problem::new(name, "say when: 2027-01-31 22:00"));
            None
        }
        (Some(_), None) => {
            problems.push(Problem::new(name, "this is no date with a time: 2027-01-31 22:00"));
            None
        }
    }
}

/// A window as its form would send it.
fn written(view: &WindowView) -> Fields {
    let window = &view.window;
    let mut fields = Fields::default();
    let mut put = |name: &str, value: String| fields.put(name.to_owned(), value);
    put("version", view.version.to_string());
    put("name", window.name.clone());
    match &window.when {
        _ if view.broken.is_some() => put("kind", "once".to_owned()),
        When::Once { from, to, zone } => {
            put("kind", "once".to_owned());
            put("tz", zone.name().to_owned());
            put("from", zone.local(*from).format(CIVIL).to_string());
            put("to", zone.local(*to).format(CIVIL).to_string());
        }
        When::Recurring { starts, lasts } => {
            put("kind", "recurring".to_owned());
            put("tz", starts.text().tz.clone());
            put("cron", starts.text().lines.join("\n"));
            put("lasts", span::short(*lasts));
        }
    }
    match &window.monitors {
        MonitorChoice::All => put("all", "yes".to_owned()),
        MonitorChoice::Some(ids) => ids.iter().for_each(|id| put("monitors", id.to_string())),
    }
    fields
}

async fn form(
    web: &Web,
    member: &Member,
    before: Option<&WindowView>,
    fields: &Fields,
    mut problems: Problems,
) -> PageResult<WindowForm> {
    let before = before.map(|view| &view.window);
    let title = match before {
        None => "New maintenance window".to_owned(),
        Some(window) => format!("Edit {}", window.name),
    };
    let monitors = web.watchclock().monitors(member.project.id, &MonitorFilter::default(), 0).await?;
    let chosen = |id: &str| fields.all("monitors").any(|chosen| chosen == id);
    let is_recurring = fields.get("kind") == "recurring";
    let monitors_problem = problems.take("monitors", "");
    let mut take = |name: &str| problems.field(name, fields.raw(name).unwrap_or_default());
    let view = WindowForm {
        shell: member.shell(web, &title, Section::Monitors).await?,
        id: before.map(|window| window.id.to_string()).unwrap_or_default(),
        stored_name: before.map(|window| window.name.clone()).unwrap_or_default(),
        name: take("name"),
        kinds: vec![
            Choice::of("once", "Once", !is_recurring),
            Choice::of("recurring", "Again and again", is_recurring),
        ],
        from: take("from"),
        to: take("to"),
        cron: take("cron"),
        lasts: take("lasts"),
        tz: take("tz"),
        zones: zone_names().map(str::to_owned).collect(),
        all_monitors: fields.is_ticked("all"),
        monitors: monitors
            .iter()
            .map(|view| {
                let id = view.monitor.id.to_string();
                Choice::of(&id, &view.monitor.name, chosen(&id))
            })
            .collect(),
        monitors_problem,
        version: fields.get("version").to_owned(),
        problems: Vec::new(),
    };
    Ok(WindowForm { problems: problems.rest(), ..view })
}
