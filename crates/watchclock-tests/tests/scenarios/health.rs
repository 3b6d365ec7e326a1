//! Whether the instance says that it does its work: `/readyz`, and the banner of every page.

use watchclock_tests::World;

async fn ready(world: &World) -> String {
    world.get("/readyz").await.line()
}

#[tokio::test]
async fn it_is_ready_once_its_loops_tick() {
    let world = World::new().await;
    assert!(ready(&world).await.starts_with("503 "), "{}", ready(&world).await);
    world.advance("1s").await;
    assert!(ready(&world).await.starts_with("200 "), "{}", ready(&world).await);
    world.at("2027-01-04T00:01:00Z");
    assert!(ready(&world).await.contains("nothing is being watched"), "{}", ready(&world).await);
}

#[tokio::test]
async fn a_receiver_that_is_down_does_not_make_the_instance_unready() {
    let mut world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.smtp.down().await;
    job.fail("a").await;
    world.advance("3h").await;
    assert!(ready(&world).await.starts_with("200 "), "it is tried again: {}", ready(&world).await);
}

#[tokio::test]
async fn what_waits_for_an_earlier_alert_is_not_stuck() {
    let world = World::without_channels().await;
    world.add_email("both", &["quick@example.org", "slow@example.org"]).await;
    world.smtp.greylist("slow@example.org", 1_000);
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    world.advance("1s").await;
    // The recovery comes while the alert is being sent once more.
    world.database().execute("update deliveries set lease_until = '2027-01-04T00:01:00Z'").await;
    job.end("b").await;
    world.advance("5h").await;
    let deliveries = job.incident().await.deliveries;
    let statuses: Vec<_> = deliveries.iter().map(|delivery| (&*delivery.event, &*delivery.status)).collect();
    assert_eq!(statuses, [("opened", "retry"), ("resolved", "queued")]);
    assert!(ready(&world).await.starts_with("200 "), "{}", ready(&world).await);
}

#[tokio::test]
async fn an_alert_that_nobody_sends_is_stuck() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    world.at("2027-01-04T00:05:00Z");
    assert!(ready(&world).await.contains("1 deliveries are stuck"), "{}", ready(&world).await);
}
