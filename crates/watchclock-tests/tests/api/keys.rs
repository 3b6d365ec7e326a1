//! Keys of the API, and the project that a key opens.

use serde_json::json;
use watchclock_tests::World;

use super::client::{Client, fields, settled};

#[tokio::test]
async fn a_key_is_shown_once_and_can_be_revoked() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let made = client.make("/v1/keys", json!({"role": "read", "name": "Grafana"})).await;
    insta::assert_snapshot!(settled(&made));
    let (id, key) = (made["id"].as_str().unwrap(), made["key"].as_str().unwrap());
    assert!(key.starts_with(made["shown"].as_str().unwrap()));
    let reader = Client { key: key.to_owned(), ..client.clone() };
    assert_eq!(reader.get("/v1/monitors").await.status, 200);
    let shown = client.get(&format!("/v1/keys/{id}")).await;
    assert_eq!((&shown.json()["name"], shown.json()["last_used_at"].is_null()), (&json!("Grafana"), false));
    assert!(!client.get("/v1/keys").await.text().contains(key));
    assert_eq!(client.delete(&format!("/v1/keys/{id}")).await.line(), "204 ");
    assert_eq!(reader.get("/v1/monitors").await.status, 401);
    assert_eq!(client.delete(&format!("/v1/keys/{id}")).await.status, 404);
    assert_eq!(client.make("/v1/keys", json!({"role": "ping", "name": null})).await["name"], "ping key");
    for (sent, wrong) in [
        (json!({}), "role"),
        (json!({"role": "admin"}), "role"),
        (json!({"role": null}), "role"),
        (json!({"role": "read", "name": "a\nb"}), "name"),
        (json!({"role": "read", "name": 5}), "name"),
    ] {
        let refused = client.post("/v1/keys", sent.clone()).await;
        assert_eq!((refused.status.as_u16(), fields(&refused)), (422, vec![wrong.to_owned()]), "{sent}");
    }
}

#[tokio::test]
async fn a_key_opens_one_project() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let list = client.get("/v1/projects").await.json();
    insta::assert_snapshot!(settled(&list));
    let project = &list["items"][0];
    assert_eq!(project["ping_key"], world.project().ping_key);
    for id in [project["id"].as_str().unwrap(), "default"] {
        assert_eq!(client.get(&format!("/v1/projects/{id}")).await.json(), *project, "{id}");
    }
    let stranger = Client::stranger(&world).await;
    assert_eq!(stranger.get("/v1/projects/default").await.status, 404);
    assert_eq!(stranger.get("/v1/projects/other").await.status, 200);
}
