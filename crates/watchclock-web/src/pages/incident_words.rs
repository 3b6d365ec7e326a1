//! What an incident means and what ends it, for people who see one for the first time. Neighbour: `incidents` lists them.

use watchclock_domain::{
    incident::{Incident, Kind},
    monitor::Monitor,
    rule::AppliesTo,
    span,
};

use super::words;

/// Two or three sentences: what happened, what it may mean, what resolves it.
pub(crate) fn meaning(incident: &Incident, monitor: &Monitor) -> String {
    let good = match monitor.thresholds.recover.max(1) {
        1 => "the next good run".to_owned(),
        several => format!("{several} good runs in a row"),
    };
    match incident.kind {
        Kind::Missed => format!(
            "A slot and its grace of {} passed, and no run started. The next run that starts resolves it.",
            span::words(monitor.grace)
        ),
        Kind::Failed => format!("A run said that it failed. It is resolved by {good}."),
        Kind::Hung => format!(
            "A run passed its limit without an end: it is stuck, or died without saying so. Other runs go on beside it and are \
             judged on their own. It is resolved when that run ends well, or by {good} that started later."
        ),
        Kind::Overlap => format!(
            "A run started while as many were active as may be ({}). It is resolved when no more than that are active.",
            words::count(usize::try_from(monitor.overlap.allowed).unwrap_or(1), "run")
        ),
        Kind::Rule => match monitor.rules.iter().find(|rule| Some(rule.id) == incident.rule) {
            Some(rule) if rule.applies_to == AppliesTo::Fail => {
                format!("A rule found in a run that failed what it looks for. It is resolved by {good}.")
            }
            Some(rule) if rule.applies_to == AppliesTo::Any || rule.condition.is_time_driven() => {
                "A rule says that something is wrong. It is resolved as soon as the rule is not true any more.".to_owned()
            }
            _ => format!(
                "The job said that it went well, but a rule says that the result is wrong. It is resolved by {good} for which \
                 the rule is not true."
            ),
        },
        Kind::Fast => format!(
            "A run was done suspiciously fast, so perhaps it did nothing. It is resolved by {good} of a usual length."
        ),
        Kind::Slow => format!("A run took much longer than usual. It is resolved by {good} of a usual length."),
        Kind::Unscheduled => {
            "A run started that no slot expected: perhaps the job is scheduled twice, or was started by hand. Nothing has to \
             end, so it is over at once."
                .to_owned()
        }
    }
}
