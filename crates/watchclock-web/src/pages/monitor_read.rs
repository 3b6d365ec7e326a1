//! A monitor's form read into a change, and a monitor written as the fields of its form. Neighbours: `rule_rows` reads
//! the rules in it, `monitor_fill` is the view.

use chrono::Duration;
use uuid::Uuid;
use watchclock_domain::{
    monitor::{ChannelChoice, DEFAULT_GRACE, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping_limit::PingLimit,
    problem::Problem,
    schedule::{Kind, ScheduleText},
    span,
};
use watchclock_service::monitor::MonitorChange;

use super::{
    extractor_rows,
    fields::{self, Fields},
    problems::Problems,
    rule_rows,
};

/// What a form says, and what in it could not even be read.
#[derive(Debug)]
pub(crate) struct ReadForm {
    pub(crate) change: MonitorChange,
    problems: Problems,
    /// For each rule of the change, the row of the form that it stands in.
    rows: Vec<usize>,
}

impl ReadForm {
    /// All problems, those of rules under the rows of the form.
    pub(crate) fn problems(mut self, found: Vec<Problem>) -> Problems {
        let rows = &self.rows;
        // Those of extractors were told when the rows were read.
        let found = found.into_iter().filter(|problem| !problem.field.starts_with("extractors."));
        self.problems.extend(found.map(|problem| match fields::row(&problem.field, "rules") {
            Some((at, part)) => {
                let row = rows.get(at).copied().unwrap_or(at);
                let field = format!("rules[{row}].{part}");
                problem.in_field(field)
            }
            None => problem,
        }));
        self.problems
    }

    pub(crate) fn is_readable(&self) -> bool {
        self.problems.is_empty()
    }
}

/// Reads a form. `before` is the monitor as it is, if it is being edited.
pub(crate) fn read(fields: &Fields, before: Option<&Monitor>) -> ReadForm {
    let mut problems = Problems::default();
    let text =
        |name: &str| Some(fields.raw(name).unwrap_or_default().replace("\r\n", "\n").trim().to_owned());
    let (rules, rows) = rule_rows::read(fields, &mut problems);
    let extractors = extractor_rows::read(fields, &mut problems);
    let change = MonitorChange {
        name: text("name"),
        slug: text("slug"),
        description: text("description"),
        runbook: text("runbook"),
        tags: Some(tags(fields.get("tags"))),
        schedule: schedule(fields, &mut problems),
        // The form asks only where the project has calendars.
        calendars: fields.is_ticked("days_off").then(|| calendars(fields)),
        project_calendars: fields.is_ticked("days_off").then(|| fields.is_ticked("project_calendars")),
        grace: length(fields, "grace", &mut problems).map(|grace| grace.unwrap_or(DEFAULT_GRACE)),
        max_duration: length(fields, "max_duration", &mut problems),
        min_duration: length(fields, "min_duration", &mut problems),
        early_tolerance: length(fields, "early_tolerance", &mut problems),
        alert_after: length(fields, "alert_after", &mut problems).map(Option::unwrap_or_default),
        overlap: Some(overlap(fields, before, &mut problems)),
        rules: Some(rules),
        extractors: Some(extractors),
        thresholds: Some(thresholds(fields, &mut problems)),
        channels: Some(channels(fields)),
        alert_unscheduled: Some(fields.is_ticked("alert_unscheduled")),
        manual_resume: Some(fields.is_ticked("manual_resume")),
        post_only: Some(fields.is_ticked("post_only")),
        ping_limit: ping_limit(fields, &mut problems),
        ..MonitorChange::default()
    };
    ReadForm { change, problems, rows }
}

/// The schedule that a form holds; none when its interval cannot be read.
pub(crate) fn schedule(fields: &Fields, problems: &mut Problems) -> Option<ScheduleText> {
    let kind = Kind::from_word(fields.get("schedule.kind")).unwrap_or(Kind::Cron);
    let every = match (kind, fields.some("schedule.every")) {
        (Kind::Every, Some(every)) => match span::parse(every) {
            Ok(every) if every.subsec_nanos() != 0 => {
                problems.push(Problem::new("schedule.every", "must be whole seconds"));
                return None;
            }
            Ok(every) => Some(u32::try_from(every.num_seconds()).unwrap_or(u32::MAX)),
            Err(problem) => {
                problems.push(problem.in_field("schedule.every"));
                return None;
            }
        },
        _ => None,
    };
    let lines = match kind {
        Kind::Cron => fields.lines("schedule.cron"),
        Kind::OnCalendar => fields.lines("schedule.oncalendar"),
        Kind::Every | Kind::None => Vec::new(),
    };
    Some(ScheduleText { kind, every, lines, tz: fields.some("schedule.tz").unwrap_or("UTC").to_owned() })
}

/// As a change has it: `Some(None)` when it was left empty, none when it cannot be read.
#[expect(clippy::option_option, reason = "the three cases of a limit in a change")]
fn length(fields: &Fields, name: &str, problems: &mut Problems) -> Option<Option<Duration>> {
    let Some(text) = fields.some(name) else { return Some(None) };
    match span::parse(text) {
        Ok(length) => Some(Some(length)),
        Err(problem) => {
            problems.push(problem.in_field(name));
            None
        }
    }
}

/// As [`length`].
#[expect(clippy::option_option, reason = "the three cases of a limit in a change")]
fn ping_limit(fields: &Fields, problems: &mut Problems) -> Option<Option<u32>> {
    let Some(text) = fields.some("ping_limit") else { return Some(None) };
    let limit = text.parse().ok();
    if limit.is_none() {
        let message = format!("must be a whole number from 1 to {}, or empty", PingLimit::MOST);
        problems.push(Problem::new("ping_limit", message));
    }
    limit.map(Some)
}

/// A whole number; `unset` when it was left empty.
pub(super) fn number<N: std::str::FromStr + Copy>(
    fields: &Fields,
    name: &str,
    unset: N,
    problems: &mut Problems,
) -> N {
    match fields.some(name).map(str::parse) {
        None => unset,
        Some(Ok(number)) => number,
        Some(Err(_)) => {
            problems.push(Problem::new(name, "this is not a whole number"));
            unset
        }
    }
}

fn tags(text: &str) -> Vec<String> {
    let tags = text.split(|letter: char| letter == ',' || letter.is_whitespace());
    tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

fn overlap(fields: &Fields, before: Option<&Monitor>, problems: &mut Problems) -> Overlap {
    let policy = OverlapPolicy::from_word(fields.get("overlap.policy")).unwrap_or(OverlapPolicy::Alert);
    let allowed = match (policy, before) {
        (OverlapPolicy::Allow, _) => number(fields, "overlap.allowed", 2, problems),
        // The form has no number for these; one that was set otherwise stays.
        (_, Some(before)) if before.overlap.policy == policy => before.overlap.allowed,
        _ => 1,
    };
    Overlap { policy, allowed }
}

fn thresholds(fields: &Fields, problems: &mut Problems) -> Thresholds {
    let unset = Thresholds::default();
    let mut read = |name: &str, unset| number(fields, &format!("thresholds.{name}"), unset, problems);
    Thresholds {
        failed: read("failed", unset.failed),
        missed: read("missed", unset.missed),
        rule: read("rule", unset.rule),
        fast: read("fast", unset.fast),
        slow: read("slow", unset.slow),
        recover: read("recover", unset.recover),
    }
}

fn channels(fields: &Fields) -> ChannelChoice {
    if fields.is_ticked("channels_all") {
        return ChannelChoice::All;
    }
    ChannelChoice::Some(fields.all("channels").filter_map(|id| Uuid::try_parse(id).ok()).collect())
}

/// The calendars that a form has ticked.
pub(crate) fn calendars(fields: &Fields) -> Vec<Uuid> {
    fields.all("calendars").filter_map(|id| Uuid::try_parse(id).ok()).collect()
}

/// A monitor as its form would send it.
pub(crate) fn written(monitor: &Monitor) -> Fields {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut put = |name: &str, value: String| pairs.push((name.to_owned(), value));
    let text = monitor.schedule.text();
    let length = |span: Option<Duration>| span.map(span::short).unwrap_or_default();
    put("name", monitor.name.clone());
    put("slug", monitor.slug.clone());
    put("description", monitor.description.clone());
    put("runbook", monitor.runbook.clone());
    put("tags", monitor.tags.join(", "));
    put("version", monitor.version.to_string());
    put("schedule.kind", text.kind.word().to_owned());
    put("schedule.tz", text.tz.clone());
    match text.kind {
        Kind::Every => put("schedule.every", length(text.every.map(|every| Duration::seconds(every.into())))),
        Kind::Cron => put("schedule.cron", text.lines.join("\n")),
        Kind::OnCalendar => put("schedule.oncalendar", text.lines.join("\n")),
        Kind::None => {}
    }
    put("grace", length(Some(monitor.grace)));
    put("max_duration", length(monitor.max_duration));
    put("min_duration", length(monitor.min_duration));
    put("early_tolerance", length(monitor.early_tolerance));
    put("alert_after", length(Some(monitor.alert_after)));
    put("ping_limit", monitor.ping_limit.map(|limit| limit.per_minute().to_string()).unwrap_or_default());
    put("overlap.policy", monitor.overlap.policy.word().to_owned());
    let allowed = match monitor.overlap.policy {
        OverlapPolicy::Allow => monitor.overlap.allowed,
        OverlapPolicy::Alert | OverlapPolicy::Refuse => 2,
    };
    put("overlap.allowed", allowed.to_string());
    for (name, value) in threshold_values(&monitor.thresholds) {
        put(&format!("thresholds.{name}"), value.to_string());
    }
    match &monitor.channels {
        ChannelChoice::All => put("channels_all", "yes".to_owned()),
        ChannelChoice::Some(ids) => ids.iter().for_each(|id| put("channels", id.to_string())),
    }
    monitor.calendars.own.iter().for_each(|id| put("calendars", id.to_string()));
    let ticks = [
        ("project_calendars", monitor.calendars.of_project),
        ("alert_unscheduled", monitor.alert_unscheduled),
        ("manual_resume", monitor.manual_resume),
        ("post_only", monitor.post_only),
    ];
    for (name, _) in ticks.into_iter().filter(|(_, ticked)| *ticked) {
        put(name, "yes".to_owned());
    }
    rule_rows::write(&monitor.rules, &mut put);
    extractor_rows::write(&monitor.extractors, &mut put);
    Fields::of(pairs)
}

/// Thresholds by the names of the API, in the order of the form.
pub(crate) fn threshold_values(thresholds: &Thresholds) -> [(&'static str, u16); 6] {
    [
        ("failed", thresholds.failed),
        ("missed", thresholds.missed),
        ("fast", thresholds.fast),
        ("slow", thresholds.slow),
        ("rule", thresholds.rule),
        ("recover", thresholds.recover),
    ]
}

#[cfg(test)]
#[path = "monitor_read_tests.rs"]
mod tests;
