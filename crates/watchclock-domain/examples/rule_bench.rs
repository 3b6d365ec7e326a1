//! Prints how long rules take to parse and to judge: `cargo run --release -p watchclock-domain --example rule_bench`.
//! Neighbour: [`watchclock_domain::rule`], which is measured.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use watchclock_domain::{
    Time,
    rule::{Condition, Facts, Judged},
    run::RunStatus,
    value::{Meta, Number, Value},
};

const OUTPUT_LIMIT: usize = 100_000;

fn main() {
    let usual = Scene::new("usual numbers", 600, |run| [Number::from(1_000 + run % 17), Number::from(run)]);
    let ugly = Scene::new("ugly numbers", 600, |run| {
        let digits = "123456789".repeat(11);
        let sign = if run % 2 == 0 { "-" } else { "" };
        let exponent = (run * 37) % 700 - 350;
        let number = Number::parse(&format!("{sign}{}.{digits}e{exponent}", run % 10)).expect("a number");
        [number.clone(), number]
    });
    println!("{:>10} {:>10}  {:<8} {:<14} rule", "parse ns", "judge ns", "verdict", "over");
    for rule in [
        "records_processed eq 0",
        "records_processed gt 0",
        "records_processed ne 17 and duration lt 2h",
        "error_count gt 0 or status eq \"partial\"",
        "nothing_of_this eq 0",
        "db.rows.deleted gt db.rows.total * 0.2",
        "rows / total lt 0.05",
        "message contains \"done\"",
        "env in (staging, test, prod)",
        "prev(rows) gt 5",
        "change(rows) lt -50%",
        "rows lt 0.5 * median(rows, 14)",
        "rows lt 0.5 * median(rows, 500)",
        "rows gt avg(rows, 30) + 3 * stddev(rows, 30)",
        "count(failed, 24h) ge 3",
        "last_success older than 26h",
        "output contains \"Traceback\"",
        "output matches /ORA-\\d{5}/",
        "output matches /error|fatal|panic/i",
    ] {
        measure(&usual, rule);
    }
    println!("-- the slowest that could be thought of");
    let eight: Vec<String> = ["avg", "median", "p90", "p95", "stddev", "sum", "min", "max"]
        .iter()
        .map(|function| format!("{function}(rows, 500) ne 1"))
        .collect();
    let many = |part: &str, joint: &str| {
        let count = (990 - part.len()) / (part.len() + joint.len());
        vec![part; count].join(joint)
    };
    for rule in [
        eight.join(" and "),
        many("rows ne 1", " and "),
        format!("{} gt 1", many("rows", " * ")),
        format!("{} gt 1", many("rows", " + ")),
        format!("{} gt 1", many("rows", " / ")),
        many("message contains qq", " or "),
        ["output contains qq"; 12].join(" or "),
    ] {
        measure(&usual, &rule);
        measure(&ugly, &rule);
    }
    for rule in [
        "output matches /[ab]*a[ab]{60}c/",
        "output matches /[ab]*a[ab]{440}c/",
        "output matches /(a|b|ab)*c/",
        "output matches /(?:[a-z0-9 ]{1,20}:){8}x/",
        "output matches /\\w+\\s+\\w+\\s+\\w+\\s+zzz/",
        "output matches /(x+x+)+y/",
    ] {
        measure(&usual, rule);
        measure(&ugly, rule);
    }
}

/// A run with its history.
struct Scene {
    name: &'static str,
    metas: Vec<Meta>,
    output: String,
}

impl Scene {
    fn new(name: &'static str, runs: i64, numbers: impl Fn(i64) -> [Number; 2]) -> Self {
        let metas = (0..runs).map(|run| {
            let [rows, total] = numbers(run);
            let number = |number: i64| Value::Number(Number::from(number));
            let mut meta = Meta::from([
                ("records_processed".to_owned(), number(0)),
                ("error_count".to_owned(), number(0)),
                ("db.rows.deleted".to_owned(), number(5)),
                ("db.rows.total".to_owned(), number(1_000)),
                ("rows".to_owned(), Value::Number(rows)),
                ("total".to_owned(), Value::Number(total)),
            ]);
            meta.extend((0..20).map(|key| (format!("other_{key}"), number(key))));
            meta
        });
        let mut output: String = if name == "usual numbers" {
            let line = "2026-01-31 04:00:00 INFO copied 1204 rows of table orders to the archive\n";
            line.repeat(OUTPUT_LIMIT / line.len())
        } else {
            // Neither end nor rhythm: the worst for automata that remember what they have seen.
            let mut state = 1u64;
            std::iter::repeat_with(|| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                if state >> 63 == 0 { 'a' } else { 'b' }
            })
            .take(OUTPUT_LIMIT)
            .collect()
        };
        output.truncate(OUTPUT_LIMIT);
        Self { name, metas: metas.collect(), output }
    }

    fn runs(&self) -> Vec<Judged<'_>> {
        let start = Time::from_timestamp(1_800_000_000, 0).expect("a time");
        let hours = (0i64..).map(|hour| start + chrono::Duration::hours(hour));
        self.metas
            .iter()
            .zip(hours)
            .map(|(meta, at)| Judged {
                status: RunStatus::Success,
                duration: Some(chrono::Duration::milliseconds(61_250)),
                exit_code: Some(0),
                message: Some("all done"),
                output: Some(&self.output),
                output_size: self.output.len() as u64,
                host: Some("db1"),
                env: Some("prod"),
                meta: meta.into(),
                overlaps: 0,
                attempts: 1,
                started_at: Some(at),
                ended_at: Some(at + chrono::Duration::seconds(61)),
            })
            .collect()
    }
}

fn measure(scene: &Scene, rule: &str) {
    let parse = best(|| Condition::parse(rule).is_ok());
    let condition = match Condition::parse(rule) {
        Ok(condition) => condition,
        Err(problems) => return println!("{:>10} {}", "refused", problems[0].with_caret(rule)),
    };
    let runs = scene.runs();
    let (run, history) = runs.split_last().expect("some runs");
    let facts = Facts { run: *run, history: history.into(), now: run.ended_at.expect("it ended") };
    let judge = best(|| condition.judge(&facts).truth);
    let verdict = condition.judge(&facts).truth.word();
    let shown: String = rule.chars().take(60).collect();
    println!("{parse:>10} {judge:>10}  {verdict:<8} {:<14} {shown}", scene.name);
}

/// Nanoseconds of one call: the best of several rounds.
fn best<T>(call: impl Fn() -> T) -> u128 {
    let start = Instant::now();
    black_box(call());
    let once = start.elapsed().max(Duration::from_nanos(20));
    let calls = (Duration::from_millis(10).as_nanos() / once.as_nanos()).clamp(1, 100_000);
    (0..5)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..calls {
                black_box(call());
            }
            start.elapsed().as_nanos() / calls
        })
        .min()
        .unwrap_or(0)
}
