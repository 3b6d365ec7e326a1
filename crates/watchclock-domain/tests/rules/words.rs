//! What verdicts say, for people: digits in groups, times as times, and what the rule itself says.

use watchclock_domain::rule::Condition;

use crate::support::{Run, judge, noon};

/// A rule, runs as JSON, and the sentence about the last of them.
const SENTENCES: [(&str, &str, &str); 18] = [
    ("rows lt 5000", r#"[{"meta": {"rows": 1204}}]"#, "rows is 1,204, less than 5,000"),
    ("rows lt 5_000", r#"[{"meta": {"rows": 1204}}]"#, "rows is 1,204, less than 5,000"),
    ("rows gt -5000", r#"[{"meta": {"rows": -1204}}]"#, "rows is -1,204, more than -5,000"),
    ("rows lt 5k", r#"[{"meta": {"rows": 1204}}]"#, "rows is 1,204, less than 5k"),
    ("1500 gt rows", r#"[{"meta": {"rows": -1204.5}}]"#, "rows is -1,204.5, less than 1,500"),
    ("rows in (1204, 5)", r#"[{"meta": {"rows": 1204}}]"#, "rows is 1,204, one of 1,204, 5"),
    ("batch eq \"20261130\"", r#"[{"meta": {"batch": "20261130"}}]"#, "batch is \"20261130\""),
    (
        "rows gt 10 or env eq 1204",
        r#"[{"env": "x", "meta": {"rows": 12044}}]"#,
        "rows is 12,044, more than 10",
    ),
    ("duration gt 2h", r#"[{"duration": 9000}]"#, "duration is 2 h 30 min, more than 2h"),
    ("duration gt 7200", r#"[{"duration": 9000}]"#, "duration is 2 h 30 min, more than 2 h"),
    ("duration gt 2h", r#"[{"duration": 7201}]"#, "duration is 2 h 1 s, more than 2h"),
    ("duration - 60 gt 5", r#"[{"duration": 90}]"#, "duration - 60 is 30 s, more than 5 s"),
    ("duration / duration eq 1", r#"[{"duration": 9000}]"#, "duration / duration is 1"),
    (
        "duration gt 2 * median(duration, 3)",
        r#"[{"duration": 1743}, {"duration": 1743}, {"duration": 1743}, {"duration": 5900}]"#,
        "duration is 1 h 38 min, more than 2 * median(duration, 3), which is 58 min 06 s",
    ),
    (
        "change(duration) gt 1",
        r#"[{"duration": 100}, {"duration": 1000}]"#,
        "change(duration) is 9, more than 1",
    ),
    ("output_size ge 5", r#"[{"output": "hello"}]"#, "output_size is 5 bytes, at least 5 bytes"),
    ("rows lt name", r#"[{"meta": {"rows": 1204, "name": "x"}}]"#, "rows is 1,204 (a number)"),
    ("rows lt 5000 and x present", r#"[{"meta": {"rows": 1204, "x": 1}}]"#, "less than 5,000; x is present"),
];

#[test]
fn verdicts_speak_to_people() {
    for (rule, runs, sentence) in SENTENCES {
        let condition = Condition::parse(rule).unwrap();
        let runs: Vec<serde_json::Value> = serde_json::from_str(runs).unwrap();
        let runs: Vec<Run> = runs.iter().map(Run::of_json).collect();
        let why = judge(&condition, &runs, noon()).why.unwrap_or_default();
        assert!(why.contains(sentence), "{rule}: {why}");
    }
}

#[test]
fn what_was_read_has_its_unit() {
    let rule = "duration gt 2 * median(duration, 3) and rows gt 1";
    let condition = Condition::parse(rule).unwrap();
    let number = |text| watchclock_domain::value::Value::of_word(text);
    for (name, value, words) in [
        ("duration", "5900", "1 h 38 min"),
        ("median(duration, 3)", "1743", "29 min 03 s"),
        ("rows", "12044", "12,044"),
        ("rows", "full", "full"),
    ] {
        assert_eq!(condition.words_of(name, &number(value)), words);
    }
    assert!(condition.is_time("duration") && !condition.is_time("rows"));
}
