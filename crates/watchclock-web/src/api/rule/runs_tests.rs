//! Runs as they are sent, and what a rule makes of them.

use serde_json::json;
use watchclock_domain::rule::{Condition, Rule};
use watchclock_service::rule::try_on;

use super::*;

fn tried(when: &str, runs: &Json, extractors: &[(&str, &str)]) -> Vec<&'static str> {
    let mut problems = Problems::new();
    let extractors: Vec<Extractor> =
        extractors.iter().map(|(name, text)| Extractor::parse(name, text).unwrap()).collect();
    let mut fields = Fields::of(json!({ "runs": runs }), "", &["runs"], &mut problems).unwrap();
    let runs = read(&mut fields, &extractors, "2026-01-31T04:00:00Z".parse().unwrap());
    assert_eq!(problems, []);
    let tried = try_on(&runs, &Rule::of(Condition::parse(when).unwrap()));
    tried.iter().map(|tried| tried.verdict.truth.word()).collect()
}

#[test]
fn a_few_fields_are_enough() {
    let runs = json!([{"meta": {"rows": 5}}, {"meta": {"rows": 0}}, {}, {"status": "fail", "exit_code": 3}]);
    assert_eq!(tried("rows eq 0", &runs, &[]), ["false", "true", "unknown", "unknown"]);
    assert_eq!(tried("exit_code eq 3 or status eq \"failed\"", &runs, &[])[3], "true");
    assert_eq!(tried("rows eq 0", &json!([]), &[]), Vec::<&str>::new());
}

#[test]
fn numbers_stay_exact_and_nested_ones_have_dotted_names() {
    let runs: Json =
        serde_json::from_str(r#"[{"meta": {"n": 9007199254740993, "db": {"rows": 0.30}, "l": [1, 2]}}]"#)
            .unwrap();
    for when in ["n eq 9007199254740993", "db.rows eq 0.1 + 0.2", "l.length eq 2"] {
        assert_eq!(tried(when, &runs, &[]), ["true"], "{when}");
    }
    assert_eq!(tried("n eq 9007199254740992", &runs, &[]), ["false"]);
}

#[test]
fn history_reads_the_runs_before() {
    let rows = |rows: i64| json!({"meta": {"rows": rows}});
    let runs = json!([rows(100), rows(100), rows(100), rows(40), {"status": "failed"}]);
    let verdicts = tried("rows lt 0.5 * median(rows, 5)", &runs, &[]);
    assert_eq!(verdicts, ["unknown", "unknown", "unknown", "true", "unknown"]);
    assert_eq!(tried("count(failed, 24h) ge 1", &runs, &[]), ["false", "false", "false", "false", "true"]);
}

#[test]
fn durations_count_as_given_and_times_place_runs() {
    let runs = json!([{"duration": "PT2M30S"}, {"duration": 0.25}, {"started_at": "2026-01-31T03:00:00Z", "ended_at": "2026-01-31T03:30:00Z"}]);
    assert_eq!(tried("duration eq 150", &runs, &[])[0], "true");
    assert_eq!(tried("duration lt 1s", &runs, &[])[1], "true");
    assert_eq!(tried("duration eq 30m", &runs, &[])[2], "true");
}

#[test]
fn extractors_turn_output_into_metadata() {
    let runs =
        json!([{"output": "Processed 0 records\n"}, {"output": "Processed 0 records", "meta": {"rows": 7}}]);
    assert_eq!(tried("rows eq 0", &runs, &[("rows", "/Processed (\\d+)/")]), ["true", "false"]);
}
