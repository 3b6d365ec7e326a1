//! A paused monitor records and stays quiet.

use watchclock_domain::monitor::{Overlap, OverlapPolicy};
use watchclock_service::monitor::MonitorChange;
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

#[tokio::test]
async fn an_alert_that_waits_when_the_monitor_is_paused_goes_out_after_the_pause_if_at_all() {
    let world = World::new().await;
    let change = |job: &str| world.monitor(job).alert_after("15m").manual_resume();
    let (still, helped) = (change("still").create().await, change("helped").create().await);
    for job in [&still, &helped] {
        job.fail("a").await;
        job.pause().await;
    }
    world.advance("1d").await;
    helped.end("b").await;
    assert_eq!(world.subjects().await, [""; 0], "a paused monitor alerts nobody");
    still.resume().await;
    helped.resume().await;
    world.advance("1d").await;
    assert_eq!(world.subjects().await, ["[still failing] still: run #1 failed"]);
    still.end("c").await;
    assert_eq!(world.subjects().await.len(), 2, "and its recovery");
}

#[tokio::test]
async fn a_paused_monitor_has_no_deadline_and_any_ping_resumes_it() {
    let world = World::new().await;
    for signal in ["/start", "", "/fail", "/log", "/3"] {
        let job = world.monitor(&format!("job{}", signal.replace('/', "-"))).cron("0 * * * *").create().await;
        job.pause().await;
        assert_eq!(job.view().await.memory.deadline, None);
        world.advance("5h").await;
        assert_eq!((job.runs().await.len(), job.health().await), (0, "paused"));
        job.ping(signal, "").await;
        assert_ne!(job.health().await, "paused", "{signal}");
        let memory = job.view().await.memory;
        assert!(memory.deadline > Some(world.now()) && memory.anchor == world.now(), "{signal}");
        job.pause().await;
    }
}

#[tokio::test]
async fn an_edit_resolves_what_it_made_right() {
    let world = World::new().await;
    let job = world.monitor("sync").min_duration("5m").create().await;
    job.start("a").await;
    job.end("a").await;
    job.start("b").await;
    job.start("c").await;
    assert_eq!(job.story().await.matches('→').count(), 0, "{}", job.story().await);
    let overlap = Some(Overlap { policy: OverlapPolicy::Allow, allowed: 2 });
    job.edit(MonitorChange { min_duration: Some(None), overlap, ..MonitorChange::default() }).await;
    assert_eq!(
        job.story().await,
        "fast: finished in 0 s, sooner than 5 min → the shortest duration was unset\n\
         overlap: run #3 started while #2 was still running → as many runs at once are allowed now"
    );
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn an_edited_schedule_forgets_what_was_unknown_and_missed_before() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("10m").create().await;
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    world.tick().await;
    let schedule = watchclock_domain::schedule::ScheduleText::cron("0 12 * * *", "UTC");
    job.edit(MonitorChange { schedule: Some(schedule), ..MonitorChange::default() }).await;
    world.until("2027-01-04T12:09:59Z").await;
    assert_eq!((job.story().await.as_str(), world.subjects().await.len()), ("", 1), "only the gap was told");
    world.advance("1s").await;
    assert_eq!(world.subjects().await.len(), 2);
}
