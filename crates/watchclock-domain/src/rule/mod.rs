//! Rules over the result of a run: what a user writes, what it says of a run. Neighbours: [`crate::run`] is judged, [`crate::incident`] is what comes of it.
//!
//! The way of a rule: text → `lexer` → tokens → `parser` → tree as written (`syntax`) → `check` → tree with
//! meaning (`tree`) → `eval` with [`Facts`] → [`Verdict`].

use uuid::Uuid;

use crate::run::RunStatus;

mod bounds;
mod calls;
mod check;
mod condition;
mod convert;
pub(crate) mod earlier;
mod eval;
mod exercise;
mod explain;
mod extractor;
mod facts;
mod got;
mod hints;
mod history;
mod lexer;
mod measure;
mod moments;
mod operands;
mod operators;
mod parser;
mod pattern;
mod presence;
mod quoted;
mod read;
mod search;
mod statistics;
mod status;
mod suggest;
mod syntax;
mod token;
mod tree;
mod trial;
mod typing;
mod units;
mod verdict;

pub use bounds::Bound;
pub use calls::{MAX_RUNS, MAX_WINDOW};
pub use condition::{Condition, HistoryNeed, MAX_CHARS, syntax_problems};
pub use convert::{Converted, Dialect, convert};
pub use earlier::{Earlier, History};
pub use exercise::exercise;
pub use extractor::{Extractor, Found, MAX_EXTRACTOR_CHARS, extract_all};
pub use facts::{Facts, Judged, Reported};
pub use suggest::{Suggestion, suggest, written};
pub use trial::{Tried, runs_in_a_row, try_as_they_ended, try_rule};
pub use verdict::{Truth, Verdict};

/// How bad it is when a rule is true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    Warning,
    Critical,
}

impl Severity {
    pub const ALL: [Self; 2] = [Self::Warning, Self::Critical];

    /// The word used in tables, pages and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|severity| severity.word() == word)
    }
}

/// Which ends of a run a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AppliesTo {
    #[default]
    Success,
    Fail,
    Any,
}

impl AppliesTo {
    pub const ALL: [Self; 3] = [Self::Success, Self::Fail, Self::Any];

    /// The word used in tables, pages and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Fail => "fail",
            Self::Any => "any",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|applies_to| applies_to.word() == word)
    }

    /// Whether a run that ended so is judged. A run without an end (running, hung, missed) never is.
    pub fn covers(self, status: RunStatus) -> bool {
        match status {
            RunStatus::Success => self != Self::Fail,
            RunStatus::Failed => self != Self::Success,
            _ => false,
        }
    }
}

/// What happens when a field that the rule needs was not reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IfMissing {
    /// The rule's incident opens as "field missing", when earlier runs had the field.
    #[default]
    Alert,
    Ignore,
}

impl IfMissing {
    pub const ALL: [Self; 2] = [Self::Alert, Self::Ignore];

    /// The word used in tables, pages and the API.
    pub fn word(self) -> &'static str {
        match self {
            Self::Alert => "alert",
            Self::Ignore => "ignore",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|if_missing| if_missing.word() == word)
    }
}

/// A rule as configured on a monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub id: Uuid,
    pub name: String,
    pub severity: Severity,
    /// It opens an incident when it was true for so many judged runs in a row, at least 1.
    pub for_runs: u16,
    pub applies_to: AppliesTo,
    pub if_missing: IfMissing,
    /// Who hears of it; unset: whoever hears of the monitor.
    pub channels: Option<Vec<Uuid>>,
    pub condition: Condition,
}

impl Rule {
    /// A rule with nothing but its condition.
    pub fn of(condition: Condition) -> Self {
        Self {
            id: Uuid::nil(),
            name: String::new(),
            severity: Severity::Critical,
            for_runs: 1,
            applies_to: AppliesTo::default(),
            if_missing: IfMissing::default(),
            channels: None,
            condition,
        }
    }

    /// The fields that open this rule's incident as "field missing": they made the verdict unknown, earlier runs
    /// had them, and the rule does not ignore it. `earlier_had` is asked with a metadata key.
    pub fn fields_gone<'v>(&self, verdict: &'v Verdict, earlier_had: impl Fn(&str) -> bool) -> Vec<&'v str> {
        if self.if_missing == IfMissing::Ignore || verdict.truth != Truth::Unknown {
            return Vec::new();
        }
        verdict.missing.iter().map(String::as_str).filter(|key| earlier_had(key)).collect()
    }
}

/// Whether a missing field opens the rule's incident; [`Rule::fields_gone`] says which.
pub fn missing_opens(rule: &Rule, verdict: &Verdict, earlier_had: impl Fn(&str) -> bool) -> bool {
    !rule.fields_gone(verdict, earlier_had).is_empty()
}
