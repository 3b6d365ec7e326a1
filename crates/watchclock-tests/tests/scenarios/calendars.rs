//! Days off: what is not expected on them, who takes part, what a change of a calendar does, and schedules that never fire.

use serde_json::json;
use watchclock_tests::{
    World,
    webhook::{Answer, WebhookReceiver},
    world::time,
};

use crate::caller::Caller;

const ICS: &str = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20200106\r\n\
    SUMMARY:Epiphany\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

#[tokio::test]
async fn nothing_is_expected_on_a_day_off() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let calendar = api
        .post(
            "/v1/calendars",
            json!({"name": "Holidays", "dates": ["2027-01-05..2027-01-06 Epiphany", "12-25"]}),
        )
        .await;
    assert_eq!(calendar["upcoming"][0], json!({"on": "2027-01-05", "name": "Epiphany"}));
    assert_eq!(calendar["upcoming"][2], json!({"on": "2027-12-25", "name": null}));
    let monitor = api
        .post(
            "/v1/monitors",
            json!({"name": "nightly", "schedule": {"cron": "0 3 * * *", "tz": "Europe/Berlin"}, "grace": "10m",
                   "calendars": [calendar["id"]]}),
        )
        .await;
    assert_eq!(monitor["calendars"], json!([calendar["id"]]));
    let job = world.job("nightly").await;
    world.until("2027-01-04T02:00:00Z").await;
    job.end("").await;
    assert_eq!(api.get("/v1/monitors/nightly").await["next_slot"], "2027-01-07T02:00:00Z");
    world.until("2027-01-07T02:09:59Z").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 success", ""));
    world.advance("1s").await;
    assert_eq!(job.tape().await, "#1 success\n#2 missed");
}

#[tokio::test]
async fn a_run_on_a_day_off_is_fine() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    api.post("/v1/calendars", json!({"name": "off", "dates": ["2027-01-05"], "project_wide": true})).await;
    let plain = world.monitor("plain").cron("0 3 * * *").create().await;
    let strict = world.monitor("strict").cron("0 3 * * *").alert_unscheduled().create().await;
    for day in ["04", "05", "06"] {
        world.until(&format!("2027-01-{day}T03:00:00Z")).await;
        plain.end("").await;
        strict.end("").await;
    }
    assert_eq!(plain.tape().await, "#1 success\n#2 success\n#3 success");
    assert_eq!(plain.run(3).await.slot, Some(time("2027-01-06T03:00:00Z")));
    assert_eq!(strict.tape().await, "#1 success\n#2 success unscheduled\n#3 success");
    assert!(strict.story().await.starts_with("unscheduled: "));
}

#[tokio::test]
async fn a_calendar_of_the_project_counts_for_all_who_do_not_opt_out() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    api.post("/v1/calendars", json!({"name": "off", "dates": ["2027-01-04"], "project_wide": true})).await;
    for (name, takes) in [("in", true), ("out", false)] {
        let body = json!({"name": name, "schedule": "0 3 * * *", "project_calendars": takes});
        api.post("/v1/monitors", body).await;
    }
    world.until("2027-01-04T12:00:00Z").await;
    assert_eq!(world.job("in").await.tape().await, "");
    assert_eq!(world.job("out").await.tape().await, "#1 missed");
    api.patch("/v1/monitors/in", json!({"project_calendars": false})).await;
    world.until("2027-01-05T02:00:00Z").await;
    assert_eq!(world.job("in").await.tape().await, "", "what was off in the past is not alerted for");
}

#[tokio::test]
async fn a_changed_calendar_plans_its_monitors_anew_and_never_alerts_for_the_past() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let calendar = api
        .post("/v1/calendars", json!({"name": "off", "dates": ["2030-01-01"], "project_wide": true}))
        .await;
    let path = format!("/v1/calendars/{}", calendar["id"].as_str().expect("an id"));
    let job = world.monitor("daily").cron("0 3 * * *").grace("10m").create().await;
    let other = world.second_server();
    other.evaluate().await.expect("the other server knows the monitor");
    let version = job.view().await.monitor.version;
    world.until("2027-01-04T03:05:00Z").await;
    assert_eq!(job.health().await, "late");
    api.patch(&path, json!({"dates": ["2027-01-04..2027-01-05"]})).await;
    assert!(job.view().await.monitor.version > version, "the ETag tells of it");
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-06T03:00:00Z")));
    world.at("2027-01-05T12:00:00Z");
    other.evaluate().await.expect("the other server ticks");
    assert_eq!((job.tape().await, job.story().await), (String::new(), String::new()));
    let reply = api.call("DELETE", &path, None).await;
    assert_eq!(reply.status.as_u16(), 204);
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-06T03:00:00Z")));
    assert_eq!(api.get("/v1/calendars").await["items"], json!([]));
    world.until("2027-01-06T03:09:59Z").await;
    assert_eq!(job.tape().await, "");
    world.advance("1s").await;
    assert_eq!(job.tape().await, "#1 missed");
}

#[tokio::test]
async fn a_change_that_a_dying_server_left_half_done_is_finished_by_the_next_tick() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    api.post("/v1/calendars", json!({"name": "off", "dates": ["2030-01-01"], "project_wide": true})).await;
    let job = world.monitor("daily").cron("0 3 * * *").create().await;
    let half =
        "update calendars set content = '2027-01-04', revision = gen_random_uuid(), replan = 'project'";
    world.database().execute(half).await;
    world.restart();
    world.tend_calendars().await;
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-05T03:00:00Z")));
    assert_eq!(
        world.database().value("select count(*) from calendars where replan is not null").await.as_deref(),
        Some("0")
    );
}

#[tokio::test]
async fn a_slot_in_its_grace_stays_when_other_days_change() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let job = world.monitor("daily").cron("0 3 * * *").grace("10m").create().await;
    world.until("2027-01-04T03:05:00Z").await;
    api.post("/v1/calendars", json!({"name": "off", "dates": ["2027-01-05"], "project_wide": true})).await;
    world.until("2027-01-04T03:10:00Z").await;
    assert_eq!(job.tape().await, "#1 missed");
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-06T03:00:00Z")));
}

#[tokio::test]
async fn an_interval_that_ends_on_a_day_off_waits_for_the_next_day() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let job = world.monitor("poll").every("6h").grace("10m").create().await;
    world.until("2027-01-04T20:00:00Z").await;
    job.end("").await;
    let made = json!({"name": "off", "dates": ["2027-01-05", "2027-01-06"], "project_wide": true});
    let calendar = api.post("/v1/calendars", made).await;
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-07T00:00:00Z")));
    world.until("2027-01-05T12:00:00Z").await;
    let path = format!("/v1/calendars/{}", calendar["id"].as_str().expect("an id"));
    api.patch(&path, json!({"project_wide": false})).await;
    let runs = job.tape().await;
    assert_eq!(runs.matches("missed").count(), 3, "before the calendar came: {runs}");
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-07T00:00:00Z")));
}

#[tokio::test]
async fn an_icalendar_is_fetched_kept_and_fetched_again() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let server = WebhookReceiver::start().await;
    server.answer(Answer::Status(200, ICS.to_owned()));
    let made =
        api.post("/v1/calendars", json!({"name": "feed", "url": server.url(), "project_wide": true})).await;
    let path = format!("/v1/calendars/{}", made["id"].as_str().expect("an id"));
    assert_eq!(made["upcoming"][0], json!({"on": "2027-01-06", "name": "Epiphany"}));
    let job = world.monitor("daily").cron("0 3 * * *").create().await;
    server.answer(Answer::Status(500, "down".to_owned()));
    world.at("2027-01-05T00:00:00Z");
    world.tend_calendars().await;
    let shown = api.get(&path).await;
    assert!(shown["problem"].as_str().is_some_and(|said| said.contains("500")), "{shown}");
    assert_eq!(shown["upcoming"][0]["on"], "2027-01-06", "the last good content stays");
    assert_eq!(shown["fetched_at"], "2027-01-04T00:00:00Z");
    server.answer(Answer::Status(200, ICS.replace("20200106", "20200107")));
    world.at("2027-01-05T01:00:00Z");
    world.tend_calendars().await;
    let shown = api.get(&path).await;
    assert_eq!((&shown["problem"], &shown["upcoming"][0]["on"]), (&json!(null), &json!("2027-01-07")));
    world.at("2027-01-06T12:00:00Z");
    assert_eq!(job.view().await.next_slot(world.now()), Some(time("2027-01-08T03:00:00Z")));
    server.answer(Answer::Endless);
    let told = api.refused("POST", "/v1/calendars", json!({"name": "x", "url": server.url()})).await;
    assert!(told.starts_with("url: it cannot be fetched: 200 OK: the answer has more than"), "{told}");
}

#[tokio::test]
async fn bad_calendars_are_refused_with_their_place() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let bad = ICS.replace("20200106", "2020-01-06").replace("YEARLY", "SOMETIMES");
    assert_eq!(
        api.refused("POST", "/v1/calendars", json!({"name": "x", "icalendar": bad})).await,
        "icalendar: line 5: DTSTART \"2020-01-06\" is no date: it is written 20261225 or 20261225T080000Z\n\
         icalendar: line 7: RRULE: FREQ=SOMETIMES is none of YEARLY, MONTHLY, WEEKLY, DAILY"
    );
    let told = api.refused("POST", "/v1/calendars", json!({"name": "x", "dates": ["12-25", "25.12."]})).await;
    assert!(told.starts_with("dates[1]: \"25.12.\" is no date"), "{told}");
    assert_eq!(
        api.refused("POST", "/v1/calendars", json!({"name": "x"})).await,
        "dates: give one of `dates`, `icalendar` and `url`"
    );
    let made = api.post("/v1/calendars", json!({"name": "x", "icalendar": ICS})).await;
    assert_eq!(made["icalendar"], ICS);
    let again = api.call("POST", "/v1/calendars", Some(json!({"name": "X", "dates": ["12-25"]}))).await;
    assert_eq!(again.status.as_u16(), 409);
    let told =
        api.refused("POST", "/v1/monitors", json!({"name": "m", "calendars": [uuid::Uuid::nil()]})).await;
    assert!(told.starts_with("calendars: no such calendar"), "{told}");
}

#[tokio::test]
async fn a_preview_skips_days_off() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let calendar = api.post("/v1/calendars", json!({"name": "off", "dates": ["2027-12-26"]})).await;
    let asked = json!({"schedule": {"cron": "0 3 * * *", "tz": "Europe/Berlin"}, "after": "2027-12-23T12:00:00Z",
                       "count": 2, "not_on": ["12-24", "12-25"], "calendars": [calendar["id"]]});
    let slots = api.post("/v1/schedules/preview", asked).await["slots"].clone();
    assert_eq!(slots, json!(["2027-12-27T02:00:00Z", "2027-12-28T02:00:00Z"]));
    let told =
        api.refused("POST", "/v1/schedules/preview", json!({"schedule": "0 3 * * *", "not_on": ["x"]})).await;
    assert!(told.starts_with("not_on[0]: "), "{told}");
}

#[tokio::test]
async fn a_schedule_that_never_fires_comes_in_by_no_door() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let past = json!({"oncalendar": ["2026-12-24 18:00"], "tz": "Europe/Berlin"});
    assert_eq!(
        api.refused("POST", "/v1/monitors", json!({"name": "once", "schedule": past})).await,
        "schedule.oncalendar: this never fires again: its last slot was 2026-12-24 18:00 +01:00"
    );
    let calendar = api.post("/v1/calendars", json!({"name": "off", "dates": ["12-25"]})).await;
    let body = json!({"name": "xmas", "schedule": "0 3 25 12 *", "calendars": [calendar["id"]]});
    assert_eq!(
        api.refused("POST", "/v1/monitors", body).await,
        "calendars: every slot of the schedule falls on a day off, so no run would ever be expected"
    );
    let ahead = json!({"name": "once", "schedule": {"oncalendar": ["2027-01-05 18:00"]}});
    api.post("/v1/monitors", ahead).await;
    world.at("2027-02-01T00:00:00Z");
    let renamed = json!({"description": "it ran", "schedule": {"oncalendar": ["2027-01-05 18:00"]}});
    api.patch("/v1/monitors/once", renamed).await;
    let told = api.refused("PATCH", "/v1/monitors/once", json!({"schedule": "2027-01-06 18:00"})).await;
    assert!(told.starts_with("schedule.oncalendar: this never fires again"), "{told}");

    let all = json!({"name": "all", "dates": ["01-01..12-31"]});
    let all = api.post("/v1/calendars", all).await["id"].clone();
    let every = json!({"name": "often", "schedule": "every 1h", "calendars": [all]});
    let told = api.refused("POST", "/v1/monitors", every).await;
    assert!(told.starts_with("calendars: every slot of the schedule falls on a day off"), "{told}");
    for (body, says) in [
        (json!({"schedule": "every 1h", "calendars": [all]}), "calendars: every slot"),
        (json!({"schedule": "0 3 25 12 *", "not_on": "12-25"}), "not_on: every slot"),
        (json!({"schedule": {"oncalendar": "2020-01-01"}}), "schedule.oncalendar: this never fires again"),
        (
            json!({"schedule": {"oncalendar": "Sat 2028-02-29 10:00"}}),
            "schedule.oncalendar: this never fires",
        ),
    ] {
        let told = api.refused("POST", "/v1/schedules/preview", body.clone()).await;
        assert!(told.starts_with(says), "{body}: {told}");
    }
    let past = json!({"schedule": "2020-01-01", "after": "2019-12-01T00:00:00Z"});
    assert_eq!(api.post("/v1/schedules/preview", past).await["slots"], json!(["2020-01-01T00:00:00Z"]));

    for (slug, schedule) in [("a", "2026-12-24%2018:00"), ("b", "0%200%2031%202%20*")] {
        let key = &world.project().ping_key;
        let reply = world.get(&format!("/ping/{key}/{slug}?create=1&schedule={schedule}")).await;
        assert_eq!(reply.line(), "201 Created", "{slug}");
        let job = world.job(slug).await;
        assert_eq!(job.tape().await, "#1 success");
        let description = job.view().await.monitor.description.clone();
        assert!(description.contains("given with the first ping"), "{description}");
    }
}

#[tokio::test]
async fn days_that_are_all_off_leave_an_interval_without_a_slot_until_one_is_free_again() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let calendar = api.post("/v1/calendars", json!({"name": "off", "dates": ["12-25"]})).await;
    let path = format!("/v1/calendars/{}", calendar["id"].as_str().expect("an id"));
    let often = json!({"name": "often", "schedule": "every 6h", "calendars": [calendar["id"]]});
    api.post("/v1/monitors", often).await;
    api.patch(&path, json!({"dates": ["01-01..12-31"]})).await;
    assert_eq!(api.get("/v1/monitors/often").await["next_slot"], json!(null));
    world.advance("2d").await;
    let job = world.job("often").await;
    assert_eq!(job.tape().await, "");
    assert_eq!(job.end("").await.line(), "200 OK");
    assert_eq!(api.get("/v1/monitors/often").await["next_slot"], json!(null));
    api.patch(&path, json!({"dates": ["12-25"]})).await;
    assert_ne!(api.get("/v1/monitors/often").await["next_slot"], json!(null));
    world.advance("1d").await;
    assert!(job.tape().await.contains("missed"), "{}", job.tape().await);
}
