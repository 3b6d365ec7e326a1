//! Channels: the list, testing, switching on and off, deleting. Neighbour: `channel_form` makes and edits them.

use axum::{
    extract::{Path, State},
    response::Response,
};
use uuid::Uuid;
use watchclock_domain::monitor::{ChannelChoice, Monitor};
use watchclock_service::{
    channel::{ChannelChange, ChannelView},
    monitor::MonitorFilter,
};

use super::{
    channel_words,
    errors::PageResult,
    flash::Note,
    moments::Moments,
    respond,
    runs::id,
    session::Member,
    views::{
        channels::{ChannelDelete, ChannelList, ChannelRow, KindLink, LastDelivery},
        parts::Link,
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// `GET /channels`
pub(crate) async fn list(State(web): State<Web>, member: Member) -> PageResult {
    let watchclock = web.watchclock();
    let project = member.project.id;
    let channels = watchclock.channels(project).await?;
    let monitors = watchclock.monitors(project, &MonitorFilter::default(), 0).await?;
    let choices: Vec<&ChannelChoice> = monitors.iter().map(|view| &view.monitor.channels).collect();
    let moments = Moments::utc(watchclock.now());
    let mail = mail_problem(&web);
    let has_mail = channels.iter().any(|channel| channel.settings.kind() == "email");
    let view = ChannelList {
        shell: member.shell(&web, "Channels", Section::Channels).await?,
        rows: channels.iter().map(|channel| row(channel, &choices, &moments)).collect(),
        kinds: channel_words::KINDS
            .map(|(kind, name, note)| KindLink {
                kind: kind.to_owned(),
                name: name.to_owned(),
                note: if kind == "email" && !mail.is_empty() { mail.clone() } else { note.to_owned() },
            })
            .into(),
        mail_problem: if has_mail { mail.clone() } else { String::new() },
        may_change: member.may_change().is_ok(),
        new_secret: member.once,
    };
    Ok(respond::page(&view))
}

/// Why e-mail cannot work on this server; empty when it can.
pub(crate) fn mail_problem(web: &Web) -> String {
    if web.watchclock().settings().mail_configured {
        return String::new();
    }
    "E-mail cannot be sent: this server has no WATCHCLOCK_SMTP_URL.".to_owned()
}

fn row(channel: &ChannelView, choices: &[&ChannelChoice], moments: &Moments) -> ChannelRow {
    let kind = channel.settings.kind();
    ChannelRow {
        id: channel.id.to_string(),
        name: channel.name.clone(),
        kind: kind.to_owned(),
        kind_name: channel_words::kind_name(kind).to_owned(),
        target: channel_words::target(&channel.settings),
        enabled: channel.enabled,
        used_by: used_by(channel.id, choices),
        last: channel.last_delivery.as_ref().map(|delivery| {
            let last = delivery.attempts.last();
            let at = last.map_or(delivery.created_at, |attempt| attempt.at);
            LastDelivery {
                status: delivery.status.clone(),
                when: moments.short(at),
                answer: last.map(|attempt| attempt.answer.clone()).unwrap_or_default(),
            }
        }),
        test: None,
    }
}

fn used_by(channel: Uuid, choices: &[&ChannelChoice]) -> String {
    let users = choices.iter().filter(|choice| hears(choice, channel)).count();
    match users {
        0 => "no monitor".to_owned(),
        all if all == choices.len() && all > 1 => "all monitors".to_owned(),
        some => words::count(some, "monitor"),
    }
}

fn hears(choice: &ChannelChoice, channel: Uuid) -> bool {
    match choice {
        ChannelChoice::All => true,
        ChannelChoice::Some(ids) => ids.contains(&channel),
    }
}

/// `POST /channels/{id}/test`
pub(crate) async fn test(State(web): State<Web>, member: Member, Path(channel): Path<String>) -> PageResult {
    member.may_change()?;
    let note = try_out(&web, &member, id(&channel)?).await?;
    Ok(respond::to_with(&web, "/channels", &note))
}

/// Sends a test and tells what came of it.
pub(crate) async fn try_out(web: &Web, member: &Member, channel: Uuid) -> PageResult<Note> {
    let name = web.watchclock().channel(member.project.id, channel).await?.name;
    let result = web.watchclock().test_channel(member.project.id, channel).await?;
    Ok(match result.ok {
        Some(true) => Note::good(format!("The test to {name} arrived: {}", result.answer)),
        Some(false) => Note::bad(format!("The test to {name} did not arrive: {}", result.answer)),
        None => Note::bad(format!("The test to {name} is {}", result.answer)),
    })
}

/// `POST /channels/{id}/enable`
pub(crate) async fn enable(
    State(web): State<Web>,
    member: Member,
    Path(channel): Path<String>,
) -> PageResult {
    switch(&web, &member, &channel, true).await
}

/// `POST /channels/{id}/disable`
pub(crate) async fn disable(
    State(web): State<Web>,
    member: Member,
    Path(channel): Path<String>,
) -> PageResult {
    switch(&web, &member, &channel, false).await
}

async fn switch(web: &Web, member: &Member, channel: &str, enabled: bool) -> PageResult<Response> {
    member.may_change()?;
    let edit = |before: &ChannelView| {
        let (name, settings) = (before.name.clone(), before.settings.clone());
        PageResult::Ok(ChannelChange { name, enabled, settings, secret: None })
    };
    let after = web.watchclock().change_channel(member.project.id, id(channel)?, edit).await?;
    let note = if enabled {
        Note::good(format!("{} is switched on.", after.name))
    } else {
        Note::good(format!("{} is switched off: no alert goes there.", after.name))
    };
    Ok(respond::to_with(web, "/channels", &note))
}

/// `GET /channels/{id}/delete`
pub(crate) async fn ask_delete(
    State(web): State<Web>,
    member: Member,
    Path(channel): Path<String>,
) -> PageResult {
    member.may_change()?;
    let project = member.project.id;
    let channel = web.watchclock().channel(project, id(&channel)?).await?;
    let channels = web.watchclock().channels(project).await?;
    let others: Vec<Uuid> =
        channels.iter().map(|other| other.id).filter(|other| *other != channel.id).collect();
    let monitors = web.watchclock().monitors(project, &MonitorFilter::default(), 0).await?;
    let shell = member.shell(&web, &format!("Delete {}", channel.name), Section::Channels).await?;
    let alone = |monitor: &Monitor| {
        hears(&monitor.channels, channel.id) && !others.iter().any(|other| hears(&monitor.channels, *other))
    };
    let left_alone = monitors.iter().map(|view| &view.monitor).filter(|monitor| alone(monitor));
    let view = ChannelDelete {
        left_alone: left_alone
            .map(|monitor| Link {
                href: format!("{}/monitors/{}", shell.base, monitor.id),
                text: monitor.name.clone(),
                current: false,
            })
            .collect(),
        id: channel.id.to_string(),
        name: channel.name,
        shell,
    };
    Ok(respond::page(&view))
}

/// `POST /channels/{id}/delete`
pub(crate) async fn delete(
    State(web): State<Web>,
    member: Member,
    Path(channel): Path<String>,
) -> PageResult {
    member.may_change()?;
    let channel = web.watchclock().channel(member.project.id, id(&channel)?).await?;
    web.watchclock().delete_channel(member.project.id, channel.id).await?;
    Ok(respond::to_with(&web, "/channels", &Note::good(format!("{} is deleted.", channel.name))))
}
