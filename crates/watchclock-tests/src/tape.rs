//! Writes runs and incidents as short lines, so that a failed expectation shows at a glance what happened instead.

use watchclock_domain::{
    incident::Incident,
    run::{Run, RunFlag},
    span,
};

/// `#2 nightly-7 success 6m overlapped,pairing_assumed`; what is not known is left out. One line each.
pub(crate) fn of_runs(runs: &[Run]) -> String {
    lines(runs.iter().map(|run| {
        let mut words = vec![format!("#{}", run.number)];
        words.extend(run.run_id.as_ref().map(|id| id.shown.clone()));
        words.push(run.status.word().to_owned());
        words.extend(run.duration().map(span::short));
        let flags: Vec<&str> = run.flags.iter().copied().map(RunFlag::word).collect();
        if !flags.is_empty() {
            words.push(flags.join(","));
        }
        words.join(" ")
    }))
}

/// `overlap: run #2 started while #1 was still running` and, where resolved, ` → active runs are back …`.
pub(crate) fn of_incidents(incidents: &[Incident]) -> String {
    lines(incidents.iter().map(|incident| {
        let resolved = incident.resolved_by.as_ref().map_or_else(String::new, |by| format!(" → {by}"));
        format!("{}: {}{resolved}", incident.kind.word(), incident.summary)
    }))
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n")
}
