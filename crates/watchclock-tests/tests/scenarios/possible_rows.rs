//! Rows that nobody could decide from: the database refuses them, and where it did not, the monitor says so.

use watchclock_tests::World;

#[tokio::test]
async fn impossible_rows_are_refused_by_the_database() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").rule("rows eq 0").create().await;
    job.end_with("a", "rows=0").await;
    assert!(job.story().await.contains("rule"));
    let window = serde_json::json!({"name": "night", "cron": "0 22 * * *", "lasts": "8h"});
    assert_eq!(world.api("POST", "/v1/maintenance-windows", window).await.status, 201);
    let finite = ["infinity", "-infinity", "0044-03-15 00:00:00+00 BC", "270000-01-01 00:00:00+00"];
    let times = |table: &str, columns: &[&str]| -> Vec<String> {
        let of = |column: &&str| finite.map(|time| format!("update {table} set {column} = '{time}'"));
        columns.iter().flat_map(of).collect()
    };
    let mut refused: Vec<String> = [
        "monitors set grace_seconds = -1000",
        "monitors set grace_seconds = 9223372036854775807",
        "monitors set max_seconds = -5",
        "monitors set max_seconds = 0",
        "monitors set min_milliseconds = 0",
        "monitors set early_seconds = -1",
        "monitors set alert_after_seconds = -1",
        "monitors set overlap_policy = 'panic'",
        "monitors set overlap_allowed = 0",
        "monitors set thresholds = '[1,2]'",
        "monitors set thresholds = '{\"failed\": \"many\"}'",
        "monitors set thresholds = '{\"failed\": 0}'",
        "monitors set thresholds = '{\"failed\": 1.5}'",
        "monitors set thresholds = '{\"failed\": [5]}'",
        "monitors set schedule_kind = 'lunar'",
        "monitors set schedule_every = 5",
        "rules set severity = 'panic'",
        "rules set for_runs = 0",
        "monitor_memories set active = -1",
        "runs set status = 'lost'",
        "runs set number = 0",
        "incidents set kind = 'odd'",
        "incidents set run_count = -1",
        "maintenance_windows set lasts_seconds = 5",
    ]
    .map(|change| format!("update {change}"))
    .to_vec();
    refused.extend(times("monitors", &["created_at", "updated_at"]));
    refused.extend(times(
        "monitor_memories",
        &["anchor", "next_slot", "deadline", "last_ping_at", "last_started_at", "fine_since", "quiet_until"],
    ));
    refused
        .extend(times("runs", &["slot", "started_at", "ended_at", "first_seen_at", "limit_at", "hung_at"]));
    refused.extend(times("incidents", &["opened_at", "snoozed_until", "resolved_at"]));
    for sql in refused {
        assert!(world.database().refuses(&sql).await, "{sql}");
    }
    world.until("2027-01-05T04:00:00Z").await;
    assert!(job.tape().await.ends_with("missed"), "{}", job.tape().await);
}

#[tokio::test]
async fn a_value_that_cannot_be_read_is_said_and_is_no_default() {
    let world = World::new().await;
    for table in ["monitors", "rules", "monitor_memories"] {
        world.database().forget_checks(table).await;
    }
    for (n, (damage, says, expects)) in [
        ("grace_seconds = -1000", "grace_seconds is -1000, which is no length from 0 s to a year", false),
        ("grace_seconds = 9223372036854775807", "grace_seconds is 9223372036854775807", false),
        ("early_seconds = 0", "early_seconds is 0, which is no length from 1 s", false),
        ("max_seconds = -5", "max_seconds is -5", true),
        ("min_milliseconds = 0", "min_milliseconds is 0, which is no length from 1 ms to a year", true),
        ("alert_after_seconds = -1", "alert_after_seconds is -1", true),
        (
            "overlap_policy = 'panic', overlap_allowed = 0",
            "overlap policy `panic` is unknown; overlap_allowed is 0",
            true,
        ),
        ("thresholds = '[1,2]'", "thresholds are `[1,2]`, no object", true),
        ("thresholds = '{\"slow\": 0}'", "the threshold `slow` is `0`, not from 1 to 100", true),
        ("ping_limit = 0", "ping_limit is 0, not from 1 to 6000", true),
    ]
    .into_iter()
    .enumerate()
    {
        let job = world.monitor(&format!("broken-{n}")).cron("0 3 * * *").grace("5m").create().await;
        let sql = format!("update monitors set {damage}, version = version + 1 where id = '{}'", job.monitor);
        world.database().execute(&sql).await;
        let view = job.view().await;
        let told = view.monitor.broken.clone().unwrap_or_default();
        assert!(told.contains(says), "{damage}: {told}");
        assert_eq!(view.health.word(), "failing");
        assert_eq!(view.monitor.schedule.next(world.now()).is_some(), expects, "{damage}");
        assert_eq!(job.end("a").await.line(), "200 OK", "its pings are recorded");
    }
    let ruled = world.monitor("ruled").rule("rows eq 0").create().await;
    world.database().execute("update rules set severity = 'panic'").await;
    world.database().execute("update monitors set version = version + 1 where slug = 'ruled'").await;
    let told = ruled.view().await.monitor.broken.clone().unwrap_or_default();
    assert_eq!(told, "rule `rows eq 0`: severity `panic` is unknown");
    let odd = world.monitor("odd").create().await;
    let sql = "update monitor_memories set good_durations = '{-5,9223372036854775807,60000}', version = version + 1";
    world.database().execute(sql).await;
    assert_eq!(odd.view().await.memory.good_durations, [60_000]);
}
