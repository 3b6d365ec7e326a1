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
    /// `true`, `false`, `unknown`, or `missing` when it fires because a field is missing.
    pub verdict: String,
    /// What was read, or why it is unknown.
    pub why: String,
}

impl TriedRun {
    /// The verdict as people read it.
    pub fn words(&self) -> &str {
        match self.verdict.as_str() {
            "true" => "fired",
            "false" => "quiet",
            "missing" => "fired: field missing",
            other => other,
        }
    }
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
