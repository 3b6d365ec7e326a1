//! How long a run may take, and how short.

use chrono::Duration;
use watchclock_domain::{monitor::Thresholds, run::RunStatus};
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::{World, world::minutes};

/// B21
#[tokio::test]
async fn a_stuck_run_is_found_whatever_its_siblings_do() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).max_duration("10m").create().await;
    for n in 1..=4 {
        job.start(&n.to_string()).await;
        world.advance("1m").await;
        if n != 3 {
            job.end(&n.to_string()).await;
        }
        world.advance("4m").await;
    }
    assert_eq!(job.tape().await, "#1 1 success 1m\n#2 2 success 1m\n#3 3 hung\n#4 4 success 1m");
    assert_eq!(job.story().await, "hung: run #3 has not ended within 10 min");
    assert_eq!(world.subjects().await, ["[failing] sync: run #3 has not ended within 10 min"]);
    assert_eq!(job.run(3).await.hung_at, Some(world.now()), "to the moment");
}

#[tokio::test]
async fn a_hung_run_that_ends_after_all_resolves_and_keeps_its_mark() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    job.start("a").await;
    world.advance("25m").await;
    job.end("a").await;
    assert_eq!(job.tape().await, "#1 a success 25m hung_until");
    assert_eq!(job.story().await, "hung: run #1 has not ended within 10 min → the run ended");
    assert_eq!(job.view().await.memory.good_durations, [0i64; 0], "it teaches nothing");
}

#[tokio::test]
async fn a_hung_run_that_fails_adds_to_its_incident() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    job.start("a").await;
    world.advance("25m").await;
    job.fail("a").await;
    assert_eq!(job.story().await, "hung: run #1 has not ended within 10 min", "no second incident");
    assert_eq!(world.subjects().await.len(), 1);
    job.start("b").await;
    job.end("b").await;
    assert_eq!(job.story().await, "hung: run #1 has not ended within 10 min → a later run ended well");
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_run_that_started_before_the_hung_one_does_not_resolve_it() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).max_duration("10m").create().await;
    job.start("long").await;
    world.advance("1m").await;
    job.start("stuck").await;
    world.advance("1m").await;
    job.ping("/start?rid=later&ts=2027-01-04T00:00:30Z", "").await;
    world.until("2027-01-04T00:09:59Z").await;
    job.end("long").await;
    world.advance("2m").await;
    assert_eq!(job.run(2).await.status.word(), "hung");
    assert_eq!(job.health().await, "failing");
}

#[tokio::test]
async fn an_end_without_an_id_prefers_an_active_run_to_a_hung_one() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    job.start("").await;
    world.advance("15m").await;
    job.start("").await;
    world.advance("1m").await;
    job.end("").await;
    assert_eq!(job.run(2).await.status.word(), "success");
    job.end("").await;
    assert_eq!(job.run(1).await.status.word(), "success", "then the hung one");
    assert_eq!(job.runs().await.len(), 2);
}

#[tokio::test]
async fn without_a_limit_one_is_learned() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("first").await;
    let run = job.run(1).await;
    assert_eq!(run.limit_at, Some(run.started_at.unwrap() + minutes(24 * 60)), "a day at first");
    world.advance("20m").await;
    job.end("first").await;
    for _ in 0..5 {
        job.start("").await;
        world.advance("20m").await;
        job.end("").await;
    }
    job.start("crashed").await;
    world.advance("119m").await;
    assert_eq!(job.story().await, "");
    world.advance("1m").await;
    assert_eq!(job.story().await, "hung: run #7 has not ended within 2 h");
    assert!(world.mails().await[0].text().contains("learned from earlier runs"));
}

#[tokio::test]
async fn a_run_that_is_too_short_is_suspicious() {
    let world = World::new().await;
    let job = world.monitor("backup").min_duration("5m").create().await;
    job.start("a").await;
    world.advance("3s").await;
    job.end("a").await;
    assert_eq!(job.tape().await, "#1 a success 3s too_fast");
    assert_eq!(job.story().await, "fast: finished in 3 s, sooner than 5 min");
    job.start("b").await;
    world.advance("6m").await;
    job.end("b").await;
    assert_eq!(job.health().await, "healthy");
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn thresholds_count_runs_in_a_row() {
    let world = World::new().await;
    let counted = |thresholds: &mut Thresholds| {
        thresholds.failed = 3;
        thresholds.recover = 2;
    };
    let job = world.monitor("flaky").thresholds(counted).create().await;
    for rid in ["a", "b"] {
        job.fail(rid).await;
    }
    job.end("c").await;
    for rid in ["d", "e"] {
        job.fail(rid).await;
    }
    assert_eq!(job.story().await, "", "never three in a row");
    job.fail("f").await;
    assert_eq!(job.story().await, "failed: run #6 failed");
    job.end("g").await;
    job.fail("h").await;
    job.end("i").await;
    assert_eq!(job.health().await, "failing", "never two good ones in a row");
    job.end("j").await;
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn a_new_limit_counts_for_runs_that_start_after_it() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("a").await;
    job.edit(MonitorChange { max_duration: Some(Some(minutes(10))), ..MonitorChange::default() }).await;
    job.end("a").await;
    job.start("b").await;
    world.advance("10m").await;
    assert_eq!(job.run(2).await.status.word(), "hung");
}

#[tokio::test]
async fn an_edited_limit_counts_for_the_runs_that_are_active() {
    let world = World::new().await;
    let job = world.monitor("long").any_duration().max_duration("1h").create().await;
    job.start("a").await;
    world.advance("50m").await;
    let path = format!("/v1/monitors/{}", job.monitor);
    let set = async |limit: serde_json::Value| {
        let reply = world.api("PATCH", &path, serde_json::json!({ "max_duration": limit })).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    };
    set("3h".into()).await;
    world.advance("2h").await;
    assert_eq!(job.run(1).await.status, RunStatus::Running, "one that is known to need longer is given it");
    set("30m".into()).await;
    assert_eq!(
        job.run(1).await.limit_at,
        Some(world.now() + Duration::minutes(1)),
        "it is past it, and is told of soon"
    );
    set(serde_json::Value::Null).await;
    assert_eq!(
        job.run(1).await.limit_at,
        Some("2027-01-05T00:00:00Z".parse().unwrap()),
        "nothing is learned yet"
    );
    set("4h".into()).await;
    world.advance("1h15m").await;
    assert_eq!(job.run(1).await.hung_at, Some("2027-01-04T04:00:00Z".parse().unwrap()));
}
