//! Rows that somebody changed by hand: their monitor may be beyond help, the others are not, and nothing spins.

use watchclock_tests::{World, world::minutes};

/// What is done to all that there is of a monitor.
const BY_HAND: &[&str] = &[
    "update monitor_memories set next_slot = 'infinity' where monitor_id = BAD",
    "update monitor_memories set deadline = '-infinity' where monitor_id = BAD",
    "update monitor_memories set last_ended_at = 'infinity' where monitor_id = BAD",
    "update monitor_memories set next_slot = '0001-01-01 BC', active = 99, next_number = -5 where monitor_id = BAD",
    "update monitor_memories set good_durations = '{9223372036854775807,1,2,3,4,5}' where monitor_id = BAD",
    "update monitor_memories set good_durations = '{-9223372036854775808,1,2,3,4,5}', missed_streak = -2147483648 where monitor_id = BAD",
    "update monitor_memories set missed_streak = 2147483647, failed_streak = 2147483647, good_streak = 2147483647 where monitor_id = BAD",
    "update monitor_memories set open_runs = '{-1,5000}', open_from = 90000, hung_unseen = array[gen_random_uuid()] where monitor_id = BAD",
    "update monitors set grace_seconds = 9223372036854775807 where id = BAD",
    "update monitors set grace_seconds = -90000, max_seconds = -5, early_seconds = -9000000000000 where id = BAD",
    "update monitors set early_seconds = 9000000000000, alert_after_seconds = 9000000000000 where id = BAD",
    "update monitors set overlap_allowed = -1, overlap_policy = 'x', thresholds = '{\"failed\": 0}' where id = BAD",
    "update monitors set schedule_kind = 'every', schedule_every = 0 where id = BAD",
    "update monitors set schedule_kind = 'cron', schedule_lines = '{}' where id = BAD",
    "update monitors set time_zone = 'X/Y' where id = BAD",
    "update runs set status = 'whatever' where monitor_id = BAD",
    "update runs set started_at = 'infinity' where monitor_id = BAD",
    "update runs set limit_at = null, ended_at = started_at - interval '5 years' where monitor_id = BAD",
    "update runs set meta = '[1]', notes = '{}', overlap_count = -4, output_size = -1, flags = '{zzz}', exit_code = -7 where monitor_id = BAD",
    "update incidents set kind = 'zzz', facts = '5' where monitor_id = BAD",
    "update incidents set snoozed_until = 'infinity' where monitor_id = BAD",
    "delete from monitor_memories where monitor_id = BAD",
];

#[tokio::test]
async fn whatever_is_wrong_with_some_monitors_the_others_go_on_and_nothing_spins() {
    let world = World::new().await;
    let mut bad = Vec::new();
    for (number, by_hand) in BY_HAND.iter().enumerate() {
        let name = format!("bad-{number}");
        let job = world.monitor(&name).cron("*/10 * * * *").grace("2m").rule("rows eq 0").create().await;
        job.fail("x").await;
        job.start("y").await;
        bad.push((job, *by_hand));
    }
    let good = world.monitor("good").cron("*/10 * * * *").grace("2m").create().await;
    good.end("").await;
    world.advance("1m").await;
    for table in ["monitors", "monitor_memories", "runs", "incidents"] {
        world.database().forget_checks(table).await;
    }
    for (job, by_hand) in &bad {
        world.database().execute(&by_hand.replace("BAD", &format!("'{}'", job.monitor))).await;
    }
    world.database().execute("update monitor_memories set version = version + 1").await;
    world.database().execute("update monitors set version = version + 1").await;
    world.restart();
    let paths: Vec<String> = (0..10).map(|n| format!("?rid=r{n}")).collect();
    for (job, by_hand) in &bad {
        // Together, so that the good ones would be lost with the bad one.
        let (mine, theirs) = tokio::join!(
            futures_util::future::join_all(paths.iter().map(|path| good.ping(path, ""))),
            futures_util::future::join_all(
                ["/start?rid=z", "?rid=z", "?rid=y", "/start", "/log", "/fail"]
                    .map(|path| job.ping(path, "rows=1"))
            ),
        );
        assert!(mine.iter().all(|reply| reply.status == 200), "{by_hand}");
        for reply in theirs {
            assert!([200, 404, 503].contains(&reply.status.as_u16()), "{by_hand}: {}", reply.line());
        }
    }
    for _ in 0..4 {
        world.at(&(world.now() + minutes(5)).to_rfc3339());
        let next = world.watchclock().evaluate().await.expect("the evaluator ticks");
        assert!(next.is_none_or(|next| next > world.now()), "due again at once, at {next:?}");
    }
    assert!(good.story().await.starts_with("missed: no run started"), "{}", good.story().await);
    assert_eq!(good.start("after").await.line(), "200 OK");
    for (job, by_hand) in &bad {
        if by_hand.starts_with("update monitors ") {
            assert!(job.view().await.monitor.broken.is_some(), "the page says so: {by_hand}");
        }
    }
}
