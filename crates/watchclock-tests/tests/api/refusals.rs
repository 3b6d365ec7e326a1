//! What is wrong is told by name, all of it at once, and always in the same form.

use axum::http::Method;
use serde_json::json;
use watchclock_tests::World;

use super::client::{Client, fields, settled, told};

#[tokio::test]
async fn everything_wrong_with_a_monitor_is_told_at_once() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let refused = client
        .post(
            "/v1/monitors",
            json!({
                "nmae": "x", "health": "healthy", "slug": "No Slug", "tags": [1], "description": 5,
                "schedule": {"kind": "cron", "cron": ["0 3 * * *", "0 25 * * *"], "tz": "Europe/Berln"},
                "grace": "5 parsecs", "max_duration": 0, "overlap": {"policy": "alow"},
                "rules": ["rows qe 0", {"when": "a eq 1", "severity": "fatal"}],
                "thresholds": {"failed": 0}, "channels": ["0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40"], "paused": "yes",
            }),
        )
        .await;
    assert_eq!(refused.status, 422);
    insta::assert_snapshot!(settled(&refused.json()));
}

#[tokio::test]
async fn a_taken_slug_is_told_under_its_field() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "a"})).await;
    client.make("/v1/monitors", json!({"slug": "b"})).await;
    let posted = client.post("/v1/monitors", json!({"slug": "a"})).await;
    let patched = client.patch("/v1/monitors/b", json!({"slug": "a"})).await;
    for refused in [posted, patched] {
        assert_eq!(refused.status, 409);
        assert_eq!(told(&refused), ["slug: another monitor of this project has the slug `a` already"]);
    }
}

#[tokio::test]
async fn a_taken_slug_is_told_with_everything_else() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "a"})).await;
    client.make("/v1/monitors", json!({"slug": "b"})).await;
    let taken = "slug: another monitor of this project has the slug `a` already";
    let tags = "tags: `x,y`: no commas, as they part tags where people type them";
    for body in [json!({"name": "A", "tags": ["x,y"]}), json!({"slug": "a", "tags": ["x,y"]})] {
        let refused = client.post("/v1/monitors", body.clone()).await;
        assert_eq!(refused.status, 422);
        assert_eq!(told(&refused), [tags, taken], "{body}");
    }
    let refused = client.patch("/v1/monitors/b", json!({"slug": "a", "tags": ["x,y"]})).await;
    assert_eq!(told(&refused), [tags, taken]);
    let refused = client.patch("/v1/monitors/a", json!({"slug": "a", "grace": "x", "tags": ["x,y"]})).await;
    assert!(!told(&refused).iter().any(|told| told.starts_with("slug")), "it is its own");
}

#[tokio::test]
async fn a_length_that_would_be_stored_as_another_is_refused() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let body = json!({"name": "m", "grace": 0.5, "alert_after": "1500ms", "min_duration": 0.0004,
                      "max_duration": 90.5, "early_tolerance": 0.9});
    let refused = client.post("/v1/monitors", body).await;
    assert_eq!(refused.status, 422);
    assert_eq!(
        told(&refused),
        [
            "grace: must be a whole number of seconds",
            "max_duration: must be a whole number of seconds",
            "early_tolerance: must be a whole number of seconds",
            "alert_after: must be a whole number of seconds",
            "min_duration: must be a whole number of milliseconds",
        ]
    );
    client.make("/v1/monitors", json!({"name": "m", "min_duration": 0.004, "grace": "90s"})).await;
}

#[tokio::test]
async fn what_is_no_json_is_400_and_what_is_no_object_422() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let calls = [
        (Method::POST, "/v1/monitors"),
        (Method::PATCH, "/v1/monitors/m"),
        (Method::POST, "/v1/channels"),
        (Method::POST, "/v1/keys"),
        (Method::POST, "/v1/schedules/preview"),
        (Method::POST, "/v1/rules/try"),
    ];
    for (method, path) in calls {
        for body in ["", " ", "{", "{\"name\": }", "name=x", "{'name': 'x'}", "\"", "nul", &deep, "{} {}"] {
            for kind in ["application/json", "application/x-www-form-urlencoded", "text/plain"] {
                let reply = client.with("content-type", kind).send(method.clone(), path, body).await;
                assert_eq!(reply.status, 400, "{method} {path} {kind} {body:.20}: {}", reply.text());
                told(&reply);
            }
        }
        for body in ["[]", "5", "null", "\"x\"", "true"] {
            let reply = client.send(method.clone(), path, body).await;
            assert_eq!((reply.status.as_u16(), told(&reply).len()), (422, 1), "{method} {path} {body}");
        }
        let large = format!("{{\"name\": \"{}\"}}", "x".repeat(1024 * 1024));
        assert_eq!(client.send(method, path, &large).await.status, 413);
    }
}

#[tokio::test]
async fn unknown_fields_and_parameters_are_named() {
    let world = World::new().await;
    let client = Client::new(&world).await;
    client.make("/v1/monitors", json!({"slug": "m"})).await;
    let channel = client.get("/v1/channels").await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    let calls = [
        (Method::POST, "/v1/monitors".to_owned(), json!({"slug": "x", "shedule": "none"}), "shedule"),
        (Method::PATCH, "/v1/monitors/m".to_owned(), json!({"max-duration": 5}), "max-duration"),
        (
            Method::PATCH,
            "/v1/monitors/m".to_owned(),
            json!({"rules": [{"when": "a eq 1", "sev": 1}]}),
            "rules[0].sev",
        ),
        (
            Method::PATCH,
            "/v1/monitors/m".to_owned(),
            json!({"schedule": {"corn": "* * * * *"}}),
            "schedule.corn",
        ),
        (Method::PATCH, format!("/v1/channels/{channel}"), json!({"url": "https://x.test"}), "url"),
        (Method::POST, "/v1/channels".to_owned(), json!({"kind": "email", "adress": "x"}), "adress"),
        (Method::POST, "/v1/keys".to_owned(), json!({"role": "read", "rôle": 1}), "rôle"),
        (
            Method::POST,
            "/v1/rules/try".to_owned(),
            json!({"when": "a eq 1", "runs": [{"metta": {}}]}),
            "runs[0].metta",
        ),
        (Method::POST, "/v1/schedules/preview".to_owned(), json!({"schedule": "none", "cuont": 1}), "cuont"),
    ];
    for (method, path, body, field) in calls {
        let refused = client.send(method, &path, &body.to_string()).await;
        assert_eq!(refused.status, 422, "{path}");
        assert!(fields(&refused).contains(&field.to_owned()), "{path}: {}", refused.text());
    }
    for list in ["monitors", "runs", "incidents", "channels", "keys", "projects"] {
        let refused = client.get(&format!("/v1/{list}?limt=5&cursor=x&limit=501")).await;
        assert_eq!(refused.status, 422, "{list}");
        let mut wrong = fields(&refused);
        wrong.sort();
        assert_eq!(wrong, ["cursor", "limit", "limt"], "{list}");
    }
}

#[tokio::test]
async fn other_methods_and_paths_are_told_in_the_same_form() {
    let world = World::without_channels().await;
    let client = Client::new(&world).await;
    let wrong = client.send(Method::PUT, "/v1/monitors", "{}").await;
    assert_eq!((wrong.status.as_u16(), wrong.header("allow").contains("POST")), (405, true));
    told(&wrong);
    for path in ["/v1", "/v1/", "/v1/nothing", "/v1/monitors/m/nothing", "/v1/runs/%ff", "/v1/runs/x/output"]
    {
        let missing = client.get(path).await;
        assert!([400, 404].contains(&missing.status.as_u16()), "{path} {}", missing.line());
        told(&missing);
    }
    let packed = client.with("content-encoding", "gzip").post("/v1/monitors", json!({"slug": "m"})).await;
    assert_eq!(packed.status, 415);
    told(&packed);
}
