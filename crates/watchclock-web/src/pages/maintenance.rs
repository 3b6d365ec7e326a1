//! Maintenance windows: the list, ending and deleting. Neighbour: `maintenance_form` makes and edits them.

use std::collections::HashMap;

use axum::extract::{Path, State};
use uuid::Uuid;
use watchclock_domain::{
    Time,
    maintenance::{MonitorChoice, Span, When},
    span,
};
use watchclock_service::{
    maintenance::{WindowChange, WindowView},
    monitor::MonitorFilter,
};

use super::{
    errors::PageResult,
    flash::Note,
    moments::Moments,
    respond,
    runs::id,
    session::Member,
    views::{
        maintenance::{WindowDelete, WindowList, WindowRow},
        parts::Link,
        shell::Section,
    },
};
use crate::state::Web;

/// `GET /maintenance`
pub(crate) async fn list(State(web): State<Web>, member: Member) -> PageResult {
    let watchclock = web.watchclock();
    let mut windows = watchclock.maintenance_windows(member.project.id).await?;
    windows.sort_by_key(|view| (view.broken.is_none(), !view.is_on, view.span.is_none()));
    let monitors = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?;
    let names: HashMap<Uuid, String> =
        monitors.iter().map(|view| (view.monitor.id, view.monitor.name.clone())).collect();
    let shell = member.shell(&web, "Maintenance windows", Section::Monitors).await?;
    let rows = windows.iter().map(|view| row(&shell.base, view, &names, watchclock.now())).collect();
    let may_change = member.may_change().is_ok();
    Ok(respond::page(&WindowList { shell, rows, may_change }))
}

fn row(base: &str, view: &WindowView, names: &HashMap<Uuid, String>, now: Time) -> WindowRow {
    let window = &view.window;
    let (zone, words) = match &window.when {
        When::Once { zone, .. } => (*zone, String::new()),
        When::Recurring { starts, lasts } => {
            (*starts.zone(), format!("{}, for {}", starts.words(), span::words(*lasts)))
        }
    };
    let moments = Moments { tells_offset: true, ..Moments::new(zone, now) };
    // One that is over still tells when it was.
    let span = view.span.or(match &window.when {
        When::Once { from, to, .. } if view.broken.is_none() => Some(Span { from: *from, to: *to }),
        _ => None,
    });
    let monitors = match &window.monitors {
        MonitorChoice::All => &[][..],
        MonitorChoice::Some(ids) => ids.as_slice(),
    };
    let link = |id: &Uuid| {
        let text = names.get(id)?.clone();
        Some(Link { href: format!("{base}/monitors/{id}"), text, current: false })
    };
    WindowRow {
        id: window.id.to_string(),
        name: window.name.clone(),
        state: match (view.is_on, view.span) {
            _ if view.broken.is_some() => "broken",
            (true, _) => "on",
            (false, Some(_)) => "planned",
            (false, None) => "over",
        }
        .to_owned(),
        words,
        broken: view.broken.clone(),
        from: span.map(|span| moments.short(span.from)),
        to: span.map(|span| moments.short(span.to)),
        monitors: monitors.iter().filter_map(link).collect(),
        may_end: view.is_on && matches!(window.when, When::Once { .. }),
    }
}

/// `POST /maintenance/{id}/end`: one that comes once ends now; of one that recurs, this time cannot be ended alone.
pub(crate) async fn end(State(web): State<Web>, member: Member, Path(window): Path<String>) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().maintenance_window(member.project.id, id(&window)?).await?;
    let note = match &view.window.when {
        When::Once { .. } if view.is_on => {
            let change = WindowChange { to: Some(web.watchclock().now()), ..WindowChange::default() };
            web.watchclock()
                .update_maintenance_window(member.project.id, view.window.id, None, change)
                .await?;
            Note::good(format!("{} is over. What is still wrong is told now.", view.window.name))
        }
        When::Once { .. } => Note::bad(format!("{} is not on.", view.window.name)),
        When::Recurring { .. } => {
            Note::bad(format!("{} comes again and again; edit or delete it.", view.window.name))
        }
    };
    Ok(respond::to_with(&web, "/maintenance", &note))
}

/// `GET /maintenance/{id}/delete`
pub(crate) async fn ask_delete(
    State(web): State<Web>,
    member: Member,
    Path(window): Path<String>,
) -> PageResult {
    member.may_change()?;
    let view = web.watchclock().maintenance_window(member.project.id, id(&window)?).await?;
    Ok(respond::page(&WindowDelete {
        shell: member.shell(&web, &format!("Delete {}", view.window.name), Section::Monitors).await?,
        id: view.window.id.to_string(),
        name: view.window.name,
        is_on: view.is_on,
    }))
}

/// `POST /maintenance/{id}/delete`
pub(crate) async fn delete(State(web): State<Web>, member: Member, Path(window): Path<String>) -> PageResult {
    member.may_change()?;
    let window = id(&window)?;
    let view = web.watchclock().maintenance_window(member.project.id, window).await?;
    web.watchclock().delete_maintenance_window(member.project.id, window).await?;
    Ok(respond::to_with(&web, "/maintenance", &Note::good(format!("{} is deleted.", view.window.name))))
}
