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

#[tokio::test]
async fn what_an_older_run_has_to_add_ends_nothing_that_a_newer_one_began() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows eq 0").create().await;
    let watched = world.monitor("watched").watch(&["size"]).create().await;
    for size in 1_000..1_025 {
        watched.end_with("", &format!("size={size}")).await;
        world.advance("1m").await;
    }
    for rid in ["a", "b"] {
        job.end_with(rid, "rows=0").await;
        watched.end_with(rid, if rid == "a" { "size=1010" } else { "size=1" }).await;
        world.advance("1m").await;
    }
    job.end_with("a", "rows=5").await;
    watched.end_with("a", "late words").await;
    assert_eq!((job.health().await, watched.health().await), ("failing", "failing"), "{}", job.story().await);
    assert_eq!(job.tape().await, "#1 a success\n#2 b success rule_broken", "the flag follows what is known");
    watched.ping("?rid=b&msg=hello", "").await;
    assert_eq!(watched.incident().await.events.len(), 1, "nothing new of its size");
    job.end_with("b", "rows=5").await;
    watched.end_with("b", "size=1012").await;
    assert_eq!((job.health().await, watched.health().await), ("healthy", "healthy"));
}

#[tokio::test]
async fn a_value_that_was_missing_and_then_came_is_that_of_one_run() {
    let world = World::new().await;
    let job = world.monitor("sync").rule_for("n eq 0", 2).create().await;
    job.end_with("a", "n=5").await;
    world.advance("1m").await;
    job.end("b").await;
    job.end_with("b", "n=0").await;
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn what_was_read_out_of_the_output_is_read_again_with_more_of_it() {
    let world = World::new().await;
    let job = world.monitor("sync").extractor("n", r"/n=(\d+)/").rule("n eq 0").create().await;
    job.end_with("a", "copied, n=5").await;
    job.end_with("a", "copied again, n=0").await;
    assert_eq!(job.story().await, "rule: n is 0");
    job.end_with("b", r#"{"meta": {"n": 7}, "output": "n=0 it says"}"#).await;
    job.end_with("b", "and n=0 once more").await;
    assert_eq!(job.run(2).await.meta["n"].to_string(), "7", "what the job itself says counts more");
}

#[tokio::test]
async fn a_refused_start_gets_a_new_number_only_when_it_wins() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().create().await;
    job.start("w").await;
    for _ in 0..3 {
        assert_eq!(job.try_start("z").await.status, 409);
    }
    job.try_start("y").await;
    assert_eq!(job.tape().await, "#1 w running\n#2 z skipped\n#3 y skipped");
    job.end("w").await;
    job.start("z").await;
    assert_eq!(job.tape().await, "#1 w success 0s\n#3 y skipped\n#4 z running");
}
