//! What rules cost: a judgement in nanoseconds, and a ping of a monitor with 20 rules over 500 runs against one without any, in turn. Neighbour: `rounds` measures many pings at once.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use uuid::Uuid;
use watchclock_domain::{
    Time,
    ping::{Output, Ping, Signal, Source},
    value::{Meta, Value},
};
use watchclock_service::{
    Watchclock,
    monitor::{MonitorChange, Past, RuleChange},
    ping::{PingRequest, PingTo},
};

const RUNS: i64 = 500;
const PINGS: usize = 600;

/// Twenty rules as people write them: half of them look back.
const RULES: [&str; 20] = [
    "records_processed eq 0",
    "records_processed missing",
    "records_processed lt 100",
    "error_count gt 0",
    "error_count gt records_processed * 0.01",
    "duration gt 2h",
    "env eq staging",
    "exit_code ne 0",
    "status ne success",
    "message contains \"warning\"",
    "records_processed lt 0.5 * median(records_processed, 14)",
    "records_processed gt 3 * median(records_processed, 30)",
    "records_processed lt 0.2 * avg(records_processed, 7d)",
    "change(records_processed) lt -90%",
    "prev(records_processed) eq 0 and records_processed eq 0",
    "error_count gt max(error_count, 30) + 5",
    "duration gt 3 * median(duration, 30)",
    "count(failed, 24h) ge 3",
    "last_success older than 26h",
    "records_processed lt 0.5 * median(records_processed, 500)",
];

pub(crate) async fn measure(watchclock: &Watchclock) -> anyhow::Result<()> {
    let project = watchclock.create_project("bench-rules", "Rules", None).await?;
    let now = watchclock.now();
    let since = now - chrono::Duration::hours(RUNS + 1);
    let past = |name: &str, rules: Vec<RuleChange>| Past {
        monitor: MonitorChange {
            name: Some(name.to_owned()),
            rules: Some(rules),
            ..MonitorChange::default()
        },
        since,
        pings: (0..RUNS).map(|run| ping(since + chrono::Duration::hours(run), run)).collect(),
        paused: None,
    };
    let rules = RULES.map(RuleChange::when).to_vec();
    watchclock.create_with_past(project.id, vec![past("none", Vec::new()), past("twenty", rules)]).await?;
    let id = async |slug: &str| anyhow::Ok(watchclock.monitor(project.id, slug).await?.monitor.id);
    let monitors = [id("none").await?, id("twenty").await?];
    let mut took = [Vec::with_capacity(PINGS), Vec::with_capacity(PINGS)];
    for run in 0..PINGS {
        // In turn, so that a machine that gets slower is slower for both.
        for (at, monitor) in monitors.into_iter().enumerate() {
            took[at].push(once(watchclock, monitor, i64::try_from(run)?).await?);
        }
    }
    let [none, twenty] = took.map(|mut took| {
        took.drain(..PINGS / 10);
        took.sort_unstable();
        took[took.len() / 2]
    });
    let difference = twenty.as_nanos().saturating_sub(none.as_nanos());
    println!("a ping that ends a run, one after the other, of {RUNS} runs (median)");
    println!("without rules              {:>8} µs", none.as_micros());
    println!("with {} rules              {:>8} µs", RULES.len(), twenty.as_micros());
    println!("more                       {:>8} µs", difference / 1_000);
    println!("ratio                      {:>8.3}\n", twenty.as_secs_f64() / none.as_secs_f64());
    Ok(())
}

async fn once(watchclock: &Watchclock, monitor: Uuid, run: i64) -> anyhow::Result<Duration> {
    let ping = ping(watchclock.now(), run);
    let began = Instant::now();
    let answer =
        watchclock.ping(PingRequest { to: PingTo::Id(monitor), ping, create: None, is_get: false }).await?;
    let took = began.elapsed();
    answer.run.context("an end makes a run")?;
    Ok(took)
}

fn ping(at: Time, run: i64) -> Ping {
    let number = |number: i64| Value::Number(number.into());
    let mut meta = Meta::from([
        ("records_processed".to_owned(), number(1_000 + run % 37)),
        ("error_count".to_owned(), number(0)),
    ]);
    meta.extend((0..8).map(|key| (format!("other_{key}"), number(key))));
    Ping {
        signal: Signal::Success,
        run_id: None,
        received_at: at,
        happened_at: None,
        exit_code: Some(0),
        message: Some("done".to_owned()),
        meta,
        output: Output::default(),
        source: Source { env: Some("prod".to_owned()), ..Source::default() },
        notes: Vec::new(),
        idempotency_key: None,
    }
}
