//! Rules that look back at earlier runs, and rules that time alone can make true. Neighbour: [`super::table`], rules over one run.

use chrono::Duration;
use watchclock_domain::{
    rule::{
        AppliesTo, Condition, Facts, HistoryNeed, IfMissing, Judged, Rule, Severity, Truth, missing_opens,
    },
    run::RunStatus,
};

use super::support::{Run, judge, meta, noon};

/// Runs an hour apart, the last at noon: a number of rows each; nothing for a good run without rows,
/// `f` for a failed one.
fn runs(rows: &str) -> Vec<Run> {
    let words: Vec<&str> = rows.split_whitespace().collect();
    let first = noon() - Duration::hours(i64::try_from(words.len()).expect("a few runs") - 1);
    let hours = (0..).map(|hour| first + Duration::hours(hour));
    words
        .into_iter()
        .zip(hours)
        .map(|(word, at)| {
            let run = Run { ended_at: Some(at), ..Run::default() };
            match word {
                "-" => run,
                "f" => Run {
                    status: Some(RunStatus::Failed),
                    meta: meta(&serde_json::json!({"rows": 9_999})),
                    ..run
                },
                rows => Run {
                    meta: meta(&serde_json::from_str(&format!(r#"{{"rows": {rows}}}"#)).expect("JSON")),
                    ..run
                },
            }
        })
        .collect()
}

/// Each line: a rule, the rows of the runs, the verdict and what its reason contains.
const TABLE: &[(&str, &str, Truth, &str)] = &[
    ("rows lt 0.5 * median(rows, 4)", "100 110 90 100 49", Truth::True, "which is 50"),
    ("rows lt 0.5 * median(rows, 4)", "100 110 90 100 50", Truth::False, ""),
    ("median(rows, 3) eq 100", "1 90 110 100 7", Truth::True, "median(rows, 3) is 100"),
    ("avg(rows, 3) eq 2", "1 2 3 7", Truth::True, ""),
    ("avg(rows, 3) eq 2", "1 2 f f 3 7", Truth::True, ""),
    ("min(rows, 3) eq 1 and max(rows, 3) eq 3", "1 2 3 7", Truth::True, ""),
    ("sum(rows, 3) eq 0.6", "0.1 0.2 0.3 7", Truth::True, ""),
    ("p90(rows, 10) eq 9", "1 2 3 4 5 6 7 8 9 10 0", Truth::True, ""),
    ("p95(rows, 10) eq 10", "1 2 3 4 5 6 7 8 9 10 0", Truth::True, ""),
    ("p50(rows, 4) eq 2", "1 2 3 4 0", Truth::True, ""),
    ("stddev(rows, 8) gt 2.13 and stddev(rows, 8) lt 2.14", "2 4 4 4 5 5 7 9 0", Truth::True, ""),
    ("last(rows, 3) eq 3", "1 3 - 7", Truth::True, ""),
    ("last(rows, 1) eq 3", "1 3 - 7", Truth::Unknown, "no earlier good run"),
    ("prev(rows) eq 3", "1 3 f 7", Truth::True, ""),
    ("prev(rows) eq 3", "7", Truth::Unknown, "no earlier good run tells rows"),
    ("rows ne prev(rows)", "7 7", Truth::False, ""),
    ("change(rows) lt -50%", "100 49", Truth::True, "change(rows) is -0.51"),
    ("change(rows) lt -50%", "100 50", Truth::False, ""),
    ("change(rows) eq 1", "0 50", Truth::Unknown, "division by zero"),
    ("change(rows) eq 1", "5 -", Truth::Unknown, "rows is missing"),
    // too little history: fewer than half of N, at least three
    ("avg(rows, 14) gt 0", "1 1 1 1 1 1 5", Truth::Unknown, "6 of at least 7"),
    ("avg(rows, 14) gt 0", "1 1 1 1 1 1 1 5", Truth::True, ""),
    ("avg(rows, 4) gt 0", "1 1 5", Truth::Unknown, "2 of at least 3"),
    ("avg(rows, 2) gt 0", "1 1 5", Truth::True, ""),
    ("avg(rows, 4) gt 0", "1 - 1 1 1 5", Truth::True, ""),
    ("avg(rows, 4) gt 0", "1 1 1 - - - 1 5", Truth::Unknown, "1 of at least 3"),
    // windows of time: the last at noon, each an hour before
    ("avg(rows, 3h) eq 2", "9 9 1 2 3 7", Truth::Unknown, "2 of at least 3"),
    ("avg(rows, 4h) eq 2", "9 9 1 2 3 7", Truth::True, ""),
    ("last(rows, 90m) eq 3", "9 2 3 7", Truth::True, ""),
    ("last(rows, 30m) eq 3", "9 2 3 7", Truth::Unknown, "no earlier good run"),
    ("count(failed, 24h) ge 3", "f 1 f 1 f", Truth::True, "count(failed, 24h) is 3, at least 3"),
    ("count(failed, 4h) ge 3", "f 1 f 1 f", Truth::False, ""),
    ("count(failed, 3) eq 2", "f 1 f 1 f", Truth::True, ""),
    ("count(any, 24h) eq 5", "f 1 f 1 f", Truth::True, ""),
    ("count(missed, 24h) eq 0", "1", Truth::True, ""),
    ("last_success older than 3h", "1 f f f f", Truth::True, "last_success is 4h old, more than 3h"),
    ("last_success older than 4h", "1 f f f f", Truth::False, ""),
    ("last_success older than 1h", "f f", Truth::Unknown, "no run has succeeded yet"),
    ("last_success missing", "f f", Truth::True, ""),
    ("last_success present", "f 1", Truth::True, ""),
];

#[test]
fn history_is_good_runs_before_this_one() {
    for (rule, rows, truth, why) in TABLE {
        let condition = Condition::parse(rule).unwrap();
        let verdict = judge(&condition, &runs(rows), noon());
        let told = verdict.why.clone().unwrap_or_default();
        assert!(verdict.truth == *truth && told.contains(why), "{rule} over {rows}: {verdict:?}");
    }
}

#[test]
fn a_verdict_tells_what_it_read() {
    let condition = Condition::parse("rows lt 0.5 * median(rows, 4) and rows ge 0").unwrap();
    let verdict = judge(&condition, &runs("100 110 90 100 49"), noon());
    let read: Vec<String> = verdict
        .read
        .iter()
        .map(|(name, value)| {
            format!("{name}={}", value.as_ref().map_or_else(|| "?".to_owned(), ToString::to_string))
        })
        .collect();
    assert_eq!(read, ["rows=49", "median(rows, 4)=100"]);
    assert_eq!(
        verdict.why.as_deref(),
        Some("rows is 49, less than 0.5 * median(rows, 4), which is 50; rows is 49, at least 0")
    );
    let nothing = judge(&condition, &runs("5 -"), noon());
    assert_eq!(nothing.read, [("rows".to_owned(), None), ("median(rows, 4)".to_owned(), None)]);
    assert_eq!(nothing.missing, ["rows"]);
}

#[test]
fn a_rule_says_what_it_needs() {
    let need = |rule: &str| Condition::parse(rule).unwrap().history();
    assert_eq!(need("rows gt 5"), None);
    assert_eq!(need("prev(rows) gt 5"), Some(HistoryNeed { runs: 1, window: None }));
    assert_eq!(
        need("avg(rows, 14) gt 5 and median(rows, 7d) gt 5 or count(failed, 24h) gt 1"),
        Some(HistoryNeed { runs: 14, window: Some(Duration::days(7)) })
    );
    assert_eq!(need("last_success older than 1d"), Some(HistoryNeed { runs: 1, window: None }));

    let condition = Condition::parse("meta.output contains x and a.b gt prev(c) and output missing").unwrap();
    assert_eq!(condition.names(), ["output", "a.b", "c"]);
    assert!(condition.reads_output() && !condition.is_time_driven());
    assert!(!Condition::parse("meta.output contains x").unwrap().reads_output());
    for (rule, driven) in [
        ("last_success older than 1d or rows eq 0", true),
        ("count(failed, 24h) ge 3", true),
        ("count(failed, 10) ge 3", false),
        ("median(rows, 7d) gt 3", false),
    ] {
        assert_eq!(Condition::parse(rule).unwrap().is_time_driven(), driven, "{rule}");
    }
}

#[test]
fn time_alone_changes_a_rule_at_a_known_moment() {
    let runs = runs("1 f f 1 f");
    let judged: Vec<Judged<'_>> = runs.iter().map(Run::judged).collect();
    let (run, history) = judged.split_last().unwrap();
    let at = |now| Facts { run: *run, history: history.into(), now };
    for rule in ["last_success older than 3h", "count(failed, 24h) lt 3", "count(success, 2h) eq 0"] {
        let condition = Condition::parse(rule).unwrap();
        let mut now = noon();
        let before = condition.judge(&at(now)).truth;
        assert_eq!(before, Truth::False, "{rule}");
        let change = condition.next_change(&at(now), None).expect("a moment");
        now = change - Duration::milliseconds(2);
        assert_eq!(condition.judge(&at(now)).truth, before, "{rule} before {change}");
        assert_eq!(condition.judge(&at(change)).truth, Truth::True, "{rule} at {change}");
    }
    assert_eq!(Condition::parse("rows gt 5").unwrap().next_change(&at(noon()), None), None);
    let stale = Condition::parse("last_success older than 2h").unwrap();
    let now = noon() + Duration::days(9);
    assert_eq!(stale.judge(&at(now)).truth, Truth::True);
    let resumed = Some(now - Duration::hours(1));
    assert_eq!(stale.judge_since(&at(now), resumed).truth, Truth::False, "a pause does not count");
    let change = stale.next_change(&at(now), resumed).expect("a moment");
    assert_eq!(change, now + Duration::hours(1) + Duration::milliseconds(1));
}

#[test]
fn a_field_that_earlier_runs_had_opens_when_it_is_gone() {
    let rule = |text: &str, if_missing| Rule {
        id: uuid::Uuid::nil(),
        name: text.to_owned(),
        severity: Severity::Warning,
        for_runs: 1,
        applies_to: AppliesTo::Success,
        if_missing,
        channels: None,
        condition: Condition::parse(text).unwrap(),
    };
    let had = |key: &str| key == "rows";
    for (text, run, if_missing, opens) in [
        ("rows eq 0", r"{}", IfMissing::Alert, true),
        ("rows eq 0", r"{}", IfMissing::Ignore, false),
        ("rows eq 0", r#"{"rows": 5}"#, IfMissing::Alert, false),
        ("never_sent eq 0", r"{}", IfMissing::Alert, false),
        ("rows eq 0 or errors gt 0", r#"{"errors": 1}"#, IfMissing::Alert, false),
        ("rows eq 0 or errors gt 0", r#"{"errors": 0}"#, IfMissing::Alert, true),
        ("rows eq 0 and errors gt 0", r#"{"errors": 0}"#, IfMissing::Alert, false),
        ("rows lt 5", r#"{"rows": "many"}"#, IfMissing::Alert, false),
    ] {
        let rule = rule(text, if_missing);
        let run = Run { meta: meta(&serde_json::from_str(run).unwrap()), ..Run::default() };
        let verdict = judge(&rule.condition, &[run], noon());
        assert_eq!(missing_opens(&rule, &verdict, had), opens, "{text}: {verdict:?}");
    }
}

#[test]
fn words_are_read_back() {
    for severity in Severity::ALL {
        assert_eq!(Severity::from_word(severity.word()), Some(severity));
    }
    for applies_to in AppliesTo::ALL {
        assert_eq!(AppliesTo::from_word(applies_to.word()), Some(applies_to));
    }
    for if_missing in IfMissing::ALL {
        assert_eq!(IfMissing::from_word(if_missing.word()), Some(if_missing));
    }
    for truth in Truth::ALL {
        assert_eq!(Truth::from_word(truth.word()), Some(truth));
    }
    assert!(AppliesTo::Success.covers(RunStatus::Success) && !AppliesTo::Success.covers(RunStatus::Failed));
    assert!(AppliesTo::Any.covers(RunStatus::Failed) && !AppliesTo::Any.covers(RunStatus::Hung));
}
