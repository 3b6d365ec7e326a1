//! Making and editing a channel: the form of each kind. What a setting may be is the notifier's to say.

use axum::{
    extract::{Path, State},
    response::Response,
};
use watchclock_domain::problem::Problem as Found;
use watchclock_service::channel::{
    ChannelChange, ChannelView, EmailSettings, TargetSettings, WebhookSettings,
};

use super::{
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
        Ok(change) => web.watchclock().update_channel(member.project.id, before.id, change).await,
        Err(problems) => return refuse(&web, &member, Some(&before), kind, &fields, problems).await,
    };
    match saved {
        Ok(channel) => {
            Ok(respond::to_with(&web, "/channels", &told(&web, &member, &fields, &channel, "saved").await?))
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
    problems: Problems,
) -> PageResult<Response> {
    Ok(respond::wrong(&form(web, member, before, kind, fields, problems).await?))
}

/// Reads the settings of a kind. What does not have their shape comes back as a problem.
fn read(kind: &str, fields: &Fields) -> Result<ChannelChange, Problems> {
    let mut problems = Problems::default();
    let settings = if kind == "email" {
        TargetSettings::Email(EmailSettings { to: fields.lines("to") })
    } else {
        let mut headers = Vec::new();
        for line in fields.lines("headers") {
            if let Some((name, value)) = line.split_once(':') {
                headers.push((name.trim().to_owned(), value.trim().to_owned()));
            } else {
                let line: String = line.chars().take(60).collect();
                problems.push(Found::new("headers", format!("`{line}`: write Name: value")));
            }
        }
        TargetSettings::Webhook(WebhookSettings { url: fields.get("url").to_owned(), headers })
    };
    let change = ChannelChange {
        name: fields.get("name").to_owned(),
        enabled: fields.is_ticked("enabled"),
        settings,
        secret: fields.some("secret").map(str::to_owned),
    };
    if problems.is_empty() { Ok(change) } else { Err(problems) }
}

/// A channel as its form would send it; never its secret.
fn written(channel: &ChannelView) -> Fields {
    let mut pairs = vec![("name".to_owned(), channel.name.clone())];
    match &channel.settings {
        TargetSettings::Email(email) => pairs.push(("to".to_owned(), email.to.join("\n"))),
        TargetSettings::Webhook(webhook) => {
            let headers: Vec<String> =
                webhook.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            pairs.push(("url".to_owned(), webhook.url.clone()));
            pairs.push(("headers".to_owned(), headers.join("\n")));
        }
    }
    if channel.enabled {
        pairs.push(("enabled".to_owned(), "yes".to_owned()));
    }
    Fields::of(pairs)
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

fn note(kind: &str) -> &'static str {
    match kind {
        "email" => "Each alert is one mail to all addresses; mails of one incident stay in one thread.",
        _ => "A POST with signed JSON for each alert; any answer from 200 to 299 counts as delivered.",
    }
}

fn inputs(kind: &str, is_stored: bool) -> Vec<FormField> {
    let input = |name: &str, label: &str, help: &str, placeholder: &str, input: FormInput| FormField {
        name: name.to_owned(),
        label: label.to_owned(),
        help: help.to_owned(),
        placeholder: placeholder.to_owned(),
        required: name == "url",
        input,
        ..FormField::default()
    };
    if kind == "email" {
        return vec![input("to", "Addresses, one a line", "", "on-call@example.com", FormInput::Lines)];
    }
    let (secret_help, secret_hint) = if is_stored {
        ("The stored one is never shown; what you type here replaces it.", "stored; leave empty to keep it")
    } else {
        ("Leave it empty: one is made, and shown to you once.", "whsec_…")
    };
    vec![
        input("url", "URL", "", "https://hooks.example.com/watchclock", FormInput::Url),
        input("secret", "Signing secret", secret_help, secret_hint, FormInput::Secret),
        input(
            "headers",
            "Own headers, one a line",
            "Sent with every request.",
            "X-Team: operations",
            FormInput::Lines,
        ),
    ]
}
