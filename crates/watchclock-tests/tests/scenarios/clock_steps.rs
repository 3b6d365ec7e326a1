//! The clock of the machine steps back, after it went ahead or for no reason; and downtimes that follow each other.

use watchclock_tests::{World, world::minutes};

#[tokio::test]
async fn what_lies_ahead_of_a_clock_that_was_set_back_is_watched() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T00:30:00Z").await;
    job.end("a").await;
    world.set_clock("2027-01-04T05:30:00Z");
    world.tick().await;
    assert_eq!(world.subjects().await, ["[not watched] Watchclock: 1 monitor was not watched for 5 h"]);
    world.set_clock("2027-01-04T00:31:00Z");
    world.tick().await;
    // Of the five hours that never were, nothing is left.
    let new = world.monitor("new").cron("0 * * * *").max_duration("10m").grace("5m").create().await;
    new.start("x").await;
    assert_eq!(new.tape().await, "#1 x running unscheduled");
    world.until("2027-01-04T00:41:00Z").await;
    assert_eq!(new.story().await, "hung: run #1 has not ended within 10 min");
    world.until("2027-01-04T01:05:00Z").await;
    assert!(
        new.story().await.contains("missed: no run started for 2027-01-04 01:00"),
        "{}",
        new.story().await
    );
}

#[tokio::test]
async fn an_active_run_keeps_what_is_left_to_it_when_the_clock_is_set_back() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("1h").create().await;
    world.until("2027-01-04T12:00:00Z").await;
    job.start("a").await;
    world.advance("20m").await;
    world.set_clock("2027-01-04T07:00:00Z");
    world.tick().await;
    let refused = job.try_start("b").await;
    assert_eq!(refused.header("retry-after"), "2400", "a lease of an hour, twenty minutes old");
    world.advance("10m").await;
    job.start("a").await;
    job.end("a").await;
    assert_eq!(job.run(1).await.duration(), Some(minutes(30)));
    job.start("c").await;
    world.set_clock("2027-01-04T01:00:00Z");
    world.restart();
    world.advance("59m").await;
    assert_eq!(job.story().await, "");
    world.advance("2m").await;
    assert_eq!(job.story().await, "hung: run #3 has not ended within 1 h", "by the time that passed");
    world.facts_agree().await;
}

#[tokio::test]
async fn a_year_that_never_was_does_not_silence_a_monitor_until_it_comes() {
    let world = World::new().await;
    let often = world.monitor("often").every("10m").grace("1m").create().await;
    let daily = world.monitor("daily").cron("0 3 * * *").grace("5m").create().await;
    for job in [&often, &daily] {
        job.end("").await;
    }
    world.set_clock("2037-01-04T12:00:00Z");
    world.tick().await;
    for job in [&often, &daily] {
        job.end("").await;
    }
    world.set_clock("2027-01-04T00:05:00Z");
    world.tick().await;
    let before = world.subjects().await.len();
    assert_eq!((often.health().await, daily.health().await), ("healthy", "healthy"));
    world.until("2027-01-04T00:14:00Z").await;
    often.end("").await;
    world.until("2027-01-04T00:24:59Z").await;
    assert_eq!(often.story().await, "", "{}", often.tape().await);
    world.advance("1s").await;
    assert!(
        often.story().await.starts_with("missed: no run started for 2027-01-04 00:24"),
        "{}",
        often.story().await
    );
    world.until("2027-01-04T03:05:00Z").await;
    assert!(
        daily.story().await.starts_with("missed: no run started for 2027-01-04 03:00"),
        "{}",
        daily.story().await
    );
    assert_eq!(world.subjects().await.len(), before + 2);
}

#[tokio::test]
async fn a_fresh_grace_that_ends_in_another_downtime_is_given_again() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("10m").create().await;
    world.until("2027-01-04T00:50:00Z").await;
    job.end("x").await;
    for _ in 0..2 {
        world.down_for("20m");
        world.tick().await;
        world.advance("5m").await;
        assert_eq!((job.health().await, job.story().await.as_str()), ("late", ""));
    }
    world.advance("4m59s").await;
    assert_eq!(job.story().await, "");
    world.advance("1s").await;
    assert!(job.story().await.starts_with("missed: nothing was heard since"), "{}", job.story().await);
    assert!(world.subjects().await.iter().all(|subject| subject.starts_with("[not watched]")));
}

#[tokio::test]
async fn a_silence_of_a_minute_is_no_gap_and_one_server_of_two_is_enough() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T01:04:30Z").await;
    world.down_for("60s");
    world.tick().await;
    assert_eq!(job.tape().await, "#1 missed", "it was watched");
    world.until("2027-01-04T02:04:30Z").await;
    world.down_for("61s");
    world.tick().await;
    assert_eq!(job.tape().await, "#1 missed\n#2 unknown");
    world.advance("30m").await;
    // One of two is down for an hour; the other one ticks.
    let other = world.second_server();
    for _ in 0..70 {
        world.set_clock(&(world.now() + minutes(1)).to_rfc3339());
        other.evaluate().await.unwrap();
    }
    world.restart();
    world.tick().await;
    assert_eq!(job.tape().await, "#1 missed\n#2 unknown\n#3 missed");
    assert_eq!(world.database().value("select count(*) from watch_gaps").await.as_deref(), Some("1"));
}

#[tokio::test]
async fn what_a_gap_put_off_is_due_at_its_own_time_when_most_of_the_gap_never_was() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T00:30:00Z").await;
    job.end("a").await;
    // The gap ends after the slot of one o'clock, which so has a fresh grace until 01:06.
    world.set_clock("2027-01-04T01:01:00Z");
    world.tick().await;
    world.set_clock("2027-01-04T00:50:00Z");
    world.tick().await;
    world.until("2027-01-04T01:04:59Z").await;
    assert_eq!(job.story().await, "");
    world.until("2027-01-04T01:05:00Z").await;
    assert_eq!(job.story().await, "missed: no run started for 2027-01-04 01:00 +00:00");
}

#[tokio::test]
async fn what_maintenance_held_back_is_told_when_a_clock_shows_that_it_has_not_begun() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("1h").create().await;
    let window =
        serde_json::json!({"name": "upgrade", "from": "2027-01-04T01:00:00Z", "to": "2027-01-04T06:00:00Z"});
    assert_eq!(world.api("POST", "/v1/maintenance-windows", window).await.status, 201);
    job.start("a").await;
    world.until("2027-01-04T01:02:00Z").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 a hung", ""));
    world.set_clock("2027-01-04T00:50:00Z");
    world.tick().await;
    assert_eq!(job.story().await, "hung: run #1 has not ended within 1 h");
}
