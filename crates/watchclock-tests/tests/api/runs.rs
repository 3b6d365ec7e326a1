//! Looking at runs: their shape, their output, and which of them a list takes.

use serde_json::{Value as Json, json};
use watchclock_tests::World;

use super::client::{Client, settled, texts};

#[tokio::test]
async fn a_run_has_its_shape() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync", "schedule": "every 1h"})).await;
    let job = world.job("sync").await.from("web-1");
    job.start("Nightly-7").await;
    world.advance("90s").await;
    let body = r#"{"meta": {"records_processed": 9007199254740993, "ratio": 0.10, "ok": true, "who": "x"}, "output": "done\n"}"#;
    let ping =
        job.request("POST", "/3?rid=Nightly-7&msg=disk%20full&env=prod").header("user-agent", "curl/8");
    job.send(ping.body(body.into()).unwrap()).await;
    let listed = client.get("/v1/runs").await.json();
    let run = &listed["items"][0];
    insta::assert_snapshot!(settled(run));
    let id = run["id"].as_str().unwrap();
    assert_eq!(client.get(&format!("/v1/runs/{id}")).await.json(), *run);
    assert_eq!(client.get("/v1/monitors/sync").await.json()["last_run"], *run);
    let text = client.get(&format!("/v1/runs/{id}")).await.text();
    assert!(
        text.contains("9007199254740993") && text.contains("\"ratio\":0.1"),
        "numbers stay exact: {text}"
    );
}

#[tokio::test]
async fn output_is_plain_text() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync"})).await;
    let job = world.job("sync").await;
    job.ping("/fail", b"caf\xc3\xa9 <b>\x00\xff\n").await;
    job.end("quiet").await;
    job.end_with("long", &"x".repeat(150_000)).await;
    let ids = texts(&client.get("/v1/runs").await.json()["items"], "id");
    let output = async |id: &str| client.get(&format!("/v1/runs/{id}/output")).await;
    let odd = output(&ids[2]).await;
    assert_eq!(
        (odd.header("content-type"), odd.header("watchclock-output-cut")),
        ("text/plain; charset=utf-8", "0")
    );
    assert!(odd.text().starts_with("café <b>"), "{}", odd.text());
    assert_eq!(output(&ids[1]).await.line(), "200 ");
    let long = output(&ids[0]).await;
    assert_eq!((long.body.len(), long.header("watchclock-output-cut")), (100_000, "50000"));
}

#[tokio::test]
async fn runs_are_found_by_monitor_status_flag_and_time() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "one"})).await;
    let two = client.make("/v1/monitors", json!({"name": "two", "overlap": "refuse"})).await;
    let (one, other) = (world.job("one").await, world.job("two").await);
    one.start("a").await;
    world.advance("1s").await;
    one.start("b").await;
    world.until("2027-01-04T01:00:00Z").await;
    one.end("a").await;
    other.fail("c").await;
    world.until("2027-01-04T02:00:00Z").await;
    other.start("d").await;
    world.advance("1s").await;
    other.try_start("e").await;
    let id = two["id"].as_str().unwrap();
    for (query, found) in [
        (String::new(), "e d c b a"),
        ("monitor=one".to_owned(), "b a"),
        (format!("monitor={id}"), "e d c"),
        ("status=running".to_owned(), "d b"),
        ("status=success".to_owned(), "a"),
        ("status=failed".to_owned(), "c"),
        ("status=skipped".to_owned(), "e"),
        ("status=missed".to_owned(), ""),
        ("flag=overlapped".to_owned(), "b a"),
        ("flag=overlapped&status=running".to_owned(), "b"),
        ("from=2027-01-04T01:00:00Z".to_owned(), "e d c"),
        ("to=2027-01-04T01:00:00Z".to_owned(), "b a"),
        ("from=2027-01-04T02:00:00%2B01:00&to=2027-01-04T02:00:00Z".to_owned(), "c"),
        ("from=2027-01-04T02:00:00+01:00&to=2027-01-04T02:00:00Z".to_owned(), "c"),
        ("from=2028-01-04T02:00:00Z".to_owned(), ""),
        ("from=2027-01-04T02:00:00Z&to=2027-01-04T01:00:00Z".to_owned(), ""),
        ("monitor=two&status=failed&from=2027-01-04T00:00:00Z&to=2027-01-05T00:00:00Z".to_owned(), "c"),
    ] {
        let listed = client.get(&format!("/v1/runs?{query}")).await;
        assert_eq!(listed.status, 200, "{query} {}", listed.text());
        assert_eq!(texts(&listed.json()["items"], "rid").join(" "), found, "{query}");
        let pages = client.pages(&format!("/v1/runs?limit=1&{query}"), "rid").await;
        assert_eq!(pages.concat().join(" "), found, "{query}");
    }
    let wrong = client.get("/v1/runs?status=bad&flag=odd&from=noon&to=2027-13-01T00:00:00Z").await;
    assert_eq!((wrong.status.as_u16(), super::client::fields(&wrong).len()), (422, 4), "{}", wrong.text());
    let overlap: Json = client.get("/v1/runs?flag=overlapped").await.json();
    assert_eq!(overlap["items"][0]["overlaps"], json!([overlap["items"][1]["id"]]));
    assert_eq!(client.get("/v1/runs?monitor=three").await.status, 404);
}
