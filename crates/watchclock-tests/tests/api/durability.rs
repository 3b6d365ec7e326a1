//! When the database is away, closed or busy: 503 and when to come back, never a wrong answer.

use serde_json::json;
use watchclock_tests::World;

use super::client::{Client, told};

#[tokio::test]
async fn a_database_that_refuses_connections_is_503_with_a_time_to_come_back() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let job = world.job("m").await;
    world.database().shut().await;
    for _ in 0..2 {
        for path in
            ["/v1/monitors", "/v1/monitors/m", "/v1/runs", "/v1/incidents", "/v1/channels", "/v1/keys"]
        {
            let reply = client.get(path).await;
            assert_eq!(
                (reply.status.as_u16(), reply.header("retry-after")),
                (503, "5"),
                "{path} {}",
                reply.text()
            );
            told(&reply);
        }
        let keyed = client.with("idempotency-key", "k").post("/v1/monitors", json!({"slug": "x"})).await;
        assert_eq!((keyed.status.as_u16(), keyed.header("retry-after")), (503, "5"));
        let ping = job.ping("", "").await;
        assert_eq!((ping.status.as_u16(), ping.header("retry-after")), (503, "5"), "{}", ping.text());
    }
    assert_eq!(world.get("/v1/openapi.json").await.status, 200);
    assert_eq!(world.get("/readyz").await.status, 503);
}

#[tokio::test]
async fn a_server_that_only_reads_is_503_for_what_writes() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    let name = world.database().value("current_database()").await.unwrap();
    world
        .database()
        .execute(&format!(
            "alter database {name} set default_transaction_read_only = on;
             select pg_terminate_backend(pid) from pg_stat_activity
             where datname = current_database() and pid <> pg_backend_pid()"
        ))
        .await;
    // The connections that were cut are noticed one by one.
    while client.get("/v1/monitors").await.status != 200 {}
    let refused = client.post("/v1/monitors", json!({"slug": "m"})).await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, "5"), "{}", refused.text());
    for list in ["monitors", "runs", "incidents", "channels", "keys"] {
        assert_eq!(client.get(&format!("/v1/{list}")).await.status, 200, "{list}");
    }
}

/// Each change needs one connection and no more: else changes that have one each would wait for each other.
#[tokio::test]
async fn many_changes_at_once_do_not_wait_for_each_other() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    let channel = client.get("/v1/channels").await.json()["items"][0]["id"].clone();
    let makes =
        (0..40).map(|n| client.make("/v1/monitors", json!({"slug": format!("m{n}"), "channels": [channel]})));
    futures_util::future::join_all(makes).await;
    let paths: Vec<String> = (0..40).map(|n| format!("/v1/monitors/m{n}")).collect();
    let patches =
        paths.iter().map(|path| client.patch(path, json!({"channels": [channel], "description": "x"})));
    let fails = (0..40).map(|n| {
        let world = &world;
        async move { world.job(&format!("m{n}")).await.fail("a").await }
    });
    let began = std::time::Instant::now();
    let (changed, _) =
        tokio::join!(futures_util::future::join_all(patches), futures_util::future::join_all(fails));
    assert!(
        changed.iter().all(|reply| reply.status == 200),
        "{:?}",
        changed.iter().find(|reply| reply.status != 200)
    );
    let resolved = client.get("/v1/incidents?limit=500").await.json();
    let acts: Vec<String> = resolved["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|incident| format!("/v1/incidents/{}/resolve", incident["id"].as_str().unwrap()))
        .collect();
    let resolved = futures_util::future::join_all(acts.iter().map(|path| client.act(path))).await;
    assert_eq!(resolved.iter().filter(|reply| reply.status == 200).count(), 40);
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
}
