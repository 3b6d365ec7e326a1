//! What comes of a judgement: a truth of three values and what it rests on. Neighbour: [`super::facts`], what goes in.

use crate::value::Value;

/// Kleene's three truths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truth {
    True,
    False,
    /// Something that the rule needs is missing or does not compare.
    Unknown,
}

impl Truth {
    pub const ALL: [Self; 3] = [Self::True, Self::False, Self::Unknown];

    /// The word used in the API and on pages.
    pub fn word(self) -> &'static str {
        match self {
            Self::True => "true",
            Self::False => "false",
            Self::Unknown => "unknown",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|truth| truth.word() == word)
    }
}

impl From<bool> for Truth {
    fn from(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The judgement on one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub truth: Truth,
    /// What was read until the truth was clear, each name once, in order; history as it is written:
    /// `median(rows, 14)`. Without a value it was missing, or history was too short. Of the output only a line.
    pub read: Vec<(String, Option<Value>)>,
    /// Of a true one, the facts: `records_processed is 0`. Of an unknown one, the reasons. Nothing of a false one.
    pub why: Option<String>,
    /// Metadata keys that this run did not report and that made the truth unknown.
    pub missing: Vec<String>,
}
