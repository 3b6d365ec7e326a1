//! The list of incidents, open ones or all. Neighbour: `incident_page` shows one.

use std::collections::HashMap;

use axum::extract::State;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    incident::{Incident, Kind},
    schedule::Zone,
    span,
};
use watchclock_service::{incident::IncidentFilter, monitor::MonitorFilter};

use super::{
    errors::PageResult,
    fields::Query,
    moments::Moments,
    respond, said,
    session::Member,
    snooze,
    views::{
        incidents::{IncidentList, IncidentRow},
        parts::Link,
        shell::Section,
    },
    words,
};
use crate::state::Web;

const ROWS: i64 = 50;

/// `GET /incidents`
pub(crate) async fn list(State(web): State<Web>, member: Member, Query(query): Query) -> PageResult {
    let watchclock = web.watchclock();
    let project = member.project.id;
    let shell = member.shell(&web, "Incidents", Section::Incidents).await?;
    let only_open = query.get("open") != "false";
    let kind = Kind::from_word(query.get("kind"));
    let filter = IncidentFilter {
        open: only_open.then_some(true),
        monitor: Uuid::try_parse(query.get("monitor")).ok(),
        kind,
        before: Uuid::try_parse(query.get("before")).ok(),
        limit: ROWS,
    };
    let page = watchclock.incidents(project, &filter).await?;
    let monitors = watchclock.monitors(project, &MonitorFilter::default(), 0).await?;
    let monitors: HashMap<Uuid, (String, Zone)> = monitors
        .into_iter()
        .map(|view| (view.monitor.id, (view.monitor.name.clone(), *view.monitor.schedule.zone())))
        .collect();
    let now = watchclock.now();
    let mut offsets: Vec<i32> = page
        .items
        .iter()
        .filter_map(|incident| monitors.get(&incident.monitor))
        .map(|(_, zone)| zone.local(now).offset().local_minus_utc())
        .collect();
    offsets.sort_unstable();
    offsets.dedup();
    let ids: Vec<Uuid> = page.items.iter().map(|incident| incident.id).collect();
    let mut counts: HashMap<Uuid, Vec<(String, i64)>> = HashMap::new();
    for (incident, status, count) in watchclock.delivery_counts(&ids).await? {
        counts.entry(incident).or_default().push((status, count));
    }
    let base = shell.base.clone();
    let address = |open: bool, before: Option<Uuid>| {
        let mut path = url::form_urlencoded::Serializer::new(String::new());
        path.append_pair("open", if open { "true" } else { "false" });
        if let Some(monitor) = filter.monitor {
            path.append_pair("monitor", &monitor.to_string());
        }
        if let Some(kind) = kind {
            path.append_pair("kind", kind.word());
        }
        if let Some(before) = before {
            path.append_pair("before", &before.to_string());
        }
        format!("{base}/incidents?{}", path.finish())
    };
    let tab = |open, text: &str| Link {
        href: address(open, None),
        text: text.to_owned(),
        current: open == only_open,
    };
    let row = |incident: &Incident| {
        let (name, zone) =
            monitors.get(&incident.monitor).cloned().unwrap_or_else(|| (String::new(), Zone::utc()));
        let moments = Moments { tells_offset: offsets.len() > 1, ..Moments::new(zone, now) };
        let deliveries = counts.get(&incident.id).map_or(&[][..], Vec::as_slice);
        row(&base, incident, name, deliveries, &moments)
    };
    let view = IncidentList {
        tabs: vec![tab(true, "open"), tab(false, "all")],
        only_open,
        rows: page.items.iter().map(row).collect(),
        older: page.next.map(|next| address(only_open, Some(next))).unwrap_or_default(),
        shell,
    };
    Ok(respond::page(&view))
}

fn row(
    base: &str,
    incident: &Incident,
    monitor: String,
    deliveries: &[(String, i64)],
    moments: &Moments,
) -> IncidentRow {
    let said: Vec<String> = deliveries
        .iter()
        .map(|(status, count)| format!("{} {}", words::thousands(count), status.replace('_', " ")))
        .collect();
    IncidentRow {
        href: format!("{base}/incidents/{}", incident.id),
        kind: incident.kind.word().to_owned(),
        severity: incident.severity.word().to_owned(),
        state: state(incident, moments.now).to_owned(),
        summary: said::line(incident.kind, &incident.summary, moments),
        monitor: Link {
            href: format!("{base}/monitors/{}", incident.monitor),
            text: monitor,
            current: false,
        },
        opened: moments.short(incident.opened_at),
        lasted: match incident.resolved_at {
            Some(_) => format!("lasted {}", lasted(incident, moments)),
            None => format!("for {}", lasted(incident, moments)),
        },
        deliveries: if said.is_empty() { "nobody was told".to_owned() } else { said.join(", ") },
        undelivered: deliveries.iter().any(|(status, _)| status == "gave_up"),
    }
}

/// Where an incident stands, in the words of the pages.
pub(crate) fn state(incident: &Incident, now: Time) -> &'static str {
    match (incident.resolved_at, incident.acknowledged_at) {
        (Some(_), _) => "resolved",
        (None, _) if snooze::until(incident, now).is_some() => "snoozed",
        (None, Some(_)) => "acknowledged",
        (None, None) => "open",
    }
}

/// How long it lasted, or has lasted.
pub(crate) fn lasted(incident: &Incident, moments: &Moments) -> String {
    let until = incident.resolved_at.unwrap_or(moments.now);
    span::words((until - incident.opened_at).max(chrono::Duration::zero()))
}
