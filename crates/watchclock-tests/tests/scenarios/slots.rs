//! Which slot a run belongs to where several could be meant, and what follows for those that are missed.

use watchclock_domain::run::RunFlag;
use watchclock_tests::{World, job::Job, world::time};

async fn slots(job: &Job) -> Vec<String> {
    let words = |slot: watchclock_domain::Time| slot.format("%d %H:%M").to_string();
    job.runs().await.iter().map(|run| run.slot.map_or_else(|| "none".to_owned(), words)).collect()
}

#[tokio::test]
async fn a_run_fills_the_nearest_slot_however_early_runs_may_be() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").early_tolerance("90m").grace("20m").create().await;
    for moment in ["01:00", "01:40", "03:10", "03:50"] {
        world.until(&format!("2027-01-04T{moment}:00Z")).await;
        job.end("").await;
    }
    let filled = ["04 01:00", "04 02:00", "04 03:00", "04 04:00"];
    assert_eq!(slots(&job).await, filled, "{}", job.tape().await);
    // The second run of a slot is one, however far the next slot's window reaches.
    world.advance("1m").await;
    job.end("").await;
    assert!(job.run(5).await.has(RunFlag::Unscheduled), "{}", job.tape().await);
}

#[tokio::test]
async fn a_run_that_starts_when_its_slot_is_missed_is_late_to_the_moment() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.at("2027-01-04T01:04:59.999999Z");
    job.end("a").await;
    world.at("2027-01-04T02:05:00Z");
    job.end("b").await;
    assert_eq!(job.tape().await, "#1 a success\n#2 missed\n#3 b success late_start");
    assert_eq!(job.run(3).await.slot, Some(time("2027-01-04T02:00:00Z")));
}

#[tokio::test]
async fn a_run_of_yesterday_that_is_told_today_does_not_make_up_for_that_of_today() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").create().await;
    world.until("2027-01-05T04:00:00Z").await;
    job.ping("/start?rid=a&ts=2027-01-04T03:00:00Z", "").await;
    job.ping("?rid=a&ts=2027-01-04T03:05:00Z", "").await;
    job.ping("?rid=b&ts=2027-01-04T03:09:00Z", "").await;
    assert_eq!(job.run(3).await.slot, Some(time("2027-01-04T03:00:00Z")), "its own slot");
    assert_eq!(job.health().await, "failing", "{}", job.story().await);
    assert_eq!(world.subjects().await.len(), 1);
    job.ping("/start?rid=c&ts=2027-01-05T03:01:00Z", "").await;
    assert_eq!(job.health().await, "healthy", "that of today, told late");
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_run_that_was_at_work_when_the_slot_came_makes_up_for_it_when_that_is_known() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").create().await;
    world.until("2027-01-05T04:00:00Z").await;
    job.ping("/start?rid=a&ts=2027-01-04T20:00:00Z", "").await;
    assert_eq!(job.health().await, "failing", "it may have ended long before");
    job.ping("?rid=a&ts=2027-01-05T03:30:00Z", "").await;
    assert_eq!(job.health().await, "healthy", "{}", job.story().await);
}

#[tokio::test]
async fn a_run_told_late_does_not_begin_the_count_of_missed_slots_anew() {
    let world = World::new().await;
    let job =
        world.monitor("sync").cron("0 * * * *").grace("5m").thresholds(|all| all.missed = 3).create().await;
    world.until("2027-01-04T02:10:00Z").await;
    job.ping("?ts=2027-01-04T00:59:30Z", "").await;
    assert_eq!(job.story().await, "");
    world.until("2027-01-04T03:10:00Z").await;
    assert_eq!(job.health().await, "failing", "three in a row: {}", job.tape().await);
}
