//! Runs far outside the usual are told without a rule, and failed runs teach nothing.

use watchclock_tests::{Job, World};

/// Twenty good runs of about ten minutes, an hour apart.
async fn teach(world: &World, job: &Job) {
    for run in 0..20 {
        job.start(&format!("t{run}")).await;
        world.advance(if run % 2 == 0 { "10m" } else { "11m" }).await;
        job.end_with(&format!("t{run}"), "rows=1000").await;
        world.advance("49m").await;
    }
}

#[tokio::test]
async fn a_run_that_goes_on_for_too_long_is_told_before_it_ends() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    teach(&world, &job).await;
    assert_eq!(job.story().await, "");
    job.start("slow").await;
    world.advance("16m").await;
    assert_eq!(job.story().await, "");
    world.advance("10m").await;
    let told = job.story().await;
    assert!(told.starts_with("slow: run #21 has been running for more than "), "{told}");
    assert!(told.ends_with("usually 10 min 30 s"), "{told}");
    assert_eq!(world.subjects().await.len(), 1);
    assert!(world.mails().await[0].text().contains("median of 20"), "{}", world.mails().await[0].text());
    world.advance("20m").await;
    job.end("slow").await;
    assert_eq!(job.tape().await.lines().last().unwrap(), "#21 slow success 46m too_slow");
    assert_eq!(job.incidents().await.len(), 1, "its end adds nothing");
    job.start("next").await;
    world.advance("10m").await;
    job.end("next").await;
    assert!(job.story().await.ends_with("→ a run took as long as usual"), "{}", job.story().await);
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_run_that_ends_far_too_soon_is_told() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    teach(&world, &job).await;
    job.start("fast").await;
    world.advance("5s").await;
    job.end("fast").await;
    assert_eq!(job.story().await, "fast: finished in 5 s, usually 10 min 30 s");
    assert_eq!(job.tape().await.lines().last().unwrap(), "#21 fast success 5s too_fast");
}

#[tokio::test]
async fn failed_and_hung_runs_teach_nothing() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("2h").create().await;
    teach(&world, &job).await;
    let usual = job.view().await.memory.good_durations;
    for rid in ["f1", "f2", "f3", "f4", "f5"] {
        job.start(rid).await;
        world.advance("1h").await;
        job.fail(rid).await;
    }
    job.start("hung").await;
    world.advance("3h").await;
    job.end("hung").await;
    assert_eq!(job.view().await.memory.good_durations, usual);
}

#[tokio::test]
async fn who_wants_no_judgement_of_durations_gets_none() {
    let world = World::new().await;
    let job = world.monitor("sync").any_duration().create().await;
    teach(&world, &job).await;
    job.start("slow").await;
    world.advance("50m").await;
    job.end("slow").await;
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn an_unusual_value_of_watched_metadata_is_told_with_the_usual() {
    let world = World::new().await;
    let job = world.monitor("sync").watch(&["rows"]).create().await;
    teach(&world, &job).await;
    job.end_with("", "rows=1100").await;
    assert_eq!(job.story().await, "");
    job.ping("/fail", "rows=3").await;
    job.end_with("", "rows=12000").await;
    let incidents = job.incidents().await;
    let told = incidents.iter().find(|incident| incident.kind.word() == "rule").expect("an incident");
    assert_eq!(told.summary, "rows is 12,000, usually 1,000");
    assert!(
        told.facts.iter().any(|(name, fact)| name == "usual rows" && fact.contains("median of 21")),
        "{told:?}"
    );
    job.end_with("", "rows=1050").await;
    assert_eq!(job.health().await, "healthy");
}
