//! Rules that time makes true: they open and resolve without a run.

use watchclock_service::monitor::{MonitorChange, RuleChange};
use watchclock_tests::World;

#[tokio::test]
async fn a_last_success_that_grows_old_opens_without_a_run_and_resolves_with_the_next_good_one() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("last_success older than 26h").create().await;
    job.end("a").await;
    world.advance("26h").await;
    assert_eq!(job.story().await, "");
    world.advance("1m").await;
    assert_eq!(job.story().await, "rule: last_success is 26h old, more than 26h");
    assert_eq!(world.subjects().await.len(), 1);
    world.advance("3d").await;
    assert_eq!(job.incidents().await.len(), 1, "it stays one");
    job.fail("b").await;
    assert!(!job.story().await.lines().next().unwrap().contains('→'), "a failed run does not end it");
    job.end("c").await;
    assert!(job.story().await.lines().next().unwrap().ends_with("→ the rule is no longer true"));
    world.advance("27h").await;
    assert_eq!(job.incidents().await.iter().filter(|incident| incident.kind.word() == "rule").count(), 2);
}

#[tokio::test]
async fn three_failures_in_a_day_open_at_the_third_and_resolve_when_the_first_is_a_day_old() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("count(failed, 24h) ge 3").create().await;
    for rid in ["a", "b", "c"] {
        assert!(!job.story().await.contains("rule: "));
        job.fail(rid).await;
        world.advance("1h").await;
    }
    assert!(job.story().await.contains("rule: count(failed, 24h) is 3, at least 3"), "{}", job.story().await);
    // The first failure leaves the window 24 hours after it happened, three of which have passed.
    world.advance("20h").await;
    assert!(!job.story().await.contains("no longer true"));
    world.advance("1h1m").await;
    assert!(job.story().await.contains("at least 3 → the rule is no longer true"), "{}", job.story().await);
}

#[tokio::test]
async fn missed_runs_are_counted_when_they_are_missed() {
    let world = World::new().await;
    let job = world.monitor("sync").every("1h").grace("5m").rule("count(missed, 24h) ge 3").create().await;
    job.end("a").await;
    world.advance("2h30m").await;
    assert!(!job.story().await.contains("rule: "), "{}", job.story().await);
    world.advance("1h").await;
    assert!(job.story().await.contains("rule: count(missed, 24h) is 3, at least 3"), "{}", job.story().await);
}

#[tokio::test]
async fn a_paused_monitor_is_quiet_and_a_pause_does_not_count() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("last_success older than 26h").manual_resume().create().await;
    job.end("a").await;
    job.pause().await;
    world.advance("10d").await;
    assert_eq!(job.story().await, "");
    job.resume().await;
    world.advance("25h").await;
    assert_eq!(job.story().await, "", "it counts from the resume");
    world.advance("2h").await;
    assert_eq!(job.incidents().await.len(), 1);
}

#[tokio::test]
async fn a_rule_about_now_that_is_true_when_saved_opens_at_once() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.end("a").await;
    world.advance("3d").await;
    let rules = Some(vec![RuleChange::when("last_success older than 26h")]);
    job.edit(MonitorChange { rules, ..MonitorChange::default() }).await;
    world.tick().await;
    assert_eq!(job.story().await, "rule: last_success is 3d old, more than 26h");
}

#[tokio::test]
async fn a_restarted_server_knows_the_moment() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("last_success older than 2h").create().await;
    job.end("a").await;
    world.restart();
    world.advance("3h").await;
    assert_eq!(job.incidents().await.len(), 1);
}
