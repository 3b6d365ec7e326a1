//! What is quiet on purpose: maintenance windows and snoozed incidents, on their pages.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::World;

use super::{Scene, check_page};

#[tokio::test]
async fn a_window_is_planned_seen_and_ended() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").create().await;
    let page = member.get("/maintenance").await;
    check_page("/maintenance", &page);
    assert!(page.text().contains("No window yet") && page.text().contains("/maintenance/new"));
    check_page("/maintenance/new", &member.get("/maintenance/new").await);
    let fields = [
        ("name", "database <upgrade>"),
        ("kind", "once"),
        ("from", "2027-01-04T02:00"),
        ("to", "2027-01-04T04:00"),
        ("tz", "Europe/Berlin"),
        ("all", "yes"),
    ];
    let planned = member.follow(&member.post("/maintenance", &fields).await).await.text();
    for says in ["database &#60;upgrade&#62; is planned.", "planned", "02:00:00 +01:00", "every monitor"] {
        assert!(planned.contains(says), "{says}\n{planned}");
    }
    // It is edited on the clock on which it was planned.
    let edit = planned.split("href=\"").find(|rest| rest.contains("/edit\"")).unwrap();
    let edit = member.get(edit.split('"').next().unwrap()).await.text();
    for says in ["value=\"Europe/Berlin\"", "value=\"2027-01-04T02:00\"", "value=\"2027-01-04T04:00\""] {
        assert!(edit.contains(says), "{says}\n{edit}");
    }
    world.until("2027-01-04T01:30:00Z").await;
    let path = format!("/monitors/{}", job.monitor);
    let page = member.get(&path).await;
    check_page(&path, &page);
    assert!(
        page.text().contains("Maintenance is on until 03:00:00: database &#60;upgrade&#62;"),
        "{}",
        page.text()
    );
    job.fail("a").await;
    assert_eq!(job.story().await, "", "no incident opens");
    let list = member.get("/maintenance").await.text();
    let end = list
        .split("action=\"")
        .find(|rest| rest.contains("/end\""))
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let ended = member.follow(&member.post(&end, &[]).await).await.text();
    assert!(ended.contains("is over.") && ended.contains("over"), "{ended}");
    assert!(ended.contains("02:00:00 +01:00"), "it still tells when it was: {ended}");
    assert!(!member.get(&path).await.text().contains("Maintenance is on"));
}

#[tokio::test]
async fn the_form_of_a_window_keeps_what_was_typed() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let wrong = [("name", ""), ("kind", "once"), ("from", "tomorrow"), ("to", ""), ("tz", "UTC")];
    let reply = member.post("/maintenance", &wrong).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    check_page("/maintenance", &reply);
    let html = reply.text();
    for says in [
        "a window needs a name",
        "this is no date with a time",
        "say when",
        "name at least one monitor",
        "value=\"tomorrow\"",
    ] {
        assert!(html.contains(says), "{says}\n{html}");
    }
    let wrong = [
        ("name", "night"),
        ("kind", "recurring"),
        ("cron", "61 * * * *"),
        ("lasts", "5x"),
        ("tz", "Mars/Base"),
        ("all", "yes"),
    ];
    let html = member.post("/maintenance", &wrong).await.text();
    for says in
        ["no unit", "61 * * * *</textarea>", "value=\"5x\"", "value=\"Mars/Base\"", "class=\"problem\""]
    {
        assert!(html.contains(says), "{says}\n{html}");
    }
    let empty = [("name", "x"), ("kind", "once"), ("from", ""), ("to", ""), ("tz", "UTC"), ("all", "yes")];
    let html = member.post("/maintenance", &empty).await.text();
    assert_eq!(html.matches("say when").count(), 2, "{html}");
    assert!(!html.contains("is missing"), "{html}");
    let zone = [
        ("name", "x"),
        ("kind", "once"),
        ("from", "2027-01-04T02:00"),
        ("to", "2027-01-04T03:00"),
        ("tz", "Mars/Base"),
        ("all", "yes"),
    ];
    let html = member.post("/maintenance", &zone).await.text();
    assert_eq!(html.matches("class=\"problem\"").count(), 1, "{html}");
    assert!(!html.contains("say when") && html.contains("value=\"2027-01-04T02:00\""), "{html}");
    let right = [
        ("name", "night"),
        ("kind", "recurring"),
        ("cron", "0 22 * * *"),
        ("lasts", "8h"),
        ("tz", "Europe/Berlin"),
        ("all", "yes"),
    ];
    let list = member.follow(&member.post("/maintenance", &right).await).await.text();
    assert!(list.contains("22:00 every day, Europe/Berlin, for 8 h"), "{list}");
    let edit = list
        .split("href=\"")
        .find(|rest| rest.contains("/edit\""))
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let page = member.get(&edit).await;
    check_page(&edit, &page);
    for says in ["value=\"8h\"", "0 22 * * *</textarea>", "value=\"Europe/Berlin\""] {
        assert!(page.text().contains(says), "{says}");
    }
    let viewer = world.member("viewer@example.org", Role::Viewer).await;
    let seen = viewer.get("/maintenance").await.text();
    assert!(seen.contains("night") && !seen.contains("/edit\""));
    assert_eq!(viewer.get(&edit).await.status, StatusCode::FORBIDDEN);
    let other = world.watchclock().create_project("other", "Other", None).await.unwrap();
    let owner = world.member_of(other.id, "owner@example.org", Role::Owner).await;
    for path in [edit.clone(), edit.replace("/edit", "/delete")] {
        assert_eq!(owner.get(&path).await.status, StatusCode::NOT_FOUND);
        assert_eq!(owner.post(&path, &right).await.status, StatusCode::NOT_FOUND);
    }
    let delete = edit.replace("/edit", "/delete");
    check_page(&delete, &member.get(&delete).await);
    assert!(member.follow(&member.post(&delete, &[]).await).await.text().contains("night is deleted."));
}

#[tokio::test]
async fn an_incident_is_snoozed_from_its_page() {
    let scene = Scene::new().await;
    let member = scene.member().await;
    let path = format!("/incidents/{}", scene.incident.id);
    assert!(member.get(&path).await.text().contains("Snooze"));
    let done = member.post(&format!("{path}/snooze"), &[("for", "4h")]).await;
    let page = member.follow(&done).await;
    check_page(&path, &page);
    for says in ["Quiet until 04:00:01 UTC", "snoozed"] {
        assert!(page.text().contains(says), "{says}\n{}", page.text());
    }
    assert!(member.get("/incidents").await.text().contains("snoozed"));
    let viewer = scene.world.member("viewer@example.org", Role::Viewer).await;
    assert!(!viewer.get(&path).await.text().contains("/snooze"));
    assert_eq!(viewer.post(&format!("{path}/snooze"), &[]).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_stored_window_that_cannot_be_read_is_shown_suppresses_nothing_and_is_said_anew() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").create().await;
    let window = serde_json::json!({"name": "freeze", "cron": "0 0 * * *", "lasts": "8h"});
    let made = world.api("POST", "/v1/maintenance-windows", window).await.json();
    let path = format!("/v1/maintenance-windows/{}", made["id"].as_str().unwrap());
    let database = world.database();
    database.execute("update maintenance_windows set time_zone = 'Mars/Base'").await;
    database.execute("update projects set windows_version = windows_version + 1").await;
    world.restart();
    let list = member.get("/maintenance").await;
    check_page("/maintenance", &list);
    for says in ["freeze", "broken", "cannot be read", "there is no time zone &#34;Mars/Base&#34;"] {
        assert!(list.text().contains(says), "{says}\n{}", list.text());
    }
    let form = format!("/maintenance/{}/edit", made["id"].as_str().unwrap());
    let page = member.get(&form).await;
    check_page(&form, &page);
    assert!(page.text().contains("what is stored cannot be read"), "{}", page.text());
    let shown = world.api("GET", &path, serde_json::Value::Null).await.json();
    assert!(shown["broken"].as_str().unwrap().contains("Mars/Base"), "{shown}");
    assert_eq!((&shown["on"], &shown["from"], &shown["cron"]), (&false.into(), &().into(), &().into()));
    job.fail("a").await;
    assert!(job.story().await.starts_with("failed"), "{}", job.story().await);
    let renamed = world.api("PATCH", &path, serde_json::json!({"name": "night"})).await;
    assert_eq!(renamed.status, StatusCode::UNPROCESSABLE_ENTITY, "nothing is written back as nothing");
    let anew = world.api("PATCH", &path, serde_json::json!({"cron": "0 0 * * *", "lasts": "8h"})).await;
    assert_eq!((anew.status, &anew.json()["broken"]), (StatusCode::OK, &().into()), "{}", anew.text());
    assert_eq!(anew.json()["on"], true);
}
