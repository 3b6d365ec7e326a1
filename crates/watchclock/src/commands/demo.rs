//! `watchclock demo`: a project with two weeks of believable jobs, overlaps and incidents, for looking around.

mod business;
mod chance;
mod job;
mod operations;
mod output;

use anyhow::bail;
use chrono::Duration;
use uuid::Uuid;
use watchclock_service::{
    Watchclock,
    incident::IncidentFilter,
    monitor::{MonitorFilter, Past},
};

use self::job::{Job, Span};
use super::with_watchclock;
use crate::config::{DemoArgs, Settings};

/// How far back the demo goes.
const REACH: Duration = Duration::days(14);

pub(crate) async fn run(settings: &Settings, args: &DemoArgs) -> anyhow::Result<()> {
    with_watchclock(settings, async |watchclock| {
        let projects = watchclock.projects().await?;
        if projects.iter().any(|project| project.slug == args.project) {
            bail!("there is a project `{}` already; name another one with --project", args.project);
        }
        // The server's first start would otherwise take the demo for the project of its first jobs.
        if projects.is_empty() && args.project != "default" {
            watchclock.create_project("default", "Default", None).await?;
        }
        let project = watchclock.create_project(&args.project, &name(&args.project), None).await?;
        let now = watchclock.now();
        watchclock.create_with_past(project.id, pasts(Span { since: now - REACH, now })).await?;
        report(&watchclock, project.id, &args.project).await
    })
    .await
}

/// All jobs with their pings.
fn pasts(span: Span) -> Vec<Past> {
    operations::jobs(span).into_iter().chain(business::jobs(span)).map(Job::into_past).collect()
}

/// A name of people from a slug: `demo` becomes `Demo`.
fn name(slug: &str) -> String {
    let mut letters = slug.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Tells what was made and where to look.
async fn report(watchclock: &Watchclock, project: Uuid, slug: &str) -> anyhow::Result<()> {
    let monitors = watchclock.monitors(project, &MonitorFilter::default(), 0).await?;
    let filter = IncidentFilter { open: Some(true), limit: 100, ..IncidentFilter::default() };
    let open = watchclock.incidents(project, &filter).await?.items;
    let runs: i64 = monitors.iter().map(|view| view.memory.next_number - 1).sum();
    println!(
        "Made the project `{slug}`: {} monitors, {runs} runs, {} open incidents:",
        monitors.len(),
        open.len()
    );
    for incident in &open {
        let monitor = monitors.iter().find(|view| view.monitor.id == incident.monitor);
        println!("  {:22} {}", monitor.map_or("", |view| &view.monitor.name), incident.summary);
    }
    println!("\nLook at it at {}/ (`watchclock serve` starts the server).", watchclock.settings().base_url);
    println!("Nothing pings these monitors from now on, so more of them will be missed with time.");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use chrono::{DateTime, Utc};

    use super::*;

    #[test]
    fn every_job_tells_its_pings_in_order_and_none_of_the_future() {
        // Some moments at which schedules of all kinds stand differently.
        for hours in [0, 7, 31, 100, 1_000] {
            let now = DateTime::<Utc>::from_timestamp(1_790_000_000 + hours * 3_600, 0).unwrap();
            let pasts = pasts(Span { since: now - REACH, now });
            let slugs: BTreeSet<_> = pasts.iter().map(|past| past.monitor.slug.clone()).collect();
            assert_eq!(slugs.len(), pasts.len());
            for past in &pasts {
                assert!(past.pings.is_sorted_by_key(|ping| ping.received_at), "{:?}", past.monitor.slug);
                assert!(
                    past.pings.iter().all(|ping| past.since <= ping.received_at && ping.received_at <= now)
                );
            }
        }
    }
}
