//! Tables for the reader of fields: what is taken, and how what is wrong is told.

use serde_json::json;

use super::*;

fn told(problems: &Problems) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn everything_wrong_is_told_at_once_and_by_name() {
    let mut problems = Problems::new();
    let sent =
        json!({"name": 5, "paused": "yes", "grace": -1, "names": "x", "tags": ["a", 1], "colour": null});
    let known = ["name", "paused", "grace", "tags"];
    let mut fields = Fields::of(sent, "", &known, &mut problems).unwrap();
    assert_eq!(fields.text("name"), None);
    assert_eq!(fields.flag("paused"), None);
    assert_eq!(fields.span("grace"), None);
    assert_eq!(fields.texts("tags"), None);
    assert_eq!(
        told(&problems),
        [
            "colour: unknown field `colour`; known are `name`, `paused`, `grace`, `tags`",
            "names: unknown field `names`; did you mean `name`?",
            "name: must be text, not a number",
            "paused: must be true or false, not text",
            "grace: a duration cannot be negative",
            "tags[1]: must be text, not a number",
        ]
    );
}

#[test]
fn spans_are_seconds_or_text() {
    let seconds = |json: Json| {
        let mut problems = Problems::new();
        let mut fields = Fields::of(json!({ "a": json }), "", &["a"], &mut problems).unwrap();
        let span = fields.span("a");
        span.map(|span| span.num_milliseconds()).ok_or_else(|| told(&problems).join("; "))
    };
    assert_eq!(seconds(json!(90)), Ok(90_000));
    assert_eq!(seconds(json!(0.25)), Ok(250));
    assert_eq!(seconds(serde_json::from_str("6e2").unwrap()), Ok(600_000));
    assert_eq!(seconds(json!("1h30m")), Ok(5_400_000));
    assert_eq!(seconds(json!("PT5M")), Ok(300_000));
    for wrong in [json!(null), json!(true), json!("soon"), json!(1e300), json!([])] {
        assert!(seconds(wrong.clone()).is_err_and(|told| told.starts_with("a: ")), "{wrong}");
    }
}

#[test]
fn null_unsets_a_limit_and_nothing_else() {
    let mut problems = Problems::new();
    let mut fields = Fields::of(json!({"a": null, "b": null}), "x", &["a", "b"], &mut problems).unwrap();
    assert_eq!(fields.limit("a"), Some(None));
    assert_eq!(fields.limit("c"), None);
    assert_eq!(fields.text("b"), None);
    assert_eq!(told(&problems), ["x.b: must be text, not null"]);
}

#[test]
fn whole_numbers_have_bounds() {
    let whole = |text: &str| {
        let mut problems = Problems::new();
        let json = json!({ "a": serde_json::from_str::<Json>(text).unwrap() });
        Fields::of(json, "", &["a"], &mut problems).unwrap().whole("a", 1..=100)
    };
    assert_eq!(whole("3"), Some(3));
    assert_eq!(whole("3.0"), Some(3));
    for wrong in ["0", "101", "1.5", "\"3\"", "null", "1e400", "99999999999999999999"] {
        assert_eq!(whole(wrong), None, "{wrong}");
    }
}

#[test]
fn words_are_hinted_at() {
    use watchclock_domain::monitor::OverlapPolicy;
    let policy = |text| word_of(text, &OverlapPolicy::ALL, OverlapPolicy::word);
    assert_eq!(policy("refuse"), Ok(OverlapPolicy::Refuse));
    assert_eq!(
        policy("refus").unwrap_err(),
        "`refus` is none of `alert`, `allow`, `refuse`; did you mean `refuse`?"
    );
    assert!(!policy("queue").unwrap_err().contains("did you mean"));
}

#[test]
fn what_the_domain_says_of_wrong_fields_is_not_repeated() {
    let mut problems = vec![Problem::new("name", "must be text"), Problem::new("rules[1]", "must be text")];
    let more = ["name", "rules", "rules[1].when", "rules[11]", "names"];
    add(&mut problems, more.map(|field| Problem::new(field, "wrong")).into());
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["name", "rules[1]", "rules[11]", "names"]);
    let mut problems = vec![Problem::new("", "must be an object")];
    add(&mut problems, vec![Problem::new("name", "is needed")]);
    assert_eq!(problems.len(), 1);
}
