//! What the document must hold, and that it describes exactly the fields that are read.

use std::collections::BTreeSet;

use watchclock_domain::{
    calendar as calendars,
    incident::Kind,
    monitor::{Health, OverlapPolicy},
    rule::{AppliesTo, Dialect, IfMissing, Severity, Truth},
    run::RunStatus,
    schedule,
};
use watchclock_service::key::KeyRole;

use super::{
    super::{
        calendar, channel, key, maintenance, monitor, nouns, project, rule, schedule as schedules, snooze,
    },
    *,
};

fn document() -> Json {
    let (_, document) = nouns().split_for_parts();
    finish(document, "0.1.0", "https://watch.example.org/sub")
}

#[test]
fn inputs_are_described_field_by_field() {
    let document = document();
    let all: Vec<&str> = [channel::EMAIL.as_slice(), channel::WEBHOOK.as_slice()].concat();
    for (schema, fields) in [
        ("MonitorInput", monitor::FIELDS.as_slice()),
        ("RuleInput", monitor::RULE_FIELDS.as_slice()),
        ("ScheduleInput", schedules::FIELDS.as_slice()),
        ("SchedulePreviewInput", schedules::PREVIEW_FIELDS.as_slice()),
        ("RuleTryInput", rule::FIELDS.as_slice()),
        ("RuleTryRun", rule::RUN_FIELDS.as_slice()),
        ("RuleConvertInput", rule::convert::FIELDS.as_slice()),
        ("KeyInput", key::FIELDS.as_slice()),
        ("MaintenanceWindowInput", maintenance::FIELDS.as_slice()),
        ("SnoozeInput", snooze::FIELDS.as_slice()),
        ("ChannelInput", all.as_slice()),
        ("CalendarInput", calendar::FIELDS.as_slice()),
        ("ProjectInput", project::FIELDS.as_slice()),
        ("KeepInput", project::KEEP_FIELDS.as_slice()),
    ] {
        let properties = &document["components"]["schemas"][schema]["properties"];
        let described: BTreeSet<&str> =
            properties.as_object().unwrap_or_else(|| panic!("{schema}")).keys().map(String::as_str).collect();
        assert_eq!(described, fields.iter().copied().collect(), "{schema}");
    }
}

#[test]
fn words_are_described_as_the_domain_has_them() {
    fn all<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> BTreeSet<&'static str> {
        all.iter().map(|value| word(*value)).collect()
    }
    let document = document();
    let schemas = &document["components"]["schemas"];
    for (schema, field, words) in [
        ("Monitor", "health", all(&Health::ALL, Health::word)),
        ("Schedule", "kind", all(&schedule::Kind::ALL, schedule::Kind::word)),
        ("ScheduleInput", "kind", all(&schedule::Kind::ALL, schedule::Kind::word)),
        ("Calendar", "kind", all(&calendars::Kind::ALL, calendars::Kind::word)),
        ("Overlap", "policy", all(&OverlapPolicy::ALL, OverlapPolicy::word)),
        ("OverlapInput", "policy", all(&OverlapPolicy::ALL, OverlapPolicy::word)),
        ("Rule", "severity", all(&Severity::ALL, Severity::word)),
        ("RuleInput", "severity", all(&Severity::ALL, Severity::word)),
        ("Rule", "on", all(&AppliesTo::ALL, AppliesTo::word)),
        ("RuleInput", "on", all(&AppliesTo::ALL, AppliesTo::word)),
        ("Rule", "if_missing", all(&IfMissing::ALL, IfMissing::word)),
        ("RuleInput", "if_missing", all(&IfMissing::ALL, IfMissing::word)),
        ("RuleTryResult", "verdict", all(&Truth::ALL, Truth::word)),
        ("RuleConvertInput", "from", all(&Dialect::ALL, Dialect::word)),
        ("RuleConverted", "from", all(&Dialect::ALL, Dialect::word)),
        ("Run", "status", all(&RunStatus::ALL, RunStatus::word)),
        ("Incident", "kind", all(&Kind::ALL, Kind::word)),
        ("Incident", "severity", all(&Severity::ALL, Severity::word)),
        ("Key", "role", all(&KeyRole::ALL, KeyRole::word)),
        ("KeyInput", "role", all(&KeyRole::ALL, KeyRole::word)),
    ] {
        let described = schemas[schema]["properties"][field]["enum"].as_array();
        let described: BTreeSet<&str> = described
            .unwrap_or_else(|| panic!("{schema}.{field}"))
            .iter()
            .map(|word| word.as_str().unwrap())
            .collect();
        assert_eq!(described, words, "{schema}.{field}");
    }
    assert!(!document.to_string().contains("\"pattern\""));
}

#[test]
fn null_is_described_where_it_is_taken() {
    let document = document();
    let schemas = &document["components"]["schemas"];
    assert!(schemas["MonitorInput"]["properties"]["name"]["type"].to_string().contains("null"));
    assert!(schemas["MonitorInput"]["properties"]["grace"]["oneOf"].to_string().contains("null"));
    assert_eq!(schemas["ChannelInput"]["properties"]["name"]["type"], "string");
    assert_eq!(schemas["RuleTryRun"]["additionalProperties"], false);
}

#[test]
fn every_reference_leads_somewhere() {
    fn references<'a>(json: &'a Json, found: &mut BTreeSet<&'a str>) {
        match json {
            Json::Object(map) => {
                found.extend(map.get("$ref").and_then(Json::as_str));
                map.values().for_each(|json| references(json, found));
            }
            Json::Array(items) => items.iter().for_each(|json| references(json, found)),
            _ => {}
        }
    }
    let document = document();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 20, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_is_described_in_full() {
    let document = document();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations += 1;
            let name = format!("{method} {path}");
            assert!(operation["summary"].is_string(), "{name}");
            assert!(operation["operationId"].is_string(), "{name}");
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{name}");
            let responses = operation["responses"].as_object().unwrap();
            assert!(responses.keys().any(|status| status.starts_with('2')), "{name}");
            assert!(responses.values().all(|response| response["description"].is_string()), "{name}");
            for status in ["401", "403", "422", "default"] {
                assert!(responses[status]["content"][MEDIA_TYPE].is_object(), "{name} {status}");
            }
        }
    }
    assert_eq!(operations, 43);
    assert_eq!(document["components"]["securitySchemes"]["key"]["scheme"], "bearer");
    assert_eq!(document["servers"][0]["url"], "https://watch.example.org/sub");
}
