//! What holds for any text and any run: no panic, no long wait, places within the text, Kleene's laws. Neighbour: [`super::table`], cases by hand.

use std::{
    fmt::Write,
    time::{Duration, Instant},
};

use bigdecimal::BigDecimal;
use proptest::prelude::*;
use watchclock_domain::{
    rule::{Condition, Extractor, Truth},
    run::RunStatus,
    value::{Meta, Number, Value},
};

use super::support::{Run, judge, noon};

/// Words that rules are made of, right and wrong ones.
const WORDS: &[&str] = &[
    "rows",
    "meta.rows",
    "meta.\"a b\"",
    "status",
    "duration",
    "output",
    "exit_code",
    "env",
    "last_success",
    "and",
    "or",
    "not",
    "eq",
    "ne",
    "<",
    ">=",
    "=",
    "contains",
    "starts with",
    "ends with",
    "matches",
    "in",
    "missing",
    "present",
    "older than",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "/",
    "0",
    "5",
    "-1",
    "1e400",
    "10k",
    "2h",
    "500MB",
    "5%",
    "10min",
    "2xx",
    "\"text\"",
    "\"",
    "/a+b?/i",
    "/(/",
    "true",
    "false",
    "avg(rows, 3)",
    "median(rows, 7d)",
    "prev(rows)",
    "change(duration)",
    "count(failed, 24h)",
    "count(",
    "mean(rows)",
    "&&",
    "\n",
    "ö",
    "…",
    "[",
    ".",
    "'",
];

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|number| Value::Number(Number::from(number))),
        "-?[0-9]{1,40}(\\.[0-9]{1,40})?(e-?[0-9]{1,3})?".prop_map(|text| Value::of_word(&text)),
        ".{0,20}".prop_map(Value::Text),
        any::<bool>().prop_map(Value::Flag),
    ]
}

fn any_run() -> impl Strategy<Value = Run> {
    let meta = proptest::collection::btree_map("rows|a b|status|x", any_value(), 0..4);
    let status = proptest::sample::select(RunStatus::ALL.to_vec());
    let text = || proptest::option::of(".{0,30}");
    (meta, status, text(), text(), proptest::option::of(0..100_000_i64), -3_000_i64..3_000).prop_map(
        |(meta, status, output, env, millis, minutes)| Run {
            status: Some(status),
            duration: millis.map(chrono::Duration::milliseconds),
            output,
            env,
            meta,
            ended_at: Some(noon() + chrono::Duration::minutes(minutes)),
            ..Run::default()
        },
    )
}

/// Parses; whatever comes of it must make sense.
fn parse(text: &str) -> Option<Condition> {
    match Condition::parse(text) {
        Ok(condition) => {
            assert_eq!(condition.text(), text);
            Some(condition)
        }
        Err(problems) => {
            assert!(!problems.is_empty(), "{text}");
            let length = text.chars().count();
            for problem in problems {
                let at = problem.at.expect("a place");
                assert!(at <= length.max(1) && problem.len >= 1, "{text}: {problem:?}");
                assert!(at + problem.len <= length + 1, "{text}: {problem:?}");
                problem.with_caret(text);
            }
            None
        }
    }
}

/// A condition over x, y and z, as text and as what it must come to.
#[derive(Debug, Clone)]
enum Model {
    Compare(&'static str, &'static str, i64),
    Missing(&'static str),
    And(Box<Model>, Box<Model>),
    Or(Box<Model>, Box<Model>),
    Not(Box<Model>),
}

impl Model {
    fn text(&self) -> String {
        match self {
            Self::Compare(name, operator, number) => format!("{name} {operator} {number}"),
            Self::Missing(name) => format!("{name} missing"),
            Self::And(left, right) => format!("({}) and ({})", left.text(), right.text()),
            Self::Or(left, right) => format!("({}) or ({})", left.text(), right.text()),
            Self::Not(inner) => format!("not ({})", inner.text()),
        }
    }

    /// Kleene's logic as minimum, maximum and negation of -1, 0, 1.
    fn truth(&self, value: &impl Fn(&str) -> Option<i64>) -> i8 {
        match self {
            Self::Compare(name, operator, number) => value(name).map_or(0, |value| {
                let holds = match *operator {
                    "eq" => value == *number,
                    "ne" => value != *number,
                    "lt" => value < *number,
                    _ => value >= *number,
                };
                if holds { 1 } else { -1 }
            }),
            Self::Missing(name) => {
                if value(name).is_none() {
                    1
                } else {
                    -1
                }
            }
            Self::And(left, right) => left.truth(value).min(right.truth(value)),
            Self::Or(left, right) => left.truth(value).max(right.truth(value)),
            Self::Not(inner) => -inner.truth(value),
        }
    }
}

fn any_model() -> impl Strategy<Value = Model> {
    let name = || proptest::sample::select(vec!["x", "y", "z"]);
    let operator = proptest::sample::select(vec!["eq", "ne", "lt", "ge"]);
    let leaf = prop_oneof![
        4 => (name(), operator, -2..3_i64).prop_map(|(name, operator, number)| Model::Compare(name, operator, number)),
        1 => name().prop_map(Model::Missing),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| Model::And(left.into(), right.into())),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| Model::Or(left.into(), right.into())),
            inner.prop_map(|inner| Model::Not(inner.into())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_makes_it_panic(text in ".{0,120}", any_text in any::<String>()) {
        parse(&text);
        parse(&any_text);
        let _ = Extractor::parse("rows", &any_text);
        if let Ok(extractor) = Extractor::parse("rows", &format!("/{text}/")) {
            extractor.extract(&any_text);
        }
    }

    #[test]
    fn no_order_of_words_and_no_run_makes_it_panic(
        words in proptest::collection::vec(proptest::sample::select(WORDS.to_vec()), 0..14),
        runs in proptest::collection::vec(any_run(), 1..8),
    ) {
        if let Some(condition) = parse(&words.join(" ")) {
            let verdict = judge(&condition, &runs, noon());
            prop_assert_eq!(verdict.why.is_none(), verdict.truth == Truth::False);
            prop_assert!(verdict.why.is_none_or(|why| !why.is_empty()));
            prop_assert!(verdict.missing.iter().all(|key| condition.names().contains(&key.as_str())));
        }
    }

    #[test]
    fn a_sensible_rule_judges_any_run(
        left in proptest::sample::select(vec!["rows", "x", "rows * 2 - x", "x / rows", "change(rows)",
            "stddev(rows, 3)", "median(rows, 3d)", "sum(duration, 4)", "-rows", "p90(x, 6)", "last(x, 2)"]),
        operator in proptest::sample::select(vec!["eq", "ne", "lt", "gt"]),
        right in proptest::sample::select(vec!["5", "x", "avg(x, 3) + 1", "1e300", "-0.5"]),
        runs in proptest::collection::vec(any_run(), 1..8),
    ) {
        let text = format!("{left} {operator} {right}");
        let condition = parse(&text).expect("a sensible rule");
        let negated = parse(&format!("not ({text})")).expect("a sensible rule");
        prop_assert_eq!(!judge(&condition, &runs, noon()).truth, judge(&negated, &runs, noon()).truth);
    }

    #[test]
    fn logic_is_kleenes(
        model in any_model(),
        x in proptest::option::of(-2..3_i64),
        y in proptest::option::of(-2..3_i64),
    ) {
        let named = [("x", x), ("y", y), ("z", None)].into_iter();
        let meta: Meta = named
            .clone()
            .filter_map(|(name, value)| Some((name.to_owned(), Value::Number(value?.into()))))
            .collect();
        let value = |name: &str| named.clone().find(|(known, _)| *known == name)?.1;
        let expected = match model.truth(&value) {
            1 => Truth::True,
            0 => Truth::Unknown,
            _ => Truth::False,
        };
        let text = model.text();
        prop_assume!(text.len() <= 1_000);
        let verdict = judge(&parse(&text).expect("a rule"), &[Run { meta, ..Run::default() }], noon());
        prop_assert_eq!(verdict.truth, expected, "{}", text);
        prop_assert!(verdict.missing.iter().all(|key| value(key).is_none()));
        prop_assert_eq!(verdict.missing.is_empty(), expected != Truth::Unknown);
    }

    #[test]
    fn numbers_compare_and_calculate_exactly(
        left in "-?[0-9]{1,25}(\\.[0-9]{1,25})?(e-?[0-9]{1,2})?",
        right in "-?[0-9]{1,25}(\\.[0-9]{1,25})?(e-?[0-9]{1,2})?",
    ) {
        let exact = |text: &str| text.parse::<BigDecimal>().expect("a decimal");
        let number = |text: &str| Number::parse(text).expect("a number");
        let difference = exact(&left) - exact(&right);
        prop_assert_eq!(number(&left).cmp(&number(&right)), difference.cmp(&BigDecimal::from(0)));
        let shown = number(&left).to_string();
        prop_assert_eq!(number(&shown), number(&left), "{}", shown);
        let (sum, product) = (exact(&left) + exact(&right), exact(&left) * exact(&right));
        for (ours, exact) in [(number(&left).plus(&number(&right)), sum), (number(&left).times(&number(&right)), product)] {
            if exact.digits() <= 100 {
                prop_assert_eq!(ours.expect("in bounds").decimal().into_owned(), exact);
            }
        }
        let float: f64 = left.parse().expect("a float");
        prop_assert_eq!(number(&left).to_f64().to_bits(), (float + 0.0).to_bits());
        // Sums of more than 100 digits are rounded; these come close.
        let digits = BigDecimal::from(10).powi(95);
        let off = number(&left).minus(&number(&right)).expect("in bounds").decimal().into_owned() - &difference;
        prop_assert!(off.abs() * digits <= exact(&left).abs() + exact(&right).abs());
    }
}

#[test]
fn no_text_takes_long() {
    let mut texts = vec![
        "(".repeat(1_000),
        "not ".repeat(250),
        "-".repeat(1_000),
        "a gtt ".repeat(166),
        "meta.\"".repeat(160),
        "f(".repeat(500),
        "x matches /[a-z]{1,9}/ or ".repeat(38),
        "1.".repeat(500),
        "9".repeat(1_000),
        "a-".repeat(500),
    ];
    let mut in_pattern = |pattern: &str| texts.push(format!("x matches /{pattern}/"));
    in_pattern(&"(".repeat(900));
    in_pattern("((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})");
    in_pattern(&"a?".repeat(400));
    in_pattern(r"(\p{L}{100}){100}");
    in_pattern(&"[^a]".repeat(200));
    in_pattern("(?:){1000}{1000}{1000}");
    let mut slow = String::new();
    for text in texts {
        let start = Instant::now();
        parse(&text);
        if start.elapsed() > Duration::from_secs(1) {
            writeln!(slow, "{:?} {text}", start.elapsed()).expect("writing to a string");
        }
    }
    assert!(slow.is_empty(), "{slow}");
}
