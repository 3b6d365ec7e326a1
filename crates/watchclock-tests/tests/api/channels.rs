//! Channels: secrets go in and never come out, a test is a real delivery, a deleted one keeps its history.

use serde_json::{Value as Json, json};
use watchclock_service::key::KeyRole;
use watchclock_tests::{
    World,
    webhook::{Answer, WebhookReceiver},
};

use super::client::{Client, fields, settled, texts};

#[tokio::test]
async fn a_channel_has_its_shape_and_keeps_its_secrets() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let email = client
        .make(
            "/v1/channels",
            json!({"kind": "email", "name": "Ops", "to": ["a@example.org", "b@example.org"]}),
        )
        .await;
    let hook = json!({"kind": "webhook", "name": "Pager", "url": "https://pager.test/hook?token=quiet",
        "headers": {"X-Token": "hushhush"}, "enabled": false});
    let reply = client.post("/v1/channels", hook).await;
    let made = reply.json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(reply.header("location"), format!("/v1/channels/{id}"));
    insta::assert_snapshot!("an_email_channel", settled(&email));
    insta::assert_snapshot!("a_new_webhook", settled(&made));
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() > 30, "{secret}");
    let given = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let own = client
        .make(
            "/v1/channels",
            json!({"kind": "webhook", "name": "own", "url": "https://x.test", "secret": given}),
        )
        .await;
    assert_eq!(own.get("secret"), None, "they have it already");
    let changed =
        client.patch(&format!("/v1/channels/{id}"), json!({"secret": given, "enabled": true})).await;
    assert_eq!((changed.status.as_u16(), &changed.json()["enabled"]), (200, &json!(true)));
    for path in ["/v1/channels".to_owned(), format!("/v1/channels/{id}")] {
        let shown = client.get(&path).await.text();
        for hidden in [secret, given, "hushhush"] {
            assert!(!shown.contains(hidden), "{path}: {shown}");
        }
        let read = Client::with_role(&world, KeyRole::Read).await.get(&path).await.text();
        assert!(!read.contains("quiet") && read.contains("pager.test"), "{read}");
    }
}

#[tokio::test]
async fn a_change_keeps_what_it_does_not_name() {
    let world = World::without_channels().await;
    let receiver = WebhookReceiver::start().await;
    let client = Client::new(&world).await;
    let sent =
        json!({"kind": "webhook", "name": "Hook", "url": receiver.url(), "headers": {"X-Token": "t1"}});
    let made = client.make("/v1/channels", sent).await;
    let path = format!("/v1/channels/{}", made["id"].as_str().unwrap());
    let changed = client.patch(&path, json!({"name": "Renamed", "kind": "webhook"})).await;
    assert_eq!((changed.status.as_u16(), &changed.json()["url"]), (200, &json!(receiver.url())));
    let test = async || {
        let call = format!("{path}/test");
        let (reply, ()) = tokio::join!(client.act(&call), delivered(&world));
        reply.json()
    };
    assert_eq!(test().await["ok"], true);
    let hook = &receiver.hooks()[0];
    assert!(hook.is_signed_with(made["secret"].as_str().unwrap()), "the secret is kept");
    assert_eq!(hook.header("x-token"), "t1");
    client.patch(&path, json!({"headers": null})).await;
    receiver.answer(Answer::Status(410, "gone".to_owned()));
    let tried = test().await;
    assert_eq!(tried["ok"], false);
    assert!(tried["answer"].as_str().unwrap().contains("410"), "{tried}");
    assert_eq!(receiver.hooks()[1].header("x-token"), "");
    let last = &client.get(&path).await.json()["last_delivery"];
    assert_eq!(
        (&last["id"], &last["event"], &last["status"]),
        (&tried["delivery"], &json!("test"), &json!("gave_up"))
    );
}

/// Waits until a delivery is queued and delivers it.
async fn delivered(world: &World) {
    while world.store().next_delivery().await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    world.watchclock().deliver().await.unwrap();
}

#[tokio::test]
async fn what_is_wrong_with_a_channel_is_told_at_once() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let own = |told: &[&str]| told.iter().map(|&field| field.to_owned()).collect::<Vec<_>>();
    for (sent, wrong) in [
        (json!({}), own(&["kind"])),
        (json!({"kind": "fax"}), own(&["kind"])),
        (json!({"kind": "email"}), own(&["name", "to"])),
        (json!({"kind": "email", "name": "a", "to": ["x", "a@b.test", "y"]}), own(&["to[0]", "to[2]"])),
        (json!({"kind": "email", "name": "a", "to": "a@b.test", "url": "x"}), own(&["url"])),
        (
            json!({"kind": "webhook", "name": "", "url": "ftp://x", "secret": "short", "headers": {"a b": "c"}}),
            own(&["headers.a b", "name", "secret", "url"]),
        ),
        (
            json!({"kind": "webhook", "name": "a", "url": 5, "enabled": "yes", "headers": []}),
            own(&["enabled", "headers", "url"]),
        ),
    ] {
        let refused = client.post("/v1/channels", sent.clone()).await;
        let mut told = fields(&refused);
        told.sort();
        assert_eq!((refused.status.as_u16(), told), (422, wrong), "{sent}: {}", refused.text());
    }
    let email = client.make("/v1/channels", json!({"kind": "email", "name": "a", "to": "a@b.test"})).await;
    let path = format!("/v1/channels/{}", email["id"].as_str().unwrap());
    for (sent, field) in
        [(json!({"kind": "webhook"}), "kind"), (json!({"name": null}), "name"), (json!({"to": []}), "to")]
    {
        assert_eq!(fields(&client.patch(&path, sent.clone()).await), [field], "{sent}");
    }
}

#[tokio::test]
async fn a_deleted_channel_keeps_its_history_and_gets_nothing_more() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    let job = world.job("sync").await;
    job.fail("a").await;
    world.tick().await;
    let channels = client.get("/v1/channels").await.json();
    let id = channels["items"][0]["id"].as_str().unwrap();
    let before = client.get("/v1/incidents").await.json()["items"][0]["deliveries"].clone();
    assert_eq!(client.delete(&format!("/v1/channels/{id}")).await.line(), "204 ");
    for (path, status) in [("", 404), ("/test", 404)] {
        let call = if path.is_empty() {
            client.get(&format!("/v1/channels/{id}")).await
        } else {
            client.act(&format!("/v1/channels/{id}{path}")).await
        };
        assert_eq!(call.status, status);
    }
    assert_eq!(client.delete(&format!("/v1/channels/{id}")).await.status, 404);
    assert_eq!(client.patch(&format!("/v1/channels/{id}"), json!({"name": "b"})).await.status, 404);
    assert_eq!(client.get("/v1/channels").await.json()["items"], json!([]));
    assert_eq!(client.patch("/v1/monitors/sync", json!({"channels": [id]})).await.status, 422);
    job.end("b").await;
    job.fail("c").await;
    world.advance("1h").await;
    let incidents = client.get("/v1/incidents").await.json();
    let old = &incidents["items"][1];
    assert_eq!((&old["deliveries"], &old["deliveries"][0]["channel_name"]), (&before, &json!("ops")));
    assert_eq!(incidents["items"][0]["deliveries"], json!([]));
    assert_eq!(world.subjects().await.len(), 1);
    let kept = "select count(*) from channels where settings <> '{}' or secrets is not null";
    assert_eq!(world.database().value(kept).await.as_deref(), Some("0"), "addresses and secrets are gone");
}

#[tokio::test]
async fn what_is_on_its_way_to_a_deleted_channel_is_cancelled() {
    let mut world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync", "alert_after": "10m"})).await;
    let job = world.job("sync").await;
    job.fail("a").await;
    let id = client.get("/v1/channels").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    client.delete(&format!("/v1/channels/{id}")).await;
    let statuses = async |client: &Client<'_>| -> Json {
        client.get("/v1/incidents").await.json()["items"][0]["deliveries"].clone()
    };
    assert_eq!(texts(&statuses(&client).await, "status"), ["cancelled"]);
    drop(client);
    world.smtp.down().await;
    world.advance("1h").await;
    assert!(world.watchclock().troubles().await.unwrap().0.iter().all(|trouble| !trouble.contains("stuck")));
}

#[tokio::test]
async fn two_who_change_different_things_at_once_both_get_what_they_want() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let made =
        client.make("/v1/channels", json!({"kind": "email", "name": "0", "to": ["a@example.org"]})).await;
    let path = format!("/v1/channels/{}", made["id"].as_str().unwrap());
    for round in 1..=15 {
        let (name, to) = (round.to_string(), json!([format!("{round}@example.org")]));
        let (enabled, one) = (round % 2 == 0, json!({"name": &name}));
        let (two, three) = (json!({"to": &to}), json!({"enabled": enabled}));
        let replies =
            tokio::join!(client.patch(&path, one), client.patch(&path, two), client.patch(&path, three));
        assert_eq!(
            [replies.0.status, replies.1.status, replies.2.status].map(|status| status.as_u16()),
            [200; 3]
        );
        let now = client.get(&path).await.json();
        assert_eq!((&now["name"], &now["to"], &now["enabled"]), (&json!(name), &to, &json!(enabled)));
    }
}
