//! How many in a row, while the numbers are changed or an incident is open: more of the same adds to it.

use watchclock_domain::{
    monitor::{Overlap, OverlapPolicy, Thresholds},
    schedule::ScheduleText,
};
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::World;

fn thresholds(thresholds: Thresholds) -> MonitorChange {
    MonitorChange { thresholds: Some(thresholds), ..MonitorChange::default() }
}

#[tokio::test]
async fn a_failure_between_two_good_runs_adds_to_the_incident_that_is_still_open() {
    let world = World::new().await;
    let set = |all: &mut Thresholds| (all.failed, all.recover) = (2, 2);
    let job = world.monitor("flaky").thresholds(set).create().await;
    for good in [false, false, true, false, true, true] {
        if good {
            job.end("").await
        } else {
            job.fail("").await
        };
        world.mails().await;
    }
    let incidents = job.incidents().await;
    assert_eq!((incidents.len(), incidents[0].run_count), (1, 2), "{}", job.story().await);
    assert!(incidents[0].resolved_at.is_some());
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_number_that_is_raised_while_an_incident_is_open_keeps_nothing_out_of_it() {
    let world = World::new().await;
    let fast =
        |name: &str| world.monitor(name).cron("0 * * * *").grace("5m").min_duration("5m").rule("rows eq 0");
    let (missed, other) = (fast("missed").create().await, fast("other").create().await);
    world.until("2027-01-04T01:00:00Z").await;
    let run = async |job: &watchclock_tests::job::Job| {
        job.start("").await;
        job.end_with("", "rows=0").await;
        job.fail("").await;
    };
    run(&other).await;
    world.until("2027-01-04T01:30:00Z").await;
    let raised = Thresholds { failed: 5, missed: 5, rule: 5, fast: 5, ..Thresholds::default() };
    for job in [&missed, &other] {
        job.edit(thresholds(raised)).await;
    }
    run(&other).await;
    world.until("2027-01-04T03:30:00Z").await;
    let counts = |incidents: Vec<watchclock_domain::incident::Incident>| {
        let words = incidents.iter().map(|one| format!("{} {}", one.kind.word(), one.run_count));
        words.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(counts(missed.incidents().await), "missed 3");
    let told = counts(other.incidents().await);
    for kind in ["fast 2", "rule 2"] {
        assert!(told.contains(kind), "{kind} is not in {told}");
    }
}

#[tokio::test]
async fn a_number_that_is_lowered_counts_with_the_next_run() {
    let world = World::new().await;
    let job = world.monitor("flaky").thresholds(|all| all.failed = 5).create().await;
    for _ in 0..3 {
        job.fail("").await;
    }
    job.edit(thresholds(Thresholds::default())).await;
    assert_eq!(job.story().await, "", "never for the past");
    job.fail("").await;
    assert_eq!(job.story().await, "failed: run #4 failed");
}

#[tokio::test]
async fn a_monitor_that_expects_no_runs_any_more_misses_none() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").create().await;
    world.advance("2h10m").await;
    assert_eq!(job.health().await, "failing");
    let schedule = |schedule| MonitorChange { schedule: Some(schedule), ..MonitorChange::default() };
    job.edit(schedule(ScheduleText::every(3_600))).await;
    assert_eq!(job.health().await, "failing", "another schedule makes up for nothing");
    job.edit(schedule(ScheduleText::none())).await;
    assert_eq!(job.health().await, "waiting");
    assert!(job.story().await.ends_with("→ no runs are expected any more"), "{}", job.story().await);
    world.advance("1d").await;
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn whoever_refuses_again_waits_for_all_that_started_meanwhile() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("1h").manual_resume().create().await;
    let policy =
        |policy| MonitorChange { overlap: Some(Overlap { policy, allowed: 1 }), ..MonitorChange::default() };
    job.start("a").await;
    job.pause().await;
    assert_eq!(
        job.try_start("b").await.status,
        409,
        "a pause quiets alerts; it does not let two run at once"
    );
    job.resume().await;
    job.edit(policy(OverlapPolicy::Alert)).await;
    assert_eq!(job.try_start("b").await.status, 200);
    job.edit(policy(OverlapPolicy::Refuse)).await;
    job.end("a").await;
    let refused = job.try_start("c").await;
    assert!(refused.line().starts_with("409 refused: run #3"), "{}", refused.line());
    // It ran all the same, and what became of it counts.
    job.fail("c").await;
    assert!(
        job.run(4).await.notes.contains(&"it ran although its start was refused".to_owned()),
        "{}",
        job.tape().await
    );
    assert!(job.story().await.ends_with("failed: run #4 failed"), "{}", job.story().await);
    job.end("b").await;
    assert_eq!(job.try_start("d").await.status, 200);
}
