//! Runs in words: when, how long, what the marks and the status mean.

use watchclock_domain::{
    run::{Run, RunFlag, RunStatus},
    schedule::Zone,
    span,
    timeline::exit_words,
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
        (None, None, _) if run.status == RunStatus::Skipped => (run.first_seen_at, "refused"),
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
        RunStatus::Failed => run.exit_code.map(|code| sentence(&exit_words(code))).unwrap_or_default(),
        RunStatus::Hung => "It passed its limit without an end.".to_owned(),
        RunStatus::Missed => "Its slot passed, and no run started within the grace.".to_owned(),
        RunStatus::Skipped => {
            "Its start was refused, because as many runs were active as are allowed.".to_owned()
        }
        RunStatus::Unknown => "Watchclock itself was not running when this was due.".to_owned(),
        RunStatus::Running | RunStatus::Success => String::new(),
    }
}

/// Words as a sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
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
        let of = |code| sentence(&exit_words(code));
        assert_eq!(of(127), "Exit code 127 (command not found).");
        assert_eq!(of(143), "Exit code 143 (ended by SIGTERM).");
        assert_eq!(of(163), "Exit code 163 (ended by signal 35).");
        for plain in [2, 125, 128, 193, 254, 255] {
            assert_eq!(of(plain), format!("Exit code {plain}."));
        }
    }
}
