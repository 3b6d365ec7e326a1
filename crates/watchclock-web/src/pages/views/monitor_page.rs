//! One monitor: what is wrong, the tape, durations, its runs, and how to ping it; neighbour: [`super::run_page`] shows one run.

use askama::Template;

use super::{
    parts::{Fact, Link, When},
    rules::Suggestion,
    run_page::RunMark,
    shell::Shell,
};
use crate::pages::{chart::Chart, curve::Curve, snippets::Snippet, tape::Tape};

/// `GET /monitors/{id}` with `?window=&status=&flag=&before=`.
#[derive(Debug, Template)]
#[template(path = "monitors/page.html")]
pub struct MonitorPage {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    pub slug: String,
    pub health: String,
    /// While it is late, which slot it waits for: `expected 03:30, 4 min ago`; else empty.
    pub awaited: String,
    pub description: String,
    /// An http(s) address, or text; a link is made only when `runbook_is_link`.
    pub runbook: String,
    pub runbook_is_link: bool,
    pub tags: Vec<String>,
    /// In words: `at 03:00 every day, Europe/Berlin`.
    pub schedule: String,
    /// As it was written: `0 3 * * *`; empty when there is none.
    pub expression: String,
    /// Zone of every time on this page.
    pub zone: String,
    pub next_slot: Option<When>,
    pub last_success: Option<When>,
    /// How many runs are active.
    pub running: u64,
    pub paused: bool,
    /// Short settings under the title: grace, limits (and why that limit), overlap policy.
    pub settings: Vec<Fact>,
    /// Hints in sentences: `Runs arrive 2 h after each slot: is the time zone right?`
    pub hints: Vec<String>,
    /// Pings that its limit turned away, if it ever did.
    pub refused: Option<RefusedPings>,
    pub incidents: Vec<OpenIncident>,
    pub tape: Tape,
    /// Choices of the tape's window: 6 h, 24 h, 7 days, 30 days.
    pub windows: Vec<Link>,
    /// What the tape shows, in words: `24 hours to 14:05, 2 overlaps`.
    pub tape_words: String,
    pub chart: Chart,
    /// `usual 3 to 6 min · limit 1 h (six times the longest of 30)`.
    pub chart_words: String,
    /// What runs reported, drawn over the runs.
    pub curves: Vec<MetaCurve>,
    /// How many reported numbers are not drawn.
    pub more_curves: usize,
    /// Filters of the table: all, failed, hung, missed, overlapped …
    pub filters: Vec<Link>,
    pub runs: Vec<RunRow>,
    /// Older runs: path and query with base; empty on the last page.
    pub older: String,
    /// Back to the newest; empty on the first page.
    pub newest: String,
    /// Path and query of this page with base, polled; empty when a page of old runs is shown.
    pub here: String,
    /// What it reads in plain output.
    pub extractors: Vec<ExtractorRow>,
    pub rules: Vec<RuleRow>,
    /// Rules that would have been quiet so far, as offers: expression and why.
    pub suggestions: Vec<Suggestion>,
    /// Where its alerts go; empty says so in red.
    pub channels: Vec<Link>,
    /// What `log` pings said while no run was active, newest first.
    pub notes: Vec<Note>,
    pub ping_url: String,
    pub snippets: Vec<Snippet>,
    /// Never pinged: the page opens with how to ping.
    pub is_new: bool,
    /// Whether this person may change anything.
    pub may_change: bool,
}

impl MonitorPage {
    /// Whether enough is known to draw what is usual.
    pub fn draws_bands(&self) -> bool {
        self.curves.iter().any(|curve| curve.curve.usual.is_some())
    }

    /// Whether lines of rules are among what is drawn.
    pub fn draws_rules(&self) -> bool {
        self.curves.iter().any(|curve| !curve.rules.is_empty())
    }
}

/// A reported number over the last runs.
#[derive(Debug, Clone, Default)]
pub struct MetaCurve {
    /// The metadata key.
    pub name: String,
    pub last: String,
    /// What is seen, in words: `0 to 1,311 in 50 runs; usual 1,100 to 1,300; a rule was true for 2`.
    pub said: String,
    /// Conditions that read it.
    pub rules: Vec<String>,
    pub curve: Curve,
}

/// `37 pings were turned away, the last 2 min ago: the limit is 20 a minute.`
#[derive(Debug, Clone, Default)]
pub struct RefusedPings {
    /// `37 pings were turned away`
    pub words: String,
    pub last: When,
    /// `the limit is 20 a minute`
    pub why: String,
}

#[derive(Debug, Clone, Default)]
pub struct Note {
    pub at: When,
    pub text: String,
}

#[derive(Debug, Clone, Default)]
pub struct OpenIncident {
    pub id: String,
    pub href: String,
    /// `missed`, `failed`, `hung`, `overlap`, `rule`, `fast`, `slow`, `unscheduled`.
    pub kind: String,
    /// `critical` or `warning`.
    pub severity: String,
    pub summary: String,
    /// What it means and what resolves it, in sentences.
    pub meaning: String,
    pub since: When,
    /// `acknowledged by admin@example.com`, or empty.
    pub acknowledged: String,
    /// `snoozed until 28 Nov 03:00`, or empty.
    pub snoozed: String,
}

#[derive(Debug, Clone, Default)]
pub struct RunRow {
    pub number: i64,
    pub href: String,
    pub status: String,
    pub marks: Vec<RunMark>,
    /// When it started; for a missed one its slot; for an end without a start its end.
    pub when: Option<When>,
    /// `slot`, `ended`, or empty when `when` is the start.
    pub when_is: String,
    /// `4 min 07 s`; while running `for 12 min`; empty when unknown.
    pub duration: String,
    /// A few reported values: `records_processed=1204 errors=0`, cut by the handler.
    pub meta: String,
    /// Numbers of runs it overlapped.
    pub overlaps: Vec<Link>,
    /// How many more it overlapped than are named.
    pub more_overlaps: u64,
}

#[derive(Debug, Clone, Default)]
pub struct ExtractorRow {
    /// The name that rules read.
    pub name: String,
    /// What it looks for: `/Processed (\d+) records/`.
    pub pattern: String,
    /// What it last found, and in which run; empty and none when it found nothing lately.
    pub value: String,
    pub run: Option<Link>,
    /// `4 min ago`.
    pub ago: String,
    /// A sentence for when it found nothing.
    pub nothing: String,
}

#[derive(Debug, Clone, Default)]
pub struct RuleRow {
    pub name: String,
    pub when: String,
    pub severity: String,
    /// `for 3 runs`, `also when failed`; may be empty.
    pub details: String,
    /// Verdict on the last finished run: `true` (it fired), `false`, `unknown`, or empty when none was judged.
    pub verdict: String,
    /// What it read, or why it is unknown: `records_processed = 0`.
    pub why: String,
}

/// `GET /monitors/{id}/delete`; posts to the same path.
#[derive(Debug, Template)]
#[template(path = "monitors/delete.html")]
pub struct MonitorDelete {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    /// What goes with it: `1,204 runs`, `2 open incidents`.
    pub loses: Vec<String>,
}
