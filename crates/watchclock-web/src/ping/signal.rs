//! Which signal a ping is, from its address and its own words; what a signal does to a run is the domain's concern.

use watchclock_domain::ping::Signal;

use super::{address::Action, notes::Notes, params::Exit};

/// The signal and the exit code. The path stands where it names a signal; else the ping's own words do, and
/// of two that contradict each other the failure wins: a failed job must not look like a good one.
pub(super) fn settle(
    action: Action,
    status: Option<Signal>,
    exit: Option<Exit>,
    notes: &mut Notes,
) -> (Signal, Option<u8>) {
    let code = match exit {
        Some(Exit::Code(code)) => Some(code),
        Some(Exit::Beyond) => {
            notes.add("exit code ignored: not within 0 to 255");
            None
        }
        None => None,
    };
    match action {
        Action::Named(signal) => {
            if status.is_some_and(|status| status.success() != signal.success()) {
                notes.add("status ignored: the address says otherwise");
            }
            match (signal, code) {
                (Signal::Exit(named), _) => {
                    if code.is_some_and(|code| code != named) {
                        notes.add(format!("exit code ignored: the address says {named}"));
                    }
                    (signal, Some(named))
                }
                (Signal::Start | Signal::Log, Some(_)) => {
                    notes.add("exit code ignored: the run does not end here");
                    (signal, None)
                }
                _ => (signal, code),
            }
        }
        Action::End => match (status, code) {
            (Some(Signal::Start), _) => {
                if code.is_some() {
                    notes.add("exit code ignored: the run does not end here");
                }
                (Signal::Start, None)
            }
            (Some(Signal::Success), Some(code)) if code != 0 => {
                notes.add(format!("status ignored: exit code {code} is a failure"));
                (Signal::Exit(code), Some(code))
            }
            (Some(signal), Some(code)) => (signal, Some(code)),
            (None, Some(code)) => (Signal::Exit(code), Some(code)),
            (Some(Signal::Success) | None, None) if exit == Some(Exit::Beyond) => (Signal::Fail, None),
            (status, None) => (status.unwrap_or(Signal::Success), None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_and_words_together() {
        use Action::{End, Named};
        use Exit::{Beyond, Code};
        use Signal::{Exit as Ended, Fail, Log, Start, Success};
        for (action, status, exit, expected, notes) in [
            // The bare address and /end.
            (End, None, None, (Success, None), 0),
            (End, Some(Fail), None, (Fail, None), 0),
            (End, Some(Start), None, (Start, None), 0),
            (End, None, Some(Code(0)), (Ended(0), Some(0)), 0),
            (End, None, Some(Code(3)), (Ended(3), Some(3)), 0),
            (End, Some(Success), Some(Code(0)), (Success, Some(0)), 0),
            (End, Some(Success), Some(Code(3)), (Ended(3), Some(3)), 1),
            (End, Some(Fail), Some(Code(0)), (Fail, Some(0)), 0),
            (End, Some(Fail), Some(Code(3)), (Fail, Some(3)), 0),
            (End, Some(Start), Some(Code(3)), (Start, None), 1),
            (End, None, Some(Beyond), (Fail, None), 1),
            (End, Some(Success), Some(Beyond), (Fail, None), 1),
            (End, Some(Start), Some(Beyond), (Start, None), 1),
            // The path names the signal.
            (Named(Success), Some(Fail), None, (Success, None), 1),
            (Named(Success), Some(Success), None, (Success, None), 0),
            (Named(Success), None, Some(Code(3)), (Success, Some(3)), 0),
            (Named(Fail), None, Some(Code(3)), (Fail, Some(3)), 0),
            (Named(Fail), None, Some(Beyond), (Fail, None), 1),
            (Named(Start), Some(Fail), Some(Code(3)), (Start, None), 2),
            (Named(Log), None, Some(Code(0)), (Log, None), 1),
            (Named(Ended(7)), None, None, (Ended(7), Some(7)), 0),
            (Named(Ended(7)), Some(Fail), Some(Code(7)), (Ended(7), Some(7)), 0),
            (Named(Ended(7)), Some(Success), Some(Code(0)), (Ended(7), Some(7)), 2),
        ] {
            let mut noted = Notes::default();
            let case = format!("{action:?} {status:?} {exit:?}");
            assert_eq!(settle(action, status, exit, &mut noted), expected, "{case}");
            assert_eq!(noted.into_sentences().len(), notes, "{case}");
        }
    }
}
