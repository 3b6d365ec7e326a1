//! What is to be set on a monitor, checked as a whole: every problem at once, each under its field.

use chrono::Duration;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    calendar::DaysOff,
    maintenance::Maintenance,
    monitor::{CalendarChoice, ChannelChoice, DEFAULT_GRACE, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping_limit::PingLimit,
    problem::Problem,
    rule::{AppliesTo, Condition, Extractor, IfMissing, Rule, Severity},
    schedule::{Kind, Schedule, ScheduleText},
    usual::Anomalies,
    value::MAX_KEY_CHARS,
};
use watchclock_store::calendar::CalendarDays;

use super::values::{clean_tags, set_limit, set_span};

const MAX_RULES: usize = 50;
const MAX_EXTRACTORS: usize = 20;
/// Most metadata keys that are watched without a rule.
const MAX_WATCHED: usize = 20;

/// A change: what is unset stays as it is, or as a new monitor has it.
#[derive(Debug, Clone, Default)]
pub struct MonitorChange {
    pub slug: Option<String>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub tags: Option<Vec<String>>,
    pub runbook: Option<String>,
    pub schedule: Option<ScheduleText>,
    /// Calendars of its own.
    pub calendars: Option<Vec<Uuid>>,
    /// Whether those of the whole project count, too.
    pub project_calendars: Option<bool>,
    pub grace: Option<Duration>,
    /// `Some(None)` unsets it.
    pub max_duration: Option<Option<Duration>>,
    pub min_duration: Option<Option<Duration>>,
    pub early_tolerance: Option<Option<Duration>>,
    pub overlap: Option<Overlap>,
    pub rules: Option<Vec<RuleChange>>,
    /// All of them, by name: `/Processed (\d+) rows/`.
    pub extractors: Option<Vec<(String, String)>>,
    pub anomalies: Option<Anomalies>,
    pub thresholds: Option<Thresholds>,
    pub alert_after: Option<Duration>,
    pub alert_unscheduled: Option<bool>,
    pub channels: Option<ChannelChoice>,
    pub paused: Option<bool>,
    pub manual_resume: Option<bool>,
    pub post_only: Option<bool>,
    /// A minute; `Some(None)` takes all.
    pub ping_limit: Option<Option<u32>>,
}

/// A rule as written. It keeps its identity by `id`, else by an equal condition, else by an equal name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleChange {
    pub id: Option<Uuid>,
    /// Empty: the condition is its name.
    pub name: String,
    pub when: String,
    pub severity: Severity,
    pub for_runs: u16,
    pub applies_to: AppliesTo,
    pub if_missing: IfMissing,
    /// Unset: as before. `Some(None)`: those of the monitor.
    pub channels: Option<Option<Vec<Uuid>>>,
}

impl RuleChange {
    /// A rule with nothing but its condition.
    pub fn when(when: impl Into<String>) -> Self {
        Self {
            id: None,
            name: String::new(),
            when: when.into(),
            severity: Severity::Critical,
            for_runs: 1,
            applies_to: AppliesTo::Success,
            if_missing: IfMissing::Alert,
            channels: Some(None),
        }
    }
}

/// A monitor before anything was said about it.
pub(super) fn blank(id: Uuid, project: Uuid, now: Time) -> Monitor {
    Monitor {
        id,
        project,
        slug: String::new(),
        name: String::new(),
        description: String::new(),
        tags: Vec::new(),
        runbook: String::new(),
        schedule: Schedule::compile(&ScheduleText::none()).expect("no schedule always compiles"),
        calendars: CalendarChoice::default(),
        broken: None,
        grace: DEFAULT_GRACE,
        max_duration: None,
        min_duration: None,
        early_tolerance: None,
        overlap: Overlap::default(),
        rules: Vec::new(),
        extractors: Vec::new(),
        anomalies: Anomalies::default(),
        thresholds: Thresholds::default(),
        alert_after: Duration::zero(),
        alert_unscheduled: false,
        channels: ChannelChoice::All,
        paused: false,
        manual_resume: false,
        post_only: false,
        ping_limit: None,
        maintenance: Maintenance::default(),
        created_at: now,
        updated_at: now,
        version: 1,
    }
}

impl MonitorChange {
    /// The slug that the monitor would have, good or bad.
    pub(super) fn slug_after(&self, before: &Monitor) -> String {
        let or_before = |given: &Option<String>, before: &str| {
            given.as_deref().map_or_else(|| before.to_owned(), |given| given.trim().to_owned())
        };
        let slug = or_before(&self.slug, &before.slug);
        if slug.is_empty() { slug_of(&or_before(&self.name, &before.name)) } else { slug }
    }

    /// The monitor after the change, or everything that is wrong with it.
    pub(super) fn apply(
        self,
        before: &Monitor,
        (now, days): (Time, &CalendarDays),
        mut new_id: impl FnMut() -> Uuid,
    ) -> Result<Monitor, Vec<Problem>> {
        let mut problems = Vec::new();
        let slug = self.slug_after(before);
        let mut after = before.clone();
        if let Some(why) = &before.broken {
            // Writing back what was understood of it would lose the rest in silence.
            let given = [("schedule", self.schedule.is_some()), ("rules", self.rules.is_some())];
            problems.extend(given.into_iter().filter(|(_, given)| !given).map(|(field, _)| {
                Problem::new(field, format!("must be given anew, as what is stored cannot be read: {why}"))
            }));
            after.broken = None;
        }
        if let Some(name) = self.name {
            name.trim().clone_into(&mut after.name);
        }
        after.slug = slug;
        if after.name.is_empty() {
            after.name.clone_from(&after.slug);
        }
        check_name(&after.name, &mut problems);
        check_slug(&after.slug, &mut problems);
        set_text(&mut after.description, self.description, "description", 4_000, &mut problems);
        set_text(&mut after.runbook, self.runbook, "runbook", 4_000, &mut problems);
        if let Some(tags) = self.tags {
            after.tags = clean_tags(tags, &mut problems);
        }
        if let Some(text) = self.schedule {
            match Schedule::compile(&text) {
                Ok(schedule) => after.schedule = schedule,
                Err(found) => problems.extend(found.into_iter().map(|problem| {
                    let field = match problem.field.as_str() {
                        "" => "schedule".to_owned(),
                        field => format!("schedule.{field}"),
                    };
                    problem.in_field(field)
                })),
            }
        }
        if let Some(mut own) = self.calendars {
            own.sort_unstable();
            own.dedup();
            after.calendars.own = own;
            let unknown = days.unknown(after.project, &after.calendars);
            problems.extend(
                unknown.iter().map(|id| Problem::new("calendars", format!("no such calendar: {id}"))),
            );
        }
        after.calendars.of_project = self.project_calendars.unwrap_or(after.calendars.of_project);
        after.schedule = after.schedule.with_days_off(days.off(after.project, &after.calendars));
        if after.schedule.text() != before.schedule.text() || after.calendars != before.calendars {
            problems.extend(never_fires(&after.schedule, now));
        }
        let second = Duration::seconds(1);
        set_span(&mut after.grace, self.grace, "grace", &mut problems);
        set_span(&mut after.alert_after, self.alert_after, "alert_after", &mut problems);
        set_limit(&mut after.max_duration, self.max_duration, ("max_duration", second), &mut problems);
        let millisecond = Duration::milliseconds(1);
        set_limit(&mut after.min_duration, self.min_duration, ("min_duration", millisecond), &mut problems);
        set_limit(
            &mut after.early_tolerance,
            self.early_tolerance,
            ("early_tolerance", second),
            &mut problems,
        );
        if let (Some(min), Some(max)) = (after.min_duration, after.max_duration)
            && min > max
        {
            problems.push(Problem::new("min_duration", "must not be longer than max_duration"));
        }
        if let Some(overlap) = self.overlap {
            if overlap.allowed == 0 || overlap.allowed > 1_000 {
                problems.push(Problem::new("overlap.allowed", "must be from 1 to 1000"));
            }
            if overlap.policy == OverlapPolicy::Alert && overlap.allowed > 1 {
                problems.push(Problem::new(
                    "overlap.allowed",
                    "more than one run is allowed by the policy `allow`; `alert` tells of every overlap",
                ));
            }
            after.overlap = overlap;
        }
        if let Some(thresholds) = self.thresholds {
            check_thresholds(&thresholds, &mut problems);
            after.thresholds = thresholds;
        }
        if let Some(rules) = self.rules {
            after.rules = compile_rules(rules, &before.rules, &mut new_id, &mut problems);
        }
        if let Some(extractors) = self.extractors {
            after.extractors = compile_extractors(extractors, &mut problems);
        }
        if let Some(mut anomalies) = self.anomalies {
            check_watched(&mut anomalies.meta, &mut problems);
            after.anomalies = anomalies;
        }
        after.alert_unscheduled = self.alert_unscheduled.unwrap_or(after.alert_unscheduled);
        after.channels = self.channels.unwrap_or(after.channels);
        after.paused = self.paused.unwrap_or(after.paused);
        after.manual_resume = self.manual_resume.unwrap_or(after.manual_resume);
        after.post_only = self.post_only.unwrap_or(after.post_only);
        if let Some(per_minute) = self.ping_limit {
            after.ping_limit = per_minute.and_then(PingLimit::new);
            if after.ping_limit.is_none() && per_minute.is_some() {
                let message = format!("must be from 1 to {} pings a minute", PingLimit::MOST);
                problems.push(Problem::new("ping_limit", message));
            }
        }
        if problems.is_empty() { Ok(after) } else { Err(problems) }
    }
}

/// Why a schedule that is to be saved would never expect a run.
pub fn never_fires(schedule: &Schedule, now: Time) -> Option<Problem> {
    let kind = schedule.text().kind;
    if kind == Kind::None || schedule.next(now).is_some() {
        return None;
    }
    let bare = schedule.clone().with_days_off(DaysOff::none());
    Some(match (bare.next(now), bare.prev(now)) {
        (Some(_), _) => Problem::new(
            "calendars",
            "every slot of the schedule falls on a day off, so no run would ever be expected",
        ),
        (None, Some(last)) => Problem::new(
            format!("schedule.{}", kind.word()),
            format!("this never fires again: its last slot was {}", schedule.zone().show(last)),
        ),
        (None, None) => Problem::new(format!("schedule.{}", kind.word()), "this never fires"),
    })
}

fn check_name(name: &str, problems: &mut Vec<Problem>) {
    if name.is_empty() {
        problems.push(Problem::new("name", "a monitor needs a name"));
    } else if name.chars().count() > 100 {
        problems.push(Problem::new("name", "at most 100 characters"));
    } else if name.chars().any(char::is_control) {
        problems.push(Problem::new("name", "must not hold line breaks or control characters"));
    }
}

fn check_slug(slug: &str, problems: &mut Vec<Problem>) {
    let plain = slug.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'));
    let edges = slug.starts_with(|c: char| c.is_ascii_alphanumeric());
    if slug.is_empty() {
        problems.push(Problem::new("slug", "give a slug: the name has no letters or digits to make one of"));
    } else if !plain || !edges || slug.len() > 100 {
        let message = "at most 100 of a-z, 0-9, `-` and `_`, beginning with a letter or digit";
        problems.push(Problem::new("slug", message));
    } else if uuid::Uuid::try_parse(slug).is_ok() {
        problems.push(Problem::new("slug", "must not look like an id"));
    }
}

/// A slug from a name: letters and digits in lower case, the rest as single dashes.
fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().take(100) {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn set_text(to: &mut String, from: Option<String>, field: &str, most: usize, problems: &mut Vec<Problem>) {
    let Some(text) = from else { return };
    if text.chars().count() > most {
        problems.push(Problem::new(field, format!("at most {most} characters")));
    } else if text.contains('\0') {
        problems.push(Problem::new(field, "must not hold NUL characters"));
    }
    *to = text;
}

fn check_thresholds(thresholds: &Thresholds, problems: &mut Vec<Problem>) {
    let all = [
        ("failed", thresholds.failed),
        ("missed", thresholds.missed),
        ("rule", thresholds.rule),
        ("fast", thresholds.fast),
        ("slow", thresholds.slow),
        ("recover", thresholds.recover),
    ];
    for (name, value) in all {
        if !(1..=100).contains(&value) {
            problems.push(Problem::new(format!("thresholds.{name}"), "must be from 1 to 100"));
        }
    }
}

fn compile_extractors(texts: Vec<(String, String)>, problems: &mut Vec<Problem>) -> Vec<Extractor> {
    if texts.len() > MAX_EXTRACTORS {
        problems.push(Problem::new("extractors", format!("at most {MAX_EXTRACTORS} extractors")));
    }
    let mut extractors: Vec<Extractor> = Vec::new();
    for (name, text) in texts {
        match Extractor::parse(&name, &text) {
            Ok(extractor) if extractors.iter().any(|known| known.name() == extractor.name()) => {
                let message = "there are two extractors of this name";
                problems.push(Problem::new(format!("extractors.{name}"), message));
            }
            Ok(extractor) => extractors.push(extractor),
            Err(problem) => problems.push(problem.in_field(format!("extractors.{name}"))),
        }
    }
    extractors.sort_by(|one, other| one.name().cmp(other.name()));
    extractors
}

/// Metadata keys, each once.
fn check_watched(keys: &mut Vec<String>, problems: &mut Vec<Problem>) {
    let mut seen = std::collections::BTreeSet::new();
    keys.retain(|key| seen.insert(key.clone()));
    if keys.len() > MAX_WATCHED {
        problems.push(Problem::new("anomalies.meta", format!("at most {MAX_WATCHED} keys")));
    }
    for (at, key) in keys.iter().enumerate() {
        if key.is_empty() || key.chars().count() > MAX_KEY_CHARS || key.chars().any(char::is_control) {
            let message = format!("must be a metadata key of 1 to {MAX_KEY_CHARS} characters");
            problems.push(Problem::new(format!("anomalies.meta[{at}]"), message));
        }
    }
}

fn compile_rules(
    changes: Vec<RuleChange>,
    before: &[Rule],
    new_id: &mut impl FnMut() -> Uuid,
    problems: &mut Vec<Problem>,
) -> Vec<Rule> {
    if changes.len() > MAX_RULES {
        problems.push(Problem::new("rules", format!("at most {MAX_RULES} rules")));
    }
    let mut rules: Vec<Rule> = Vec::new();
    for (at, change) in changes.into_iter().take(MAX_RULES).enumerate() {
        let field = |name: &str| format!("rules[{at}].{name}");
        if change.name.chars().count() > 100 {
            problems.push(Problem::new(field("name"), "at most 100 characters"));
        }
        if !(1..=100).contains(&change.for_runs) {
            problems.push(Problem::new(field("for"), "must be from 1 to 100 runs"));
        }
        let condition = match Condition::parse(&change.when) {
            Ok(condition) => condition,
            Err(found) => {
                problems.extend(found.into_iter().map(|problem| problem.in_field(field("when"))));
                continue;
            }
        };
        let free = |rule: &&Rule| rules.iter().all(|taken| taken.id != rule.id);
        let known = before
            .iter()
            .filter(free)
            .find(|rule| change.id == Some(rule.id))
            .or_else(|| before.iter().filter(free).find(|rule| rule.condition.text() == change.when))
            .or_else(|| {
                before.iter().filter(free).find(|rule| !change.name.is_empty() && rule.name == change.name)
            });
        let id = known.map_or_else(&mut *new_id, |rule| rule.id);
        let name = if change.name.trim().is_empty() {
            change.when.chars().take(100).collect()
        } else {
            change.name.trim().to_owned()
        };
        rules.push(Rule {
            id,
            name,
            severity: change.severity,
            for_runs: change.for_runs,
            applies_to: change.applies_to,
            if_missing: change.if_missing,
            channels: change.channels.unwrap_or_else(|| known.and_then(|rule| rule.channels.clone())),
            condition,
        });
    }
    rules
}
