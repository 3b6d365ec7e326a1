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
    let metas: Vec<Meta> = (0..12).map(meta).collect();
    let output = "line 1\nORA-00942: table or view does not exist\nProcessed 17 records\né\u{0}";
    let runs: Vec<Judged<'_>> =
        metas.iter().zip(0..).map(|(meta, number)| run(meta, number, output)).collect();
    for at in [0, 1, 5, 11] {
        let facts =
            Facts { run: runs[at], history: &runs[..at], now: DateTime::UNIX_EPOCH + Duration::hours(30) };
        let _ = condition.judge(&facts);
    }
    assert!(Condition::parse(condition.text()).is_ok(), "what is stored reads the same");
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
        meta,
        overlaps: number % 3,
        attempts: 1,
        started_at: (number % 5 != 0).then_some(started),
        ended_at: Some(started + Duration::minutes(number)),
    }
}
