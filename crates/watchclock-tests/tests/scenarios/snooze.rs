//! An incident that is quiet for a while.

use serde_json::json;
use watchclock_tests::{Reply, World, job::Job, world::time};

async fn snooze(world: &World, job: &Job, body: serde_json::Value) -> Reply {
    let id = job.incidents().await.last().expect("there is an incident").id;
    world.api("POST", &format!("/v1/incidents/{id}/snooze"), body).await
}

#[tokio::test]
async fn a_snoozed_incident_that_is_still_open_at_the_end_is_told_once() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    assert_eq!(world.subjects().await.len(), 1);
    let reply = snooze(&world, &job, json!({"for": "2h", "text": "looking into it"})).await;
    assert_eq!(reply.json()["snoozed_until"], json!("2027-01-04T02:00:00Z"));
    world.advance("1h").await;
    job.fail("b").await;
    world.until("2027-01-04T01:59:59Z").await;
    assert_eq!(world.subjects().await.len(), 1, "quiet meanwhile");
    world.advance("1s").await;
    world.restart();
    world.advance("1d").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert_eq!(subjects[1], "[still failing] sync: run #1 failed");
    let view = job.incident().await;
    assert_eq!(view.incident.snoozed_until, None);
    let story: Vec<&str> = view.events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(story, ["opened", "snoozed", "comment", "again", "reminder"]);
    // And again.
    snooze(&world, &job, json!({"for": "1h"})).await;
    world.advance("2h").await;
    assert_eq!(world.subjects().await.len(), 3);
    job.end("c").await;
    assert_eq!(world.subjects().await.len(), 4);
}

#[tokio::test]
async fn a_recovery_during_a_snooze_is_told_and_ends_it() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    assert_eq!(world.subjects().await.len(), 1);
    snooze(&world, &job, json!({"for": "2h"})).await;
    job.end("b").await;
    world.advance("1d").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[1].starts_with("[resolved]"));
    assert_eq!(snooze(&world, &job, json!({"for": "2h"})).await.status, 409, "it is resolved");
}

#[tokio::test]
async fn what_has_not_gone_out_waits_for_the_end_of_the_snooze() {
    let world = World::new().await;
    let held = world.monitor("held").alert_after("15m").create().await;
    let helped = world.monitor("helped").alert_after("15m").create().await;
    held.fail("a").await;
    helped.fail("a").await;
    snooze(&world, &held, json!({"for": "2h"})).await;
    snooze(&world, &helped, json!({"for": "2h"})).await;
    world.advance("1h").await;
    helped.end("b").await;
    assert_eq!(world.subjects().await, [""; 0]);
    world.advance("1d").await;
    assert_eq!(world.subjects().await, ["[still failing] held: run #1 failed"]);
}

#[tokio::test]
async fn a_snooze_can_wait_for_slots() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * 1-5").tz("Europe/Berlin").grace("30m").create().await;
    world.until("2027-01-08T12:00:00Z").await;
    job.fail("a").await;
    let reply = snooze(&world, &job, json!({"slots": 2})).await;
    // Friday's job: Monday and Tuesday morning, and half an hour.
    assert_eq!(reply.json()["snoozed_until"], json!("2027-01-12T02:30:00Z"), "{}", reply.text());
    let every = world.monitor("often").every("1h").grace("5m").create().await;
    world.advance("30m").await;
    every.fail("a").await;
    world.advance("20m").await;
    let reply = snooze(&world, &every, json!({"slots": 1})).await;
    assert_eq!(reply.json()["snoozed_until"], json!("2027-01-08T13:35:00Z"), "{}", reply.text());
}

#[tokio::test]
async fn the_same_snooze_again_changes_nothing() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    let until = json!({"until": "2027-01-04T05:00:00Z"});
    for _ in 0..2 {
        assert_eq!(snooze(&world, &job, until.clone()).await.status, 200);
    }
    let view = job.incident().await;
    assert_eq!(view.events.len(), 2);
    assert_eq!(view.incident.snoozed_until, Some(time("2027-01-04T05:00:00Z")));
    assert_eq!(view.incident.snoozed_by.as_deref(), Some("API key test"));
    // Another time replaces it.
    snooze(&world, &job, json!({"until": "2027-01-04T01:00:00Z"})).await;
    world.until("2027-01-04T01:00:01Z").await;
    assert_eq!(world.subjects().await, ["[still failing] sync: run #1 failed"], "the alert had not gone out");
}

#[tokio::test]
async fn what_cannot_be_a_snooze_is_refused_by_field() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.until("2027-01-04T12:00:00Z").await;
    job.fail("a").await;
    for (body, field) in [
        (json!({"until": "2027-01-04T11:00:00Z"}), "until"),
        (json!({"until": "2030-01-04T11:00:00Z"}), "until"),
        (json!({"for": 0}), "for"),
        (json!({"for": "2y"}), "for"),
        (json!({"slots": 2}), "slots"),
        (json!({}), "until"),
    ] {
        let reply = snooze(&world, &job, body.clone()).await;
        assert_eq!(reply.status, 422, "{body}: {}", reply.text());
        assert_eq!(reply.json()["errors"][0]["field"], json!(field), "{body}: {}", reply.text());
    }
    let unknown =
        world.api("POST", &format!("/v1/incidents/{}/snooze", job.monitor), json!({"for": 60})).await;
    assert_eq!(unknown.status, 404);
}
