//! Random bytes as a rule: no panic, and if it can be read, a judgement over runs of every sort.

use chrono::{DateTime, Duration};
use watchclock_domain::{
    rule::{Condition, Facts, Judged},
    run::RunStatus,
    value::{Meta, Value},
};

pub fn condition(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let condition = match Condition::parse(&text) {
        Ok(condition) => condition,
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            return;
        }
    };
    each_case(OUTPUT, |facts| _ = condition.judge(facts));
    assert!(Condition::parse(condition.text()).is_ok(), "what is stored reads the same");
}

/// The same, and nothing takes as long as `limit`: neither reading a rule, nor judging one run, also one that printed as
/// much as is kept.
pub fn within(limit: std::time::Duration, data: &[u8]) {
    condition(data);
    let text = String::from_utf8_lossy(data);
    timed(limit, || _ = Condition::parse(&text));
    let Ok(condition) = Condition::parse(&text) else { return };
    let much = OUTPUT.repeat(OUTPUT_LIMIT / OUTPUT.len());
    for output in [OUTPUT, &much] {
        each_case(output, |facts| timed(limit, || _ = condition.judge(facts)));
    }
}

const OUTPUT: &str = "line 1\nORA-00942: table or view does not exist\nProcessed 17 records\né\u{0}";
/// As much of an output as is kept, in bytes.
const OUTPUT_LIMIT: usize = 100_000;
/// Tries of which the best counts: other work on the machine only ever adds.
const TRIES: u32 = 20;

fn timed(limit: std::time::Duration, mut once: impl FnMut()) {
    let took = (0..TRIES).map(|_| {
        let began = std::time::Instant::now();
        once();
        began.elapsed()
    });
    let took: Vec<_> = { took }.take_while(|took| *took >= limit).collect();
    assert!(
        took.len() < usize::try_from(TRIES).unwrap_or(0),
        "it took {limit:?} or longer, {TRIES} times: {took:?}"
    );
}

fn each_case(output: &str, mut with: impl FnMut(&Facts<'_>)) {
    let metas: Vec<Meta> = (0..12).map(meta).collect();
    let runs: Vec<Judged<'_>> =
        metas.iter().zip(0..).map(|(meta, number)| run(meta, number, output)).collect();
    for at in [0, 1, 5, 11] {
        let now = DateTime::UNIX_EPOCH + Duration::hours(30);
        with(&Facts { run: runs[at], history: runs[..at].into(), now });
    }
}

fn meta(number: i64) -> Meta {
    let mut meta = Meta::new();
    if number % 4 != 3 {
        meta.insert("rows".to_owned(), Value::Number((number * 1_000).into()));
    }
    meta.insert(
        "text".to_owned(),
        Value::Text(["17", "abc", "", "é"][usize::try_from(number % 4).unwrap_or(0)].to_owned()),
    );
    meta.insert("ok".to_owned(), Value::Flag(number % 2 == 0));
    meta
}

fn run<'r>(meta: &'r Meta, number: i64, output: &'r str) -> Judged<'r> {
    let all = RunStatus::ALL;
    let started = DateTime::UNIX_EPOCH + Duration::hours(number);
    Judged {
        status: all[usize::try_from(number).unwrap_or(0) % all.len()],
        duration: (number % 3 != 0).then(|| Duration::minutes(number)),
        exit_code: u8::try_from(number * 30 % 256).ok(),
        message: (number % 2 == 0).then_some("disk full"),
        output: Some(output),
        output_size: 70,
        host: Some("web-1"),
        env: None,
        meta: meta.into(),
        overlaps: number % 3,
        attempts: 1,
        started_at: (number % 5 != 0).then_some(started),
        ended_at: Some(started + Duration::minutes(number)),
    }
}
