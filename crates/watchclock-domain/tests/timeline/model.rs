//! The naive model: what the pairing, the limits and the overlaps of runs mean, step by step and without any cleverness.

use crate::{Sign, Step, What};

const LIMIT: i64 = 600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Status {
    Running,
    Success,
    Failed,
    Hung,
}

#[derive(Debug, Clone)]
struct Run {
    rid: Option<u8>,
    host: Option<u8>,
    status: Status,
    started: Option<i64>,
    ended: Option<i64>,
    overlapped: bool,
    assumed: bool,
    was_hung: bool,
}

/// The open incident of hung runs: since when, and which are hung still.
#[derive(Debug, Clone)]
struct HungIncident {
    since: i64,
    still: Vec<usize>,
}

#[derive(Debug)]
pub(crate) struct Model {
    now: i64,
    allowed: usize,
    runs: Vec<Run>,
    /// Hung runs that no start has followed yet.
    unseen: Vec<usize>,
    overlap: bool,
    failed: bool,
    hung: Option<HungIncident>,
}

impl Model {
    pub(crate) fn new(allowed: u32) -> Self {
        let allowed = usize::try_from(allowed).expect("a small number");
        Self { now: 0, allowed, runs: vec![], unseen: vec![], overlap: false, failed: false, hung: None }
    }

    pub(crate) fn take(&mut self, step: &Step) {
        self.now += i64::from(step.after);
        self.expire();
        let What::Ping { sign, rid, host, ago } = step.what else { return };
        let at = self.now - i64::from(ago.unwrap_or(0));
        match sign {
            Sign::Start => self.start(rid, host, at),
            Sign::Good => self.end(rid, host, at, true),
            Sign::Bad => self.end(rid, host, at, false),
            Sign::Log => {}
        }
    }

    fn active(&self) -> Vec<usize> {
        (0..self.runs.len()).filter(|&at| self.runs[at].status == Status::Running).collect()
    }

    fn named(&self, rid: u8) -> Option<usize> {
        self.runs.iter().position(|run| run.rid == Some(rid))
    }

    fn expire(&mut self) {
        for at in self.active() {
            if self.runs[at].started.expect("an active run has started") + LIMIT > self.now {
                continue;
            }
            self.runs[at].status = Status::Hung;
            self.runs[at].was_hung = true;
            self.unseen.push(at);
            let now = self.now;
            self.hung.get_or_insert(HungIncident { since: now, still: vec![] }).still.push(at);
            self.calm();
        }
    }

    fn calm(&mut self) {
        if self.active().len() <= self.allowed {
            self.overlap = false;
        }
    }

    fn start(&mut self, rid: Option<u8>, host: Option<u8>, at: i64) {
        if let Some(known) = rid.and_then(|rid| self.named(rid)) {
            let run = &mut self.runs[known];
            if let (None, Some(ended)) = (run.started, run.ended) {
                run.started = Some(at.min(ended));
            }
            return;
        }
        let active = self.active();
        let unseen = std::mem::take(&mut self.unseen);
        let mut overlapped = false;
        if active.len() >= self.allowed {
            overlapped = true;
            self.overlap = true;
            for &other in &active {
                self.runs[other].overlapped = true;
            }
        }
        if !unseen.is_empty() && active.len() + unseen.len() >= self.allowed {
            overlapped = true;
            for other in unseen {
                self.runs[other].overlapped = true;
            }
        }
        let (started, ended) = (Some(at), None);
        let status = Status::Running;
        self.runs.push(Run {
            rid,
            host,
            status,
            started,
            ended,
            overlapped,
            assumed: false,
            was_hung: false,
        });
    }

    fn end(&mut self, rid: Option<u8>, host: Option<u8>, at: i64, good: bool) {
        let found = match rid {
            Some(rid) => self.named(rid),
            None => self.pair(host),
        };
        let at_run = found.unwrap_or_else(|| {
            let (started, ended) = (None, None);
            let status = Status::Running;
            self.runs.push(Run {
                rid,
                host,
                status,
                started,
                ended,
                overlapped: false,
                assumed: false,
                was_hung: false,
            });
            self.runs.len() - 1
        });
        let before = self.runs[at_run].status;
        match before {
            Status::Success if !good => {
                self.runs[at_run].status = Status::Failed;
                self.failed = true;
            }
            Status::Success | Status::Failed => {}
            Status::Running | Status::Hung => self.finish(at_run, at, good),
        }
    }

    fn finish(&mut self, index: usize, at: i64, good: bool) {
        let run = &mut self.runs[index];
        run.ended = Some(run.started.map_or(at, |started| started.max(at)));
        run.status = if good { Status::Success } else { Status::Failed };
        let started = run.started;
        self.unseen.retain(|hung| *hung != index);
        let was_still_hung = self.hung.as_ref().is_some_and(|hung| hung.still.contains(&index));
        if let Some(hung) = &mut self.hung {
            hung.still.retain(|hung| *hung != index);
        }
        if good {
            self.failed = false;
            let is_over = self.hung.as_ref().is_some_and(|hung| {
                let later = started.is_none_or(|started| started >= hung.since)
                    || hung.still.iter().all(|hung| *hung < index);
                if was_still_hung { hung.still.is_empty() } else { later }
            });
            if is_over {
                self.hung = None;
            }
        } else if !was_still_hung {
            self.failed = true;
        }
        self.calm();
    }

    /// The oldest active run without a name, of the same machine first; else the newest hung one.
    fn pair(&mut self, host: Option<u8>) -> Option<usize> {
        let nameless: Vec<usize> =
            self.active().into_iter().filter(|&at| self.runs[at].rid.is_none()).collect();
        // Where one of the two does not tell its host, the address decides, and that is the same for all.
        let same = |at: &&usize| match (self.runs[**at].host, host) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        let found = nameless.iter().find(same).or(nameless.first()).copied();
        if let Some(found) = found {
            self.runs[found].assumed |= nameless.len() > 1;
            return Some(found);
        }
        self.runs.iter().rposition(|run| run.status == Status::Hung && run.rid.is_none())
    }

    pub(crate) fn tape(&self) -> String {
        let mut lines: Vec<String> = self
            .runs
            .iter()
            .enumerate()
            .map(|(at, run)| {
                let word = match run.status {
                    Status::Running => "running",
                    Status::Success => "success",
                    Status::Failed => "failed",
                    Status::Hung => "hung",
                };
                let mut line = format!("#{} {word} {:?} {:?}", at + 1, run.started, run.ended);
                for (flag, is_set) in [
                    ("overlapped", run.overlapped),
                    ("pairing_assumed", run.assumed),
                    ("hung_until", run.was_hung && run.ended.is_some()),
                ] {
                    if is_set {
                        line = format!("{line} {flag}");
                    }
                }
                line
            })
            .collect();
        let open = [("failed", self.failed), ("hung", self.hung.is_some()), ("overlap", self.overlap)];
        lines.extend(open.iter().filter(|(_, is_open)| *is_open).map(|(kind, _)| format!("{kind} is open")));
        lines.join("\n")
    }
}
