//! What this server is and whether it does its work.

use axum::extract::State;
use watchclock_domain::{gap::Unwatched, schedule::tzdb_version, span};
use watchclock_service::{channel::ChannelView, monitor::MonitorFilter, watch::GapRow};

use super::{
    errors::PageResult,
    moments::Moments,
    respond,
    session::Member,
    views::{
        parts::{Fact, When},
        settings::{About, Part, PartState},
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
        state: if trouble.is_none() { PartState::Working } else { PartState::NotWorking },
        words: trouble.unwrap_or(fine),
    };
    let channels = watchclock.channels(member.project.id).await?;
    let monitors = watchclock.monitors(member.project.id, &MonitorFilter::default(), 0).await?.len();
    let settings = watchclock.settings();
    let view = About {
        shell: member.shell(&web, "About", Section::Settings).await?,
        parts: vec![
            part("Evaluator", trouble("evaluator"), ticked),
            part("Deliveries", trouble("deliver"), "alerts go out as they come".to_owned()),
            part("Database", None, format!("answers in {:.1} ms", took.as_secs_f64() * 1_000.0)),
            mail(watchclock.settings().mail_configured, &channels, &moments),
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

/// Mail works unless the newest attempt failed; without a server for it nothing is wrong as long as nobody is to be mailed.
fn mail(is_set: bool, channels: &[ChannelView], moments: &Moments) -> Part {
    let attempts = channels
        .iter()
        .filter(|channel| channel.settings.kind() == "email")
        .filter_map(|channel| Some((channel, channel.last_delivery.as_ref()?.attempts.last()?)));
    // One receiver that refuses is its own trouble, not that of all mail.
    let newest = attempts.max_by_key(|(_, attempt)| (attempt.at, attempt.ok));
    let (state, words) = match newest {
        Some((channel, attempt)) if !attempt.ok => {
            let (name, ago) = (&channel.name, moments.ago(attempt.at));
            let failed = format!("the last mail to {name} could not be sent, {ago}: {}", attempt.answer);
            (PartState::NotWorking, failed)
        }
        _ if !is_set => {
            let how =
                "for alerts by e-mail, set WATCHCLOCK_SMTP_URL and WATCHCLOCK_MAIL_FROM, and start anew";
            (PartState::NotSetUp, how.to_owned())
        }
        Some((_, attempt)) => {
            (PartState::Working, format!("the last mail was accepted {}", moments.ago(attempt.at)))
        }
        None => (PartState::Working, "a mail server is set; no mail was sent yet".to_owned()),
    };
    Part { name: "Mail".to_owned(), state, words }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_that_nobody_set_up_is_not_broken() {
        let moments = Moments::utc("2026-11-30T02:34:00Z".parse().unwrap());
        let part = mail(false, &[], &moments);
        assert_eq!((part.state, part.state.words()), (PartState::NotSetUp, "not set up"));
        assert_eq!(part.state.mark(), "waiting");
        assert!(part.words.contains("set WATCHCLOCK_SMTP_URL"), "{}", part.words);
        assert_eq!(mail(true, &[], &moments).state, PartState::Working);
    }
}
