//! Looking at incidents, and taking care of them.

use serde_json::{Value as Json, json};
use watchclock_tests::World;

use super::client::{Client, settled, texts};

async fn only_incident(client: &Client<'_>) -> String {
    let list = client.get("/v1/incidents").await.json();
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{list}");
    items[0]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_incident_has_its_shape_in_lists_too() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync", "rules": ["records_processed eq 0"]})).await;
    let job = world.job("sync").await;
    job.end_with("a", "records_processed=0").await;
    world.advance("1m").await;
    let list = client.get("/v1/incidents").await.json();
    let id = only_incident(&client).await;
    let acknowledged =
        client.post(&format!("/v1/incidents/{id}/acknowledge"), json!({"text": "looking"})).await;
    assert_eq!(acknowledged.status, 200, "{}", acknowledged.text());
    world.advance("1m").await;
    job.end_with("b", "records_processed=7").await;
    world.advance("1m").await;
    insta::assert_snapshot!("an_open_incident", settled(&list["items"][0]));
    let shown = client.get(&format!("/v1/incidents/{id}")).await.json();
    insta::assert_snapshot!("a_resolved_incident", settled(&shown));
    assert_eq!(client.get("/v1/incidents").await.json()["items"][0], shown);
}

#[tokio::test]
async fn lists_keep_each_incidents_own_events_and_deliveries() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    for name in ["one", "two", "three"] {
        client.make("/v1/monitors", json!({"name": name})).await;
        world.job(name).await.fail("a").await;
        world.advance("1m").await;
    }
    world.job("two").await.end("b").await;
    world.advance("1m").await;
    let list = client.get("/v1/incidents").await.json();
    for item in list["items"].as_array().unwrap() {
        let shown = client.get(&format!("/v1/incidents/{}", item["id"].as_str().unwrap())).await.json();
        assert_eq!(*item, shown);
        let is_resolved = !shown["resolved_at"].is_null();
        let expected: &[&str] = if is_resolved { &["opened", "resolved"] } else { &["opened"] };
        assert_eq!(texts(&shown["events"], "event"), expected);
        assert_eq!(texts(&shown["deliveries"], "event"), expected);
    }
}

#[tokio::test]
async fn acknowledging_and_resolving_happen_once() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    world.job("sync").await.fail("a").await;
    let id = only_incident(&client).await;
    let act =
        async |action: &str, body: Json| client.post(&format!("/v1/incidents/{id}/{action}"), body).await;
    let one = act("acknowledge", json!({"text": "mine"})).await;
    world.advance("1m").await;
    let two = act("acknowledge", json!({"text": "mine"})).await;
    assert_eq!((one.status.as_u16(), one.json()["acknowledged_by"].as_str()), (200, Some("API key script")));
    for field in ["acknowledged_at", "acknowledged_by", "events"] {
        assert_eq!(one.json()[field], two.json()[field], "{field}");
    }
    assert!(one.json()["resolved_at"].is_null());
    let one = act("resolve", json!({"text": "fixed"})).await;
    world.advance("1m").await;
    let two = client.act(&format!("/v1/incidents/{id}/resolve")).await;
    let three = act("resolve", json!({"text": "fixed"})).await;
    assert_eq!(one.status, 200, "{}", one.text());
    for again in [two, three] {
        assert_eq!(again.status, 200);
        assert_eq!(
            (&again.json()["resolved_at"], &again.json()["events"]),
            (&one.json()["resolved_at"], &one.json()["events"])
        );
    }
    assert_eq!(act("acknowledge", json!({})).await.status, 409, "there is nothing to take care of any more");
    assert_eq!(
        act("comment", json!({"text": "was the disk"})).await.status,
        200,
        "what was learned can be told later"
    );
    let story = client.get(&format!("/v1/incidents/{id}")).await.json();
    let told: Vec<String> = story["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| format!("{} {}", event["event"].as_str().unwrap(), event["text"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told[1..],
        ["acknowledged ", "comment mine", "resolved by hand", "comment fixed", "comment was the disk"]
    );
    assert_eq!(client.get("/v1/monitors/sync").await.json()["health"], "healthy");
    assert_eq!(world.subjects().await.len(), 2, "the alert and one recovery");
}

#[tokio::test]
async fn snoozing_the_same_again_changes_nothing() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    world.job("sync").await.fail("a").await;
    let path = format!("/v1/incidents/{}", only_incident(&client).await);
    let snooze = json!({"until": "2027-01-04T06:00:00Z", "text": "looking into it"});
    let one = client.post(&format!("{path}/snooze"), snooze.clone()).await;
    assert_eq!((one.status.as_u16(), &one.json()["snoozed_by"]), (200, &json!("API key script")));
    assert_eq!(texts(&one.json()["events"], "event"), ["opened", "snoozed", "comment"]);
    world.advance("1m").await;
    let two = client.post(&format!("{path}/snooze"), snooze.clone()).await;
    assert_eq!(one.json(), two.json());
    let refused = client.post(&format!("{path}/snooze"), json!({"for": "1h", "text": " "})).await;
    assert_eq!(refused.status, 422);
    let resolved = client.act(&format!("{path}/resolve")).await.json();
    assert_eq!(resolved["snoozed_until"], json!(null), "what is over is not snoozed");
    assert_eq!(client.post(&format!("{path}/snooze"), snooze).await.status, 409);
    assert_eq!(client.get(&path).await.json(), resolved, "nothing refused was done");
}

#[tokio::test]
async fn many_at_once_resolve_once() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    world.job("sync").await.fail("a").await;
    let path = format!("/v1/incidents/{}", only_incident(&client).await);
    world.tick().await;
    let (acknowledge, resolve) = (format!("{path}/acknowledge"), format!("{path}/resolve"));
    let acts = futures_util::future::join_all((0..5).map(|_| client.act(&acknowledge))).await;
    let more = futures_util::future::join_all((0..5).map(|_| client.act(&resolve))).await;
    assert!(acts.iter().chain(&more).all(|reply| reply.status == 200));
    let story = client.get(&path).await.json();
    assert_eq!(texts(&story["events"], "event"), ["opened", "acknowledged", "resolved"]);
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn comments_say_something() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    world.job("sync").await.fail("a").await;
    let path = format!("/v1/incidents/{}", only_incident(&client).await);
    let long = "x".repeat(4_001);
    for (action, bodies) in [
        (
            "comment",
            vec![
                json!({}),
                json!({"text": null}),
                json!({"text": " "}),
                json!({"text": long}),
                json!({"text": 5}),
            ],
        ),
        ("acknowledge", vec![json!({"text": ""}), json!({"txt": "a"}), json!({"text": "a\0"})]),
        ("resolve", vec![json!({"text": ["a"]}), json!([])]),
    ] {
        for body in bodies {
            let refused = client.post(&format!("{path}/{action}"), body.clone()).await;
            assert_eq!(refused.status, 422, "{action} {body:.50}");
        }
    }
    let twice = json!({"text": "  again  "});
    client.post(&format!("{path}/comment"), twice.clone()).await;
    let done = client.post(&format!("{path}/comment"), twice).await.json();
    assert_eq!(
        texts(&done["events"], "text")[1..],
        ["again", "again"],
        "a comment is said as often as it is sent"
    );
    assert!(done["acknowledged_at"].is_null() && done["resolved_at"].is_null(), "nothing refused was done");
}

#[tokio::test]
async fn incidents_are_found_by_state_monitor_and_kind() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    let one = client.make("/v1/monitors", json!({"name": "one"})).await;
    client.make("/v1/monitors", json!({"name": "two", "min_duration": "5m"})).await;
    let (first, second) = (world.job("one").await, world.job("two").await);
    first.fail("a").await;
    first.end("b").await;
    world.advance("1s").await;
    first.start("c").await;
    first.start("d").await;
    world.advance("1s").await;
    second.fail("a").await;
    world.advance("1s").await;
    second.start("b").await;
    second.end("b").await;
    let id = one["id"].as_str().unwrap();
    for (query, found) in [
        (String::new(), "fast failed overlap failed"),
        ("open=true".to_owned(), "fast overlap"),
        ("open=false".to_owned(), "failed failed"),
        ("open=1&kind=overlap".to_owned(), "overlap"),
        ("monitor=two".to_owned(), "fast failed"),
        (format!("monitor={id}"), "overlap failed"),
        ("monitor=one&kind=failed".to_owned(), "failed"),
        ("kind=hung".to_owned(), ""),
    ] {
        let listed = client.get(&format!("/v1/incidents?{query}")).await;
        assert_eq!(texts(&listed.json()["items"], "kind").join(" "), found, "{query}");
        let pages = client.pages(&format!("/v1/incidents?limit=1&{query}"), "kind").await;
        assert_eq!(pages.concat().join(" "), found, "{query}");
    }
    for wrong in ["open=yes", "kind=bad", "open=true&open=false"] {
        assert_eq!(client.get(&format!("/v1/incidents?{wrong}")).await.status, 422, "{wrong}");
    }
}
