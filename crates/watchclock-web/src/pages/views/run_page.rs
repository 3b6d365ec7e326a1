//! One run: how it went, beside whom it ran, what it reported, what rules said, what it printed.

use askama::Template;

use super::{
    parts::{Fact, Link, When},
    shell::Shell,
};

/// `GET /runs/{id}`.
#[derive(Debug, Template)]
#[template(path = "runs/page.html")]
pub struct RunPage {
    pub shell: Shell,
    pub id: String,
    pub number: i64,
    pub monitor: Link,
    pub status: String,
    /// What the status means here, in a sentence: `Exit code 127 (command not found).`; may be empty.
    pub status_words: String,
    pub marks: Vec<RunMark>,
    pub slot: Option<When>,
    /// When its start was refused.
    pub refused: Option<When>,
    pub started: Option<When>,
    pub ended: Option<When>,
    /// Zone of the times.
    pub zone: String,
    /// `4 min 07 s`; while running how long so far.
    pub duration: String,
    /// Usual or limiting durations: `limit 1 h (six times the longest of 30 good runs)`.
    pub limit: String,
    /// As the job gave it; empty when it gave none.
    pub run_id: String,
    /// Host, env, address, user agent: those that are known.
    pub source: Vec<Fact>,
    /// The job's own line.
    pub message: String,
    pub overlaps: Vec<Overlap>,
    pub more_overlaps: u64,
    /// What was assumed, dropped or contradicted, one sentence each.
    pub notes: Vec<String>,
    pub meta: Vec<Fact>,
    pub verdicts: Vec<Verdict>,
    /// Incidents that this run opened or added to.
    pub incidents: Vec<Link>,
    /// The kept end of the output; empty when there was none.
    pub output: String,
    /// `the first 2.1 MB were cut`; empty when all is here.
    pub output_cut: String,
    /// Whole size in words: `2.2 MB`.
    pub output_size: String,
    /// Neighbours by number; none at the ends.
    pub previous: Option<Link>,
    pub next: Option<Link>,
}

/// A flag of a run, as a word for people.
#[derive(Debug, Clone, Default)]
pub struct RunMark {
    /// The flag as the API writes it: `rule_broken`.
    pub flag: String,
    /// `rule broken`.
    pub words: String,
    /// Told when pointed at: why.
    pub title: String,
}

impl RunMark {
    pub fn of(flag: &str) -> Self {
        Self { flag: flag.to_owned(), words: flag.replace('_', " "), title: String::new() }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Overlap {
    pub number: i64,
    pub href: String,
    pub status: String,
    pub started: When,
    /// `both active for 9 min`.
    pub shared: String,
    /// Host or address it came from; may be empty.
    pub source: String,
}

#[derive(Debug, Clone, Default)]
pub struct Verdict {
    pub name: String,
    pub when: String,
    /// `true`, `false`, `unknown`.
    pub verdict: String,
    /// What was read, or why it is unknown.
    pub why: String,
}
