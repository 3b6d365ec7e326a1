//! The view of a monitor's form: what was typed or is stored, and what is wrong with it. Neighbour: `monitor_read` reads it back.

use watchclock_domain::{
    monitor::{Memory, Thresholds},
    schedule::{Kind, zone_names},
    span,
};
use watchclock_service::channel::ChannelView;

use super::{
    channel_words,
    fields::Fields,
    monitor_read::{rows, threshold_values},
    problems::Problems,
    views::{
        monitor_form::{MonitorForm, RuleCheck, RuleFields, ScheduleCheck, ScheduleFields, Threshold},
        parts::{Choice, Field},
        shell::Shell,
    },
};

/// Blank rows for rules below those that hold something.
const BLANK_ROWS: usize = 2;
/// More of them when asked.
const MORE_ROWS: usize = 4;
/// As many rules as a monitor takes.
const MOST_ROWS: usize = 50;

/// What a form stands for.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Empty for a new monitor.
    pub(crate) id: String,
    pub(crate) stored_name: String,
    pub(crate) memory: Option<&'a Memory>,
    pub(crate) channels: Vec<ChannelView>,
}

/// What stands in the form of a new monitor.
pub(crate) fn blank() -> Fields {
    let pairs = [
        ("schedule.kind", "cron"),
        ("grace", "5m"),
        ("overlap.policy", "alert"),
        ("overlap.allowed", "2"),
        ("channels_all", "yes"),
        ("alert_after", "0s"),
    ];
    Fields::of(pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into())
}

/// Fills the view. The checks of rules are put in by the caller.
pub(crate) fn fill(
    shell: Shell,
    subject: Subject<'_>,
    fields: &Fields,
    mut problems: Problems,
) -> MonitorForm {
    let wrong = problems.fields();
    let mut take = |name: &str| problems.field(name, fields.raw(name).unwrap_or_default());
    let kind = Kind::from_word(fields.get("schedule.kind")).unwrap_or(Kind::Cron);
    let schedule = ScheduleFields {
        kind: [
            (Kind::Cron, "Cron"),
            (Kind::Every, "Interval"),
            (Kind::OnCalendar, "OnCalendar"),
            (Kind::None, "None"),
        ]
        .map(|(each, label)| Choice::of(each.word(), label, each == kind))
        .into(),
        cron: take("schedule.cron"),
        every: take("schedule.every"),
        oncalendar: take("schedule.oncalendar"),
        tz: take("schedule.tz"),
    };
    let thresholds: Vec<Threshold> = threshold_values(&Thresholds::default())
        .into_iter()
        .map(|(name, unset)| {
            let mut field = take(&format!("thresholds.{name}"));
            if field.value.is_empty() {
                field.value = unset.to_string();
            }
            Threshold { name: name.to_owned(), label: threshold_label(name), field }
        })
        .collect();
    let (alert_after, early_tolerance) = (take("alert_after"), take("early_tolerance"));
    let ticks = ["alert_unscheduled", "manual_resume", "post_only"].map(|name| fields.is_ticked(name));
    let more_open =
        thresholds.iter().any(|threshold| threshold.field.value != "1" || threshold.field.problem.is_some())
            || !matches!(alert_after.value.as_str(), "" | "0s")
            || !early_tolerance.value.is_empty()
            || ticks.contains(&true);
    let rules = rule_rows(fields, &mut take);
    let filled = MonitorForm {
        shell,
        version: fields.get("version").to_owned(),
        stored_name: subject.stored_name,
        wrong,
        name: take("name"),
        slug: take("slug"),
        schedule,
        schedule_check: ScheduleCheck::default(),
        zones: zone_names().map(str::to_owned).collect(),
        grace: take("grace"),
        max_duration: take("max_duration"),
        learned_limit: learned_limit(subject.memory),
        min_duration: take("min_duration"),
        early_tolerance,
        overlap_policy: policies(fields.get("overlap.policy")),
        overlap_allowed: take("overlap.allowed"),
        rules,
        all_channels: fields.is_ticked("channels_all"),
        channels: channels(&subject.channels, fields),
        tags: take("tags"),
        description: take("description"),
        runbook: take("runbook"),
        thresholds,
        alert_after,
        alert_unscheduled: ticks[0],
        manual_resume: ticks[1],
        post_only: ticks[2],
        more_open,
        id: subject.id,
        problems: Vec::new(),
    };
    MonitorForm { problems: problems.rest(), ..filled }
}

fn rule_rows(fields: &Fields, take: &mut impl FnMut(&str) -> Field) -> Vec<RuleFields> {
    let rows = rows(fields);
    let last = rows.iter().filter(|row| fields.some(&format!("rules[{row}].when")).is_some()).max();
    let used = last.map_or(0, |row| row + 1);
    let blank = if fields.is_ticked("more") { BLANK_ROWS + MORE_ROWS } else { BLANK_ROWS };
    let shown = (used + blank).min(MOST_ROWS).max(used);
    (0..shown).map(|row| rule_row(row, fields, take)).collect()
}

fn rule_row(row: usize, fields: &Fields, take: &mut impl FnMut(&str) -> Field) -> RuleFields {
    let name = |part: &str| format!("rules[{row}].{part}");
    let choices = |part: &str, all: &[(&str, &str)], unset: &str| -> Vec<Choice> {
        let name = name(part);
        let chosen = fields.some(&name).unwrap_or(unset);
        all.iter().map(|(value, label)| Choice::of(value, label, *value == chosen)).collect()
    };
    let mut runs = take(&name("for"));
    if runs.value.is_empty() {
        "1".clone_into(&mut runs.value);
    }
    RuleFields {
        index: row,
        id: fields.get(&name("id")).to_owned(),
        name: take(&name("name")),
        when: take(&name("when")),
        severity: choices("severity", &[("warning", "warning"), ("critical", "critical")], "critical"),
        runs,
        on: choices("on", &[("success", "success"), ("fail", "fail"), ("any", "any end")], "success"),
        if_missing: choices("if_missing", &[("alert", "alert"), ("ignore", "ignore")], "alert"),
        check: RuleCheck::default(),
    }
}

fn threshold_label(name: &str) -> String {
    match name {
        "recover" => "good runs to resolve".to_owned(),
        "rule" => "runs that break a rule".to_owned(),
        name => format!("{name} runs"),
    }
}

fn policies(chosen: &str) -> Vec<Choice> {
    let chosen = if chosen.is_empty() { "alert" } else { chosen };
    [
        ("alert", "Record it and tell me"),
        ("allow", "It is fine, up to"),
        ("refuse", "Refuse it: the start is answered 409, the job should not run"),
    ]
    .map(|(value, label)| Choice::of(value, label, value == chosen))
    .into()
}

fn channels(channels: &[ChannelView], fields: &Fields) -> Vec<Choice> {
    let chosen = |id: &str| fields.all("channels").any(|chosen| chosen == id);
    channels
        .iter()
        .map(|channel| {
            let id = channel.id.to_string();
            let label = format!("{} ({})", channel.name, channel_words::target(&channel.settings));
            Choice::of(&id, &label, chosen(&id))
        })
        .collect()
}

fn learned_limit(memory: Option<&Memory>) -> String {
    match memory {
        Some(memory) if memory.good_durations.len() >= 5 => format!(
            "Empty: learned, {} now (from the longest of {} good runs).",
            span::words(memory.learned_limit()),
            memory.good_durations.len()
        ),
        _ => "Empty: learned from the first good runs, 24 hours until then.".to_owned(),
    }
}
