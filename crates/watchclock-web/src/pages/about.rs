//! What this server is and whether it does its work.

use axum::extract::State;
use watchclock_domain::{gap::Unwatched, schedule::tzdb_version, span};
use watchclock_service::{monitor::MonitorFilter, watch::GapRow};

use super::{
    channels,
    errors::PageResult,
    moments::Moments,
    respond,
    session::Member,
    views::{
        parts::{Fact, When},
        settings::{About, Part},
        shell::Section,
    },
    words,
};
use crate::state::Web;

/// Gaps that are listed.
const GAPS: i64 = 20;

/// `GET /settings/about`
pub(crate) async fn show(State(web): State<Web>, member: Member) -> PageResult {
    let watchclock = web.watchclock();
    let started = std::time::Instant::now();
    let database = watchclock.database_version().await?;
    let took = started.elapsed();
    let troubles = watchclock.troubles().await?.0;
    let moments = Moments::utc(watchclock.now());
    let ticked = match watchclock.last_evaluated().await? {
        Some(at) => format!("last tick {}", moments.ago(at)),
        None => "has not ticked yet".to_owned(),
    };
    let trouble = |sign: &str| troubles.iter().find(|trouble| trouble.contains(sign)).cloned();
    let part = |name: &str, trouble: Option<String>, fine: String| Part {
        name: name.to_owned(),
        ok: trouble.is_none(),
        words: trouble.unwrap_or(fine),
    };
    let mail = channels::mail_problem(&web);
    let monitors = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?.len();
    let settings = watchclock.settings();
    let view = About {
        shell: member.shell(&web, "About", Section::Settings).await?,
        parts: vec![
            part("Evaluator", trouble("evaluator"), ticked),
            part("Deliveries", trouble("deliver"), "alerts go out as they come".to_owned()),
            part("Database", None, format!("answers in {:.1} ms", took.as_secs_f64() * 1_000.0)),
            part("Mail", Some(mail).filter(|mail| !mail.is_empty()), "a mail server is set".to_owned()),
        ],
        facts: vec![
            Fact::of("Version", web.settings().version),
            Fact::of("Time zones", &format!("tz database {}, bundled", tzdb_version())),
            Fact::of("Database", &format!("PostgreSQL {database}")),
            Fact::of("Address", &settings.base_url),
            Fact::of("Private targets", if settings.allow_private_targets { "allowed" } else { "refused" }),
            Fact::of(
                "Registration",
                if web.settings().signup_open { "open to anyone" } else { "by invitation" },
            ),
            Fact::of("Monitors of this project", &monitors.to_string()),
        ],
        gaps: watchclock
            .watch_gaps(member.project.id, GAPS)
            .await?
            .iter()
            .map(|row| gap(row, &moments))
            .collect(),
    };
    Ok(respond::page(&view))
}

/// When a gap began, and how long it was and what fell into it.
fn gap(row: &GapRow, moments: &Moments) -> (When, String) {
    let count = |counted: fn(&Unwatched) -> i64| -> usize {
        usize::try_from(row.monitors.iter().map(|(_, unwatched)| counted(unwatched)).sum::<i64>())
            .unwrap_or(0)
    };
    let slots = words::count(count(|unwatched| unwatched.slots), "slot");
    let runs = words::count(count(|unwatched| unwatched.runs), "run");
    let monitors = words::count(row.monitors.len(), "monitor");
    let lasted = span::words(row.gap.duration());
    let words = format!("for {lasted}: {slots} and the limits of {runs} fell into it, of {monitors}");
    (moments.full(row.gap.from), words)
}
