//! Maintenance windows suppress the opening of incidents; they never stop recording or resolving.

use serde_json::json;
use watchclock_domain::run::RunFlag;
use watchclock_tests::World;

/// Makes a window by the API; tells its path.
async fn window(world: &World, body: serde_json::Value) -> String {
    let reply = world.api("POST", "/v1/maintenance-windows", body).await;
    assert_eq!(reply.status, 201, "{}", reply.text());
    reply.header("location").to_owned()
}

fn morning() -> serde_json::Value {
    json!({"name": "upgrade", "from": "2027-01-04T01:00:00Z", "to": "2027-01-04T03:00:00Z"})
}

#[tokio::test]
async fn what_goes_wrong_during_maintenance_is_recorded_and_alerts_nobody() {
    let world = World::new().await;
    let job = world
        .monitor("sync")
        .cron("0 * * * *")
        .grace("5m")
        .rule("rows eq 0")
        .min_duration("1m")
        .create()
        .await;
    world.until("2027-01-04T00:59:30Z").await;
    window(&world, morning()).await;
    job.end("").await;
    world.until("2027-01-04T02:30:00Z").await;
    job.fail("bad").await;
    job.start("empty").await;
    job.start("more").await;
    job.end_with("empty", "rows=0").await;
    job.end("more").await;
    assert_eq!(job.story().await, "");
    let missed = job.run(2).await;
    assert_eq!(
        (missed.status.word(), missed.notes.as_slice()),
        ("missed", &["during maintenance: upgrade".to_owned()][..])
    );
    assert_eq!(job.run(3).await.status.word(), "failed");
    assert!(job.run(4).await.has(RunFlag::RuleBroken) && job.run(4).await.has(RunFlag::Overlapped));
    assert!(job.run(4).await.has(RunFlag::TooFast));
    world.until("2027-01-04T03:04:00Z").await;
    assert_eq!((job.story().await.as_str(), world.subjects().await.len()), ("", 0), "nor afterwards");
    world.until("2027-01-04T03:06:00Z").await;
    assert_eq!(
        job.story().await,
        "missed: no run started for 2027-01-04 03:00 +00:00",
        "it is watched again"
    );
    job.fail("worse").await;
    assert!(job.story().await.contains("failed: run"), "{}", job.story().await);
}

#[tokio::test]
async fn a_run_that_is_stuck_at_the_end_of_maintenance_opens_then() {
    let world = World::new().await;
    let stuck = world.monitor("stuck").max_duration("10m").create().await;
    let slow = world.monitor("slow").max_duration("10m").create().await;
    let twice = world.monitor("twice").max_duration("1d").create().await;
    window(&world, morning()).await;
    world.until("2027-01-04T01:30:00Z").await;
    for job in [&stuck, &slow, &twice] {
        job.start("a").await;
    }
    twice.start("b").await;
    world.until("2027-01-04T02:00:00Z").await;
    assert_eq!((stuck.tape().await.as_str(), stuck.story().await.as_str()), ("#1 a hung", ""));
    slow.end("a").await;
    world.until("2027-01-04T02:59:59Z").await;
    assert_eq!(world.subjects().await, [""; 0]);
    world.advance("1s").await;
    assert_eq!(stuck.story().await, "hung: run #1 has not ended within 10 min");
    assert_eq!(slow.story().await, "");
    assert_eq!(twice.story().await, "overlap: 2 runs are still active after maintenance");
    assert_eq!(world.subjects().await.len(), 2);
    stuck.end("a").await;
    twice.end("a").await;
    assert_eq!((stuck.health().await, twice.health().await), ("healthy", "healthy"));
}

#[tokio::test]
async fn maintenance_never_stops_a_recovery() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    window(&world, morning()).await;
    world.until("2027-01-04T02:00:00Z").await;
    job.fail("b").await;
    assert_eq!(job.incident().await.incident.run_count, 2, "what is open goes on");
    job.end("c").await;
    assert_eq!(job.health().await, "healthy");
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_window_covers_the_monitors_it_names_on_every_server() {
    let world = World::new().await;
    let (one, other) = (world.monitor("one").create().await, world.monitor("other").create().await);
    let second = world.second_server();
    let mut body = morning();
    one.end("known").await;
    second.evaluate().await.unwrap();
    body["monitors"] = json!(["one"]);
    let path = window(&world, body).await;
    world.until("2027-01-04T02:00:00Z").await;
    world.restart();
    one.fail("a").await;
    other.fail("a").await;
    assert_eq!((one.story().await.as_str(), other.story().await.as_str()), ("", "failed: run #1 failed"));
    let reply = world.api("PATCH", &path, json!({"monitors": ["*"]})).await;
    assert_eq!(reply.json()["monitors"], json!(["*"]));
    let late = world.monitor("made later").create().await;
    late.fail("a").await;
    assert_eq!(late.story().await, "");
}

#[tokio::test]
async fn a_window_that_is_ended_early_shows_at_once_what_it_held_back() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    let path = window(&world, morning()).await;
    world.until("2027-01-04T01:30:00Z").await;
    job.start("a").await;
    world.until("2027-01-04T02:00:00Z").await;
    assert_eq!(job.story().await, "");
    let reply = world.api("PATCH", &path, json!({"to": "2027-01-04T02:00:00Z"})).await;
    assert_eq!((reply.status.as_u16(), reply.json()["on"].as_bool()), (200, Some(false)));
    world.advance("1s").await;
    assert_eq!(job.story().await, "hung: run #1 has not ended within 10 min");
    assert_eq!(world.api("DELETE", &path, json!(null)).await.status, 204);
    assert_eq!(world.api("GET", &path, json!(null)).await.status, 404);
}

#[tokio::test]
async fn a_night_of_maintenance_comes_again_and_crosses_midnight_and_the_clock_change() {
    let world = World::without_channels().await;
    world.at("2027-03-26T12:00:00Z");
    let job = world.monitor("sync").create().await;
    let body = json!({"name": "night", "cron": "0 22 * * *", "tz": "Europe/Berlin", "lasts": "8h"});
    let path = window(&world, body).await;
    for (moment, on) in [
        ("2027-03-26T20:59:59Z", false),
        ("2027-03-26T21:00:00Z", true),
        ("2027-03-27T04:59:59Z", true),
        ("2027-03-27T05:00:00Z", false),
        // The night of 23 hours: 06:00 is an hour earlier by the sun.
        ("2027-03-28T03:59:59Z", true),
        ("2027-03-28T04:00:00Z", false),
    ] {
        world.until(moment).await;
        let shown = world.api("GET", &path, json!(null)).await.json();
        assert_eq!(shown["on"], json!(on), "{moment}");
        job.fail("").await;
        assert_eq!(job.story().await.is_empty(), on, "{moment}: {}", job.story().await);
        job.end("").await;
        if !on {
            let id = job.incidents().await[0].id;
            world.database().execute(&format!("delete from incidents where id = '{id}'")).await;
        }
    }
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_window_is_told_at_once() {
    let world = World::without_channels().await;
    let fields = |reply: watchclock_tests::Reply| {
        assert_eq!(reply.status, 422, "{}", reply.text());
        let errors = reply.json()["errors"].as_array().unwrap().clone();
        errors.iter().map(|error| error["field"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (body, wrong) in [
        (json!({}), "name from"),
        (json!({"name": "x", "from": "2027-02-01T00:00:00Z"}), "to"),
        (
            json!({"name": "x", "from": "2027-02-01T00:00:00Z", "to": "2027-01-31T00:00:00Z", "monitors": ["nobody"]}),
            "monitors[0] to",
        ),
        (json!({"name": "x", "from": "2026-02-01T00:00:00Z", "to": "2026-02-02T00:00:00Z"}), "to"),
        (
            json!({"name": " ", "cron": "0 25 * * *", "tz": "Europe/Nowhere", "lasts": 5}),
            "name lasts tz cron[0]",
        ),
        (json!({"name": "x", "cron": "0 22 * * *"}), "lasts"),
        (json!({"name": "x", "from": "2027-02-01T00:00:00Z", "lasts": "1h"}), "from"),
        (
            json!({"name": "x", "monitors": ["nope", 5], "cron": "0 1 * * *", "lasts": "1h"}),
            "monitors[0] monitors[1]",
        ),
        (
            json!({"name": "x", "from": "2027-02-01T00:00", "to": "2027-02-02T00:00", "tz": "X/Y"}),
            "from to tz",
        ),
        (json!({"name": "x", "from": "2027-02-01T00:00:00Z", "to": "9999-12-31T23:59:59-23:59"}), "to"),
        (json!({"name": "x", "from": "0000-01-01T00:00:00+23:59", "to": "2300-01-01T00:00:00Z"}), "from to"),
        (json!({"name": "x", "from": "1969-01-01T00:00:00Z", "to": "2027-02-01T00:00:00Z"}), "from"),
        (json!({"name": "x", "cron": "* * * * *", "lasts": "1h"}), "lasts"),
        (json!({"name": "x", "cron": "0 22 * * *", "lasts": "25h"}), "lasts"),
        (json!({"name": "x", "cron": "0 22 * * *", "lasts": "24h", "tz": "Europe/Berlin"}), "lasts"),
        (json!({"name": "x", "cron": "0 22 * * *", "lasts": 90.5}), "lasts"),
        (json!({"nam": "x", "id": "x", "from": 5, "monitors": []}), "id nam from to name monitors"),
    ] {
        let mut found: Vec<String> = fields(world.api("POST", "/v1/maintenance-windows", body.clone()).await)
            .split(' ')
            .map(str::to_owned)
            .collect();
        let mut wrong: Vec<&str> = wrong.split(' ').collect();
        found.sort();
        wrong.sort_unstable();
        assert_eq!(found, wrong, "{body}");
    }
    assert_eq!(world.api("GET", "/v1/maintenance-windows", json!(null)).await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_slot_before_maintenance_whose_grace_ends_within_it_is_told_after_it() {
    let world = World::new().await;
    let silent = world.monitor("silent").cron("58 0 * * *").grace("5m").create().await;
    let helped = world.monitor("helped").cron("58 0 * * *").grace("5m").create().await;
    let within = world.monitor("within").cron("59 2 * * *").grace("59s").create().await;
    let twice =
        world.monitor("twice").cron("58 0 * * *").grace("5m").thresholds(|all| all.missed = 2).create();
    let twice = twice.await;
    let night = json!({"name": "night", "cron": "0 1 * * *", "lasts": "2h"});
    window(&world, night).await;
    world.until("2027-01-04T02:00:00Z").await;
    assert_eq!(silent.run(1).await.notes, ["during maintenance: night"]);
    helped.end("").await;
    world.until("2027-01-04T02:59:59Z").await;
    assert_eq!(world.subjects().await, [""; 0]);
    world.advance("1s").await;
    let expected = "has never been pinged; a run was expected at 2027-01-04 00:58 +00:00";
    assert_eq!(world.subjects().await, [format!("[failing] silent: {expected}")]);
    assert_eq!(silent.incident().await.incident.run_count, 1);
    world.until("2027-01-05T03:00:00Z").await;
    // Every night it is due before the maintenance, and every night it counts.
    assert!(twice.story().await.contains("expected at 2027-01-05 00:58"), "{}", twice.story().await);
    assert!(helped.story().await.contains("no run started for 2027-01-05 00:58"), "{}", helped.story().await);
    assert_eq!((within.story().await.as_str(), within.runs().await.len()), ("", 2), "that one is in it");
    silent.end("").await;
    assert_eq!(silent.health().await, "healthy");
    world.facts_agree().await;
}

#[tokio::test]
async fn a_window_that_comes_again_when_it_ends_tells_its_real_end() {
    let world = World::new().await;
    let path = window(&world, json!({"name": "weekend", "cron": "0 0 * * 6,0", "lasts": "24h"})).await;
    let told = world.api("GET", &path, json!(null)).await.json();
    assert_eq!(told["next"], json!({"from": "2027-01-09T00:00:00Z", "to": "2027-01-11T00:00:00Z"}));
    let refused = world.api("PATCH", &path, json!({"cron": "0 0 * * *"})).await;
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("it would never end: it starts again after 1 d and lasts 1 d"),
        "{}",
        refused.text()
    );
    // One that was stored before, or by hand, keeps nobody silent and says so.
    world.database().execute("update maintenance_windows set starts = '{* * * * *}'").await;
    let told = world.api("GET", &path, json!(null)).await.json();
    assert_eq!((&told["on"], &told["next"]), (&json!(false), &json!(null)));
    assert!(told["broken"].as_str().unwrap().starts_with("it would never end"), "{told}");
}

#[tokio::test]
async fn what_maintenance_held_back_is_told_after_a_pause_that_outlived_it() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("30m").manual_resume().create().await;
    world.until("2027-01-04T00:50:00Z").await;
    window(&world, morning()).await;
    job.start("a").await;
    world.until("2027-01-04T02:00:00Z").await;
    job.pause().await;
    world.until("2027-01-04T05:00:00Z").await;
    job.log("", "still here").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 a hung", ""));
    job.resume().await;
    world.advance("1s").await;
    assert_eq!(job.story().await, "hung: run #1 has not ended within 30 min");
}
