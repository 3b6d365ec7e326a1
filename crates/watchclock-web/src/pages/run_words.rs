//! Runs in words: when, how long, what the marks and the status mean.

use watchclock_domain::{
    run::{Run, RunFlag, RunStatus},
    schedule::Zone,
    span,
};

use super::{
    mini::MiniRun,
    moments::Moments,
    views::{parts::When, run_page::RunMark},
};

/// The path of a run's page.
pub(crate) fn href(base: &str, run: &Run) -> String {
    format!("{base}/runs/{}", run.id)
}

/// The moment that a run is listed under, and which of its moments that is: empty for its start.
pub(crate) fn moment(run: &Run) -> (watchclock_domain::Time, &'static str) {
    match (run.started_at, run.ended_at, run.slot) {
        (Some(started), ..) => (started, ""),
        (None, Some(ended), _) if run.status != RunStatus::Missed => (ended, "ended"),
        (None, _, Some(slot)) => (slot, "slot"),
        (None, ..) => (run.first_seen_at, "heard"),
    }
}

/// The same, ready to print.
pub(crate) fn when(run: &Run, moments: &Moments) -> When {
    moments.short(moment(run).0)
}

/// How long it took, or has taken so far; empty when unknown.
pub(crate) fn duration(run: &Run, moments: &Moments) -> String {
    match (run.duration(), run.started_at) {
        (Some(duration), _) => span::words(duration),
        (None, Some(started)) if run.is_active() => format!("for {}", moments.since(started)),
        _ => String::new(),
    }
}

/// A few reported values on one line.
pub(crate) fn meta(run: &Run) -> String {
    const LONGEST: usize = 120;
    let mut line = String::new();
    for (key, value) in &run.meta {
        let value = value.to_string();
        let quoted = if value.contains(char::is_whitespace) { format!("\"{value}\"") } else { value };
        let next = format!("{key}={quoted}");
        if !line.is_empty() && line.chars().count() + next.chars().count() > LONGEST {
            line.push_str(" …");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(next.chars().take(LONGEST));
    }
    line
}

/// A text cut to so many characters, and saying so.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most).chain(['…']).collect()
}

/// The flags of a run, each with what it means.
pub(crate) fn marks(run: &Run, zone: &Zone) -> Vec<RunMark> {
    run.flags
        .iter()
        .map(|flag| RunMark { title: title(*flag, run, zone), ..RunMark::of(flag.word()) })
        .collect()
}

fn title(flag: RunFlag, run: &Run, zone: &Zone) -> String {
    match flag {
        RunFlag::Overlapped => "ran while another run of this monitor was active".to_owned(),
        RunFlag::LateStart => "started after its slot and the grace".to_owned(),
        RunFlag::Unscheduled => "no slot expected this run".to_owned(),
        RunFlag::TooFast => "finished suspiciously fast".to_owned(),
        RunFlag::TooSlow => "took longer than usual".to_owned(),
        RunFlag::RuleBroken => "a rule was true for its result".to_owned(),
        RunFlag::PairingAssumed => {
            "its end came without a run id and was matched by source and order".to_owned()
        }
        RunFlag::HungUntil => match run.hung_at {
            Some(at) => format!("counted as hung from {} until it ended", zone.show(at)),
            None => "counted as hung until it ended".to_owned(),
        },
    }
}

/// What the status means here, in a sentence; empty where the word says it all.
pub(crate) fn status(run: &Run) -> String {
    match run.status {
        RunStatus::Failed => run.exit_code.map(exit_code).unwrap_or_default(),
        RunStatus::Hung => "It passed its limit without an end.".to_owned(),
        RunStatus::Missed => "Its slot passed, and no run started within the grace.".to_owned(),
        RunStatus::Skipped => {
            "Its start was refused, because as many runs were active as are allowed.".to_owned()
        }
        RunStatus::Unknown => "Watchclock itself was not running when this was due.".to_owned(),
        RunStatus::Running | RunStatus::Success => String::new(),
    }
}

/// What an exit code means to a shell.
fn exit_code(code: u8) -> String {
    const SIGNALS: [(u8, &str); 11] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL, perhaps for want of memory"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
    ];
    match code {
        126 => "Exit code 126: the command was found but could not be run.".to_owned(),
        127 => "Exit code 127: the command was not found.".to_owned(),
        129.. => match SIGNALS.iter().find(|(signal, _)| *signal == code - 128) {
            Some((_, name)) => format!("Exit code {code}: ended by {name}."),
            None => format!("Exit code {code}: ended by signal {}.", code - 128),
        },
        _ => format!("Exit code {code}."),
    }
}

/// A tick of the small tape.
#[expect(clippy::cast_precision_loss, reason = "the height of a tick on a screen")]
pub(crate) fn mini(run: &Run) -> MiniRun {
    const QUIET: [RunFlag; 1] = [RunFlag::PairingAssumed];
    MiniRun {
        status: run.status.word().to_owned(),
        seconds: run.duration().map(|duration| duration.num_milliseconds() as f64 / 1_000.0),
        marked: run.flags.iter().any(|flag| !QUIET.contains(flag)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_say_what_shells_mean() {
        assert_eq!(exit_code(127), "Exit code 127: the command was not found.");
        assert_eq!(exit_code(143), "Exit code 143: ended by SIGTERM.");
        assert_eq!(exit_code(255), "Exit code 255: ended by signal 127.");
        assert_eq!(exit_code(2), "Exit code 2.");
    }
}
