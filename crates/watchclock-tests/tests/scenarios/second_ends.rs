//! A second end of a run: what it adds is taken and judged, what it repeats counts once, and times that cannot be are left out.

use watchclock_tests::{World, world::minutes};

#[tokio::test]
async fn what_a_second_end_adds_is_kept_and_judged() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("records_processed eq 0").create().await;
    job.start("a").await;
    job.ping("/0?rid=a", "").await;
    assert_eq!(job.story().await, "");
    for _ in 0..2 {
        job.end_with("a", "records_processed=0").await;
    }
    assert_eq!(job.run(1).await.meta.len(), 1);
    assert_eq!(job.story().await, "rule: records_processed is 0");
    assert_eq!(job.incident().await.events.len(), 1, "the repeat says nothing new");
    job.end_with("a", "records_processed=7").await;
    assert_eq!(
        job.story().await,
        "rule: records_processed is 0 → the rule is no longer true",
        "the later word wins"
    );

    let failing = world.monitor("failing").create().await;
    failing.fail("b").await;
    failing.ping("/5?rid=b&msg=disk+full", "").await;
    let run = failing.run(1).await;
    assert_eq!((run.exit_code, run.message.as_deref()), (Some(5), Some("disk full")));
    failing.ping("/0?rid=b", "rows=3").await;
    let run = failing.run(1).await;
    assert_eq!((run.status.word(), run.exit_code, run.meta.len()), ("failed", Some(5), 1), "{:?}", run.notes);
    assert_eq!(failing.story().await, "failed: run #1 failed");
}

#[tokio::test]
async fn several_runs_in_a_row_are_counted_by_runs_and_not_by_ends() {
    let world = World::new().await;
    let job = world.monitor("sync").rule_for("rows eq 0", 2).create().await;
    for body in ["rows=0", "rows=0&note=again", "rows=0&note=once more"] {
        job.end_with("a", body).await;
    }
    assert_eq!(job.story().await, "");
    job.end_with("b", "rows=0").await;
    assert!(job.story().await.starts_with("rule: "), "{}", job.story().await);
}

#[tokio::test]
async fn output_that_comes_twice_is_kept_once() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.ping("/start?rid=a", "began\n").await;
    job.ping("/start?rid=a", "began\n").await;
    job.log("a", "half-way").await;
    for _ in 0..3 {
        job.end_with("a", "copied all tables").await;
        world.restart();
    }
    assert_eq!(job.output(1).await, "began\nhalf-way\ncopied all tables");
    job.end_with("a", "and cleaned up").await;
    assert_eq!(job.output(1).await, "began\nhalf-way\ncopied all tables\nand cleaned up");
}

#[tokio::test]
async fn an_end_before_its_start_is_not_believed() {
    let world = World::new().await;
    let job = world.monitor("sync").min_duration("10s").create().await;
    world.until("2027-01-05T10:00:00Z").await;
    job.start("a").await;
    world.advance("5m").await;
    job.ping("?rid=a&ts=2027-01-05T09:59:00Z", "").await;
    let run = job.run(1).await;
    assert_eq!((run.duration(), job.story().await.as_str()), (Some(minutes(5)), ""));
    assert_eq!(
        run.notes,
        ["the time of its end was before its start and is not believed; its arrival counts"]
    );
    // Neither is a start after the end.
    job.ping("/start?rid=b&ts=2027-01-05T10:09:00Z", "").await;
    world.advance("2m").await;
    job.end("b").await;
    let run = job.run(2).await;
    assert_eq!((run.duration(), job.story().await.as_str()), (Some(minutes(2)), ""));
    assert_eq!(
        run.notes,
        ["the time of its start was after its end and is not believed; its arrival counts"]
    );
}

#[tokio::test]
async fn what_a_rule_found_in_failures_is_over_when_runs_succeed() {
    let world = World::new().await;
    let job = world
        .monitor("sync")
        .rule_of_failures("output contains \"disk full\"")
        .thresholds(|counts| counts.recover = 2)
        .create()
        .await;
    job.ping("/fail?rid=a", "disk full").await;
    assert_eq!(job.health().await, "failing");
    job.end("b").await;
    assert!(!job.story().await.contains('→'), "{}", job.story().await);
    job.end("c").await;
    assert_eq!(job.story().await.matches("→ a run succeeded").count(), 2, "{}", job.story().await);
}
