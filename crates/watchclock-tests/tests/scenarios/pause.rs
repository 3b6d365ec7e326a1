//! A paused monitor records and stays quiet.

use watchclock_tests::{World, world::time};

/// B37
#[tokio::test]
async fn a_paused_monitor_records_and_alerts_nobody() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").max_duration("10m").manual_resume().create().await;
    job.pause().await;
    job.pause().await;
    world.advance("3d").await;
    job.start("a").await;
    world.advance("1h").await;
    job.fail("b").await;
    job.start("c").await;
    job.end("c").await;
    assert_eq!(job.story().await, "");
    assert_eq!(job.health().await, "paused", "a ping does not resume it");
    assert_eq!(job.runs().await.len(), 3, "{}", job.tape().await);
    job.resume().await;
    let next = job.view().await.memory.deadline.unwrap();
    assert!(next > world.now(), "the first deadline is in the future: {next}");
    world.until("2027-01-07T03:04:00Z").await;
    assert_eq!((job.story().await.as_str(), world.subjects().await.len()), ("", 0));
    world.until("2027-01-07T04:00:00Z").await;
    assert_eq!(world.subjects().await.len(), 1, "it is watched again");
}

#[tokio::test]
async fn a_ping_resumes_a_paused_monitor() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").create().await;
    job.pause().await;
    world.until("2027-01-06T12:00:00Z").await;
    job.start("a").await;
    job.fail("a").await;
    assert_eq!(job.health().await, "failing");
    assert_eq!(job.view().await.memory.next_slot, Some(time("2027-01-07T03:00:00Z")));
    assert_eq!(job.tape().await, "#1 a failed 0s unscheduled");
    world.until("2027-01-07T04:00:00Z").await;
    assert_eq!(job.runs().await.len(), 2, "and is watched again: {}", job.tape().await);
}

#[tokio::test]
async fn a_job_that_fails_while_it_is_paused_opens_nothing_when_it_is_resumed() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").manual_resume().create().await;
    job.start("stuck").await;
    job.pause().await;
    world.advance("1h").await;
    assert_eq!(job.tape().await, "#1 stuck hung", "what happened is recorded");
    job.resume().await;
    world.advance("1d").await;
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn an_incident_that_was_open_resolves_once_after_a_pause() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    assert_eq!(world.subjects().await.len(), 1);
    job.pause().await;
    world.advance("6h").await;
    assert_eq!(world.subjects().await.len(), 1, "nothing is sent meanwhile");
    job.resume().await;
    job.end("b").await;
    assert_eq!(world.subjects().await.len(), 2);
}
