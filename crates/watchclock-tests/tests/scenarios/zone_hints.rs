//! "Is the time zone right?": told by the API, the page and the alert when runs keep arriving at a constant offset.

use serde_json::json;
use watchclock_tests::World;

use crate::caller::Caller;

/// B-case "wrong zone": the schedule is in Berlin, the machine in UTC.
#[tokio::test]
async fn runs_at_a_constant_offset_raise_the_question() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let job = world.monitor("nightly").cron("0 3 * * *").tz("Europe/Berlin").grace("10m").create().await;
    for day in 4..9 {
        if day < 8 {
            assert_eq!(api.get("/v1/monitors/nightly").await.get("zone_hint"), None, "too few runs");
        }
        world.until(&format!("2027-01-{day:02}T03:00:04Z")).await;
        job.end("").await;
    }
    let hint = api.get("/v1/monitors/nightly").await["zone_hint"].clone();
    assert_eq!(
        (&hint["late_by"], &hint["utc_offset"], &hint["zones"][0]),
        (&json!(3600), &json!("+00:00"), &json!("UTC"))
    );
    assert!(
        hint["words"].as_str().is_some_and(|words| words.starts_with("Runs arrive 1 h after each slot")),
        "{hint}"
    );
    world.advance("1d").await;
    let mails = world.mails().await;
    let asks = |mail: &watchclock_tests::smtp::Mail| mail.text().contains("is the time zone right?");
    assert!(!asks(&mails[0]), "one late run is no constant offset");
    assert!(asks(mails.last().expect("missed again")), "{}", mails.last().expect("a mail").text());
}

#[tokio::test]
async fn a_job_that_is_simply_late_raises_none() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("10m").create().await;
    for (day, at) in (4..).zip(["03:31:00", "04:10:00", "05:02:00", "03:44:00", "06:01:00"]) {
        world.until(&format!("2027-01-{day:02}T{at}Z")).await;
        job.end("").await;
    }
    assert_eq!(api.get("/v1/monitors/nightly").await.get("zone_hint"), None);
}
