//! A form does not write over what somebody else changed meanwhile: it says so, and keeps what was typed.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::World;

use super::{
    forms::{field, wrong},
    values,
};

/// The version that a form holds.
#[track_caller]
fn version(html: &str) -> String {
    let versions: Vec<&str> = values(html, "name=\"version\" value=\"").collect();
    assert_eq!(versions.len(), 1, "a form knows one version:\n{html}");
    versions[0].to_owned()
}

#[tokio::test]
async fn a_channel_that_somebody_changed_meanwhile_is_not_written_over_unseen() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let fields =
        [("kind", "webhook"), ("name", "hook"), ("url", "https://example.org/a"), ("enabled", "yes")];
    assert_eq!(member.post("/channels", &fields).await.status, StatusCode::SEE_OTHER);
    let channels = world.watchclock().channels(world.project().id).await.unwrap();
    let id = channels.iter().find(|channel| channel.name == "hook").unwrap().id;
    let path = format!("/channels/{id}/edit");
    let old = version(&member.get(&path).await.text());
    // Somebody else switches it off, and the clock stands still.
    member.post(&format!("/channels/{id}/disable"), &[]).await;
    let typed = [
        ("name", "hook 2"),
        ("url", "https://example.org/b"),
        ("headers", "X-Team: data"),
        ("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        ("enabled", "yes"),
    ];
    let html = wrong(&member, &path, &[&typed[..], &[("version", &old)]].concat()).await;
    assert!(html.contains("somebody changed this channel meanwhile"), "{html}");
    for kept in ["value=\"hook 2\"", "value=\"https://example.org/b\"", "X-Team: data</textarea>"] {
        assert!(html.contains(kept), "{kept} is lost:\n{html}");
    }
    assert!(field(&html, "secret").contains("type it once more") && !html.contains("MfKQ9"), "{html}");
    for unreadable in ["x", "", "7.0", "99999999999999999999"] {
        let html = wrong(&member, &path, &[&typed[..], &[("version", unreadable)]].concat()).await;
        assert!(html.contains("somebody changed this channel meanwhile"), "{unreadable}: {html}");
    }
    let stored = world.watchclock().channel(world.project().id, id).await.unwrap();
    assert_eq!((stored.name.as_str(), stored.enabled), ("hook", false), "nothing was saved");
    // Who has read that may go on.
    let new = version(&html);
    assert_ne!(new, old);
    let saved = member.post(&path, &[&typed[..], &[("version", &new)]].concat()).await;
    assert_eq!(saved.status, StatusCode::SEE_OTHER);
    let stored = world.watchclock().channel(world.project().id, id).await.unwrap();
    assert_eq!((stored.name.as_str(), stored.enabled), ("hook 2", true));
}

#[tokio::test]
async fn a_calendar_that_somebody_changed_meanwhile_is_not_written_over_unseen() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let list = "/settings/calendars";
    let fields = |name, dates| [("name", name), ("kind", "dates"), ("dates", dates)];
    assert!(!member.get("/settings/calendars/new").await.text().contains("name=\"version\""));
    assert_eq!(member.post(list, &fields("Holidays", "2027-01-06")).await.status, StatusCode::SEE_OTHER);
    let id = world.watchclock().calendars(world.project().id).await.unwrap()[0].calendar.id;
    let path = format!("{list}/{id}/edit");
    let old = version(&member.get(&path).await.text());
    // Somebody else adds a day by the API, which knows no versions of calendars, while the clock stands still.
    let theirs = serde_json::json!({ "dates": ["2027-01-06", "2027-01-07"] });
    assert_eq!(world.api("PATCH", &format!("/v1/calendars/{id}"), theirs).await.status, StatusCode::OK);
    let typed = [&fields("Days off", "2027-01-06\r\n12-25")[..], &[("version", &old)]].concat();
    let html = wrong(&member, &path, &typed).await;
    assert!(html.contains("somebody changed this calendar meanwhile"), "{html}");
    assert!(html.contains("value=\"Days off\"") && html.contains("2027-01-06\r\n12-25</textarea>"), "{html}");
    let stored = world.watchclock().calendar(world.project().id, id).await.unwrap().calendar;
    assert_eq!(
        (stored.name.as_str(), &*stored.content),
        ("Holidays", "2027-01-06\n2027-01-07"),
        "nothing was saved"
    );
    let new = version(&html);
    assert_ne!(new, old);
    let typed = [&fields("Days off", "2027-01-06\r\n12-25")[..], &[("version", &new)]].concat();
    assert_eq!(member.post(&path, &typed).await.status, StatusCode::SEE_OTHER);
    let stored = world.watchclock().calendar(world.project().id, id).await.unwrap().calendar;
    assert_eq!((stored.name.as_str(), &*stored.content), ("Days off", "2027-01-06\n12-25"));
}

#[tokio::test]
async fn a_window_that_somebody_changed_meanwhile_is_not_written_over_unseen() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let fields = |name, to| {
        [
            ("name", name),
            ("kind", "once"),
            ("tz", "UTC"),
            ("from", "2027-01-04T00:00"),
            ("to", to),
            ("all", "yes"),
        ]
    };
    assert!(!member.get("/maintenance/new").await.text().contains("name=\"version\""));
    let made = member.post("/maintenance", &fields("Upgrade", "2027-01-09T06:00")).await;
    assert_eq!(made.status, StatusCode::SEE_OTHER);
    let find = async || world.watchclock().maintenance_windows(world.project().id).await.unwrap().remove(0);
    let id = find().await.window.id;
    let path = format!("/maintenance/{id}/edit");
    let old = version(&member.get(&path).await.text());
    // Somebody else gives it another name, while the clock stands still.
    let theirs = serde_json::json!({ "name": "Database upgrade" });
    let address = format!("/v1/maintenance-windows/{id}");
    assert_eq!(world.api("PATCH", &address, theirs).await.status, StatusCode::OK);
    let typed = [&fields("Upgrade of disks", "2027-01-10T06:00")[..], &[("version", &old)]].concat();
    let html = wrong(&member, &path, &typed).await;
    assert!(html.contains("somebody changed this maintenance window meanwhile"), "{html}");
    assert!(
        html.contains("value=\"Upgrade of disks\"") && html.contains("value=\"2027-01-10T06:00\""),
        "{html}"
    );
    assert_eq!(find().await.window.name, "Database upgrade", "nothing was saved");
    let new = version(&html);
    assert_ne!(new, old);
    let typed = [&fields("Upgrade of disks", "2027-01-10T06:00")[..], &[("version", &new)]].concat();
    assert_eq!(member.post(&path, &typed).await.status, StatusCode::SEE_OTHER);
    assert_eq!(find().await.window.name, "Upgrade of disks");
}
