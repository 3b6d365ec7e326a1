//! The names by which a ping speaks, with their aliases, in its query and in its body; metadata is [`super::meta`].

use watchclock_domain::{
    Time,
    ping::{RunId, Signal},
};

use super::{clean, meta::Metadata, notes::Notes, run_id, stamp};

/// Longest message, in characters.
const MAX_MESSAGE_CHARS: usize = 1_000;
/// Longest host and environment, in characters.
const MAX_PLACE_CHARS: usize = 200;

/// What a query or a body says by name. Of two aliases the one named first in the docs stands, of one name the last value.
#[derive(Debug, Default)]
pub(super) struct Params {
    pub(super) run_id: Slot<RunId>,
    pub(super) stamp: Slot<Time>,
    pub(super) exit: Slot<Exit>,
    pub(super) status: Slot<Signal>,
    pub(super) message: Slot<String>,
    pub(super) host: Slot<String>,
    pub(super) env: Slot<String>,
    pub(super) meta: Metadata,
}

/// An exit code as a job tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Code(u8),
    /// A number that no exit code can be here, as of other systems: -1, 3221225477. None of them means success.
    Beyond,
}

/// One said thing, with the rank of the name that said it.
#[derive(Debug)]
pub(super) struct Slot<T>(Option<(u8, T)>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Slot<T> {
    fn set(&mut self, rank: u8, value: T) {
        if self.0.as_ref().is_none_or(|(earlier, _)| rank <= *earlier) {
            self.0 = Some((rank, value));
        }
    }

    fn or(&mut self, other: Self) {
        if self.0.is_none() {
            *self = other;
        }
    }

    pub(super) fn get(self) -> Option<T> {
        self.0.map(|(_, value)| value)
    }
}

/// What became of a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    Understood,
    /// The name is ours, the value says nothing; noted.
    Senseless,
    /// None of our names.
    Unknown,
}

#[derive(Clone, Copy)]
enum Name {
    RunId,
    Stamp,
    Exit,
    Status,
    Message,
    Host,
    Env,
}

impl Name {
    fn of(name: &str) -> Option<(Self, u8)> {
        Some(match name {
            "rid" => (Self::RunId, 0),
            "run_id" => (Self::RunId, 1),
            "series" => (Self::RunId, 2),
            "check_in_id" => (Self::RunId, 3),
            "ts" => (Self::Stamp, 0),
            "stamp" => (Self::Stamp, 1),
            "exit" => (Self::Exit, 0),
            "exit_code" => (Self::Exit, 1),
            "status_code" => (Self::Exit, 2),
            "status" => (Self::Status, 0),
            "state" => (Self::Status, 1),
            "msg" => (Self::Message, 0),
            "message" => (Self::Message, 1),
            "errorMessage" => (Self::Message, 2),
            "host" => (Self::Host, 0),
            "env" => (Self::Env, 0),
            _ => return None,
        })
    }
}

impl Params {
    /// Takes a name and its value. `metric` and `meta.…` are metadata; anything else that is not ours is the caller's.
    pub(super) fn hear(&mut self, name: &str, word: &str, notes: &mut Notes) -> Heard {
        if let Some(key) = name.strip_prefix("meta.").filter(|key| !key.is_empty()) {
            self.meta.put_word(key, word, notes);
            return Heard::Understood;
        }
        if name == "metric" {
            return if self.meta.put_pair(word, notes) { Heard::Understood } else { Heard::Unknown };
        }
        let Some((meaning, rank)) = Name::of(name) else { return Heard::Unknown };
        let understood = match meaning {
            Name::RunId => run_id::parse(word).map(|id| self.run_id.set(rank, id)),
            Name::Stamp => stamp::parse(word).map(|at| self.stamp.set(rank, at)),
            Name::Exit => exit(word).map(|exit| self.exit.set(rank, exit)),
            Name::Status => status(word).map(|signal| self.status.set(rank, signal)),
            Name::Message => {
                let (line, cut) = clean::line(word, MAX_MESSAGE_CHARS);
                if cut {
                    notes.add(format!("{name} cut to {MAX_MESSAGE_CHARS} characters"));
                }
                place(&mut self.message, rank, line)
            }
            Name::Host => place(&mut self.host, rank, clean::short(word, MAX_PLACE_CHARS)),
            Name::Env => place(&mut self.env, rank, clean::short(word, MAX_PLACE_CHARS)),
        };
        match understood {
            Some(()) => Heard::Understood,
            None if word.trim().is_empty() => {
                notes.add(format!("{name} is empty"));
                Heard::Senseless
            }
            None => {
                notes.add(format!("{name} not understood: `{}`", clean::short(word, 60)));
                Heard::Senseless
            }
        }
    }

    /// Fills in from the body what the query has left open.
    pub(super) fn or(&mut self, body: Self) {
        self.run_id.or(body.run_id);
        self.stamp.or(body.stamp);
        self.exit.or(body.exit);
        self.status.or(body.status);
        self.message.or(body.message);
        self.host.or(body.host);
        self.env.or(body.env);
        self.meta.or(body.meta);
    }
}

/// Empty text says nothing, and nothing needs to be said about it.
#[expect(clippy::unnecessary_wraps, reason = "has the shape of its siblings")]
fn place(slot: &mut Slot<String>, rank: u8, text: String) -> Option<()> {
    if !text.is_empty() {
        slot.set(rank, text);
    }
    Some(())
}

fn exit(word: &str) -> Option<Exit> {
    let word = word.trim();
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(word.parse().map_or(Exit::Beyond, Exit::Code))
}

fn status(word: &str) -> Option<Signal> {
    let word = word.trim();
    let is = |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known));
    if is(&["ok", "success", "complete", "succeeded", "completed"]) {
        Some(Signal::Success)
    } else if is(&["fail", "error", "failed", "failure"]) {
        Some(Signal::Fail)
    } else if is(&["start", "run", "in_progress", "started", "running"]) {
        Some(Signal::Start)
    } else {
        None
    }
}

#[cfg(test)]
#[path = "params_tests.rs"]
mod tests;
