//! What the pure parts cost: finding the next slot, and judging a run. Neighbour: the domain's `rule_bench` has the worst cases.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chrono::DateTime;
use watchclock_domain::{
    rule::{Condition, Facts, Judged},
    run::RunStatus,
    schedule::{Schedule, ScheduleText},
    value::{Meta, Value},
};

/// How long each thing is repeated.
const EACH: Duration = Duration::from_millis(100);

pub(crate) fn measure() {
    println!("{:<54} {:>8}", "", "ns each");
    for (text, tz) in [
        ("every 5m", "UTC"),
        ("*/5 * * * *", "UTC"),
        ("30 2 * * 1-5", "Europe/Berlin"),
        ("0 0 29 2 *", "America/New_York"),
        ("Mon..Fri 02:30", "Europe/Berlin"),
    ] {
        slots(text, tz);
    }
    for when in [
        "records_processed eq 0",
        "error_count gt 0 or status eq \"partial\"",
        "rows lt 0.5 * median(rows, 14)",
        "output contains \"Traceback\"",
    ] {
        rule(when);
    }
    println!();
}

fn slots(text: &str, tz: &str) {
    let written = ScheduleText::from_shorthand(text, Some(tz)).expect("a good schedule");
    let schedule = Schedule::compile(&written).expect("a good schedule");
    let mut at = DateTime::UNIX_EPOCH;
    report(&format!("next slot of {text}, {tz}"), || {
        at = schedule.next(black_box(at)).unwrap_or_default();
    });
}

fn rule(when: &str) {
    let condition = Condition::parse(when).expect("a good rule");
    let meta: Vec<Meta> =
        (0..30).map(|run| Meta::from([("rows".to_owned(), Value::Number((1_000 + run).into()))])).collect();
    let output = "INFO one line among many others\n".repeat(100);
    let runs: Vec<Judged<'_>> = meta.iter().map(|meta| run(meta, &output)).collect();
    let facts = Facts { run: runs[29], history: runs[..29].into(), now: DateTime::UNIX_EPOCH };
    report(&format!("judge {when}"), || {
        black_box(condition.judge(black_box(&facts)));
    });
}

fn run<'r>(meta: &'r Meta, output: &'r str) -> Judged<'r> {
    Judged {
        status: RunStatus::Success,
        duration: Some(chrono::Duration::seconds(90)),
        exit_code: Some(0),
        message: None,
        output: Some(output),
        output_size: output.len() as u64,
        host: None,
        env: None,
        meta: meta.into(),
        overlaps: 0,
        attempts: 1,
        started_at: Some(DateTime::UNIX_EPOCH),
        ended_at: Some(DateTime::UNIX_EPOCH),
    }
}

fn report(name: &str, mut once: impl FnMut()) {
    let began = Instant::now();
    let mut times = 0u128;
    while began.elapsed() < EACH {
        for _ in 0..100 {
            once();
        }
        times += 100;
    }
    println!("{name:<54} {:>8}", began.elapsed().as_nanos() / times);
}
