//! What is quiet on purpose: a snoozed incident, a maintenance window, days off; each made by clicking.

use chrono::Timelike as _;

use crate::{driver::Browser, get, rules::monitor, site::Site};

#[tokio::test(flavor = "multi_thread")]
async fn an_incident_is_snoozed_a_window_planned_and_days_are_taken_off() {
    let site = Site::start().await;
    let browser = Browser::start().await;
    let (page, ping) = monitor(&site, &browser, "Import").await;
    assert_eq!(get(&format!("{ping}/fail?msg=disk+full")).await, "OK");

    browser.open(&format!("{}/incidents", site.url)).await;
    browser.click("a[href*='/incidents/0']").await;
    browser.press("Snooze").await;
    browser.expect("body", "Quiet until").await;
    browser.look("snoozed").await;

    browser.open(&format!("{}/maintenance", site.url)).await;
    browser.look("maintenance-empty").await;
    browser.press("New window").await;
    browser.look("maintenance-form").await;
    browser.fill("name", "Database upgrade").await;
    browser.click("label[for=kind-recurring]").await;
    // On now, whatever the time is: its pause is half a day away.
    let hour = (site.watchclock.now().hour() + 13) % 24;
    browser.fill("cron", &format!("0 {hour} * * *")).await;
    browser.fill("lasts", "23h").await;
    browser.fill("tz", "UTC").await;
    browser.click("[name=all]").await;
    browser.click("[name=monitors]").await;
    browser.look("maintenance-form-recurring").await;
    browser.press("Plan it").await;
    browser.expect("body", "Database upgrade is planned.").await;
    browser.expect(".windows", &format!("at {hour:02}:00 every day, UTC, for 23 h")).await;
    browser.look("maintenance").await;
    browser.open(&page).await;
    browser.expect("body", "Maintenance is on until").await;
    browser.expect(".incident", "snoozed until").await;
    browser.look("monitor-maintenance").await;

    browser.open(&format!("{}/settings/calendars/new", site.url)).await;
    browser.fill("name", "Public holidays").await;
    browser.fill("dates", "01-01 New Year\n12-25..12-26 Christmas").await;
    browser.look("calendar-form").await;
    browser.press("Save").await;
    browser.expect(".channels", "Christmas").await;
    browser.look("calendars").await;
    browser.open(&format!("{page}/edit")).await;
    browser.click("label[for=kind-cron]").await;
    browser.fill("schedule.cron", "30 2 25 12 *").await;
    browser.fill("schedule.tz", "Europe/Berlin").await;
    browser.expect("#schedule-check", "25 Dec").await;
    browser.click("[name=calendars]").await;
    browser.expect("#schedule-check", "Every slot falls on a day off").await;
    browser.look("days-off").await;
    for (path, name) in [
        ("/settings", "settings"),
        ("/settings/about", "about"),
        ("/settings/keys", "keys"),
        ("/settings/members", "members"),
        ("/docs/api", "docs-api"),
        ("/channels", "channels-tested"),
    ] {
        browser.open(&format!("{}{path}", site.url)).await;
        browser.look(name).await;
    }
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}
