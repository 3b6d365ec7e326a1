//! The state machine of a monitor: facts, pings and the passing of time go in; runs, incidents and alerts that change come out.
//!
//! A [`Timeline`] holds what was read of one monitor under its lock. [`Timeline::ping`] and [`Timeline::pass`] change it in
//! memory and mark what changed; the store writes just that. Nothing here reads a clock or makes an id.

mod admit;
mod downtime;
pub mod end;
mod end_again;
mod incidents;
mod limits;
mod maintenance;
mod missed;
pub mod past;
pub mod rules;
pub mod set_back;
pub mod slots;
pub mod snooze;
mod start;
mod time_rules;
pub mod unusual;
pub mod usual_facts;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use end::exit_words;
pub use past::Past;
use uuid::Uuid;

use crate::{
    Time,
    gap::Gap,
    incident::{AlertDue, Incident, IncidentEvent},
    monitor::{Memory, Monitor},
    ping::{Output, Ping, RunId, Signal},
    run::{Run, RunStatus},
    usual::Band,
};

/// A finished run with its output, for rules that look back. Oldest first where listed.
#[derive(Debug, Clone)]
pub struct PastRun {
    pub run: Run,
    pub output: Option<String>,
}

/// One monitor's facts, and what has changed in them.
#[derive(Debug)]
pub struct Timeline<'a> {
    pub monitor: &'a Monitor,
    pub memory: Memory,
    /// Runs that are active or hung, and those that pings name; in order of their numbers. Of very many active runs only
    /// the oldest, the newest and those with the nearest limits are here; [`Memory::active`] counts all.
    pub runs: Vec<Run>,
    /// Runs before these, for rules that look back; empty where no rule does.
    pub past: Past,
    /// Runs that changed since the past was brought up to date.
    stale: BTreeSet<Uuid>,
    /// The past has changed since rules were judged that time makes true.
    past_changed: bool,
    /// The usual durations, once they were asked for.
    #[expect(clippy::option_option, reason = "not asked for, not known, known")]
    usual: Option<Option<Band>>,
    /// What runs have reported as text before; empty where no rule reads it.
    pub outputs: BTreeMap<Uuid, Output>,
    /// Open incidents, and those resolved just now.
    pub incidents: Vec<Incident>,
    /// The last spans in which nobody watched, in order.
    pub gaps: Arc<[Gap]>,
    pub changes: Changes,
}

/// What is to be written, beside the facts themselves.
#[derive(Debug, Default)]
pub struct Changes {
    pub memory: bool,
    /// So have the durations of good runs in it.
    pub durations: bool,
    /// And how often in a row rules were true or false.
    pub streaks: bool,
    /// And how many pings were turned away.
    pub refused: bool,
    pub new_runs: BTreeSet<Uuid>,
    pub changed_runs: BTreeSet<Uuid>,
    pub new_incidents: BTreeSet<Uuid>,
    pub changed_incidents: BTreeSet<Uuid>,
    pub events: Vec<IncidentEvent>,
    pub alerts: Vec<AlertDue>,
    /// Output to add to runs, in order.
    pub outputs: Vec<(Uuid, Output)>,
    /// Notes of `log` pings that no run took.
    pub monitor_notes: Vec<(Time, String)>,
    /// A ping resumed the paused monitor.
    pub resumed: bool,
}

/// What a ping came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The run it belongs to; none for a log that no run took.
    pub run: Option<Uuid>,
    /// The active run because of which a start was refused.
    pub refused_by: Option<Uuid>,
}

/// Makes ids of new runs and incidents.
pub trait NewIds {
    fn new_id(&mut self) -> Uuid;
}

impl<F: FnMut() -> Uuid> NewIds for F {
    fn new_id(&mut self) -> Uuid {
        self()
    }
}

impl<'a> Timeline<'a> {
    pub fn new(monitor: &'a Monitor, memory: Memory, mut runs: Vec<Run>, incidents: Vec<Incident>) -> Self {
        runs.sort_by_key(|run| run.number);
        let (outputs, gaps, changes) = (BTreeMap::new(), Arc::default(), Changes::default());
        let (past, stale) = (Past::default(), BTreeSet::new());
        let (past_changed, usual) = (false, None);
        Self { monitor, memory, runs, past, stale, past_changed, usual, outputs, incidents, gaps, changes }
    }

    /// Takes one ping that was received at `ping.received_at`.
    pub fn ping(&mut self, ping: &Ping, ids: &mut dyn NewIds) -> Answer {
        let now = ping.received_at;
        let planned = self.memory.deadline;
        let last = match ping.signal.success() {
            Some(_) => self.memory.last_ended_at,
            None => self.memory.last_started_at,
        };
        self.settle(now, ids);
        if self.monitor.paused && !self.monitor.manual_resume && !self.changes.resumed {
            self.changes.resumed = true;
            self.restart_counting(now);
        }
        self.memory.last_ping_at = self.memory.last_ping_at.max(Some(now));
        self.changes.memory = true;
        let answer = match ping.signal.success() {
            Some(success) => Answer { run: Some(self.end(ping, success, ids)), refused_by: None },
            None if ping.signal == Signal::Start => self.start(ping, ids),
            None => Answer { run: self.log(ping), refused_by: None },
        };
        self.remember_past();
        self.judge_by_time(now, ids);
        self.set_deadline(false);
        self.keep_deadline(planned, now, last);
        answer
    }

    /// Lets time pass until `now`: runs past their limit are hung, slots past their grace are missed.
    pub fn pass(&mut self, now: Time, ids: &mut dyn NewIds) {
        let moved = self.settle(now, ids);
        self.remember_past();
        self.judge_by_time(now, ids);
        self.set_deadline(!moved);
    }

    /// Tells whether the limit of a run passed or was put off.
    fn settle(&mut self, now: Time, ids: &mut dyn NewIds) -> bool {
        let put_off = self.put_off_limits();
        self.find_slow_runs(now, ids);
        let expired = self.expire_runs(now, ids);
        self.settle_slots(now, ids);
        self.end_fresh_grace(now, ids);
        self.end_maintenance(now, ids);
        self.end_snoozes(now);
        put_off || expired
    }

    /// The same facts under another configuration.
    #[must_use]
    pub fn under(self, monitor: &'a Monitor) -> Self {
        Self { monitor, usual: None, ..self }
    }

    /// Sets the deadline anew after the configuration changed.
    pub fn replan(&mut self) {
        self.set_deadline(false);
        self.changes.memory = true;
    }

    /// Whether anything is to be written.
    pub fn changed(&self) -> bool {
        let changes = &self.changes;
        changes.memory
            || !changes.new_runs.is_empty()
            || !changes.changed_runs.is_empty()
            || !changes.new_incidents.is_empty()
            || !changes.changed_incidents.is_empty()
    }

    /// The runs that are running or hung; none where not all of them are at hand.
    pub fn open_runs(&self) -> Option<impl Iterator<Item = &Run>> {
        let count = |status| i64::try_from(self.runs.iter().filter(|run| run.status == status).count());
        let all = count(RunStatus::Running) == Ok(self.memory.active)
            && count(RunStatus::Hung) == Ok(self.memory.hung);
        all.then(|| self.runs.iter().filter(|run| run.is_open()))
    }

    pub fn run(&self, id: Uuid) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    pub fn incident(&self, id: Uuid) -> Option<&Incident> {
        self.incidents.iter().find(|incident| incident.id == id)
    }

    /// Attaches a `log` ping to its run: by id, else the most recently started active run of the same source.
    fn log(&mut self, ping: &Ping) -> Option<Uuid> {
        let found = match &ping.run_id {
            Some(run_id) => self.position_by_run_id(run_id),
            None => self.runs.iter().rposition(|run| run.is_active() && run.source.same(&ping.source)),
        };
        if let Some(at) = found {
            let id = self.runs[at].id;
            self.take_report(at, ping);
            Some(id)
        } else {
            let text = ping.message.clone().unwrap_or_else(|| ping.output.text());
            self.changes.monitor_notes.push((ping.received_at, text));
            None
        }
    }

    fn position_by_run_id(&self, run_id: &RunId) -> Option<usize> {
        self.runs.iter().position(|run| run.run_id.as_ref().is_some_and(|known| known.key == run_id.key))
    }

    /// Adds what a ping reported to its run: metadata (the later word wins), message, exit code, output, notes.
    fn take_report(&mut self, at: usize, ping: &Ping) {
        let run = &mut self.runs[at];
        run.meta.extend(ping.meta.iter().map(|(key, value)| (key.clone(), value.clone())));
        if ping.message.is_some() {
            run.message.clone_from(&ping.message);
        }
        if ping.exit_code.is_some() {
            run.exit_code = ping.exit_code;
        }
        for note in &ping.notes {
            if run.notes.len() < 20 && !run.notes.contains(note) {
                run.notes.push(note.clone());
            }
        }
        if !ping.output.is_empty() {
            run.output_size += ping.output.size();
            self.changes.outputs.push((run.id, ping.output.clone()));
        }
        self.touch(at);
    }

    /// Marks a run as changed.
    fn touch(&mut self, at: usize) {
        let id = self.runs[at].id;
        self.stale.insert(id);
        if !self.changes.new_runs.contains(&id) {
            self.changes.changed_runs.insert(id);
        }
    }

    /// Makes a run with the next number and nothing else in it.
    fn add_run(&mut self, status: RunStatus, first_seen_at: Time, ids: &mut dyn NewIds) -> usize {
        let number = self.memory.next_number;
        self.memory.next_number += 1;
        self.changes.memory = true;
        let id = ids.new_id();
        self.runs.push(Run {
            id,
            monitor: self.monitor.id,
            number,
            run_id: None,
            status,
            flags: Vec::new(),
            slot: None,
            started_at: None,
            ended_at: None,
            first_seen_at,
            limit_at: None,
            hung_at: None,
            exit_code: None,
            message: None,
            meta: crate::value::Meta::new(),
            source: crate::ping::Source::default(),
            overlaps: Vec::new(),
            overlap_count: 0,
            output_size: 0,
            notes: Vec::new(),
        });
        self.changes.new_runs.insert(id);
        self.stale.insert(id);
        self.runs.len() - 1
    }

    /// Whether incidents may open: a paused monitor records and stays quiet.
    fn is_watched(&self) -> bool {
        !self.monitor.paused || self.changes.resumed
    }
}
