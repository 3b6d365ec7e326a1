//! Describes, for the OpenAPI document, what bodies may hold. They are read by hand, each in the file of its noun.
#![expect(dead_code, reason = "describes what is read by hand")]

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// A length of time: seconds, or text such as `90s`, `5m`, `1h30m`, `PT5M`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SpanInput)]
#[serde(untagged)]
pub(super) enum SpanInput {
    Seconds(f64),
    Text(String),
}

/// A schedule: the long form, or text: `0 3 * * *`, `every 5m`, `Mon..Fri 02:30`, `none`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScheduleOrText)]
#[serde(untagged)]
pub(super) enum ScheduleOrText {
    Long(ScheduleInput),
    Text(String),
}

/// The long form of a schedule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ScheduleInput)]
pub(super) struct ScheduleInput {
    /// Told by the field that is there, unless given.
    #[schema(example = "cron", pattern = "^(cron|every|oncalendar|none)$")]
    kind: Option<String>,
    /// Expressions of which the earliest wins; one may stand without a list.
    #[schema(example = json!(["0 3 * * *"]))]
    cron: Option<Vec<String>>,
    /// Expressions of systemd.time(7); one may stand without a list.
    oncalendar: Option<Vec<String>>,
    every: Option<SpanInput>,
    /// UTC unless given; a change keeps what was.
    #[schema(example = "Europe/Berlin")]
    tz: Option<String>,
}

/// What is to be set on a monitor. What is left out stays; null sets what a new monitor has.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MonitorInput)]
pub(super) struct MonitorInput {
    /// A new monitor needs a name or a slug.
    #[schema(example = "Nightly sync")]
    name: Option<String>,
    /// Unique within the project: a-z, 0-9, `-`, `_`. Made from the name unless given.
    #[schema(example = "nightly-sync")]
    slug: Option<String>,
    description: Option<String>,
    tags: Option<Vec<String>>,
    runbook: Option<String>,
    schedule: Option<ScheduleOrText>,
    /// Ids of calendars on whose days nothing is expected of it.
    calendars: Option<Vec<Uuid>>,
    /// Whether the calendars of the whole project count, too; true for a new monitor.
    project_calendars: Option<bool>,
    grace: Option<SpanInput>,
    /// Null: none, as with the two below.
    max_duration: Option<SpanInput>,
    min_duration: Option<SpanInput>,
    early_tolerance: Option<SpanInput>,
    overlap: Option<OverlapOrText>,
    rules: Option<Vec<RuleOrText>>,
    /// Metadata out of the output, by name; all of them.
    #[schema(example = json!({"records_processed": "/Processed (\\d+) records/"}))]
    extractors: Option<BTreeMap<String, String>>,
    anomalies: Option<AnomaliesInput>,
    thresholds: Option<ThresholdsInput>,
    alert_after: Option<SpanInput>,
    alert_unscheduled: Option<bool>,
    /// Ids of channels, or `["*"]` for all of them.
    #[schema(example = json!(["*"]))]
    channels: Option<Vec<String>>,
    paused: Option<bool>,
    manual_resume: Option<bool>,
    post_only: Option<bool>,
    /// The most pings that are taken a minute. Null: all.
    #[schema(minimum = 1, maximum = 6000)]
    ping_limit: Option<u32>,
}

/// An overlap policy: the long form, or text: `alert`, `refuse`, `allow 3`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OverlapOrText)]
#[serde(untagged)]
enum OverlapOrText {
    Long(OverlapInput),
    Text(String),
}

/// The long form of an overlap policy.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OverlapInput)]
struct OverlapInput {
    #[schema(example = "allow", pattern = "^(alert|allow|refuse)$")]
    policy: Option<String>,
    #[schema(minimum = 1, maximum = 1000)]
    allowed: Option<u32>,
}

/// A rule: the long form, or its condition alone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOrText)]
#[serde(untagged)]
enum RuleOrText {
    Long(RuleInput),
    Text(String),
}

/// The long form of a rule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleInput)]
struct RuleInput {
    /// Of a rule that is there already: it keeps its identity.
    id: Option<Uuid>,
    /// The condition unless given.
    name: Option<String>,
    #[schema(example = "records_processed eq 0")]
    when: String,
    #[schema(example = "critical", pattern = "^(warning|critical)$")]
    severity: Option<String>,
    #[schema(minimum = 1, maximum = 100)]
    r#for: Option<u16>,
    #[schema(example = "success", pattern = "^(success|fail|any)$")]
    on: Option<String>,
    #[schema(example = "alert", pattern = "^(alert|ignore)$")]
    if_missing: Option<String>,
    /// Ids of channels that hear of it; `["*"]` unless given: those of the monitor.
    #[schema(example = json!(["*"]))]
    channels: Option<Vec<String>>,
}

/// What is judged without a rule.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnomaliesInput)]
struct AnomaliesInput {
    /// On unless given.
    duration: Option<bool>,
    /// Keys whose unusual values are told.
    meta: Option<Vec<String>>,
}

/// How many in a row open an incident of each kind, and how many good ones resolve it; each from 1 to 100.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ThresholdsInput)]
struct ThresholdsInput {
    failed: Option<u16>,
    missed: Option<u16>,
    rule: Option<u16>,
    fast: Option<u16>,
    slow: Option<u16>,
    recover: Option<u16>,
}
