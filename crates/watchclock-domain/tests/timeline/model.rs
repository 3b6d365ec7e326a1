//! The naive model: what pairing, limits, overlaps and slots mean, step by step and without any cleverness.
//!
//! Seconds from the beginning, a list of runs that is never pruned, and every question answered by looking at all of them.

#[path = "model_time.rs"]
mod time;

use std::collections::BTreeSet;

use crate::{
    model_run::{Run, Status, line},
    steps::{Edit, Plan, Policy, Setup, Sign, Step, What},
};

/// How early a run may start where nothing is set: a tenth of any interval here is a minute or more.
const EARLY: i64 = 60;
/// A start that is told when its limit has passed is given so long to be told of its end.
const PATIENCE: i64 = 60;
/// Most runs that one names as overlapping.
const NAMED: usize = 20;

/// The open incident of hung runs: since when, which are hung still, and how many good runs came since.
#[derive(Debug, Clone)]
struct HungIncident {
    since: i64,
    still: Vec<usize>,
    good: u16,
}

#[derive(Debug)]
pub(crate) struct Model {
    setup: Setup,
    now: i64,
    paused: bool,
    /// In order of their numbers.
    runs: Vec<Run>,
    made: usize,
    numbers: usize,
    /// Hung runs that no start has followed yet.
    unseen: Vec<usize>,
    /// Counting of slots began here.
    anchor: i64,
    /// The first slot that is neither filled, covered nor missed.
    open_slot: Option<i64>,
    filled: Option<i64>,
    failed_streak: u16,
    good_streak: u16,
    missed_streak: u16,
    fast_streak: i32,
    /// When the last run started, by its own word.
    last_start: Option<i64>,
    /// When nobody watched, from and to.
    gaps: Vec<(i64, i64)>,
    /// Until when a run may start for what fell into a gap.
    fresh_until: Option<i64>,
    /// Maintenance held something back, perhaps these hung runs.
    held: Option<Vec<usize>>,
    overlap: bool,
    missed: bool,
    /// The runs of each that is open.
    failed: Option<BTreeSet<usize>>,
    fast: Option<BTreeSet<usize>>,
    hung: Option<HungIncident>,
}

impl Model {
    pub(crate) fn new(setup: &Setup) -> Self {
        let mut model = Self {
            setup: setup.clone(),
            now: 0,
            paused: false,
            runs: vec![],
            made: 0,
            numbers: 0,
            unseen: vec![],
            anchor: 0,
            open_slot: None,
            filled: None,
            failed_streak: 0,
            good_streak: 0,
            missed_streak: 0,
            fast_streak: 0,
            last_start: None,
            gaps: vec![],
            fresh_until: None,
            held: None,
            overlap: false,
            missed: false,
            failed: None,
            fast: None,
            hung: None,
        };
        model.count_from_now();
        model
    }

    pub(crate) fn take(&mut self, step: &Step) {
        self.now += i64::from(step.after);
        match step.what {
            What::Look => self.look(),
            What::Pause => self.paused = true,
            What::Resume => {
                if std::mem::take(&mut self.paused) {
                    self.count_from_now();
                }
            }
            What::Down(seconds) => {
                let from = self.now;
                self.now += i64::from(seconds);
                self.gaps.push((from, self.now));
                self.look();
            }
            What::Back(seconds) => {
                self.set_back(i64::from(seconds));
                self.look();
            }
            What::Resolve => {
                (self.overlap, self.missed) = (false, false);
                (self.failed, self.fast, self.hung) = (None, None, None);
            }
            What::Edit(Edit::Plan(plan)) => {
                if self.setup.plan != plan {
                    self.setup.plan = plan;
                    self.count_from_now();
                }
            }
            What::Edit(Edit::Min(min)) => self.setup.min = min,
            What::Edit(Edit::Limit(limit)) => {
                if self.setup.limit != limit {
                    self.setup.limit = limit;
                    for id in self.active() {
                        let started = self.run(id).started.expect("an active run has started");
                        self.run(id).limit = Some(self.limit_of(started));
                    }
                }
            }
            What::Edit(Edit::Grace(grace)) => self.setup.grace = grace,
            What::Edit(Edit::Early(early)) => self.setup.early = early,
            What::Edit(Edit::Counts(failed, missed, recover)) => {
                (self.setup.failed, self.setup.missed, self.setup.recover) = (failed, missed, recover);
            }
            What::Edit(Edit::Overlap(policy, allowed)) => {
                (self.setup.policy, self.setup.allowed) = (policy, allowed);
            }
            What::Ping { sign, rid, host, ago } => {
                self.look();
                if self.paused && !self.setup.manual_resume {
                    self.paused = false;
                    self.count_from_now();
                }
                let at = self.now - i64::from(ago.unwrap_or(0));
                match sign {
                    Sign::Start => self.start(rid, host, at),
                    Sign::Good => self.end(rid, host, at, true),
                    Sign::Bad => self.end(rid, host, at, false),
                    Sign::Log => {}
                }
            }
        }
        if matches!(step.what, What::Pause | What::Resume | What::Edit(_)) {
            // As many runs at once may be allowed now, or none be expected any more.
            self.calm();
            self.missed &= self.setup.plan != Plan::Never;
            self.fast = self.fast.take().filter(|_| self.setup.min.is_some());
        }
    }

    fn allowed(&self) -> usize {
        usize::try_from(self.setup.allowed).expect("a small number")
    }

    fn active(&self) -> Vec<usize> {
        let active = self.runs.iter().filter(|run| run.status == Status::Running);
        active.map(|run| run.id).collect()
    }

    fn run(&mut self, id: usize) -> &mut Run {
        self.runs.iter_mut().find(|run| run.id == id).expect("runs are never forgotten")
    }

    fn named(&self, rid: u8) -> Option<usize> {
        self.runs.iter().find(|run| run.rid == Some(rid)).map(|run| run.id)
    }

    fn add(&mut self, status: Status, rid: Option<u8>, host: Option<u8>) -> usize {
        self.made += 1;
        self.numbers += 1;
        self.runs.push(Run {
            id: self.made,
            number: self.numbers,
            rid,
            host,
            status,
            slot: None,
            started: None,
            ended: None,
            limit: None,
            hung: None,
            seen: self.now,
            overlaps: 0,
            overlapped: false,
            late: false,
            unscheduled: false,
            fast: false,
            assumed: false,
        });
        self.made
    }

    fn calm(&mut self) {
        if self.active().len() <= self.allowed() {
            self.overlap = false;
        }
    }

    fn start(&mut self, rid: Option<u8>, host: Option<u8>, at: i64) {
        if let Some(known) = rid.and_then(|rid| self.named(rid)) {
            let (made, numbers) = (known, self.numbers + 1);
            let refused = self.setup.policy == Policy::Refuse && self.active().len() >= self.allowed();
            let run = self.run(made);
            match (run.status, run.started, run.ended) {
                (Status::Skipped, ..) => {
                    // It asks again, and is the newest if it may run now.
                    run.status = Status::Running;
                    if !refused {
                        run.number = numbers;
                        self.numbers = numbers;
                        self.runs.sort_by_key(|run| run.number);
                    }
                    self.begin(known, at);
                }
                (Status::Success | Status::Failed, None, Some(ended)) => {
                    run.started = Some(at.min(ended));
                    run.host = run.host.or(host);
                    self.last_start = self.last_start.max(Some(at.min(ended)));
                }
                _ => {}
            }
            return;
        }
        let id = self.add(Status::Running, rid, host);
        self.begin(id, at);
    }

    fn limit_of(&self, started: i64) -> i64 {
        let limit = started + i64::from(self.setup.limit);
        if limit > self.now { limit } else { self.now + PATIENCE }
    }

    fn begin(&mut self, id: usize, at: i64) {
        self.not_missing(at);
        self.fill(id, at);
        let active: Vec<usize> = self.active().into_iter().filter(|other| *other != id).collect();
        if self.setup.policy == Policy::Refuse && active.len() >= self.allowed() {
            self.run(id).status = Status::Skipped;
            return;
        }
        let limit = self.limit_of(at);
        let run = self.run(id);
        (run.started, run.limit) = (Some(at), Some(limit));
        self.last_start = self.last_start.max(Some(at));
        let mut others: Vec<usize> = vec![];
        if active.len() >= self.allowed() {
            self.open_overlap();
            others.extend(&active);
        }
        let unseen = std::mem::take(&mut self.unseen);
        if active.len() + unseen.len() >= self.allowed() {
            others.extend(unseen);
        }
        if others.is_empty() {
            return;
        }
        let run = self.run(id);
        run.overlapped = true;
        run.overlaps = others.len();
        others.sort_by_key(|other| self.runs.iter().position(|run| run.id == *other));
        for other in others.into_iter().rev().take(NAMED) {
            let run = self.run(other);
            run.overlapped = true;
            run.overlaps += 1;
        }
    }

    fn end(&mut self, rid: Option<u8>, host: Option<u8>, at: i64, good: bool) {
        let found = match rid {
            Some(rid) => self.named(rid),
            None => self.pair(host),
        };
        let id = found.unwrap_or_else(|| {
            let id = self.add(Status::Running, rid, host);
            self.not_missing(at);
            self.fill(id, at);
            id
        });
        match self.run(id).status {
            Status::Success if !good => {
                self.run(id).status = Status::Failed;
                self.bad(id);
            }
            Status::Success | Status::Failed => {}
            _ => self.finish(id, host, at, good),
        }
    }

    fn finish(&mut self, id: usize, host: Option<u8>, at: i64, good: bool) {
        let now = self.now;
        let run = self.run(id);
        let before = run.status;
        // An end before the start was told by a clock that differs: what arrived when counts.
        let ended = match run.started {
            Some(started) if at < started => {
                run.started = Some(if started <= now { started } else { run.seen.min(now) });
                now
            }
            _ => at,
        };
        run.ended = Some(ended);
        run.status = if good { Status::Success } else { Status::Failed };
        run.host = run.host.or(host);
        self.unseen.retain(|hung| *hung != id);
        self.fresh_until = None;
        if before == Status::Running {
            self.not_missing(ended);
        }
        if good {
            self.good(id);
        } else {
            self.bad(id);
        }
        self.calm();
    }

    fn good(&mut self, id: usize) {
        self.judge_duration(id);
        self.failed_streak = 0;
        self.good_streak += 1;
        if self.good_streak >= self.setup.recover {
            self.failed = None;
        }
        let number = |id: usize| self.runs.iter().find(|run| run.id == id).map(|run| run.number);
        let (mine, started) =
            (number(id), self.runs.iter().find(|run| run.id == id).and_then(|run| run.started));
        let Some(incident) = &self.hung else { return };
        let later = started.is_none_or(|started| started >= incident.since)
            || incident.still.iter().all(|hung| number(*hung) < mine);
        let was_hung = incident.still.contains(&id);
        let incident = self.hung.as_mut().expect("it is there");
        incident.still.retain(|hung| *hung != id);
        incident.good += u16::from(!was_hung && later);
        let is_over =
            if was_hung { incident.still.is_empty() } else { later && incident.good >= self.setup.recover };
        if is_over {
            self.hung = None;
        }
    }

    /// Sooner than it may be?
    fn judge_duration(&mut self, id: usize) {
        let run = self.run(id);
        let (Some(started), Some(ended)) = (run.started, run.ended) else { return };
        let Some(min) = self.setup.min else { return };
        if ended - started < i64::from(min) {
            self.run(id).fast = true;
            if self.is_quiet(self.now) && self.fast.is_none() {
                return;
            }
            self.fast_streak = self.fast_streak.max(0) + 1;
            let is_enough = self.fast_streak >= i32::from(self.setup.failed);
            if !self.paused && (self.fast.is_some() || is_enough) {
                self.fast.get_or_insert_default().insert(id);
            }
        } else {
            self.fast_streak = self.fast_streak.min(0) - 1;
            if -self.fast_streak >= i32::from(self.setup.recover) {
                self.fast = None;
            }
        }
    }

    fn bad(&mut self, id: usize) {
        // What fails during maintenance counts for nothing later.
        let counts = !self.is_quiet(self.now) || self.failed.is_some();
        self.failed_streak += u16::from(counts);
        self.good_streak = 0;
        if let Some(incident) = &mut self.hung
            && incident.still.contains(&id)
        {
            incident.still.retain(|hung| *hung != id);
            return;
        }
        if counts && !self.paused && (self.failed.is_some() || self.failed_streak >= self.setup.failed) {
            self.failed.get_or_insert_default().insert(id);
        }
    }

    /// The oldest active run without a name, else the newest hung one; of the same machine first.
    fn pair(&mut self, host: Option<u8>) -> Option<usize> {
        let with = |status: Status| -> Vec<&Run> {
            self.runs.iter().filter(|run| run.status == status && run.rid.is_none()).collect()
        };
        let (active, hung) = (with(Status::Running), with(Status::Hung).into_iter().rev().collect());
        let nameless: Vec<&Run> = if active.is_empty() { hung } else { active };
        // Where one of the two does not tell its host, the address decides, and that is the same for all.
        let same = |run: &&&Run| match (run.host, host) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        let (found, many) = (nameless.iter().find(same).or(nameless.first()), nameless.len() > 1);
        let found = found.map(|run| run.id)?;
        self.run(found).assumed |= many;
        Some(found)
    }

    pub(crate) fn tape(&self) -> String {
        let mut lines: Vec<String> = self.runs.iter().map(line).collect();
        let runs = |runs: &Option<BTreeSet<usize>>| runs.as_ref().map(|runs| format!(" with {}", runs.len()));
        let plain = |is_open: bool| is_open.then(String::new);
        let open = [
            ("failed", runs(&self.failed)),
            ("fast", runs(&self.fast)),
            ("hung", plain(self.hung.is_some())),
            ("missed", plain(self.missed)),
            ("overlap", plain(self.overlap)),
        ];
        lines
            .extend(open.iter().filter_map(|(kind, with)| Some(format!("{kind} is open{}", with.as_ref()?))));
        lines.push(format!("paused: {}", self.paused));
        lines.join("\n")
    }
}
