//! Which slot a monitor waits for, or has missed, in words. Neighbours: `monitors` and `monitor_page` say it.

use watchclock_domain::{
    incident::{Incident, Kind},
    monitor::Health,
    run::{Run, RunStatus},
};
use watchclock_service::monitor::MonitorView;

use super::{moments::Moments, said, words};

/// Of a late monitor: `expected 03:30, 4 min ago`; empty for any other.
pub(crate) fn late(view: &MonitorView, moments: &Moments) -> String {
    if view.health != Health::Late {
        return String::new();
    }
    let slot = view.memory.next_slot.filter(|slot| *slot < moments.now);
    match (slot, view.memory.fresh_until) {
        (Some(slot), _) => format!("expected {}, {}", moments.slot(slot), moments.ago(slot)),
        (None, Some(until)) => {
            format!("due while Watchclock was down; a run may start until {}", moments.slot(until))
        }
        (None, None) => String::new(),
    }
}

/// An incident in the words of a list: of missed slots which, as a reader on this day needs it.
pub(crate) fn trouble(incident: &Incident, recent: &[Run], moments: &Moments) -> String {
    missed(incident, recent, moments).unwrap_or_else(|| said::line(incident.kind, &incident.summary, moments))
}

/// `no run started, expected 03:30, 40 min ago`; none where the slot is not known.
fn missed(incident: &Incident, recent: &[Run], moments: &Moments) -> Option<String> {
    if incident.kind != Kind::Missed {
        return None;
    }
    // The newest of its runs; what a downtime of ours hid is no such run, and told in the incident's own words.
    let is_part = |run: &&Run| run.status == RunStatus::Missed && incident.runs.contains(&run.id);
    let slot = recent.iter().find(is_part)?.slot?;
    let (at, ago) = (moments.slot(slot), moments.ago(slot));
    Some(match usize::try_from(incident.run_count).unwrap_or(0) {
        0 | 1 => format!("no run started, expected {at}, {ago}"),
        several => format!("{} missed, the last expected {at}, {ago}", words::count(several, "slot")),
    })
}
