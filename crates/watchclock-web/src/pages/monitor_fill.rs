//! The view of a monitor's form: what was typed or is stored, and what is wrong with it. Neighbour: `monitor_read` reads it back.

use watchclock_domain::{
    monitor::{Memory, Thresholds},
    schedule::{Kind, zone_names},
    span,
};
use watchclock_service::{
    calendar::{Calendar, CalendarView},
    channel::ChannelView,
};

use super::{
    channel_words, extractor_rows,
    fields::Fields,
    monitor_read::threshold_values,
    problems::Problems,
    rule_import, rule_rows,
    views::{
        monitor_form::{DaysOffFields, MonitorForm, ScheduleCheck, ScheduleFields, Threshold},
        parts::{Choice, Problem},
        rules::{ImportCheck, KnownName, Suggestions},
        shell::Shell,
    },
};

/// What a form stands for.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Empty for a new monitor.
    pub(crate) id: String,
    pub(crate) stored_name: String,
    pub(crate) memory: Option<&'a Memory>,
    /// What its rules can read.
    pub(crate) names: Vec<KnownName>,
    pub(crate) channels: Vec<ChannelView>,
    pub(crate) calendars: Vec<CalendarView>,
}

/// What stands in the form of a new monitor.
pub(crate) fn blank() -> Fields {
    let pairs = [
        ("schedule.kind", "cron"),
        ("grace", "5m"),
        ("overlap.policy", "alert"),
        ("overlap.allowed", "2"),
        ("project_calendars", "yes"),
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
    let problems_of_days = take("calendars").problem;
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
    let ping_limit = take("ping_limit");
    let ticks = ["alert_unscheduled", "manual_resume", "post_only"].map(|name| fields.is_ticked(name));
    let more_open =
        thresholds.iter().any(|threshold| threshold.field.value != "1" || threshold.field.problem.is_some())
            || !matches!(alert_after.value.as_str(), "" | "0s")
            || !early_tolerance.value.is_empty()
            || !ping_limit.value.is_empty()
            || ticks.contains(&true);
    let rules = rule_rows::fill(fields, &mut take);
    let extractors = extractor_rows::fill(fields, &mut take);
    let filled = MonitorForm {
        shell,
        version: fields.get("version").to_owned(),
        stored_name: subject.stored_name,
        wrong,
        name: take("name"),
        slug: take("slug"),
        schedule,
        schedule_check: ScheduleCheck::default(),
        days_off: days_off(&subject.calendars, fields, problems_of_days),
        zones: zone_names().map(str::to_owned).collect(),
        grace: take("grace"),
        max_duration: take("max_duration"),
        learned_limit: learned_limit(subject.memory),
        min_duration: take("min_duration"),
        early_tolerance,
        overlap_policy: policies(fields.get("overlap.policy")),
        overlap_allowed: take("overlap.allowed"),
        extractors,
        sample: None,
        rules,
        suggestions: Suggestions::default(),
        import_text: take("import.text"),
        import_from: rule_import::choices(fields),
        import: ImportCheck::default(),
        names: subject.names,
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
        ping_limit,
        more_open,
        id: subject.id,
        problems: Vec::new(),
    };
    MonitorForm { problems: problems.rest(), ..filled }
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

fn days_off(calendars: &[CalendarView], fields: &Fields, problem: Option<Problem>) -> DaysOffFields {
    let (of_project, others): (Vec<_>, Vec<_>) =
        calendars.iter().map(|view| &view.calendar).partition(|calendar| calendar.project_wide);
    let names: Vec<&str> = of_project.iter().map(|calendar| calendar.name.as_str()).collect();
    let choice = |calendar: &&Calendar| {
        let id = calendar.id.to_string();
        let chosen = fields.all("calendars").any(|chosen| chosen == id);
        Choice::of(&id, &calendar.name, chosen)
    };
    DaysOffFields {
        takes_project: fields.is_ticked("project_calendars"),
        of_project: names.join(", "),
        // One that was chosen and then made one of the project stays choosable.
        others: of_project
            .iter()
            .filter(|calendar| choice(calendar).chosen)
            .chain(&others)
            .map(choice)
            .collect(),
        problem,
    }
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
