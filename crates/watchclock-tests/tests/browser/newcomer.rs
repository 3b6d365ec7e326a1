//! The main job: sign in, set up a channel and a monitor, see the overlap and the broken rule.

use std::time::Duration;

use crate::{driver::Browser, get, ping_url, site::Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_newcomer_sees_an_overlap_and_a_broken_rule() {
    let site = Site::start().await;
    let browser = Browser::start().await;

    // Signs in with the one-time link and chooses a password.
    browser.open(&format!("{}{}", site.url, site.sign_in)).await;
    browser.look("sign-in").await;
    browser.press("Sign in").await;
    browser.fill("password", "a long enough password").await;
    browser.fill("again", "a long enough password").await;
    browser.press("Save password").await;
    browser.expect("body", "monitor").await;
    browser.look("empty").await;

    // Sets up a channel; its test goes the real way.
    browser.open(&format!("{}/channels/new?kind=email", site.url)).await;
    browser.fill("name", "ops").await;
    browser.fill("to", "ops@example.com").await;
    browser.press("Save and send a test").await;
    browser.expect("body", "250").await;
    site.smtp.wait_for(1, Duration::from_secs(10)).await;
    browser.look("channels").await;

    // Makes a monitor; the form checks while it is typed.
    browser.open(&format!("{}/monitors/new", site.url)).await;
    browser.expect("#schedule-check", "is shown here").await;
    let height = browser.height_on_a_phone("#schedule-check").await;
    assert!(height < 80.0, "the empty preview is {height} px tall on a phone");
    browser.fill("name", "Nightly sync").await;
    browser.click("label[for=kind-cron]").await;
    browser.fill("schedule.cron", "30 2 * * 1-5").await;
    browser.fill("schedule.tz", "Europe/Berlin").await;
    browser.expect("#schedule-check", "02:30").await;
    browser.fill("rules[0].when", "records_processed eqq 0").await;
    browser.expect("#rule-check-0", "did you mean").await;
    browser.look("form").await;
    browser.fill("rules[0].when", "records_processed eq 0").await;
    browser.press("Create monitor").await;
    browser.expect("h1", "Nightly sync").await;
    browser.look("monitor-new").await;

    // The job pings the address that the page shows.
    let page = browser.url().await;
    let page = page.split('?').next().unwrap().to_owned();
    let ping = ping_url(&browser, &site.url).await;
    for path in ["/start?rid=one&host=db1", "/start?rid=two&host=db2"] {
        assert_eq!(get(&format!("{ping}{path}")).await, "OK");
    }
    // Its end ends the overlap; told of too soon, nobody would have heard that there was one.
    site.smtp.wait_for(2, Duration::from_secs(10)).await;
    assert_eq!(get(&format!("{ping}?rid=one&meta.records_processed=0")).await, "OK");
    site.smtp.wait_for(3, Duration::from_secs(10)).await;

    // The page shows both, names the overlap, and leads to the run and the incident.
    browser.open(&page).await;
    browser.expect("body", "overlap").await;
    browser.expect("body", "records_processed").await;
    browser.look("monitor").await;
    browser.press("#1").await;
    browser.expect("body", "db1").await;
    browser.expect("body", "records_processed").await;
    browser.look("run").await;
    browser.open(&format!("{}/incidents", site.url)).await;
    browser.expect("body", "Nightly sync").await;
    browser.look("incidents").await;
    browser.click("a[href*='/incidents/0']").await;
    browser.expect("body", "250").await;
    browser.look("incident").await;

    // Good runs resolve both.
    assert_eq!(get(&format!("{ping}?rid=two&meta.records_processed=7")).await, "OK");
    let mails = site.smtp.wait_for(5, Duration::from_secs(10)).await;
    let subjects: Vec<String> = mails.iter().map(watchclock_tests::smtp::Mail::subject).collect();
    for state in ["[failing]", "[resolved]"] {
        assert_eq!(subjects.iter().filter(|subject| subject.starts_with(state)).count(), 2, "{subjects:?}");
    }
    browser.open(&site.url).await;
    browser.expect("body", "healthy").await;
    browser.look("monitors").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}
