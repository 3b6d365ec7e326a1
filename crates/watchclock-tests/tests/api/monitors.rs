//! Making monitors, looking at them, deleting them: shapes, shorthands, lengths of time in every form.

use serde_json::{Value as Json, json};
use watchclock_tests::World;

use super::client::{Client, settled};

#[tokio::test]
async fn a_monitor_has_its_shape() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let channel =
        client.make("/v1/channels", json!({"kind": "email", "name": "a", "to": "a@example.org"})).await;
    let sent = json!({
        "name": "Nightly sync", "description": "copies orders", "tags": ["etl", "night"], "runbook": "https://wiki.test/sync",
        "schedule": {"kind": "cron", "cron": ["0 3 * * *", "30 12 * * 6"], "tz": "Europe/Berlin"},
        "grace": "PT15M", "max_duration": "1h30m", "min_duration": 2.5, "early_tolerance": 30,
        "overlap": {"policy": "allow", "allowed": 2},
        "rules": ["records_processed eq 0", {"name": "slow", "when": "duration gt 2h", "severity": "warning", "for": 3,
                   "on": "any", "if_missing": "ignore"}],
        "thresholds": {"failed": 2}, "alert_after": "5m", "channels": [channel["id"]], "manual_resume": true,
    });
    let made = client.post("/v1/monitors", sent).await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.header("etag"), "\"1\"");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(made.header("location"), format!("/v1/monitors/{id}"));
    insta::assert_snapshot!(settled(&made.json()));
    for path in [id.as_str(), "nightly-sync", &id.to_uppercase(), "nightly-sync/"] {
        let shown = client.get(&format!("/v1/monitors/{path}")).await;
        assert_eq!(
            (shown.status.as_u16(), shown.header("etag"), shown.json()),
            (200, "\"1\"", made.json()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_name_or_a_slug_is_enough() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let named = client.make("/v1/monitors", json!({"name": "Café: Nightly  Sync!", "tags": null})).await;
    assert_eq!(named["slug"], "caf-nightly-sync");
    let slugged = client.make("/v1/monitors", json!({"slug": "b_2"})).await;
    assert_eq!(slugged["name"], "b_2");
    assert_eq!(slugged["schedule"], json!({"kind": "none", "tz": "UTC"}));
    assert_eq!((&slugged["health"], &slugged["channels"]), (&json!("waiting"), &json!(["*"])));
}

#[tokio::test]
async fn schedules_are_understood_as_people_type_them() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let cron = |lines: Json, tz: &str| json!({"kind": "cron", "cron": lines, "tz": tz});
    for (at, (sent, shown)) in [
        (json!("0 3 * * *"), cron(json!(["0 3 * * *"]), "UTC")),
        (json!("CRON_TZ=Asia/Tokyo 0 3 * * *"), cron(json!(["0 3 * * *"]), "Asia/Tokyo")),
        (json!({"cron": "0 3 * * *", "tz": null}), cron(json!(["0 3 * * *"]), "UTC")),
        (json!("every 5m"), json!({"kind": "every", "every": 300, "tz": "UTC"})),
        (json!({"kind": "every", "every": "PT2H"}), json!({"kind": "every", "every": 7200, "tz": "UTC"})),
        (json!({"every": 90}), json!({"kind": "every", "every": 90, "tz": "UTC"})),
        (
            json!({"kind": "oncalendar", "oncalendar": ["Mon..Fri 02:30"], "tz": "Europe/Berlin"}),
            json!({"kind": "oncalendar", "oncalendar": ["Mon..Fri 02:30"], "tz": "Europe/Berlin"}),
        ),
        (json!("none"), json!({"kind": "none", "tz": "UTC"})),
        (json!({"kind": "none"}), json!({"kind": "none", "tz": "UTC"})),
    ]
    .into_iter()
    .enumerate()
    {
        let made =
            client.make("/v1/monitors", json!({"slug": format!("m{at}"), "schedule": sent.clone()})).await;
        assert_eq!(made["schedule"], shown, "{sent}");
        // What is shown can be sent.
        let again = client.patch(&format!("/v1/monitors/m{at}"), json!({"schedule": shown.clone()})).await;
        assert_eq!((again.status.as_u16(), &again.json()["schedule"]), (200, &shown), "{}", again.text());
    }
}

#[tokio::test]
async fn lengths_of_time_go_in_as_people_write_them_and_come_out_in_seconds() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    for (sent, seconds) in [
        (json!(90), json!(90)),
        (json!(90.0), json!(90)),
        (json!("90s"), json!(90)),
        (json!("90"), json!(90)),
        (json!("PT1M30S"), json!(90)),
        (json!("5m"), json!(300)),
        (json!("2h"), json!(7_200)),
        (json!("1h30m"), json!(5_400)),
        (json!("P1D"), json!(86_400)),
        (json!("P1DT12H"), json!(129_600)),
        (json!("1d"), json!(86_400)),
        (json!("P1W"), json!(604_800)),
    ] {
        for field in ["grace", "max_duration", "min_duration", "early_tolerance", "alert_after"] {
            let changed = client
                .patch(
                    "/v1/monitors/m",
                    json!({"min_duration": null, "max_duration": null, field: sent.clone()}),
                )
                .await;
            assert_eq!((changed.status.as_u16(), &changed.json()[field]), (200, &seconds), "{field} {sent}");
        }
    }
    let changed = client.patch("/v1/monitors/m", json!({"min_duration": 0.25, "max_duration": null})).await;
    assert_eq!(changed.json()["min_duration"], json!(0.25));
    for wrong in
        [json!(-1), json!("5 parsecs"), json!(true), json!("-5m"), json!([]), json!("P1M"), json!(1e30)]
    {
        for field in ["grace", "max_duration", "min_duration", "early_tolerance", "alert_after"] {
            let refused = client.patch("/v1/monitors/m", json!({field: wrong.clone()})).await;
            assert_eq!(
                (refused.status.as_u16(), super::client::fields(&refused)),
                (422, vec![field.to_owned()]),
                "{wrong}"
            );
        }
    }
}

#[tokio::test]
async fn what_happens_to_a_monitor_shows() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync", "schedule": "every 1h", "grace": "5m"})).await;
    let job = world.job("sync").await;
    job.start("a").await;
    let shown = client.get("/v1/monitors/sync").await.json();
    assert_eq!((&shown["health"], &shown["running"]), (&json!("healthy"), &json!(1)));
    assert_eq!(shown["last_run"]["rid"], "a");
    job.fail("a").await;
    let shown = client.get("/v1/monitors/sync").await.json();
    assert_eq!((&shown["health"], &shown["running"]), (&json!("failing"), &json!(0)));
    assert_eq!(shown["last_run"]["status"], "failed");
    assert_eq!(shown["next_slot"], "2027-01-04T01:00:00Z");
    job.end("b").await;
    world.until("2027-01-04T01:01:00Z").await;
    assert_eq!(client.get("/v1/monitors/sync").await.json()["health"], "late");
}

#[tokio::test]
async fn pause_and_resume_can_be_repeated() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"name": "sync", "schedule": "every 1h"})).await;
    for (action, paused) in [("pause", true), ("pause", true), ("resume", false), ("resume", false)] {
        let done = client.act(&format!("/v1/monitors/sync/{action}")).await;
        assert_eq!((done.status.as_u16(), &done.json()["paused"]), (200, &json!(paused)));
        assert_eq!(done.json()["health"], if paused { "paused" } else { "waiting" });
        assert_eq!(done.json()["next_slot"].is_null(), paused);
        assert_eq!(done.header("etag"), client.get("/v1/monitors/sync").await.header("etag"));
    }
    let stale = client.with("if-match", "\"1\"").act("/v1/monitors/sync/pause").await;
    assert_eq!(stale.status, 412);
    assert_eq!(client.post("/v1/monitors/sync/pause", json!({"until": "tomorrow"})).await.status, 422);
}

#[tokio::test]
async fn a_deleted_monitor_is_gone() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let id = client.make("/v1/monitors", json!({"name": "sync"})).await["id"].as_str().unwrap().to_owned();
    let job = world.job("sync").await;
    job.fail("a").await;
    let run = client.get("/v1/runs").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(client.with("if-match", "\"7\"").delete("/v1/monitors/sync").await.status, 412);
    let gone = client.with("if-match", "\"1\"").delete("/v1/monitors/sync").await;
    assert_eq!(gone.line(), "204 ");
    for path in [format!("/v1/monitors/{id}"), "/v1/monitors/sync".to_owned(), format!("/v1/runs/{run}")] {
        assert_eq!(client.get(&path).await.status, 404, "{path}");
    }
    assert_eq!(client.delete("/v1/monitors/sync").await.status, 404);
    for list in ["/v1/monitors", "/v1/runs", "/v1/incidents"] {
        assert_eq!(client.get(list).await.json(), json!({"items": [], "next": null}), "{list}");
    }
    client.make("/v1/monitors", json!({"name": "sync"})).await;
}

#[tokio::test]
async fn a_limit_of_pings_has_bounds_and_null_is_none() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let made = client.make("/v1/monitors", json!({"slug": "m", "ping_limit": null})).await;
    assert_eq!((&made["ping_limit"], &made["pings_refused"]), (&Json::Null, &json!(0)));
    for limit in [1, 6_000] {
        let changed = client.patch("/v1/monitors/m", json!({"ping_limit": limit})).await;
        assert_eq!(changed.json()["ping_limit"], json!(limit), "{}", changed.text());
    }
    for limit in [json!(0), json!(-1), json!(6_001), json!(2.5), json!("20"), json!(true), json!([1])] {
        for refused in [
            client.patch("/v1/monitors/m", json!({"ping_limit": limit})).await,
            client.post("/v1/monitors", json!({"slug": "n", "ping_limit": limit})).await,
        ] {
            assert_eq!(refused.status, 422, "{limit}");
            let told = super::client::told(&refused);
            assert!(told[0].starts_with("ping_limit: must be a whole number from 1 to 6000"), "{told:?}");
        }
    }
    let refused = client.patch("/v1/monitors/m", json!({"pings_refused": 0, "pings_refused_at": null})).await;
    assert_eq!(super::client::fields(&refused), ["pings_refused", "pings_refused_at"]);
    let changed = client.patch("/v1/monitors/m", json!({"name": "other"})).await;
    assert_eq!(changed.json()["ping_limit"], json!(6_000), "what is left out stays");
    let changed = client.patch("/v1/monitors/m", json!({"ping_limit": null})).await;
    assert_eq!(changed.json()["ping_limit"], Json::Null);
}
