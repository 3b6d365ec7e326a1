//! A monitor as the API shows it.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use watchclock_domain::{
    monitor::{ChannelChoice, Monitor},
    ping_limit::PingLimit,
    rule::Rule,
    schedule::{Kind, ScheduleText, ZoneHint},
};
use watchclock_service::monitor::MonitorView;

use super::super::{
    run::RunShape,
    shape::{At, Seconds},
};
use crate::state::Web;

/// A scheduled job: how it is configured and how it is.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Monitor)]
pub(in super::super) struct MonitorShape {
    id: Uuid,
    /// Unique within the project.
    slug: String,
    name: String,
    description: String,
    tags: Vec<String>,
    /// What to do when it breaks: text or a link.
    runbook: String,
    schedule: ScheduleShape,
    /// Calendars on whose days nothing is expected of it.
    calendars: Vec<Uuid>,
    /// Whether the calendars of the whole project count, too.
    project_calendars: bool,
    /// Another time zone that the last runs would fit. Only where one monitor is shown, and only when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    zone_hint: Option<ZoneHintShape>,
    /// How long after its slot a run may still start.
    grace: Seconds,
    /// Null: learned from the job's own runs.
    max_duration: Option<Seconds>,
    min_duration: Option<Seconds>,
    early_tolerance: Option<Seconds>,
    overlap: OverlapShape,
    rules: Vec<RuleShape>,
    /// Metadata out of the output, by name.
    extractors: BTreeMap<String, String>,
    anomalies: AnomaliesShape,
    thresholds: ThresholdsShape,
    /// Holds the first alert back so long; a recovery meanwhile cancels it.
    alert_after: Seconds,
    /// Whether a run outside the schedule is an incident.
    alert_unscheduled: bool,
    /// `["*"]`: every channel of the project, also those made later.
    channels: Vec<String>,
    paused: bool,
    /// A ping does not resume it.
    manual_resume: bool,
    /// GET and HEAD pings are refused.
    post_only: bool,
    /// The most pings that are taken a minute; what comes on top is answered 429 and counted. Null: all are taken.
    ping_limit: Option<u32>,
    #[schema(example = "healthy", pattern = "^(waiting|healthy|late|failing|paused)$")]
    health: &'static str,
    /// How many runs are active.
    running: i64,
    next_slot: Option<At>,
    last_run: Option<RunShape>,
    /// Where the job pings to. Keep it secret: whoever knows it can ping.
    ping_url: String,
    /// How many pings `ping_limit` has turned away, ever.
    pings_refused: i64,
    /// When it turned away the last one.
    pings_refused_at: Option<At>,
    /// Why the stored configuration cannot be used; null when all is well.
    broken: Option<String>,
    /// What is allowed and yet may be wrong, such as a rule over a field that no run has reported.
    warnings: Vec<WarningShape>,
    created_at: At,
    updated_at: At,
}

/// When runs are expected.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Schedule)]
pub(in super::super) struct ScheduleShape {
    #[schema(example = "cron", pattern = "^(cron|every|oncalendar|none)$")]
    kind: &'static str,
    /// With `cron`: expressions of which the earliest wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["0 3 * * *"]))]
    cron: Option<Vec<String>>,
    /// With `oncalendar`: expressions of systemd.time(7).
    #[serde(skip_serializing_if = "Option::is_none")]
    oncalendar: Option<Vec<String>>,
    /// With `every`: the interval in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<u32>,
    #[schema(example = "Europe/Berlin")]
    tz: String,
}

/// Runs keep arriving at a constant offset from their slots.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ZoneHint)]
struct ZoneHintShape {
    /// How long after their slots runs arrive; negative before them.
    late_by: Seconds,
    /// The offset from UTC that would fit.
    #[schema(example = "+02:00")]
    utc_offset: String,
    /// Zones that would fit, the likeliest first.
    zones: Vec<&'static str>,
    /// The same for people.
    words: String,
}

impl ZoneHintShape {
    fn of(hint: ZoneHint) -> Self {
        Self {
            late_by: Seconds(hint.late_by),
            utc_offset: hint.utc_offset_words(),
            words: hint.words(),
            zones: hint.zones,
        }
    }
}

/// What a start gets while another run is active.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Overlap)]
struct OverlapShape {
    #[schema(example = "alert", pattern = "^(alert|allow|refuse)$")]
    policy: &'static str,
    allowed: u32,
}

/// A sentence over one finished run; true means: tell me.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rule)]
struct RuleShape {
    id: Uuid,
    name: String,
    #[schema(example = "records_processed eq 0")]
    when: String,
    #[schema(example = "critical", pattern = "^(warning|critical)$")]
    severity: &'static str,
    /// So many runs in a row open an incident.
    r#for: u16,
    /// Which ends it judges.
    #[schema(example = "success", pattern = "^(success|fail|any)$")]
    on: &'static str,
    /// Whether a field that was there before and is missing now is told.
    #[schema(example = "alert", pattern = "^(alert|ignore)$")]
    if_missing: &'static str,
    /// Who hears of it; `["*"]`: the channels of the monitor.
    channels: Vec<String>,
}

/// Something that is allowed and yet may be wrong.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Warning)]
struct WarningShape {
    #[schema(example = "rules[0].when")]
    field: String,
    #[schema(example = "no run has reported `recrods` so far; did you mean `records`?")]
    message: String,
}

/// What is judged without a rule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Anomalies)]
struct AnomaliesShape {
    /// Whether runs are told that take far longer or shorter than usual.
    duration: bool,
    /// Keys whose unusual values are told.
    meta: Vec<String>,
}

/// How many in a row open an incident of each kind, and how many good ones resolve it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Thresholds)]
struct ThresholdsShape {
    failed: u16,
    missed: u16,
    rule: u16,
    fast: u16,
    slow: u16,
    recover: u16,
}

impl MonitorShape {
    pub(super) fn of(web: &Web, view: &MonitorView) -> Self {
        let monitor = &view.monitor;
        let thresholds = monitor.thresholds;
        Self {
            id: monitor.id,
            slug: monitor.slug.clone(),
            name: monitor.name.clone(),
            description: monitor.description.clone(),
            tags: monitor.tags.clone(),
            runbook: monitor.runbook.clone(),
            schedule: ScheduleShape::of(monitor.schedule.text()),
            calendars: monitor.calendars.own.clone(),
            project_calendars: monitor.calendars.of_project,
            zone_hint: view.zone_hint().map(ZoneHintShape::of),
            grace: Seconds(monitor.grace),
            max_duration: monitor.max_duration.map(Seconds),
            min_duration: monitor.min_duration.map(Seconds),
            early_tolerance: monitor.early_tolerance.map(Seconds),
            overlap: OverlapShape { policy: monitor.overlap.policy.word(), allowed: monitor.overlap.allowed },
            rules: monitor.rules.iter().map(RuleShape::of).collect(),
            extractors: monitor
                .extractors
                .iter()
                .map(|extractor| (extractor.name().to_owned(), extractor.text().to_owned()))
                .collect(),
            anomalies: AnomaliesShape {
                duration: monitor.anomalies.duration,
                meta: monitor.anomalies.meta.clone(),
            },
            thresholds: ThresholdsShape {
                failed: thresholds.failed,
                missed: thresholds.missed,
                rule: thresholds.rule,
                fast: thresholds.fast,
                slow: thresholds.slow,
                recover: thresholds.recover,
            },
            alert_after: Seconds(monitor.alert_after),
            alert_unscheduled: monitor.alert_unscheduled,
            channels: channels(monitor),
            paused: monitor.paused,
            manual_resume: monitor.manual_resume,
            post_only: monitor.post_only,
            ping_limit: monitor.ping_limit.map(PingLimit::per_minute),
            health: view.health.word(),
            running: view.memory.active,
            next_slot: view.next_slot(web.watchclock().now()).map(At),
            last_run: view.last_run().map(RunShape::of),
            ping_url: web.url(&format!("/ping/{}", monitor.id)),
            pings_refused: view.memory.pings_refused,
            pings_refused_at: view.memory.pings_refused_at.map(At),
            broken: monitor.broken.clone(),
            warnings: view
                .warnings()
                .into_iter()
                .map(|warning| WarningShape { field: warning.field, message: warning.message })
                .collect(),
            created_at: At(monitor.created_at),
            updated_at: At(monitor.updated_at),
        }
    }
}

fn channels(monitor: &Monitor) -> Vec<String> {
    match &monitor.channels {
        ChannelChoice::All => vec!["*".to_owned()],
        ChannelChoice::Some(ids) => ids.iter().map(Uuid::to_string).collect(),
    }
}

impl ScheduleShape {
    fn of(text: &ScheduleText) -> Self {
        let lines = |kind| (text.kind == kind).then(|| text.lines.clone());
        Self {
            kind: text.kind.word(),
            cron: lines(Kind::Cron),
            oncalendar: lines(Kind::OnCalendar),
            every: text.every.filter(|_| text.kind == Kind::Every),
            tz: text.tz.clone(),
        }
    }
}

impl RuleShape {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id,
            name: rule.name.clone(),
            when: rule.condition.text().to_owned(),
            severity: rule.severity.word(),
            r#for: rule.for_runs,
            on: rule.applies_to.word(),
            if_missing: rule.if_missing.word(),
            channels: match &rule.channels {
                None => vec!["*".to_owned()],
                Some(ids) => ids.iter().map(Uuid::to_string).collect(),
            },
        }
    }
}
