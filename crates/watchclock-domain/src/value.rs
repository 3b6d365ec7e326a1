//! What a run reports: exact numbers, words and flags. Neighbour: [`crate::rule`] compares them.

use std::{borrow::Cow, cmp::Ordering, collections::BTreeMap, fmt};

mod number;
mod words;

pub use number::Number;
pub use words::{grouped, reported};

/// Metadata of a run by key, at most [`MAX_KEYS`] of them.
pub type Meta = BTreeMap<String, Value>;

/// Most keys that are kept of one run; what exceeds is dropped and noted.
pub const MAX_KEYS: usize = 200;
/// Longest key, in characters.
pub const MAX_KEY_CHARS: usize = 100;
/// Longest text value, in characters.
pub const MAX_TEXT_CHARS: usize = 1_000;

/// One reported value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Number(Number),
    Text(String),
    Flag(bool),
}

impl Value {
    /// Reads a word as a job would mean it: `true`/`false` are flags, exact numbers are numbers, the rest is text.
    pub fn of_word(word: &str) -> Self {
        match word {
            "true" => Self::Flag(true),
            "false" => Self::Flag(false),
            _ => Number::parse(word).map_or_else(|| Self::Text(word.to_owned()), Self::Number),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Flag(flag) => flag.fmt(f),
        }
    }
}

/// Orders two values where they compare: numbers (text that is a number counts as one), text with text, flags.
pub fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(right)),
        (Value::Flag(left), Value::Flag(right)) => Some(left.cmp(right)),
        _ => Some(as_number(left)?.cmp(&as_number(right)?)),
    }
}

fn as_number(value: &Value) -> Option<Cow<'_, Number>> {
    match value {
        Value::Number(number) => Some(Cow::Borrowed(number)),
        Value::Text(text) => Number::parse(text.trim()).map(Cow::Owned),
        Value::Flag(_) => None,
    }
}
