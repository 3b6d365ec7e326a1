//! Making and editing a channel. Neighbour: `channel_fields` has the settings of each kind; what they may be is the notifier's to say.

use axum::{
    extract::{Path, State},
    response::Response,
};
use watchclock_domain::problem::Problem as Found;
use watchclock_service::{ServiceError, channel::ChannelView};

use super::{
    channel_fields::{inputs, note, read, written},
    channel_words, channels,
    errors::{PageError, PageResult},
    fields::{Fields, Form, Query},
    flash::Note,
    problems::Problems,
    respond,
    runs::id,
    session::Member,
    views::{
        channels::{ChannelForm, FormField, FormInput, NewSecret},
        parts::Problem,
        shell::Section,
    },
};
use crate::state::Web;

/// `GET /channels/new?kind=…`
pub(crate) async fn new(State(web): State<Web>, member: Member, Query(query): Query) -> PageResult {
    member.may_change()?;
    let kind = known(query.get("kind"))?;
    let blank = Fields::of(vec![("enabled".to_owned(), "yes".to_owned())]);
    Ok(respond::page(&form(&web, &member, None, kind, &blank, Problems::default()).await?))
}

/// `POST /channels`
pub(crate) async fn create(State(web): State<Web>, member: Member, Form(fields): Form) -> PageResult {
    member.may_change()?;
    let kind = known(fields.get("kind"))?;
    let change = match read(kind, &fields) {
        Ok(change) => change,
        Err(problems) => return refuse(&web, &member, None, kind, &fields, problems).await,
    };
    let (channel, secret) = match web.watchclock().create_channel(member.project.id, change).await {
        Ok(made) => made,
        Err(error) => return refuse(&web, &member, None, kind, &fields, Problems::of(error)?).await,
    };
    let note = told(&web, &member, &fields, &channel, "added").await?;
    let mut response = respond::to_with(&web, "/channels", &note);
    if let Some(secret) = secret {
        let once = Note::Once(NewSecret {
            what: format!("Signing secret of {}", channel.name),
            secret,
            hint: "The receiver checks the header webhook-signature with it, as Standard Webhooks describe."
                .to_owned(),
        });
        response.headers_mut().append(axum::http::header::SET_COOKIE, once.cookie(&web));
    }
    Ok(response)
}

/// `GET /channels/{id}/edit`
pub(crate) async fn edit(State(web): State<Web>, member: Member, Path(channel): Path<String>) -> PageResult {
    member.may_change()?;
    let channel = web.watchclock().channel(member.project.id, id(&channel)?).await?;
    let kind = known(channel.settings.kind())?;
    let fields = written(&channel);
    Ok(respond::page(&form(&web, &member, Some(&channel), kind, &fields, Problems::default()).await?))
}

/// `POST /channels/{id}/edit`
pub(crate) async fn update(
    State(web): State<Web>,
    member: Member,
    Path(channel): Path<String>,
    Form(fields): Form,
) -> PageResult {
    member.may_change()?;
    let before = web.watchclock().channel(member.project.id, id(&channel)?).await?;
    let kind = known(before.settings.kind())?;
    let saved = match read(kind, &fields) {
        Ok(change) => {
            let version = fields.version();
            web.watchclock().update_channel(member.project.id, before.id, version, change).await
        }
        Err(problems) => return refuse(&web, &member, Some(&before), kind, &fields, problems).await,
    };
    match saved {
        Ok(channel) => {
            Ok(respond::to_with(&web, "/channels", &told(&web, &member, &fields, &channel, "saved").await?))
        }
        Err(ServiceError::Stale) => {
            let now = web.watchclock().channel(member.project.id, before.id).await?;
            let changed = "somebody changed this channel meanwhile; saving again puts yours in its place";
            let mut problems = Problems::default();
            problems.push(Found::new("", changed));
            let mut fields = fields;
            fields.set("version", now.version.to_string());
            refuse(&web, &member, Some(&now), kind, &fields, problems).await
        }
        Err(error) => refuse(&web, &member, Some(&before), kind, &fields, Problems::of(error)?).await,
    }
}

/// A kind that has a form.
fn known(kind: &str) -> PageResult<&'static str> {
    channel_words::KINDS
        .iter()
        .map(|(known, ..)| *known)
        .find(|known| *known == kind)
        .ok_or(PageError::NotFound)
}

/// What happened; with a test where that was asked for.
async fn told(
    web: &Web,
    member: &Member,
    fields: &Fields,
    channel: &ChannelView,
    done: &str,
) -> PageResult<Note> {
    if fields.get("then") == "test" {
        return channels::try_out(web, member, channel.id).await;
    }
    Ok(Note::good(format!("{} is {done}.", channel.name)))
}

async fn refuse(
    web: &Web,
    member: &Member,
    before: Option<&ChannelView>,
    kind: &str,
    fields: &Fields,
    mut problems: Problems,
) -> PageResult<Response> {
    if kind != "email" && fields.some("secret").is_some() {
        // A secret is never sent back, so what was typed is gone; whoever saves again must know.
        problems.push(Found::new("secret", "it was not saved and is not shown again: type it once more"));
    }
    Ok(respond::wrong(&form(web, member, before, kind, fields, problems).await?))
}

async fn form(
    web: &Web,
    member: &Member,
    before: Option<&ChannelView>,
    kind: &str,
    fields: &Fields,
    mut problems: Problems,
) -> PageResult<ChannelForm> {
    let title = before.map_or_else(|| "New channel".to_owned(), |channel| format!("Edit {}", channel.name));
    let name = problems.field("name", fields.raw("name").unwrap_or_default());
    let inputs = inputs(kind, before.is_some())
        .into_iter()
        .map(|input| {
            let value = if matches!(input.input, FormInput::Secret) {
                ""
            } else {
                fields.raw(&input.name).unwrap_or_default()
            };
            let problem = problems.take(&input.name, value).or_else(|| parts_of(&mut problems, &input.name));
            FormField { value: value.to_owned(), problem, ..input }
        })
        .collect();
    let mail_problem = if kind == "email" { channels::mail_problem(web) } else { String::new() };
    Ok(ChannelForm {
        shell: member.shell(web, &title, Section::Channels).await?,
        id: before.map(|channel| channel.id.to_string()).unwrap_or_default(),
        stored_name: before.map(|channel| channel.name.clone()).unwrap_or_default(),
        kind: kind.to_owned(),
        kind_name: channel_words::kind_name(kind).to_owned(),
        kind_note: note(kind).to_owned(),
        mail_problem,
        name,
        fields: inputs,
        enabled: fields.is_ticked("enabled"),
        version: fields.get("version").to_owned(),
        problems: problems.rest(),
    })
}

/// Problems of one header stand under `headers.NAME`.
fn parts_of(problems: &mut Problems, name: &str) -> Option<Problem> {
    if name != "headers" {
        return None;
    }
    problems.take_below("headers.")
}
