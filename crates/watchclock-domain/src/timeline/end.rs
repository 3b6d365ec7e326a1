//! An end ping: which run it closes, and what that teaches. Neighbours: `start` opens runs, `rules` judges their result.

use uuid::Uuid;

use super::{NewIds, Timeline, start::merged};
use crate::{
    Time,
    incident::Kind,
    ping::Ping,
    run::{Run, RunFlag, RunStatus},
    span,
};

impl Timeline<'_> {
    pub(super) fn end(&mut self, ping: &Ping, success: bool, ids: &mut dyn NewIds) -> Uuid {
        let found = match &ping.run_id {
            Some(run_id) => self.position_by_run_id(run_id),
            None => self.pair(ping),
        };
        let Some(at) = found else { return self.end_only(ping, success, ids) };
        match self.runs[at].status {
            RunStatus::Success | RunStatus::Failed => self.end_again(at, ping, success, ids),
            _ => self.finish(at, ping, success, ids),
        }
        self.runs[at].id
    }

    /// Without a run id: the oldest active run that has none, first among those of the same source; a hung one
    /// only when no other is active, and then the newest, which is the likeliest to be alive.
    fn pair(&mut self, ping: &Ping) -> Option<usize> {
        let nameless = |status: RunStatus| -> Vec<usize> {
            let is_one = |run: &Run| run.status == status && run.run_id.is_none();
            (0..self.runs.len()).filter(|&at| is_one(&self.runs[at])).collect()
        };
        let mut candidates = nameless(RunStatus::Running);
        let mut which = "oldest active";
        if candidates.is_empty() {
            candidates = nameless(RunStatus::Hung);
            candidates.reverse();
            which = "newest hung";
        }
        let same = candidates.iter().find(|&&at| self.runs[at].source.same(&ping.source)).copied();
        let found = same.or_else(|| candidates.first().copied())?;
        if candidates.len() > 1 {
            let source = if same.is_some() { " from the same source" } else { "" };
            let at_least = if self.open_runs().is_some() { "" } else { "at least " };
            let note = format!(
                "pairing assumed: the end came without a run id and was given to the {which} run{source} of {at_least}{}; \
                 run ids make this certain",
                candidates.len()
            );
            let run = &mut self.runs[found];
            run.flag(RunFlag::PairingAssumed);
            run.notes.push(note);
        }
        Some(found)
    }

    /// An end without any run that it could close is a run of its own.
    fn end_only(&mut self, ping: &Ping, success: bool, ids: &mut dyn NewIds) -> Uuid {
        let at = self.add_run(RunStatus::Running, ping.received_at, ids);
        self.runs[at].run_id.clone_from(&ping.run_id);
        self.memory.active += 1;
        self.resolve_missed(ping.at(), ping.received_at, Some(self.runs[at].id));
        self.fill_slot(at, ping.at(), ping.received_at, ids);
        self.finish(at, ping, success, ids);
        self.runs[at].id
    }

    /// Closes a run and judges it.
    fn finish(&mut self, at: usize, ping: &Ping, success: bool, ids: &mut dyn NewIds) {
        let now = ping.received_at;
        let run = &mut self.runs[at];
        let before = run.status;
        let ended = end_of(run, ping);
        run.ended_at = Some(ended);
        run.status = if success { RunStatus::Success } else { RunStatus::Failed };
        run.limit_at = None;
        run.source = merged(&run.source, &ping.source);
        match before {
            RunStatus::Hung => run.flag(RunFlag::HungUntil),
            RunStatus::Skipped => run.notes.push("it ran although its start was refused".to_owned()),
            _ => {}
        }
        match before {
            RunStatus::Running => {
                self.memory.active = (self.memory.active - 1).max(0);
                // What its start could not tell, having been told late: it was at work when the slot came.
                self.resolve_missed(ended, now, Some(self.runs[at].id));
            }
            RunStatus::Hung => self.memory.hung = (self.memory.hung - 1).max(0),
            _ => {}
        }
        let id = self.runs[at].id;
        self.memory.hung_unseen.retain(|hung| *hung != id);
        self.memory.held_runs.retain(|held| *held != id);
        self.memory.fresh_until = None;
        self.memory.last_ended_at = self.memory.last_ended_at.max(Some(ended));
        self.changes.memory = true;
        self.take_report(at, ping);
        self.extract(at);
        if success {
            self.good(at, before == RunStatus::Hung, now, ids);
        } else {
            self.failed(at, now, ids);
        }
        self.judge_rules(at, now, ids);
        if self.memory.active <= i64::from(self.monitor.overlap.allowed.max(1)) {
            self.resolve(
                Kind::Overlap,
                None,
                "active runs are back within the allowed number",
                Some(id),
                now,
            );
        }
    }

    fn good(&mut self, at: usize, was_hung: bool, now: Time, ids: &mut dyn NewIds) {
        let run = &self.runs[at];
        let (id, started) = (run.id, run.started_at);
        let duration = run.duration();
        let ended = run.ended_at;
        self.memory.failed_streak = 0;
        self.memory.good_streak = self.memory.good_streak.saturating_add(1);
        self.memory.last_success_at = self.memory.last_success_at.max(ended);
        let recover = i32::from(self.monitor.thresholds.recover.max(1));
        if self.memory.good_streak >= recover {
            self.resolve(Kind::Failed, None, "a run succeeded", Some(id), now);
        }
        self.hung_run_ended(id, started, recover, now);
        if let Some(duration) = duration {
            self.judge_duration(at, duration, now, ids);
            if !was_hung {
                self.memory.learn(duration);
                self.changes.durations = true;
                self.usual = None;
            }
        }
    }

    pub(super) fn failed(&mut self, at: usize, now: Time, ids: &mut dyn NewIds) {
        let run = &self.runs[at];
        let (id, number, exit) = (run.id, run.number, run.exit_code);
        let how = exit.filter(|code| *code != 0).map(exit_words);
        let message = run.message.clone();
        self.memory.good_streak = 0;
        // What fails during maintenance counts for nothing later.
        let is_open = self.open_index(Kind::Failed, None).is_some();
        let counts = !self.is_quiet(now) || is_open;
        self.memory.failed_streak = self.memory.failed_streak.saturating_add(i32::from(counts));
        if self.add_to_hung(id, &format!("run #{number} failed after all"), now) || !counts {
            return;
        }
        if !is_open && self.memory.failed_streak < i32::from(self.monitor.thresholds.failed.max(1)) {
            return;
        }
        let summary = match (&how, &message) {
            (Some(how), _) => format!("run #{number} failed: {how}"),
            (None, Some(message)) => format!("run #{number} failed: {message}"),
            (None, None) => format!("run #{number} failed"),
        };
        let mut facts = Vec::new();
        if let Some(how) = how {
            facts.push(("exit code".to_owned(), how.trim_start_matches("exit code ").to_owned()));
        }
        if let Some(message) = message {
            facts.push(("message".to_owned(), message));
        }
        if let Some(duration) = self.runs[at].duration() {
            facts.push(("duration".to_owned(), span::words(duration)));
        }
        self.open_or_add(Kind::Failed, None, summary, facts, &[id], now, ids);
    }
}

/// When a run ended. What cannot be, an end before the start, is told by a clock that differs: then the arrival counts.
fn end_of(run: &mut Run, ping: &Ping) -> Time {
    let told = ping.at();
    let Some(started) = run.started_at.filter(|started| told < *started) else { return told };
    if started <= ping.received_at {
        run.notes.push(
            "the time of its end was before its start and is not believed; its arrival counts".to_owned(),
        );
        return ping.received_at;
    }
    run.notes
        .push("the time of its start was after its end and is not believed; its arrival counts".to_owned());
    run.started_at = Some(run.first_seen_at.min(ping.received_at));
    ping.received_at
}

/// An exit code with its shell meaning (POSIX shells: 126, 127, 128+n).
pub fn exit_words(code: u8) -> String {
    let meaning = match code {
        126 => Some("command found but not executable".to_owned()),
        127 => Some("command not found".to_owned()),
        // Beyond 64 there is no signal: 255, for one, is what ssh says of its own trouble.
        129..=192 => Some(match signal_name(code - 128) {
            Some(name) => format!("ended by {name}"),
            None => format!("ended by signal {}", code - 128),
        }),
        _ => None,
    };
    meaning.map_or_else(|| format!("exit code {code}"), |meaning| format!("exit code {code} ({meaning})"))
}

/// Names of signals as numbered on Linux, signal(7).
fn signal_name(number: u8) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL, perhaps out of memory",
        10 => "SIGUSR1",
        11 => "SIGSEGV",
        12 => "SIGUSR2",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        16 => "SIGSTKFLT",
        17 => "SIGCHLD",
        18 => "SIGCONT",
        19 => "SIGSTOP",
        20 => "SIGTSTP",
        21 => "SIGTTIN",
        22 => "SIGTTOU",
        23 => "SIGURG",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        26 => "SIGVTALRM",
        27 => "SIGPROF",
        28 => "SIGWINCH",
        29 => "SIGIO",
        30 => "SIGPWR",
        31 => "SIGSYS",
        _ => return None,
    })
}
