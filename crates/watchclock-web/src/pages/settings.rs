//! Settings of the project: its name, what it keeps and its ping key. Neighbours: `keys`, `members`, `account`, `about`.

use axum::{extract::State, response::Response};
use watchclock_domain::problem::Problem;
use watchclock_service::{keep::KeepChange, member::Role};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    problems::Problems,
    respond,
    session::Member,
    views::{settings::ProjectSettings, shell::Section},
};
use crate::state::Web;

/// `GET /settings`
pub(crate) async fn show(State(web): State<Web>, member: Member) -> PageResult {
    Ok(respond::page(&view(&web, &member, &stored(&web, &member).await?, Problems::default()).await?))
}

/// The settings as their forms would send them.
async fn stored(web: &Web, member: &Member) -> PageResult<Fields> {
    let keep = web.watchclock().keep(member.project.id).await?;
    let output_days = keep.output_days.map(|days| days.to_string()).unwrap_or_default();
    let pairs = [
        ("name", member.project.name.clone()),
        ("keep.runs", keep.runs.to_string()),
        ("keep.days", keep.days.to_string()),
        ("keep.output_days", output_days),
    ];
    Ok(Fields::of(pairs.map(|(name, value)| (name.to_owned(), value)).into()))
}

/// What was typed into one of the forms, before what is stored.
async fn typed(web: &Web, member: &Member, mut form: Fields) -> PageResult<Fields> {
    let stored = stored(web, member).await?;
    for name in stored.names() {
        form.put(name.to_owned(), stored.get(name).to_owned());
    }
    Ok(form)
}

async fn view(
    web: &Web,
    member: &Member,
    fields: &Fields,
    mut problems: Problems,
) -> PageResult<ProjectSettings> {
    let mut take = |name: &str| problems.field(name, fields.raw(name).unwrap_or_default());
    // Whoever may only look must not be able to ping.
    let ping_key =
        if member.role >= Role::Member { member.project.ping_key.clone() } else { "…".to_owned() };
    Ok(ProjectSettings {
        shell: member.shell(web, "Settings", Section::Settings).await?,
        name: take("name"),
        keep_runs: take("keep.runs"),
        keep_days: take("keep.days"),
        keep_output_days: take("keep.output_days"),
        slug: member.project.slug.clone(),
        ping_prefix: web.url(&format!("/ping/{ping_key}/")),
        ping_key,
        may_edit: member.role == Role::Owner,
    })
}

/// `POST /settings/project`
pub(crate) async fn save(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    member.owns()?;
    let name = form.get("name");
    match web.watchclock().rename_project(member.project.id, name).await {
        Ok(()) => Ok(respond::to_with(&web, "/settings", &Note::good("The project is saved."))),
        Err(error) => refuse(&web, &member, form, Problems::of(error)?).await,
    }
}

async fn refuse(web: &Web, member: &Member, form: Fields, problems: Problems) -> PageResult<Response> {
    let fields = typed(web, member, form).await?;
    Ok(respond::wrong(&view(web, member, &fields, problems).await?))
}

/// `POST /settings/keep`
pub(crate) async fn keep(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    member.owns()?;
    let mut problems = Problems::default();
    let mut number = |name: &str| {
        let number = form.some(name)?.parse::<i64>().ok();
        if number.is_none() {
            problems.push(Problem::new(name, "this is not a whole number"));
        }
        number
    };
    let change = KeepChange {
        runs: number("keep.runs"),
        days: number("keep.days"),
        output_days: Some(number("keep.output_days")),
    };
    if !problems.is_empty() {
        return refuse(&web, &member, form, problems).await;
    }
    match web.watchclock().change_keep(member.project.id, change).await {
        Ok(_) => Ok(respond::to_with(&web, "/settings", &Note::good("What is kept is saved."))),
        Err(error) => refuse(&web, &member, form, Problems::of(error)?).await,
    }
}

/// `POST /settings/ping-key/rotate`
pub(crate) async fn rotate(State(web): State<Web>, member: Member) -> PageResult {
    member.owns()?;
    web.watchclock().rotate_ping_key(member.project.id).await?;
    let note = Note::good("The ping key is changed. Jobs that ping by slug need the new address below.");
    Ok(respond::to_with(&web, "/settings", &note))
}
