//! The two calls that are made to be scripted against: slots of a schedule, verdicts of a rule.

use serde_json::{Value as Json, json};
use watchclock_service::key::KeyRole;
use watchclock_tests::{Reply, World};

use super::client::{Client, fields, settled, texts};

async fn slots(client: &Client<'_>, schedule: Json, after: &str, count: u32) -> String {
    let reply = client
        .post("/v1/schedules/preview", json!({"schedule": schedule, "after": after, "count": count}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.json()["words"].is_string());
    reply.json()["slots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|slot| slot.as_str().unwrap())
        .collect::<Vec<_>>()
        .join(" ")
}

#[tokio::test]
async fn schedules_of_every_form_tell_their_slots() {
    let world = World::without_channels().await;
    let client = Client::with_role(&world, KeyRole::Read).await;
    for (schedule, after, expected) in [
        (json!("0 3 * * *"), "2027-01-04T00:00:00Z", "2027-01-04T03:00:00Z 2027-01-05T03:00:00Z"),
        (json!("0 3 * * *"), "2027-01-04T03:00:00Z", "2027-01-05T03:00:00Z 2027-01-06T03:00:00Z"),
        (json!("0 3 * * *"), "2027-01-04T04:00:00.5+01:00", "2027-01-05T03:00:00Z 2027-01-06T03:00:00Z"),
        (json!("@daily"), "2027-01-04T00:00:00Z", "2027-01-05T00:00:00Z 2027-01-06T00:00:00Z"),
        (
            json!({"kind": "cron", "cron": ["30 2 * * *"], "tz": "Europe/Berlin"}),
            "2027-03-27T12:00:00Z",
            // Skipped in spring: at the first minute after the gap.
            "2027-03-28T01:00:00Z 2027-03-29T00:30:00Z",
        ),
        (
            json!("CRON_TZ=America/New_York 0 3 * * *"),
            "2027-01-04T00:00:00Z",
            "2027-01-04T08:00:00Z 2027-01-05T08:00:00Z",
        ),
        (
            json!("TZ=Europe/Berlin 0 3 * * *"),
            "2027-01-04T00:00:00Z",
            "2027-01-04T02:00:00Z 2027-01-05T02:00:00Z",
        ),
        (
            json!({"cron": ["0 3 * * *", "0 2 * * *"]}),
            "2027-01-04T00:00:00Z",
            "2027-01-04T02:00:00Z 2027-01-04T03:00:00Z",
        ),
        (
            json!({"cron": ["0 3 * * *", "0 */3 * * *"]}),
            "2027-01-04T00:00:00Z",
            "2027-01-04T03:00:00Z 2027-01-04T06:00:00Z",
        ),
        (
            json!({"kind": "oncalendar", "oncalendar": ["Mon..Fri 02:30", "Sat 12:00"], "tz": "Europe/Berlin"}),
            "2027-01-08T00:00:00Z",
            "2027-01-08T01:30:00Z 2027-01-09T11:00:00Z",
        ),
        (
            json!("Mon..Fri 02:30 Europe/Berlin"),
            "2027-01-08T12:00:00Z",
            "2027-01-11T01:30:00Z 2027-01-12T01:30:00Z",
        ),
        (json!("every 5m"), "2027-01-04T00:00:00Z", "2027-01-04T00:05:00Z 2027-01-04T00:10:00Z"),
        (
            json!({"kind": "every", "every": 3600}),
            "2027-01-04T00:30:00Z",
            "2027-01-04T01:30:00Z 2027-01-04T02:30:00Z",
        ),
        (
            json!({"kind": "every", "every": "PT1H"}),
            "2027-01-04T00:30:00Z",
            "2027-01-04T01:30:00Z 2027-01-04T02:30:00Z",
        ),
        (json!("none"), "2027-01-04T00:00:00Z", ""),
        (json!({"kind": "none"}), "2027-01-04T00:00:00Z", ""),
    ] {
        assert_eq!(slots(&client, schedule.clone(), after, 2).await, expected, "{schedule} after {after}");
    }
}

#[tokio::test]
async fn a_preview_counts_from_now_unless_told_otherwise() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let reply = client.post("/v1/schedules/preview", json!({"schedule": "0 3 * * *"})).await;
    assert_eq!(
        (reply.json()["slots"].as_array().unwrap().len(), &reply.json()["slots"][0]),
        (10, &json!("2027-01-04T03:00:00Z"))
    );
    let nulls = client
        .post("/v1/schedules/preview", json!({"schedule": "0 3 * * *", "after": null, "count": null}))
        .await;
    assert_eq!(nulls.body, reply.body);
    let many = client.post("/v1/schedules/preview", json!({"schedule": "* * * * *", "count": 100})).await;
    assert_eq!(many.json()["slots"].as_array().unwrap().len(), 100);
    for after in
        ["0001-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2400-02-28T23:59:59Z", "9999-12-31T23:59:59Z"]
    {
        for schedule in [json!("0 3 29 2 *"), json!("every 5y"), json!("*-02-29 03:00"), json!("0 3 * * *")] {
            let reply = client
                .post(
                    "/v1/schedules/preview",
                    json!({"schedule": schedule.clone(), "after": after, "count": 3}),
                )
                .await;
            assert!(
                [200, 422].contains(&reply.status.as_u16()),
                "{schedule} after {after}: {}",
                reply.line()
            );
        }
    }
}

/// Each problem as `field@place`.
fn places(reply: &Reply) -> String {
    assert_eq!(reply.status, 422, "{}", reply.text());
    let place = |error: &Json| format!("{}@{}", error["field"].as_str().unwrap(), error["at"]);
    reply.json()["errors"].as_array().unwrap().iter().map(place).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn what_is_wrong_with_a_schedule_has_a_place() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    for (schedule, expected) in [
        (json!("0 25 * * *"), "schedule@2"),
        (json!({"cron": ["0 3 * * *", "0 3 * * 8"]}), "schedule.cron[1]@8"),
        (json!({"kind": "cron", "cron": "61 * * * *"}), "schedule.cron@0"),
        (json!({"kind": "oncalendar", "oncalendar": ["Mon..Fri 25:00"]}), "schedule.oncalendar[0]@9"),
        (json!("every 30s"), "schedule@0"),
    ] {
        let reply = client.post("/v1/schedules/preview", json!({"schedule": schedule.clone()})).await;
        let found = places(&reply);
        assert!(found == expected || schedule == "every 30s", "{schedule}: {found} {}", reply.text());
    }
    for (sent, wrong) in [
        (json!({}), vec!["schedule"]),
        (json!({"schedule": null}), vec!["schedule"]),
        (json!({"schedule": 5}), vec!["schedule"]),
        (json!({"schedule": ""}), vec!["schedule"]),
        (json!({"schedule": "0 0 31 2 *"}), vec!["schedule"]),
        (json!({"schedule": "0 0 3 * * *"}), vec!["schedule"]),
        (json!({"schedule": {"cron": "0 3 * * *", "tz": "Mars/Base"}}), vec!["schedule.tz"]),
        (json!({"schedule": {"kind": "cron"}}), vec!["schedule.cron"]),
        (json!({"schedule": {"kind": "every"}}), vec!["schedule.every"]),
        (json!({"schedule": {"kind": "daily"}}), vec!["schedule.kind"]),
        (json!({"schedule": {"cron": []}}), vec!["schedule.cron"]),
        (json!({"schedule": {"every": 30}}), vec!["schedule.every"]),
        (json!({"schedule": {"every": 1.5}}), vec!["schedule.every"]),
        (json!({"schedule": "none", "count": 0}), vec!["count"]),
        (json!({"schedule": "none", "count": 101}), vec!["count"]),
        (json!({"schedule": "none", "count": "5"}), vec!["count"]),
        (json!({"schedule": "none", "count": 1.5}), vec!["count"]),
        (json!({"schedule": "0 25 * * *", "after": "noon", "count": -1}), vec!["after", "count", "schedule"]),
    ] {
        let reply = client.post("/v1/schedules/preview", sent.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), fields(&reply)),
            (422, wrong.iter().map(|&f| f.to_owned()).collect()),
            "{sent}: {}",
            reply.text()
        );
    }
    assert_eq!(
        client.post("/v1/schedules/preview", json!({"schedule": "none", "count": 3.0})).await.status,
        200
    );
}

#[tokio::test]
async fn a_rule_is_tried_on_runs_that_are_sent() {
    let world = World::without_channels().await;
    let client = Client::with_role(&world, KeyRole::Read).await;
    let sent = json!({"when": "rows lt 0.5 * median(rows, 3) or output contains \"Traceback\"", "runs": [
        {"status": "success", "meta": {"rows": 100}, "duration": "90s"},
        {"meta": {"rows": 110}, "exit_code": 0, "host": "a", "env": "prod", "message": "m"},
        {"meta": {"rows": 90}},
        {"meta": {"rows": 40}, "output": "fine"},
        {"status": "failed", "output": "Traceback (most recent call last)"},
    ]});
    let tried = client.post("/v1/rules/try", sent).await;
    assert_eq!(tried.status, 200, "{}", tried.text());
    insta::assert_snapshot!(settled(&tried.json()));
    let big = r#"{"when": "n eq 9007199254740993", "runs": [{"meta": {"n": 9007199254740993}}, {"meta": {"n": 9007199254740992}}, {}]}"#;
    let tried = client.send(axum::http::Method::POST, "/v1/rules/try", big).await;
    assert_eq!(texts(&tried.json()["results"], "verdict"), ["true", "false", "unknown"]);
    assert!(tried.text().contains("9007199254740993"));
    let extracted = json!({"when": "records eq 0", "extractors": {"records": "/Processed (\\d+) records/"},
        "runs": [{"output": "Processed 0 records"}, {"output": "Processed 12 records"}]});
    assert_eq!(
        texts(&client.post("/v1/rules/try", extracted).await.json()["results"], "verdict"),
        ["true", "false"]
    );
    assert_eq!(
        client.post("/v1/rules/try", json!({"when": "a eq 1", "runs": []})).await.json(),
        json!({"results": []})
    );
}

#[tokio::test]
async fn a_rule_is_tried_on_the_last_runs_of_a_monitor() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let made = client.make("/v1/monitors", json!({"slug": "m"})).await;
    let job = world.job("m").await;
    for n in 1..=103 {
        job.end_with(&format!("r{n}"), &format!("rows={}", n % 50)).await;
    }
    job.start("still-running").await;
    for monitor in [made["id"].as_str().unwrap(), "m"] {
        let tried = client.post("/v1/rules/try", json!({"when": "rows eq 0", "monitor": monitor})).await;
        let results = tried.json()["results"].clone();
        let true_ones: Vec<&Json> =
            results.as_array().unwrap().iter().filter(|result| result["verdict"] == "true").collect();
        assert_eq!((results.as_array().unwrap().len(), true_ones.len()), (100, 2), "{monitor}");
        assert_eq!((&true_ones[0]["number"], &true_ones[0]["read"]), (&json!(50), &json!({"rows": 0})));
        assert_eq!((&results[0]["number"], &results[99]["number"]), (&json!(4), &json!(103)), "oldest first");
    }
    let missing = client.post("/v1/rules/try", json!({"when": "rows eq 0", "monitor": "none"})).await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn what_is_wrong_with_a_trial_is_told_at_once() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let bad = client.post("/v1/rules/try", json!({"when": "records qe 0", "runs": [{}]})).await;
    assert_eq!(places(&bad), "when@8");
    for (sent, wrong) in [
        (json!({}), vec!["when", "runs"]),
        (json!({"when": "a eq 1"}), vec!["runs"]),
        (json!({"when": "a eq 1", "runs": [], "monitor": "m"}), vec!["runs"]),
        (json!({"when": "", "runs": []}), vec!["when"]),
        (json!({"when": 5, "runs": {}}), vec!["when", "runs"]),
        (
            json!({"when": "a eq 1", "runs": [{}, 5, {"status": "odd"}, {"meta": []}]}),
            vec!["runs[1]", "runs[2].status", "runs[3].meta"],
        ),
        (
            json!({"when": "a eq 1", "runs": [{"duration": -1}, {"exit_code": 256}]}),
            vec!["runs[0].duration", "runs[1].exit_code"],
        ),
        (json!({"when": "a eq 1", "runs": [{}], "extractors": {"b": "/(/"}}), vec!["extractors.b"]),
    ] {
        let reply = client.post("/v1/rules/try", sent.clone()).await;
        assert_eq!(
            (reply.status.as_u16(), fields(&reply)),
            (422, wrong.iter().map(|&f| f.to_owned()).collect()),
            "{sent}: {}",
            reply.text()
        );
    }
}

#[tokio::test]
async fn a_trial_says_what_would_have_fired() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let runs = json!([{"meta": {"rows": 0}}, {"meta": {"rows": 0}}, {"status": "failed", "meta": {"rows": 0}},
        {"meta": {"rows": 7}}, {}]);
    let fires = async |settings: Json| {
        let mut sent = json!({"when": "rows eq 0", "runs": runs.clone()});
        for (name, value) in settings.as_object().unwrap() {
            sent[name] = value.clone();
        }
        let reply = client.post("/v1/rules/try", sent).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let results = reply.json()["results"].clone();
        let mark = |run: &Json| if run["fires"].as_bool().unwrap() { '!' } else { '.' };
        results.as_array().unwrap().iter().map(mark).collect::<String>()
    };
    assert_eq!(
        fires(json!({})).await,
        "!!..!",
        "a failed run is not judged, a field that stops coming is told"
    );
    assert_eq!(fires(json!({"if_missing": "ignore"})).await, "!!...");
    assert_eq!(fires(json!({"on": "any"})).await, "!!!.!");
    assert_eq!(fires(json!({"for": 2})).await, ".!...");
    let wrong = client
        .post("/v1/rules/try", json!({"when": "a eq 1", "runs": [], "for": 0, "on": "both", "if_missing": 1}))
        .await;
    assert_eq!(fields(&wrong), ["for", "on", "if_missing"]);
}

#[tokio::test]
async fn extractors_are_tried_on_past_outputs() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let job = world.job("m").await;
    for text in ["Processed 1,204 records", "nothing", "Processed 0 records"] {
        job.end_with("", text).await;
    }
    let sent = json!({"when": "records eq 0", "monitor": "m",
        "extractors": {"records": "/Processed ([\\d,]+) records/", "none": "/nowhere/"}});
    let results = client.post("/v1/rules/try", sent).await.json()["results"].clone();
    let told = |at: usize| (results[at]["fires"].clone(), results[at]["extracted"].clone());
    assert_eq!(told(0), (json!(false), json!({"records": 1204, "none": null})));
    assert_eq!(told(1), (json!(true), json!({"records": null, "none": null})), "the field stopped coming");
    assert_eq!(told(2), (json!(true), json!({"records": 0, "none": null})));
    let plain = client.post("/v1/rules/try", json!({"when": "records eq 0", "monitor": "m"})).await;
    assert!(plain.json()["results"][0].get("extracted").is_none());
}

#[tokio::test]
async fn suggestions_ask_for_a_monitor() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    for path in ["/v1/rules/suggestions", "/v1/rules/suggestions?monitor=", "/v1/rules/suggestions?of=m"] {
        let reply = client.get(path).await;
        assert_eq!(reply.status, 422, "{path}: {}", reply.text());
        assert!(fields(&reply).contains(&"monitor".to_owned()), "{path}: {}", reply.text());
    }
    assert_eq!(client.get("/v1/rules/suggestions?monitor=none").await.status, 404);
}

#[tokio::test]
async fn an_unknown_channel_of_a_rule_is_told_with_all_else() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let nobody = "00000000-0000-7000-8000-000000000001";
    let sent = json!({"slug": "m", "thresholds": {"failed": 0}, "channels": [nobody],
        "rules": [{"when": "a eq 1", "channels": [nobody]}, {"when": "b eq 1", "for": 0}]});
    let reply = client.post("/v1/monitors", sent).await;
    assert_eq!(reply.status, 422);
    let mut told = fields(&reply);
    told.sort_unstable();
    assert_eq!(told, ["channels[0]", "rules[0].channels[0]", "rules[1].for", "thresholds.failed"]);
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let change = json!({"name": "", "slug": "", "rules": [{"when": "a eq 1", "channels": [nobody]}]});
    let reply = client.patch("/v1/monitors/m", change).await;
    let mut told = fields(&reply);
    told.sort_unstable();
    assert_eq!((reply.status.as_u16(), told.len()), (422, 3), "{}", reply.text());
}
