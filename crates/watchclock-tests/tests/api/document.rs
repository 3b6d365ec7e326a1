//! The description of the API and its manual: whatever they name is there.

use std::collections::BTreeSet;

use axum::http::Method;
use watchclock_tests::World;

use super::client::Client;

/// Calls that the manual shows, as `GET /v1/monitors/{id}`.
fn in_manual() -> BTreeSet<String> {
    let manual = include_str!("../../../../docs/api.md");
    let call = |line: &str| {
        let (method, path) = line.trim_start_matches(['|', ' ', '`']).split_once(' ')?;
        let path = path.split(['`', '?', ' ']).next()?;
        (Method::from_bytes(method.as_bytes()).is_ok() && path.starts_with("/v1/"))
            .then(|| format!("{method} {path}"))
    };
    manual.lines().filter(|line| line.starts_with('|')).filter_map(call).collect()
}

#[tokio::test]
async fn the_document_needs_no_key_and_every_call_in_it_is_there() {
    let world = World::without_channels().await;
    let reply = world.get("/v1/openapi.json").await;
    assert_eq!((reply.status.as_u16(), reply.header("content-type")), (200, "application/json"));
    let document = reply.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert_eq!(document["servers"][0]["url"], "https://clock.test");
    let client = Client::new(&world).await;
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            let there = path.replace("{id}", "0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40");
            let called = client.send(method.parse().unwrap(), &there, "{\"text\": \"x\"}").await;
            assert_ne!(called.status, 405, "{method} {path}");
            assert!(!called.text().contains("nothing at this path"), "{method} {path}");
            described.insert(format!("{method} {path}"));
        }
    }
    let manual = in_manual();
    assert_eq!(
        manual.difference(&described).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "only in the manual"
    );
    assert_eq!(described.difference(&manual).collect::<Vec<_>>(), Vec::<&String>::new(), "not in the manual");
}
