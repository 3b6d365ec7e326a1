//! Whoever has no key, the wrong one or one of another project learns nothing about what exists.

use axum::{
    body::Body,
    http::{Method, Request},
};
use serde_json::json;
use uuid::Uuid;
use watchclock_service::key::KeyRole;
use watchclock_tests::World;

use super::client::{Client, told};

/// A project with one of everything: the ids of its monitor, run, incident, channel, key, window and calendar.
async fn furnished(world: &World) -> [String; 7] {
    let client = Client::new(world).await;
    let monitor = client.make("/v1/monitors", json!({"slug": "m", "rules": ["rows eq 0"]})).await;
    world.job("m").await.fail("a").await;
    let window = json!({"name": "w", "from": "2027-02-01T20:00:00Z", "to": "2027-02-01T23:00:00Z"});
    client.make("/v1/maintenance-windows", window).await;
    client.make("/v1/calendars", json!({"name": "c", "dates": ["2027-12-25"]})).await;
    let first =
        async |list: &str| client.get(list).await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    [
        monitor["id"].as_str().unwrap().to_owned(),
        first("/v1/runs").await,
        first("/v1/incidents").await,
        first("/v1/channels").await,
        first("/v1/keys").await,
        first("/v1/maintenance-windows").await,
        first("/v1/calendars").await,
    ]
}

/// Every call that names something.
fn calls([monitor, run, incident, channel, key, window, calendar]: &[String; 7]) -> Vec<(Method, String)> {
    let mut calls = Vec::new();
    for monitor in [monitor.as_str(), "m"] {
        calls.extend(
            [Method::GET, Method::PATCH, Method::DELETE]
                .map(|method| (method, format!("/v1/monitors/{monitor}"))),
        );
        calls.extend(["pause", "resume"].map(|act| (Method::POST, format!("/v1/monitors/{monitor}/{act}"))));
        calls
            .extend(["runs", "incidents"].map(|list| (Method::GET, format!("/v1/{list}?monitor={monitor}"))));
    }
    calls.extend(["", "/output"].map(|part| (Method::GET, format!("/v1/runs/{run}{part}"))));
    calls.push((Method::GET, format!("/v1/incidents/{incident}")));
    calls.extend(
        ["acknowledge", "resolve", "snooze", "comment"]
            .map(|act| (Method::POST, format!("/v1/incidents/{incident}/{act}"))),
    );
    calls.extend(
        [Method::GET, Method::PATCH, Method::DELETE]
            .map(|method| (method, format!("/v1/channels/{channel}"))),
    );
    calls.push((Method::POST, format!("/v1/channels/{channel}/test")));
    for path in [format!("/v1/maintenance-windows/{window}"), format!("/v1/calendars/{calendar}")] {
        calls.extend([Method::GET, Method::PATCH, Method::DELETE].map(|method| (method, path.clone())));
    }
    calls.extend([Method::GET, Method::DELETE].map(|method| (method, format!("/v1/keys/{key}"))));
    calls
}

fn body(path: &str) -> &'static str {
    match path.rsplit('/').next() {
        Some("comment") => "{\"text\": \"x\"}",
        Some("snooze") => "{\"for\": \"1h\"}",
        _ => "{}",
    }
}

#[tokio::test]
async fn another_projects_things_do_not_exist() {
    let world = World::new().await;
    let there = furnished(&world).await;
    let stranger = Client::stranger(&world).await;
    let nowhere = std::array::from_fn(|_| Uuid::from_u128(7).to_string());
    for ((method, path), (_, missing)) in calls(&there).into_iter().zip(calls(&nowhere)) {
        let refused = stranger.send(method.clone(), &path, body(&path)).await;
        assert_eq!(refused.status, 404, "{method} {path}: {}", refused.text());
        told(&refused);
        // Word for word as if it were nowhere.
        let nothing = stranger.send(method, &missing, body(&path)).await;
        let plain = |text: String| there.iter().chain(&nowhere).fold(text, |text, id| text.replace(id, "ID"));
        assert_eq!(plain(refused.text()), plain(nothing.text()), "{path}");
    }
    for list in ["monitors", "runs", "incidents", "channels", "maintenance-windows", "calendars"] {
        assert_eq!(stranger.get(&format!("/v1/{list}")).await.json()["items"], json!([]), "{list}");
    }
    let made = stranger.post("/v1/monitors", json!({"slug": "m", "channels": [there[3]]})).await;
    assert_eq!(
        (made.status.as_u16(), told(&made)),
        (422, vec![format!("channels[0]: there is no channel {}", there[3])])
    );
    stranger.make("/v1/monitors", json!({"slug": "m"})).await;
    assert_eq!(stranger.patch("/v1/monitors/m", json!({"channels": [there[3]]})).await.status, 422);
    let tried = stranger.post("/v1/rules/try", json!({"when": "a eq 1", "monitor": there[0]})).await;
    assert_eq!(tried.status, 404);
    assert_eq!(stranger.get(&format!("/v1/projects/{}", world.project().id)).await.status, 404);
    let cursor = stranger.get(&format!("/v1/runs?cursor={}", there[1])).await;
    assert_eq!(cursor.json()["items"], json!([]), "a foreign cursor leads nowhere");
    let mine = Client::new(&world).await.get("/v1/monitors/m").await.json();
    assert_eq!(
        (&mine["paused"], &mine["last_run"]["rid"]),
        (&json!(false), &json!("a")),
        "nothing happened to it"
    );
}

#[tokio::test]
async fn without_a_right_key_everything_is_401() {
    let world = World::new().await;
    let there = furnished(&world).await;
    let client = Client::new(&world).await;
    let mut answers = std::collections::BTreeSet::new();
    for (method, path) in calls(&there).into_iter().chain([(Method::POST, "/v1/monitors".to_owned())]) {
        for key in [
            "",
            "Bearer",
            "Bearer wc_wrong",
            &format!("Basic {}", client.key),
            &client.key,
            "Bearer wc_\u{7f}",
        ] {
            let Ok(request) = Request::builder()
                .method(method.clone())
                .uri(&path)
                .header("authorization", key.as_bytes())
                .header("idempotency-key", "k")
                .body(Body::from("{"))
            else {
                continue;
            };
            let reply = world.call(request).await;
            assert_eq!((reply.status.as_u16(), told(&reply).len()), (401, 0), "{method} {path} {key}");
            assert!(reply.header("www-authenticate").starts_with("Bearer"), "{path}");
            answers.insert(reply.text());
        }
    }
    assert_eq!(answers.len(), 2, "no key, and no known key: {answers:?}");
}

#[tokio::test]
async fn a_key_does_what_its_role_says() {
    let world = World::new().await;
    let there = furnished(&world).await;
    let (read, ping) =
        (Client::with_role(&world, KeyRole::Read).await, Client::with_role(&world, KeyRole::Ping).await);
    for (method, path) in calls(&there) {
        let refused = ping.send(method.clone(), &path, "{").await;
        assert_eq!(refused.status, 403, "{method} {path}");
        let is_read = method == Method::GET && !path.starts_with("/v1/keys");
        let reply = read.send(method.clone(), &path, "{").await;
        assert_eq!(
            reply.status.as_u16(),
            if is_read { 200 } else { 403 },
            "{method} {path} {}",
            reply.text()
        );
    }
    let tried = json!({"when": "rows eq 0", "runs": [{"meta": {"rows": 0}}]});
    assert_eq!(read.post("/v1/rules/try", tried.clone()).await.status, 200, "nothing is changed by trying");
    assert_eq!(read.post("/v1/schedules/preview", json!({"schedule": "none"})).await.status, 200);
    assert_eq!(ping.post("/v1/rules/try", tried).await.status, 403);
    for path in ["/v1/monitors", "/v1/channels", "/v1/keys"] {
        assert_eq!(read.post(path, json!({})).await.status, 403, "{path}");
    }
    assert!(read.get("/v1/projects").await.json()["items"][0].get("ping_key").is_none());
}
