//! Calendars of days off on their pages and on the form of a monitor, and what a project keeps.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::{
    World,
    webhook::{Answer, WebhookReceiver},
};

use super::{check_page, values};

/// The first address of a page that ends so.
fn link(html: &str, end: &str) -> String {
    values(html, "href=\"")
        .find(|href| href.ends_with(end))
        .unwrap_or_else(|| panic!("no {end}\n{html}"))
        .to_owned()
}

#[tokio::test]
async fn a_calendar_is_made_chosen_and_deleted() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let list = "/settings/calendars";
    assert!(member.get(list).await.text().contains("No calendar yet"));
    let form = member.get("/monitors/new").await.text();
    assert!(!form.contains("Days off"), "nothing to choose, nothing is asked");
    check_page("new", &member.get("/settings/calendars/new").await);
    let wrong = [("name", ""), ("kind", "dates"), ("dates", "2027-01-05\r\n25.12.")];
    let reply = member.post(list, &wrong).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    check_page(list, &reply);
    for says in ["give a name", "line 2: ", "25.12.</textarea>"] {
        assert!(reply.text().contains(says), "{says}\n{}", reply.text());
    }
    let right = [("name", "<Holidays>"), ("kind", "dates"), ("dates", "2027-01-05..2027-01-06 Epiphany")];
    let made = member.follow(&member.post(list, &right).await).await;
    check_page(list, &made);
    let html = made.text();
    for says in ["&#60;Holidays&#62; is saved.", "Tue 5 Jan 2027", "Epiphany", "no monitor yet"] {
        assert!(html.contains(says), "{says}\n{html}");
    }
    let edit = link(&html, "/edit");
    let id = edit.rsplit('/').nth(1).unwrap().to_owned();

    // The form of a monitor offers it, and its preview skips the days.
    let job = world.monitor("sync").cron("0 3 * * *").create().await;
    let page = format!("/monitors/{}/edit", job.monitor);
    assert!(member.get(&page).await.text().contains("&#60;Holidays&#62;"));
    let fields = [
        ("name", "sync"),
        ("slug", "sync"),
        ("schedule.kind", "cron"),
        ("schedule.cron", "0 3 * * *"),
        ("schedule.tz", "UTC"),
        ("days_off", "yes"),
        ("calendars", id.as_str()),
        ("channels_all", "yes"),
    ];
    let check = member.post("/monitors/check?part=schedule", &fields).await.text();
    assert!(check.contains("4 Jan") && check.contains("7 Jan") && !check.contains("5 Jan"), "{check}");
    let saved = member.follow(&member.post(&page, &fields).await).await.text();
    assert!(saved.contains("sync is saved."), "{saved}");
    let view = job.view().await;
    assert_eq!(view.monitor.calendars.own.len(), 1);
    assert!(!view.monitor.calendars.of_project, "the box was not ticked");
    check_page(&page, &member.get(&page).await);
    let xmas = [&fields[..3], &[("schedule.cron", "0 3 5 1 *")], &fields[4..]].concat();
    let check = member.post("/monitors/check?part=schedule", &xmas).await.text();
    assert!(check.contains("2028") || check.contains("5 Jan"), "a yearly slot comes again: {check}");
    // A form that does not ask leaves the choice alone.
    let unasked: Vec<_> =
        fields.into_iter().filter(|(name, _)| !["days_off", "calendars"].contains(name)).collect();
    member.post(&page, &unasked).await;
    assert_eq!(job.view().await.monitor.calendars.own.len(), 1);

    let all = [&right[..], &[("project_wide", "yes")]].concat();
    let html = member.follow(&member.post(&edit, &all).await).await.text();
    assert!(html.contains("every monitor that does not opt out"), "{html}");
    check_page(&edit, &member.get(&edit).await);
    let viewer = world.member("viewer@example.org", Role::Viewer).await;
    let seen = viewer.get(list).await.text();
    assert!(seen.contains("Epiphany") && !seen.contains("/edit\""));
    let delete = edit.replace("/edit", "/delete");
    for path in [&edit, &delete] {
        assert_eq!(viewer.get(path).await.status, StatusCode::FORBIDDEN);
        assert_eq!(viewer.post(path, &right).await.status, StatusCode::FORBIDDEN);
    }
    let page = member.get(&delete).await;
    check_page(&delete, &page);
    assert!(page.text().contains("1 monitor"), "{}", page.text());
    assert!(member.follow(&member.post(&delete, &[]).await).await.text().contains("is deleted"));
}

#[tokio::test]
async fn a_calendar_behind_an_address_keeps_its_days_when_the_address_fails() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let server = WebhookReceiver::start().await;
    let ics = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20270106\r\n\
               SUMMARY:Epiphany\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    server.answer(Answer::Status(404, "gone".to_owned()));
    let url = format!("{}?key=wCsEcReT", server.url());
    let fields = [("name", "feed"), ("kind", "url"), ("url", url.as_str()), ("project_wide", "yes")];
    let reply = member.post("/settings/calendars", &fields).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(
        reply.text().contains("it cannot be fetched") && reply.text().contains("404"),
        "{}",
        reply.text()
    );
    server.answer(Answer::Status(200, ics.to_owned()));
    let html = member.follow(&member.post("/settings/calendars", &fields).await).await.text();
    assert!(html.contains("Wed 6 Jan 2027") && html.contains("fetched every day from 127.0.0.1"), "{html}");
    assert!(!html.contains("wCsEcReT"), "an address may hold a secret");
    server.answer(Answer::Status(500, "down".to_owned()));
    // Another name does not fetch again.
    let renamed = [&[("name", "<feed>")], &fields[1..]].concat();
    let html = member.follow(&member.post(&link(&html, "/edit"), &renamed).await).await.text();
    assert!(html.contains("&#60;feed&#62; is saved."), "{html}");
    world.at("2027-01-05T06:00:00Z");
    world.tend_calendars().await;
    let html = member.get("/settings/calendars").await.text();
    assert!(html.contains("The last fetch failed") && html.contains("Wed 6 Jan 2027"), "{html}");
}

#[tokio::test]
async fn owners_say_what_is_kept() {
    let world = World::new().await;
    let owner = world.member("owner@example.org", Role::Owner).await;
    let page = owner.get("/settings").await;
    check_page("/settings", &page);
    assert!(page.text().contains("value=\"500\"") && page.text().contains("value=\"90\""));
    let wrong = [("keep.runs", "many"), ("keep.days", "30"), ("keep.output_days", "")];
    let reply = owner.post("/settings/keep", &wrong).await;
    assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY);
    check_page("/settings/keep", &reply);
    assert!(reply.text().contains("not a whole number") && reply.text().contains("value=\"many\""));
    let wrong = [("keep.runs", "9"), ("keep.days", "0"), ("keep.output_days", "")];
    let html = owner.post("/settings/keep", &wrong).await.text();
    assert!(html.contains("must be from 10") && html.contains("must be from 1 to"), "{html}");
    let right = [("keep.runs", "1000"), ("keep.days", "30"), ("keep.output_days", "7")];
    let html = owner.follow(&owner.post("/settings/keep", &right).await).await.text();
    assert!(html.contains("What is kept is saved.") && html.contains("value=\"1000\""), "{html}");
    let keep = world.watchclock().keep(world.project().id).await.unwrap();
    assert_eq!((keep.runs, keep.days, keep.output_days), (1_000, 30, Some(7)));
    let member = world.member("member@example.org", Role::Member).await;
    assert_eq!(member.post("/settings/keep", &right).await.status, StatusCode::FORBIDDEN);
}
