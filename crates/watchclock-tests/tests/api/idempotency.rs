//! A POST that is sent again with the same `Idempotency-Key` is done once and answered alike.

use axum::http::Method;
use serde_json::{Value as Json, json};
use watchclock_tests::World;

use super::client::{Client, told};

#[tokio::test]
async fn every_post_takes_a_key_and_is_answered_alike() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    world.job("m").await.fail("a").await;
    let first =
        async |list: &str| client.get(list).await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    let incident = first("/v1/incidents").await;
    let calls: Vec<(String, Json)> = vec![
        ("/v1/monitors".to_owned(), json!({"slug": "x"})),
        ("/v1/monitors/m/pause".to_owned(), json!({})),
        ("/v1/monitors/m/resume".to_owned(), json!({})),
        ("/v1/channels".to_owned(), json!({"kind": "webhook", "name": "w", "url": "https://x.test/"})),
        ("/v1/keys".to_owned(), json!({"role": "read"})),
        (format!("/v1/incidents/{incident}/comment"), json!({"text": "looking"})),
        (format!("/v1/incidents/{incident}/acknowledge"), json!({"text": "mine"})),
        (format!("/v1/incidents/{incident}/resolve"), json!({})),
        ("/v1/schedules/preview".to_owned(), json!({"schedule": "every 5m"})),
        ("/v1/rules/try".to_owned(), json!({"when": "a eq 1", "runs": [{}]})),
    ];
    for (at, (path, body)) in calls.iter().enumerate() {
        let keyed = client.with("idempotency-key", &format!("key-{at}"));
        let one = keyed.post(path, body.clone()).await;
        assert!(one.status.is_success(), "{path}: {}", one.text());
        world.advance("1m").await;
        world.restart();
        let two = keyed.post(path, body.clone()).await;
        assert_eq!((one.status, &one.body), (two.status, &two.body), "{path}");
        for header in ["content-type", "etag", "location"] {
            assert_eq!(one.header(header), two.header(header), "{path}");
        }
        assert_eq!(
            (one.header("idempotency-replayed"), two.header("idempotency-replayed")),
            ("", "true"),
            "{path}"
        );
    }
    let story = client.get(&format!("/v1/incidents/{incident}")).await.json();
    assert_eq!(
        super::client::texts(&story["events"], "event"),
        ["opened", "comment", "acknowledged", "comment", "resolved"]
    );
    for (list, count) in [("monitors", 2), ("channels", 2), ("keys", 2)] {
        assert_eq!(
            client.get(&format!("/v1/{list}")).await.json()["items"].as_array().unwrap().len(),
            count,
            "{list}"
        );
    }
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused_and_says_so() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await.with("idempotency-key", "k");
    client.make("/v1/monitors", json!({"slug": "a"})).await;
    for (path, body) in [("/v1/monitors", json!({"slug": "b"})), ("/v1/keys", json!({"slug": "a"}))] {
        let refused = client.post(path, body).await;
        assert_eq!(refused.status, 422);
        assert!(
            told(&refused)[0].starts_with("Idempotency-Key: this key came with another request"),
            "{}",
            refused.text()
        );
    }
    let other = Client::new(&world).await.with("idempotency-key", "k");
    other.make("/v1/monitors", json!({"slug": "b"})).await;
    world.advance("24h").await;
    world.advance("1m").await;
    client.make("/v1/monitors", json!({"slug": "c"})).await;
    let long = "k".repeat(256);
    for wrong in ["", " ", &long] {
        let refused =
            Client::new(&world).await.with("idempotency-key", wrong).post("/v1/keys", json!({})).await;
        assert_eq!(
            (refused.status.as_u16(), super::client::fields(&refused)),
            (422, vec!["Idempotency-Key".to_owned()])
        );
    }
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await.with("idempotency-key", "k");
    let refused = client.post("/v1/monitors", json!({"slug": "a", "grace": "x"})).await;
    let again = client.post("/v1/monitors", json!({"slug": "a", "grace": "x"})).await;
    assert_eq!((refused.status.as_u16(), &refused.body), (422, &again.body));
    client.make("/v1/monitors", json!({"slug": "a", "grace": 5})).await;
    let read = client.send(Method::GET, "/v1/monitors/a", "").await;
    assert_eq!(read.status, 200, "only of a POST");
}

#[tokio::test]
async fn a_request_that_is_being_carried_out_is_waited_for() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    let channel = client.get("/v1/channels").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/channels/{channel}/test");
    let keyed = client.with("idempotency-key", "k");
    let delivered = async {
        while world.store().next_delivery().await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        world.watchclock().deliver().await.unwrap();
    };
    let (one, two, three, ()) = tokio::join!(keyed.act(&path), keyed.act(&path), keyed.act(&path), delivered);
    assert_eq!((one.status.as_u16(), &one.json()["ok"]), (200, &json!(true)), "{}", one.text());
    assert_eq!((&one.body, &one.body), (&two.body, &three.body));
    assert_eq!(world.subjects().await.len(), 1);
}

#[tokio::test]
async fn of_many_at_once_one_is_carried_out() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await.with("idempotency-key", "k");
    let posts = (0..20).map(|_| client.post("/v1/keys", json!({"role": "read"})));
    let answers = futures_util::future::join_all(posts).await;
    assert!(answers.iter().all(|reply| reply.status == 201 && reply.body == answers[0].body));
    assert_eq!(client.get("/v1/keys").await.json()["items"].as_array().unwrap().len(), 2);
}
