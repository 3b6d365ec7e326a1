//! Tables for what may be set on a monitor, in the long form and as people type it.

use serde_json::json;
use watchclock_domain::schedule::Kind;

use super::*;

fn read_new(json: Json) -> Result<MonitorChange, Vec<String>> {
    let mut problems = Problems::new();
    let change = read(json, None, &mut problems);
    if problems.is_empty() { Ok(change) } else { Err(problems.iter().map(ToString::to_string).collect()) }
}

#[test]
fn shorthands_mean_the_same_as_the_long_form() {
    let short = read_new(json!({
        "name": "a", "schedule": "every 5m", "grace": "10m", "max_duration": null, "min_duration": 0.5,
        "overlap": "allow 3", "rules": ["rows eq 0"], "channels": ["*"], "tags": ["x"],
    }));
    let long = read_new(json!({
        "name": "a", "schedule": {"kind": "every", "every": 300}, "grace": 600, "max_duration": null,
        "min_duration": "500ms", "overlap": {"policy": "allow", "allowed": 3},
        "rules": [{"when": "rows eq 0", "severity": "critical", "for": 1, "on": "success", "if_missing": "alert"}],
        "channels": "*", "tags": "x",
    }));
    assert_eq!(format!("{:?}", short.unwrap()), format!("{:?}", long.unwrap()));
}

#[test]
fn everything_wrong_is_told_at_once() {
    let told = read_new(json!({
        "nam": "a", "health": "healthy", "schedule": {"kind": "cron", "cron": ["0 3 * *"], "every": 5},
        "grace": 1.5, "overlap": {"policy": "queue", "allowed": 0}, "thresholds": {"failed": 0, "fialed": 1},
        "rules": ["rows eq 0", {"when": "rows qe 0", "for": 0}, 5], "extractors": {"a": "/b(/", "b": 5},
        "anomalies": {"duration": "no", "mata": []},
        "channels": ["*", "x"],
    }))
    .unwrap_err();
    let fields: Vec<&str> = told.iter().map(|told| told.split(": ").next().unwrap()).collect();
    assert_eq!(
        fields,
        [
            "health",
            "nam",
            "schedule.every",
            "schedule.cron[0]",
            "grace",
            "overlap.policy",
            "overlap.allowed",
            "rules[1].for",
            "rules[1].when",
            "rules[2]",
            "extractors.a",
            "extractors.b",
            "anomalies.mata",
            "anomalies.duration",
            "thresholds.fialed",
            "thresholds.failed",
            "channels[0]",
            "channels[1]",
        ],
        "{told:#?}"
    );
}

#[test]
fn schedules_may_leave_out_their_kind() {
    for (given, kind) in [
        (json!({"cron": "0 3 * * *", "tz": "Europe/Berlin"}), Kind::Cron),
        (json!({"oncalendar": ["Mon..Fri 02:30"]}), Kind::OnCalendar),
        (json!({"every": "PT5M"}), Kind::Every),
        (json!({"kind": "none"}), Kind::None),
        (json!("@daily"), Kind::Cron),
        (json!("none"), Kind::None),
    ] {
        let change = read_new(json!({ "schedule": given })).unwrap();
        assert_eq!(change.schedule.unwrap().kind, kind, "{given}");
    }
    for wrong in
        [json!({}), json!({"tz": "UTC"}), json!({"cron": "0 3 * * *", "every": 60}), json!(5), json!("")]
    {
        assert!(read_new(json!({ "schedule": wrong.clone() })).is_err(), "{wrong}");
    }
}

#[test]
fn one_expression_without_a_list_is_named_without_a_place_in_it() {
    let told = read_new(json!({"schedule": {"cron": "0 3 * *"}})).unwrap_err();
    assert!(told[0].starts_with("schedule.cron: "), "{told:?}");
}

#[test]
fn nul_goes_nowhere() {
    let told = read_new(json!({"name": "a\0", "rules": ["output contains \"\0\""]})).unwrap_err();
    assert_eq!(told.len(), 2, "{told:?}");
}

#[test]
fn a_part_of_anomalies_leaves_the_rest() {
    let change =
        read_new(json!({"anomalies": {"meta": ["rows"]}, "extractors": {"rows": "/(\\d+)/"}})).unwrap();
    let anomalies = change.anomalies.unwrap();
    assert!(anomalies.duration && anomalies.meta == ["rows"]);
    assert_eq!(change.extractors.unwrap(), [("rows".to_owned(), "/(\\d+)/".to_owned())]);
}
