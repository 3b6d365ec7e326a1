//! Changing monitors: what is left out stays, null is what a new one has, and nobody overwrites what they have not read.

use serde_json::{Value as Json, json};
use watchclock_tests::World;

use super::client::Client;

/// Everything that can be set, away from what a new monitor has.
fn unusual() -> Json {
    json!({
        "name": "Other", "slug": "m", "description": "d", "tags": ["t"], "runbook": "r", "schedule": "every 5m",
        "grace": 1, "max_duration": 100, "min_duration": 1, "early_tolerance": 1, "overlap": "allow 3",
        "rules": ["rows eq 0"], "thresholds": {"failed": 2, "missed": 2, "rule": 2, "fast": 2, "slow": 2, "recover": 2},
        "alert_after": 60, "alert_unscheduled": true, "channels": [], "paused": true, "manual_resume": true,
        "post_only": true, "ping_limit": 20, "project_calendars": false,
        "extractors": {"rows": "/(\\d+) rows/"}, "anomalies": {"duration": false, "meta": ["rows"]},
    })
}

/// What two monitors differ in.
fn differences(one: &Json, other: &Json) -> Vec<String> {
    let differs = |(name, value): (&String, &Json)| (other[name] != *value).then(|| name.clone());
    one.as_object().unwrap().iter().filter_map(differs).collect()
}

#[tokio::test]
async fn what_is_left_out_stays() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let mut sent = unusual();
    let calendar = client.make("/v1/calendars", json!({"name": "c", "dates": ["2027-12-25"]})).await;
    sent["calendars"] = json!([calendar["id"]]);
    let before = client.make("/v1/monitors", sent).await;
    assert_eq!(before["calendars"], json!([calendar["id"]]));
    world.advance("1m").await;
    let after = client.patch("/v1/monitors/m", json!({"description": "new"})).await.json();
    assert_eq!(differences(&before, &after), ["description", "updated_at"]);
    let after = client.patch("/v1/monitors/m", json!({"thresholds": {"failed": 5}})).await.json();
    assert_eq!((&after["thresholds"]["failed"], &after["thresholds"]["missed"]), (&json!(5), &json!(2)));
    let after = client.patch("/v1/monitors/m", json!({"overlap": {"allowed": 4}})).await.json();
    assert_eq!(after["overlap"], json!({"policy": "allow", "allowed": 4}));
    client.patch("/v1/monitors/m", json!({"schedule": {"cron": "0 3 * * *", "tz": "Europe/Berlin"}})).await;
    let after = client.patch("/v1/monitors/m", json!({"schedule": "0 4 * * *"})).await.json();
    assert_eq!(after["schedule"], json!({"kind": "cron", "cron": ["0 4 * * *"], "tz": "Europe/Berlin"}));
    let after =
        client.patch("/v1/monitors/m", json!({"schedule": {"cron": "0 4 * * *", "tz": null}})).await.json();
    assert_eq!(after["schedule"]["tz"], "UTC");
    let after = client.patch("/v1/monitors/m", json!({"calendars": null})).await.json();
    assert_eq!(after["calendars"], json!([]));
}

#[tokio::test]
async fn null_is_what_a_new_monitor_has() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let fresh = client.make("/v1/monitors", json!({"slug": "fresh"})).await;
    client.make("/v1/monitors", unusual()).await;
    let sent = unusual();
    let nulls: Json = sent.as_object().unwrap().keys().map(|name| (name.clone(), Json::Null)).collect();
    let each = sent.as_object().unwrap().keys().filter(|name| !["name", "slug"].contains(&name.as_str()));
    for name in each {
        let after = client.patch("/v1/monitors/m", json!({name: null})).await;
        assert_eq!(
            (after.status.as_u16(), &after.json()[name]),
            (200, &fresh[name]),
            "{name}: {}",
            after.text()
        );
    }
    client.patch("/v1/monitors/m", unusual()).await;
    let refused = client.patch("/v1/monitors/m", nulls).await;
    assert_eq!(super::client::fields(&refused), ["name", "slug"], "one of them is needed");
    let after = client.patch("/v1/monitors/m", json!({"slug": null})).await.json();
    assert_eq!(after["slug"], "other", "made of the name");
    let after = client.patch("/v1/monitors/other", json!({"name": null})).await.json();
    assert_eq!(after["name"], "other", "made of the slug");
    let nested = json!({"thresholds": {"failed": null}, "overlap": {"policy": "allow", "allowed": null},
        "rules": [{"when": "rows eq 0", "name": null, "severity": null, "for": null}]});
    let after = client.patch("/v1/monitors/other", nested).await;
    assert_eq!(after.status, 200, "{}", after.text());
    assert_eq!(
        (&after.json()["thresholds"]["failed"], &after.json()["thresholds"]["slow"]),
        (&json!(1), &json!(2))
    );
}

#[tokio::test]
async fn nobody_overwrites_what_they_have_not_read() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let etag = client.get("/v1/monitors/m").await.header("etag").to_owned();
    let mine = client.with("if-match", &etag).patch("/v1/monitors/m", json!({"description": "mine"})).await;
    assert_eq!(mine.status, 200);
    assert_ne!(mine.header("etag"), etag);
    let late = client.with("if-match", &etag).patch("/v1/monitors/m", json!({"description": "late"})).await;
    assert_eq!((late.status.as_u16(), late.header("etag")), (412, mine.header("etag")));
    assert!(super::client::told(&late).is_empty());
    assert_eq!(client.get("/v1/monitors/m").await.json()["description"], "mine");
    for matching in [&format!("\"0\", {}", mine.header("etag")), "*"] {
        let done = client.with("if-match", matching).patch("/v1/monitors/m", json!({})).await;
        assert_eq!(done.status, 200, "{matching}");
    }
}

#[tokio::test]
async fn of_many_changes_of_one_version_one_is_made() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let client = client.with("if-match", "\"1\"");
    let changes = (0..10).map(|n| client.patch("/v1/monitors/m", json!({"description": format!("{n}")})));
    let mut statuses: Vec<u16> =
        futures_util::future::join_all(changes).await.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412, 412, 412, 412, 412, 412, 412, 412, 412]);
}

#[tokio::test]
async fn rules_keep_their_identity_over_edits() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let made = client.make("/v1/monitors", json!({"slug": "m", "rules": ["rows eq 0", "errors gt 5"]})).await;
    let ids: Vec<&Json> = made["rules"].as_array().unwrap().iter().map(|rule| &rule["id"]).collect();
    let sent = json!({"rules": [{"id": ids[1], "when": "errors gt 9"}, {"when": "rows eq 0", "severity": "warning"}, "x eq 1"]});
    let after = client.patch("/v1/monitors/m", sent).await.json();
    let rules = after["rules"].as_array().unwrap();
    assert_eq!((&rules[0]["id"], &rules[1]["id"]), (ids[1], ids[0]));
    assert_eq!(rules.len(), 3);
    // What is shown can be sent.
    let again = client.patch("/v1/monitors/m", json!({"rules": after["rules"].clone()})).await.json();
    assert_eq!(again["rules"], after["rules"]);
    assert_eq!(client.patch("/v1/monitors/m", json!({"rules": []})).await.json()["rules"], json!([]));
}
