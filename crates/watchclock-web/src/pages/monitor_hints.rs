//! What the page of a monitor points out by itself, a sentence or two each. Neighbour: `incident_words` explains incidents.

use watchclock_domain::{
    calendar::DaysOff,
    run::{RunFlag, RunStatus},
    schedule::Kind,
};
use watchclock_service::monitor::MonitorView;

use super::{moments::Moments, views::monitor_page::RefusedPings, words};

/// Everything that is worth a hint now.
pub(crate) fn all(view: &MonitorView, moments: &Moments) -> Vec<String> {
    let now = moments.now;
    let mut hints: Vec<String> = view.zone_hint().map(|hint| hint.words()).into_iter().collect();
    let schedule = &view.monitor.schedule;
    if schedule.text().kind != Kind::None && schedule.next(now).is_none() {
        hints.push(if schedule.clone().with_days_off(DaysOff::none()).next(now).is_some() {
            "Every slot falls on a day off, so no run is expected any more.".to_owned()
        } else {
            "The last slot of this schedule is over, so no run is expected any more.".to_owned()
        });
    }
    if let Some(why) = &view.monitor.broken {
        let until = "what could not be read counts for nothing until somebody saves the monitor again";
        hints.push(format!("The stored configuration cannot be read: {why}; {until}."));
    }
    if let Some(until) = view.monitor.maintenance.quiet_until(moments.now) {
        let names = view.monitor.maintenance.at(moments.now).map(|window| window.name.clone());
        hints.push(format!(
            "Maintenance is on until {}: {}. Runs are recorded, but no incident opens; what is still wrong then is told then.",
            moments.short(until).text,
            names.unwrap_or_default()
        ));
    }
    let unknown = view.recent.iter().filter(|run| run.status == RunStatus::Unknown).count();
    if unknown > 0 {
        hints.push(format!(
            "{} of the last {} fell into a time when Watchclock itself was not running: they are unknown, since the job may have \
             run or not. Settings, About tells when that was.",
            words::count(unknown, "slot"),
            words::count(view.recent.len(), "run")
        ));
    }
    let assumed = view.recent.iter().filter(|run| run.has(RunFlag::PairingAssumed)).count();
    if assumed > 0 {
        hints.push(format!(
            "{assumed} of the last {} runs ended without a run id while several were active, so their ends were matched \
             by source and order. With run ids this is certain: see How to ping, bash.",
            view.recent.len()
        ));
    }
    hints
}

/// What a limit of pings has turned away; what is over stays told, since those pings are nowhere else.
pub(crate) fn refused(view: &MonitorView, moments: &Moments) -> Option<RefusedPings> {
    let count = usize::try_from(view.memory.pings_refused).ok().filter(|count| *count > 0)?;
    let were = if count == 1 { "was" } else { "were" };
    Some(RefusedPings {
        words: format!("{} {were} turned away", words::count(count, "ping")),
        last: moments.short(view.memory.pings_refused_at?),
        why: match view.monitor.ping_limit {
            Some(limit) => format!("the limit is {} a minute", words::thousands(limit.per_minute())),
            None => "there was a limit then, and is none now".to_owned(),
        },
    })
}
