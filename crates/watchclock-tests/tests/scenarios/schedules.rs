//! When runs are expected: missed, late, covered, several at once, and the clock changes.

use watchclock_domain::{run::RunFlag, schedule::ScheduleText};
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::{World, world::time};

#[tokio::test]
async fn a_slot_without_a_run_is_missed_when_its_grace_is_over() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").tz("Europe/Berlin").grace("10m").create().await;
    world.until("2027-01-04T02:09:59Z").await;
    assert_eq!((job.tape().await.as_str(), job.health().await), ("", "late"));
    world.advance("1s").await;
    assert_eq!(job.tape().await, "#1 missed");
    assert_eq!(job.run(1).await.slot, Some(time("2027-01-04T02:00:00Z")));
    assert_eq!(job.health().await, "failing");
    world.advance("20m").await;
    job.start("a").await;
    assert_eq!(job.tape().await, "#1 missed\n#2 a running late_start");
    assert_eq!(job.health().await, "healthy");
    job.end("a").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[0].starts_with("[failing] nightly: "), "{subjects:?}");
    assert!(subjects[1].starts_with("[resolved] nightly: "), "{subjects:?}");
}

/// B18
#[tokio::test]
async fn a_monitor_that_was_never_pinged_alerts_at_its_first_slot() {
    let world = World::new().await;
    let job = world.monitor("forgotten").cron("0 3 * * *").grace("10m").create().await;
    assert_eq!(job.health().await, "waiting");
    world.advance("1d").await;
    assert!(
        job.story()
            .await
            .starts_with("missed: has never been pinged; a run was expected at 2027-01-04 03:00")
    );
    world.advance("3d").await;
    assert_eq!(job.tape().await, "#1 missed\n#2 missed\n#3 missed\n#4 missed");
    assert_eq!(job.incident().await.incident.run_count, 4, "one incident");
    assert_eq!(world.subjects().await.len(), 1, "one mail");
}

/// B12
#[tokio::test]
async fn a_run_a_little_early_satisfies_its_slot() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 1 * * *").grace("10m").create().await;
    world.until("2027-01-04T00:59:30Z").await;
    job.end("").await;
    world.until("2027-01-04T23:00:00Z").await;
    assert_eq!(job.tape().await, "#1 success");
    assert_eq!(job.run(1).await.slot, Some(time("2027-01-04T01:00:00Z")));
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn a_second_run_for_a_slot_is_unscheduled_and_told_where_asked_for() {
    let world = World::new().await;
    let job = world.monitor("invoice").cron("0 1 * * *").alert_unscheduled().create().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.end("").await;
    world.advance("2m").await;
    job.end("").await;
    assert_eq!(job.tape().await, "#1 success\n#2 success unscheduled");
    assert_eq!(
        job.story().await,
        "unscheduled: run #2 started outside the schedule → an event, over at once"
    );
    assert_eq!(world.subjects().await.len(), 1, "an event without a recovery");
}

#[tokio::test]
async fn a_slot_that_passes_during_a_run_is_covered() {
    let world = World::new().await;
    let job = world.monitor("hourly").cron("0 * * * *").grace("5m").max_duration("6h").create().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.start("long").await;
    world.until("2027-01-04T03:02:00Z").await;
    job.end("long").await;
    world.until("2027-01-04T03:30:00Z").await;
    assert_eq!(job.tape().await, "#1 long success 2h2m", "02:00 and 03:00 were covered");
    assert_eq!(job.health().await, "healthy");
    job.start("delayed").await;
    let run = job.run(2).await;
    assert_eq!(run.slot, Some(time("2027-01-04T03:00:00Z")), "the run that waited for it to end");
    assert!(!run.has(RunFlag::Unscheduled));
}

#[tokio::test]
async fn a_slot_that_passed_before_the_run_hung_is_covered() {
    let world = World::new().await;
    let job = world.monitor("hourly").cron("0 * * * *").grace("10m").max_duration("65m").create().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.start("stuck").await;
    world.until("2027-01-04T02:30:00Z").await;
    assert_eq!(job.tape().await, "#1 stuck hung", "it hung at 02:05, after the slot at 02:00");
    world.until("2027-01-04T03:30:00Z").await;
    assert_eq!(job.tape().await, "#1 stuck hung\n#2 missed");
}

#[tokio::test]
async fn several_expressions_are_a_union() {
    let world = World::new().await;
    let job = world.monitor("report").cron("0 6 * * *\n30 18 * * *").grace("5m").create().await;
    world.advance("1d").await;
    let slots: Vec<_> = job.runs().await.iter().filter_map(|run| run.slot).collect();
    assert_eq!(slots, [time("2027-01-04T06:00:00Z"), time("2027-01-04T18:30:00Z")]);
}

#[tokio::test]
async fn an_interval_counts_from_the_last_start() {
    let world = World::new().await;
    let job = world.monitor("poll").every("5m").grace("1m").create().await;
    world.advance("4m").await;
    job.start("").await;
    world.advance("10s").await;
    job.end("").await;
    world.until("2027-01-04T00:09:59Z").await;
    assert_eq!(job.story().await, "", "due at 00:09, and its grace runs");
    world.advance("1s").await;
    assert_eq!(job.tape().await, "#1 success 10s\n#2 missed");
    world.advance("7m").await;
    assert_eq!(job.run(3).await.status.word(), "missed");
    job.start("").await;
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-04T00:22:00Z")));
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn the_next_slot_of_a_late_interval_counts_on_from_its_last() {
    let world = World::new().await;
    let job = world.monitor("poll").every("10m").grace("1h").create().await;
    world.advance("25m").await;
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-04T00:30:00Z")));
}

#[tokio::test]
async fn a_grace_longer_than_the_interval_misses_each_slot_in_its_time() {
    let world = World::new().await;
    let job = world.monitor("poll").cron("*/10 * * * *").grace("25m").create().await;
    world.until("2027-01-04T00:34:00Z").await;
    assert_eq!(job.tape().await, "");
    job.end("").await;
    assert_eq!(job.run(1).await.slot, Some(time("2027-01-04T00:30:00Z")));
    world.until("2027-01-04T01:04:59Z").await;
    assert_eq!(job.tape().await, "#1 success", "00:10 and 00:20 were in their grace");
    world.until("2027-01-04T01:15:00Z").await;
    assert_eq!(job.tape().await, "#1 success\n#2 missed\n#3 missed");
}

#[tokio::test]
async fn an_edited_schedule_never_alerts_for_the_past() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 20 * * *").create().await;
    world.until("2027-01-04T12:00:00Z").await;
    let schedule = ScheduleText::cron("0 6 * * *", "UTC");
    job.edit(MonitorChange { schedule: Some(schedule), ..MonitorChange::default() }).await;
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-05T06:00:00Z")));
    world.until("2027-01-05T05:59:00Z").await;
    assert_eq!((job.tape().await, job.story().await), (String::new(), String::new()));
}

/// B16
#[tokio::test]
async fn restarts_do_not_reset_the_clock() {
    let world = World::new().await;
    let job = world.monitor("daily").every("1d").grace("1h").create().await;
    job.end("").await;
    world.advance("23h").await;
    world.restart();
    world.advance("30m").await;
    world.restart();
    world.advance("90m").await;
    assert_eq!(job.tape().await, "#1 success\n#2 missed");
}

/// B1
#[tokio::test]
async fn a_time_that_the_spring_skips_is_expected_once_after_the_gap() {
    for (ping, runs) in [
        (Some("2027-03-28T01:00:00Z"), "#1 success"),
        (Some("2027-03-28T01:09:00Z"), "#1 success"),
        (None, "#1 missed"),
    ] {
        let world = World::new().await;
        world.at("2027-03-27T12:00:00Z");
        let job = world.monitor("nightly").cron("30 2 * * *").tz("Europe/Berlin").grace("10m").create().await;
        if let Some(ping) = ping {
            world.until(ping).await;
            job.end("").await;
        }
        world.until("2027-03-28T12:00:00Z").await;
        assert_eq!(job.tape().await, runs, "{ping:?}");
    }
}

/// B2
#[tokio::test]
async fn the_hour_that_autumn_repeats_is_expected_twice_by_an_hourly_job() {
    let world = World::new().await;
    world.at("2026-11-01T04:30:00Z");
    let job = world.monitor("hourly").cron("0 * * * *").tz("America/New_York").grace("5m").create().await;
    for hour in ["05", "07"] {
        world.until(&format!("2026-11-01T{hour}:00:00Z")).await;
        job.end("").await;
    }
    assert_eq!(job.tape().await, "#1 success\n#2 missed\n#3 success", "silence at 06:00Z is missed");
}

/// B3
#[tokio::test]
async fn a_time_that_autumn_repeats_is_expected_once_by_a_daily_job() {
    for pings in [&["00:30"][..], &["00:30", "01:30"]] {
        let world = World::new().await;
        world.at("2026-10-24T12:00:00Z");
        let job = world.monitor("nightly").cron("30 2 * * *").tz("Europe/Berlin").grace("2h").create().await;
        for at in pings {
            world.until(&format!("2026-10-25T{at}:00Z")).await;
            job.end("").await;
        }
        world.until("2026-10-25T12:00:00Z").await;
        assert_eq!(job.story().await, "", "{pings:?}");
    }
}

#[tokio::test]
async fn a_threshold_of_missed_slots_waits_for_so_many() {
    let world = World::new().await;
    let two = |thresholds: &mut watchclock_domain::monitor::Thresholds| thresholds.missed = 2;
    let job = world.monitor("hourly").cron("0 * * * *").grace("5m").thresholds(two).create().await;
    world.until("2027-01-04T01:30:00Z").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 missed", ""));
    world.until("2027-01-04T02:30:00Z").await;
    assert!(job.story().await.starts_with("missed: "));
}
