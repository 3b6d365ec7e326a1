//! The condition of a rule: parsed once, judged as often as runs end. Neighbours: [`super::Rule`] has one, [`super::facts`] is what it judges.

use std::{fmt, sync::Arc};

use chrono::Duration;

use super::{
    bounds::{self, Bound},
    check, eval,
    facts::Facts,
    got::Got,
    measure::{self, Unit},
    moments, parser,
    tree::{Reach, Source, Tree},
    verdict::Verdict,
};
use crate::{Time, problem::Problem, value::Value};

/// Longest text of a condition, in characters.
pub const MAX_CHARS: usize = 1_000;

/// A parsed condition: immutable, cheap to clone, equal to another with the same text.
#[derive(Clone)]
pub struct Condition(Arc<Parsed>);

struct Parsed {
    text: String,
    tree: Tree,
}

/// What a condition reads of the runs before the one it judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryNeed {
    /// So many good runs before this one, with everything in between.
    pub runs: usize,
    /// All runs that ended so long before the judgement.
    pub window: Option<Duration>,
}

impl Condition {
    /// Parses and type-checks; what is wrong is told at once, by place.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        let length = text.chars().count();
        if length > MAX_CHARS {
            let message = format!("a rule has at most {MAX_CHARS} characters, this one has {length}");
            return Err(vec![Problem::at(MAX_CHARS, length - MAX_CHARS, message)]);
        }
        if text.trim().is_empty() {
            return Err(vec![Problem::at(0, 1, "the rule is empty: records_processed eq 0")]);
        }
        let (node, mut problems) = parser::parse(text);
        match check::check(text, &node) {
            Ok(tree) if problems.is_empty() => {
                return Ok(Self(Arc::new(Parsed { text: text.to_owned(), tree })));
            }
            Ok(_) => {}
            Err(more) => problems.extend(more),
        }
        problems.sort_by_key(|problem| problem.at);
        problems.dedup_by(|later, earlier| later.at == earlier.at);
        if problems.is_empty() {
            problems.push(Problem::at(0, length, "this rule cannot be read"));
        }
        Err(problems)
    }

    /// The text as it was written.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// How many good runs before this one, and which window of time it reads; none if it reads no history.
    pub fn history(&self) -> Option<HistoryNeed> {
        let tree = &self.0.tree;
        let mut need = HistoryNeed { runs: 0, window: None };
        for call in &tree.calls {
            match call.reach {
                Reach::Runs(runs) => need.runs = need.runs.max(runs),
                Reach::Window(window) => need.window = need.window.max(Some(window)),
            }
        }
        if tree.fields.iter().any(|field| field.source == Source::LastSuccess) {
            need.runs = need.runs.max(1);
        }
        (need.runs > 0 || need.window.is_some()).then_some(need)
    }

    /// Whether it can become true while no run ends: `older than`, or a count over a window of time.
    pub fn is_time_driven(&self) -> bool {
        self.0.tree.time_driven
    }

    /// The first moment after `facts.now` at which it may change while no run ends: when the last success becomes
    /// too old, or a counted run leaves its window. Nothing where only a run can change it. `since` as in
    /// [`Condition::judge_since`].
    pub fn next_change(&self, facts: &Facts<'_>, since: Option<Time>) -> Option<Time> {
        moments::next_change(&self.0.tree, facts, since)
    }

    pub fn reads_output(&self) -> bool {
        self.0.tree.fields.iter().any(|field| field.source == Source::Output)
    }

    pub fn reads_duration(&self) -> bool {
        self.0.tree.fields.iter().any(|field| field.source == Source::Duration)
    }

    /// The metadata keys that it reads, of this run or of history, each once.
    pub fn names(&self) -> Vec<&str> {
        let fields = self.0.tree.fields.iter().filter(|field| field.source == Source::Meta);
        fields.map(|field| field.key.as_str()).collect()
    }

    /// Whether what it reads under a name is a time: `duration`, `median(duration, 20)`.
    pub fn is_time(&self, name: &str) -> bool {
        measure::of_name(&self.0.tree, name) == Unit::Seconds
    }

    /// What it read under a name, for people: `1,204`, `58 min 06 s`.
    pub fn words_of(&self, name: &str, value: &Value) -> String {
        match value {
            Value::Number(_) => measure::measured(measure::of_name(&self.0.tree, name), &Got::of(value)),
            value => value.words(),
        }
    }

    /// What it compares metadata of this run with, as lines for a chart.
    pub fn bounds(&self, facts: &Facts<'_>) -> Vec<Bound> {
        bounds::bounds(&self.0.tree, facts)
    }

    /// Judges one run. Never fails: what cannot be told is unknown.
    pub fn judge(&self, facts: &Facts<'_>) -> Verdict {
        eval::judge(&self.0.tree, facts, None)
    }

    /// The same, where the age of the last success counts from `since` at the earliest: a pause is nobody's fault.
    pub fn judge_since(&self, facts: &Facts<'_>, since: Option<Time>) -> Verdict {
        eval::judge(&self.0.tree, facts, since)
    }
}

/// What is wrong with the form of a text, whatever it means: nothing for a sentence of the documented grammar.
pub fn syntax_problems(text: &str) -> Vec<Problem> {
    parser::parse(text).1
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Condition {}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Condition").field(&self.0.text).finish()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}
