//! Making and editing a monitor, and the fragments that check it while one types; fields are named as in the API.

use askama::Template;

use super::{
    parts::{Choice, Field, Problem},
    rules::{ExtractorCheck, ImportCheck, KnownName, OutputSample, RuleCheck, Suggestions},
    shell::Shell,
};

/// `GET /monitors/new` (posts to `/monitors`) and `GET /monitors/{id}/edit` (posts to the same path).
///
/// Each field's name in the form is its name in the API: `name`, `slug`, `schedule.kind`, `schedule.cron`, `schedule.every`,
/// `schedule.oncalendar`, `schedule.tz`, `grace`, `max_duration`, `min_duration`, `overlap.policy`, `overlap.allowed`,
/// `extractors[0].name`, `extractors[0].pattern`, `rules[0].when` …, `channels_all`, `channels` (repeated), `tags`, `description`, `runbook`, `thresholds.failed` …
/// A post with `check=yes` saves nothing: the form comes back with its previews. Likewise those of the buttons that change
/// rows: `more`, `more_extractors`, `drop=rules[2]`, `add=RULE`, `import=show` and `import=add`.
#[derive(Debug, Template)]
#[template(path = "monitors/form.html")]
pub struct MonitorForm {
    pub shell: Shell,
    /// Empty for a new one.
    pub id: String,
    /// Version that is being edited, sent as `version`, so that nobody's change is lost unseen.
    pub version: String,
    /// Name as stored, for the title of the page; `name` holds what was typed.
    pub stored_name: String,
    /// Problems that belong to no field, and how many there are in all is said above the form.
    pub problems: Vec<Problem>,
    /// How many fields are wrong.
    pub wrong: usize,
    pub name: Field,
    pub slug: Field,
    pub schedule: ScheduleFields,
    pub schedule_check: ScheduleCheck,
    pub days_off: DaysOffFields,
    /// All known zone names, for the datalist.
    pub zones: Vec<String>,
    pub grace: Field,
    pub max_duration: Field,
    /// What an empty `max_duration` means now: `learned: 42 min, six times the longest of 30 good runs`.
    pub learned_limit: String,
    pub min_duration: Field,
    pub early_tolerance: Field,
    /// alert, allow, refuse.
    pub overlap_policy: Vec<Choice>,
    pub overlap_allowed: Field,
    /// Existing extractors, then blank rows.
    pub extractors: Vec<ExtractorFields>,
    /// What the newest run printed, to write an extractor by.
    pub sample: Option<OutputSample>,
    /// Existing rules, then at least two blank rows.
    pub rules: Vec<RuleFields>,
    pub suggestions: Suggestions,
    /// `import.text`, one rule of another service a line, and `import.from`, whose they are.
    pub import_text: Field,
    pub import_from: Vec<Choice>,
    pub import: ImportCheck,
    /// What rules can read: metadata of its runs, then what is built in.
    pub names: Vec<KnownName>,
    /// `channels_all`: every channel, also those added later.
    pub all_channels: bool,
    pub channels: Vec<Choice>,
    /// Separated by commas or blanks.
    pub tags: Field,
    pub description: Field,
    pub runbook: Field,
    /// `thresholds.{name}`: how many in a row.
    pub thresholds: Vec<Threshold>,
    /// `alert_after`: how long an incident must stay open before anyone hears of it.
    pub alert_after: Field,
    /// Tell of runs that no slot expected.
    pub alert_unscheduled: bool,
    pub manual_resume: bool,
    /// Pings by GET are refused.
    pub post_only: bool,
    /// The most pings that are taken a minute; empty: all.
    pub ping_limit: Field,
    /// Whether the folded part holds something that is not the default, or wrong.
    pub more_open: bool,
}

impl MonitorForm {
    pub fn is_new(&self) -> bool {
        self.id.is_empty()
    }

    /// Whether any extractor is written.
    pub fn has_extractors(&self) -> bool {
        self.extractors.iter().any(|row| row.is_used)
    }

    /// Where the form goes.
    pub fn action(&self) -> String {
        let base = &self.shell.base;
        if self.is_new() { format!("{base}/monitors") } else { format!("{base}/monitors/{}/edit", self.id) }
    }

    /// A problem of the schedule's text; it is told where the live check tells it, so that it goes when it is mended.
    pub fn schedule_problem(&self) -> Option<&Problem> {
        let fields = [&self.schedule.cron, &self.schedule.every, &self.schedule.oncalendar];
        fields.into_iter().find_map(|field| field.problem.as_ref())
    }
}

/// Give a problem only to the field of the chosen kind (and to `tz`).
#[derive(Debug, Clone, Default)]
pub struct ScheduleFields {
    /// cron, every, oncalendar, none; sent as `schedule.kind`.
    pub kind: Vec<Choice>,
    /// One expression a line.
    pub cron: Field,
    pub every: Field,
    pub oncalendar: Field,
    pub tz: Field,
}

/// Calendars on whose days nothing is expected; sent with `days_off=yes` where the project has any.
#[derive(Debug, Clone, Default)]
pub struct DaysOffFields {
    /// `project_calendars`: those of the whole project count, too.
    pub takes_project: bool,
    /// Their names; empty when there is none.
    pub of_project: String,
    /// `calendars` (repeated): those that a monitor chooses for itself.
    pub others: Vec<Choice>,
    pub problem: Option<Problem>,
}

impl DaysOffFields {
    /// Whether there is anything to choose.
    pub fn are_any(&self) -> bool {
        !self.of_project.is_empty() || !self.others.is_empty()
    }
}

#[derive(Debug, Clone, Default)]
pub struct RuleFields {
    /// Place in the list, from 0; part of the names of its inputs.
    pub index: usize,
    /// Of a stored rule, so that it stays the same one when its condition changes; else empty.
    pub id: String,
    pub name: Field,
    pub when: Field,
    /// warning, critical.
    pub severity: Vec<Choice>,
    /// `for`: how many runs in a row.
    pub runs: Field,
    /// `on`: success, fail, any.
    pub on: Vec<Choice>,
    /// `if_missing`: alert, ignore.
    pub if_missing: Vec<Choice>,
    /// Whether it holds something, or one below it does.
    pub is_used: bool,
    pub check: RuleCheck,
}

#[derive(Debug, Clone, Default)]
pub struct ExtractorFields {
    /// Place in the list, from 0; part of the names of its inputs.
    pub index: usize,
    pub name: Field,
    pub pattern: Field,
    /// Whether it holds something, or one below it does.
    pub is_used: bool,
    pub check: ExtractorCheck,
}

impl ExtractorFields {
    /// What saving found; it is told where the live check tells, so that it goes when it is mended.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        [&self.name, &self.pattern].into_iter().filter_map(|field| field.problem.as_ref())
    }

    pub fn is_wrong(&self) -> bool {
        self.problems().next().is_some()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Threshold {
    /// As the API names it: `failed`.
    pub name: String,
    /// `failed runs in a row`.
    pub label: String,
    pub field: Field,
}

/// What a schedule means. Also the body of `POST /monitors/check?part=schedule`, alone.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "monitors/schedule_check.html")]
pub struct ScheduleCheck {
    /// `at 02:30 on weekdays, Europe/Berlin`; empty when there is nothing to say yet.
    pub words: String,
    /// The next five.
    pub slots: Vec<SlotPreview>,
    /// Zone of the first column.
    pub zone: String,
    /// `29 Mar: 02:30 does not exist that day, runs at 03:00`: what daylight saving will do; may be empty.
    pub note: String,
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, Default)]
pub struct SlotPreview {
    /// In the monitor's zone: `Mon 30 Nov 02:30`.
    pub local: String,
    /// `01:30 UTC`.
    pub utc: String,
    /// RFC 3339 in UTC.
    pub machine: String,
    /// `in 11 h`.
    pub ago: String,
}
