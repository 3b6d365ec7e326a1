//! Reads what is to be set on a monitor. Neighbours: [`super::rules`] reads its rules, `schedule` its schedule.

use chrono::Duration;
use serde_json::Value as Json;
use uuid::Uuid;
use watchclock_domain::{
    monitor::{ChannelChoice, DEFAULT_GRACE, Monitor, Overlap, OverlapPolicy, Thresholds},
    ping_limit::PingLimit,
    rule::Extractor,
    usual::Anomalies,
};
use watchclock_service::monitor::MonitorChange;

use super::{
    super::{
        fields::{Fields, Problems, kind_of, text_of, word_of},
        schedule,
    },
    rules,
};

/// Fields that can be set.
pub(in super::super) const FIELDS: [&str; 24] = [
    "name",
    "slug",
    "description",
    "tags",
    "runbook",
    "schedule",
    "calendars",
    "project_calendars",
    "grace",
    "max_duration",
    "min_duration",
    "early_tolerance",
    "overlap",
    "rules",
    "extractors",
    "anomalies",
    "thresholds",
    "alert_after",
    "alert_unscheduled",
    "channels",
    "paused",
    "manual_resume",
    "post_only",
    "ping_limit",
];
const READ_ONLY: [&str; 13] = [
    "zone_hint",
    "id",
    "health",
    "running",
    "next_slot",
    "last_run",
    "ping_url",
    "pings_refused",
    "pings_refused_at",
    "broken",
    "warnings",
    "created_at",
    "updated_at",
];
const THRESHOLDS: [&str; 6] = ["failed", "missed", "rule", "fast", "slow", "recover"];

/// Reads a change of `before`, or of a new monitor; what is wrong is recorded and left out of the change.
pub(super) fn read(json: Json, before: Option<&Monitor>, problems: &mut Problems) -> MonitorChange {
    let Some(mut fields) = Fields::with_read_only(json, "", (&FIELDS, &READ_ONLY), problems) else {
        return MonitorChange::default();
    };
    // Of a new monitor, null is as good as nothing; of one that is there, it sets what a new one has.
    match before {
        Some(_) => fields.fill_nulls(usual),
        None => fields.drop_nulls(),
    }
    MonitorChange {
        name: fields.text("name"),
        slug: fields.text("slug"),
        description: fields.text("description"),
        tags: fields.texts("tags"),
        runbook: fields.text("runbook"),
        schedule: schedule::read(&mut fields, "schedule", before.map(|before| before.schedule.text()))
            .map(|schedule| schedule.text().clone()),
        calendars: schedule::ids(&mut fields, "calendars"),
        project_calendars: fields.flag("project_calendars"),
        grace: whole_seconds(&mut fields, "grace").flatten(),
        max_duration: whole_seconds(&mut fields, "max_duration"),
        min_duration: fields.limit("min_duration"),
        early_tolerance: whole_seconds(&mut fields, "early_tolerance"),
        overlap: overlap(&mut fields, before.map(|before| before.overlap).unwrap_or_default()),
        rules: rules::read(&mut fields),
        extractors: extractors(&mut fields),
        anomalies: anomalies(&mut fields, before.map(|before| before.anomalies.clone()).unwrap_or_default()),
        thresholds: thresholds(&mut fields, before.map(|before| before.thresholds).unwrap_or_default()),
        alert_after: whole_seconds(&mut fields, "alert_after").flatten(),
        alert_unscheduled: fields.flag("alert_unscheduled"),
        channels: channels(&mut fields),
        paused: fields.flag("paused"),
        manual_resume: fields.flag("manual_resume"),
        post_only: fields.flag("post_only"),
        ping_limit: ping_limit(&mut fields),
    }
}

/// What a new monitor has, as it would be sent; nothing where that is null.
fn usual(name: &str) -> Option<Json> {
    Some(match name {
        // The one is made of the other.
        "name" | "slug" | "description" | "runbook" => Json::from(""),
        "schedule" => serde_json::json!({"kind": "none", "tz": "UTC"}),
        "tags" | "rules" | "calendars" => Json::Array(Vec::new()),
        "channels" => Json::from("*"),
        "grace" => Json::from(DEFAULT_GRACE.num_seconds()),
        "alert_after" => Json::from(0),
        "overlap" => Json::from(Overlap::default().policy.word()),
        "thresholds" => THRESHOLDS.iter().map(|name| ((*name).to_owned(), Json::Null)).collect(),
        "extractors" => Json::Object(serde_json::Map::new()),
        "anomalies" => serde_json::json!({"duration": null, "meta": null}),
        "project_calendars" => Json::from(true),
        "alert_unscheduled" | "paused" | "manual_resume" | "post_only" => Json::from(false),
        _ => return None,
    })
}

/// These are kept in whole seconds; dropping a fraction in silence would be a lie. Only limits can be null.
#[expect(clippy::option_option, reason = "not given, unset, set")]
fn whole_seconds(fields: &mut Fields<'_>, name: &str) -> Option<Option<Duration>> {
    let span = if name.starts_with("max") || name.starts_with("early") {
        fields.limit(name)?
    } else {
        Some(fields.span(name)?)
    };
    if span.is_some_and(|span| span.subsec_nanos() != 0) {
        fields.wrong(name, "must be a whole number of seconds");
        return None;
    }
    Some(span)
}

/// Pings a minute, or null for all.
#[expect(clippy::option_option, reason = "not given, unset, set")]
fn ping_limit(fields: &mut Fields<'_>) -> Option<Option<u32>> {
    if fields.drop_null("ping_limit") {
        return Some(None);
    }
    let limit = fields.whole("ping_limit", 1..=PingLimit::MOST.into())?;
    u32::try_from(limit).ok().map(Some)
}

/// By name: `{"rows": "/Processed (\\d+) rows/"}`. All of them; what is not named is dropped.
fn extractors(fields: &mut Fields<'_>) -> Option<Vec<(String, String)>> {
    let map = match fields.take("extractors")? {
        Json::Object(map) => map,
        other => {
            fields.wrong("extractors", format!("must be an object, not {}", kind_of(&other)));
            return None;
        }
    };
    let known = fields.problems.len();
    let mut texts = Vec::with_capacity(map.len());
    for (name, json) in map {
        let field = format!("extractors.{name}");
        let Some(text) = text_of(json, field.clone(), fields.problems) else { continue };
        // Parsed here already, so that those of all are told together with all else.
        match Extractor::parse(&name, &text) {
            Ok(_) => texts.push((name, text)),
            Err(problem) => fields.problems.push(problem.in_field(field)),
        }
    }
    (fields.problems.len() == known).then_some(texts)
}

/// `{"duration": true, "meta": ["rows"]}`, or a part of it.
fn anomalies(fields: &mut Fields<'_>, before: Anomalies) -> Option<Anomalies> {
    let field = fields.field("anomalies");
    let json = fields.take("anomalies")?;
    let known = fields.problems.len();
    let mut inner = Fields::of(json, &field, &["duration", "meta"], fields.problems)?;
    inner.fill_nulls(|name| {
        let usual = Anomalies::default();
        Some(if name == "duration" { Json::from(usual.duration) } else { Json::from(usual.meta) })
    });
    let anomalies = Anomalies {
        duration: inner.flag("duration").unwrap_or(before.duration),
        meta: inner.texts("meta").unwrap_or(before.meta),
    };
    (fields.problems.len() == known).then_some(anomalies)
}

fn overlap(fields: &mut Fields<'_>, before: Overlap) -> Option<Overlap> {
    let field = fields.field("overlap");
    match fields.take("overlap")? {
        Json::String(text) => match shorthand(text.trim()) {
            Ok(overlap) => Some(overlap),
            Err(message) => {
                fields.wrong("overlap", message);
                None
            }
        },
        json @ Json::Object(_) => {
            let known = fields.problems.len();
            let mut inner = Fields::of(json, &field, &["policy", "allowed"], fields.problems)?;
            let usual = Overlap::default();
            inner.fill_nulls(|name| match name {
                "policy" => Some(Json::from(usual.policy.word())),
                _ => Some(Json::from(usual.allowed)),
            });
            let policy = inner.word("policy", &OverlapPolicy::ALL, OverlapPolicy::word);
            let allowed = inner.whole("allowed", 1..=1_000).and_then(|allowed| u32::try_from(allowed).ok());
            // A policy of its own starts anew with one run; a number alone belongs to the policy that is there.
            let start = policy.map_or(before, |policy| Overlap { policy, ..Overlap::default() });
            let overlap = Overlap { allowed: allowed.unwrap_or(start.allowed), ..start };
            (fields.problems.len() == known).then_some(overlap)
        }
        other => {
            fields.wrong("overlap", format!("must be text or an object, not {}", kind_of(&other)));
            None
        }
    }
}

/// `alert`, `refuse`, `allow 3`
fn shorthand(text: &str) -> Result<Overlap, String> {
    let (word, number) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let policy = word_of(word, &OverlapPolicy::ALL, OverlapPolicy::word)?;
    let allowed = match number.trim() {
        "" => 1,
        number => number.parse().map_err(|_| format!("`{number}` is no number of runs: write `allow 3`"))?,
    };
    Ok(Overlap { policy, allowed })
}

fn thresholds(fields: &mut Fields<'_>, before: Thresholds) -> Option<Thresholds> {
    let field = fields.field("thresholds");
    let json = fields.take("thresholds")?;
    let known = fields.problems.len();
    let mut inner = Fields::of(json, &field, &THRESHOLDS, fields.problems)?;
    let usual = Thresholds::default();
    let mut read = |name: &str, before: u16, usual: u16| {
        inner.fill_nulls(|null| (null == name).then(|| Json::from(usual)));
        inner.whole(name, 1..=100).and_then(|number| u16::try_from(number).ok()).unwrap_or(before)
    };
    let thresholds = Thresholds {
        failed: read("failed", before.failed, usual.failed),
        missed: read("missed", before.missed, usual.missed),
        rule: read("rule", before.rule, usual.rule),
        fast: read("fast", before.fast, usual.fast),
        slow: read("slow", before.slow, usual.slow),
        recover: read("recover", before.recover, usual.recover),
    };
    (fields.problems.len() == known).then_some(thresholds)
}

/// `["*"]`, or ids.
pub(super) fn channels(fields: &mut Fields<'_>) -> Option<ChannelChoice> {
    if fields.is_text("channels") {
        let is_all = fields.text("channels")? == "*";
        if !is_all {
            fields.wrong("channels", "must be a list: [\"*\"] for all, or ids of channels");
        }
        return is_all.then_some(ChannelChoice::All);
    }
    let items = fields.list("channels")?;
    let known = fields.problems.len();
    let count = items.len();
    let mut ids: Vec<Uuid> = Vec::new();
    for (field, item) in items {
        let Some(text) = text_of(item, field.clone(), fields.problems) else { continue };
        if text == "*" && count == 1 {
            return Some(ChannelChoice::All);
        }
        match Uuid::try_parse(&text) {
            Ok(id) if !ids.contains(&id) => ids.push(id),
            Ok(_) => {}
            Err(_) => {
                let message = if text == "*" {
                    "`*` stands alone: it means every channel"
                } else {
                    "must be the id of a channel, or `*` alone for all"
                };
                fields.problems.push(watchclock_domain::problem::Problem::new(field, message));
            }
        }
    }
    (fields.problems.len() == known).then_some(ChannelChoice::Some(ids))
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
