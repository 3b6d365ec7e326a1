//! What the rule editor tells while one types; neighbour: [`super::monitor_form`] is the form around it.

use askama::Template;

use super::parts::{Problem, When};

/// What a rule would have done. Also the body of `POST /monitors/check?part=rule&index=N`, alone.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "monitors/rule_check.html")]
pub struct RuleCheck {
    /// `Would have fired for 2 of the last 100 runs: 1 incident.`; empty when there is nothing to say yet.
    pub words: String,
    /// What it understands and doubts: names that no run has reported.
    pub warnings: Vec<String>,
    /// What the names that it reads were last: `rows = 1,204 in #57`.
    pub values: Vec<String>,
    /// Some of those that would have fired: `#412: records_processed = 0`.
    pub examples: Vec<String>,
    /// Every run that was tried, newest first.
    pub tried: Vec<TriedRun>,
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, Default)]
pub struct TriedRun {
    pub number: i64,
    pub href: String,
    pub when: When,
    /// `true` when it fires, `late` when it is true and not yet often enough, `false`, `unknown`.
    pub mark: String,
    /// `fires`, `true, 1 of 3 in a row`, `quiet`, `unknown`.
    pub words: String,
    /// What was read, or why it is unknown.
    pub why: String,
}

/// What an extractor would have read. Also the body of `POST /monitors/check?part=extractor&index=N`, alone.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "monitors/extractor_check.html")]
pub struct ExtractorCheck {
    /// `Finds a value in 28 of the last 30 runs; the latest is 1204, in #57.`; empty when there is nothing to say yet.
    pub words: String,
    /// `meta.duration`, where a rule has to write the name otherwise; else empty.
    pub known_as: String,
    /// Runs that it was tried on, newest first.
    pub readings: Vec<Reading>,
    pub problem: Option<Problem>,
}

/// What was read in the output of one run.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    pub number: i64,
    pub href: String,
    pub when: When,
    /// Empty when nothing was found.
    pub value: String,
    /// The line in three parts: before what was read, that, and after it.
    pub before: String,
    pub read: String,
    pub after: String,
    /// What is said where nothing was found.
    pub instead: String,
}

/// The end of what a run printed.
#[derive(Debug, Clone, Default)]
pub struct OutputSample {
    pub number: i64,
    pub lines: String,
    /// Whether there is more above.
    pub is_cut: bool,
}

/// Rules that would have been quiet. Also the body of `POST /monitors/check?part=suggestions`, alone.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "monitors/suggestions.html")]
pub struct Suggestions {
    pub items: Vec<Suggestion>,
    /// Where the buttons of the form send it.
    pub action: String,
}

/// A rule that people may want.
#[derive(Debug, Clone, Default)]
pub struct Suggestion {
    pub when: String,
    /// `records_processed has never been 0 in 42 good runs`
    pub why: String,
}

/// Rules of other services in our words. Also the body of `POST /monitors/check?part=import`, alone.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "monitors/import_check.html")]
pub struct ImportCheck {
    pub lines: Vec<ImportedLine>,
    /// What was done to them, once for each service.
    pub notes: Vec<String>,
    /// How many can be added.
    pub good: usize,
    /// Where the buttons of the form send it.
    pub action: String,
}

/// One line as it was pasted.
#[derive(Debug, Clone, Default)]
pub struct ImportedLine {
    pub text: String,
    /// `Cronitor`
    pub from: String,
    /// The same in our words; empty when it could not be read.
    pub when: String,
    /// Whether a row of the form says that already.
    pub is_known: bool,
    pub problem: Option<Problem>,
}

/// A name that rules can read.
#[derive(Debug, Clone, Default)]
pub struct KnownName {
    /// The metadata key; empty for what is built in.
    pub key: String,
    /// As a rule writes it: `rows`, `meta."rows-written"`.
    pub text: String,
    /// `1204 in #57`, or empty.
    pub last: String,
    /// `in 48 of the last 50 runs`, or what a built-in name is.
    pub about: String,
}
