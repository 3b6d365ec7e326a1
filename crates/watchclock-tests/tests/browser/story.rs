//! One page that tells a whole story: an overlap, a run that hangs beside its sibling, a missed slot, maintenance, and the
//! time zone that does not fit.

use chrono::{Duration, Timelike as _};
use watchclock_domain::{
    Time,
    maintenance::MonitorChoice,
    ping::{Output, Ping, RunId, Signal, Source},
    schedule::ScheduleText,
    value::{Meta, Value},
};
use watchclock_service::{
    maintenance::WindowChange,
    monitor::{MonitorChange, Past},
};

use crate::{driver::Browser, site::Site};

/// How many hours ago the slots of each day were; runs come an hour after them.
const SLOTS: [u32; 6] = [20, 15, 11, 6, 4, 1];

#[tokio::test(flavor = "multi_thread")]
async fn one_page_tells_what_went_wrong() {
    let site = Site::start().await;
    let browser = Browser::start().await;
    browser.open(&format!("{}{}", site.url, site.sign_in)).await;
    browser.press("Sign in").await;
    browser.expect("h1", "password").await;
    let project = site.watchclock.projects().await.unwrap()[0].id;
    let now = site.watchclock.now();
    site.watchclock.create_with_past(project, vec![past(now)]).await.unwrap();
    let window = WindowChange {
        name: Some("Storage firmware".to_owned()),
        monitors: Some(MonitorChoice::All),
        from: Some(now - Duration::minutes(25)),
        to: Some(now + Duration::minutes(35)),
        tz: Some("Europe/Berlin".to_owned()),
        ..WindowChange::default()
    };
    site.watchclock.create_maintenance_window(project, window).await.unwrap();

    browser.open(&site.url).await;
    browser.press("warehouse-load").await;
    browser.press("24 hours").await;
    for words in [
        "Runs arrive 1 h after each slot: is the time zone right?",
        "Maintenance is on until",
        "Storage firmware",
        "has not ended within 3 h",
        "1 overlap, 1 hung run, 1 missed slot, 1 maintenance window",
    ] {
        browser.expect("body", words).await;
    }
    for mark in [".tape .overlap", ".tape .quiet", ".tape .punch.missed", ".tape .is-hung", ".tape .open"] {
        assert!(browser.count(mark).await > 0, "{mark} is not drawn");
    }
    browser.look("story").await;
    browser.open(&format!("{}/incidents?open=false&kind=missed", site.url)).await;
    browser.click("a.name").await;
    browser.expect("h1", "no run started for").await;
    assert!(browser.count("h1 time[datetime]").await == 1 && browser.count("h1 .ago").await == 1);
    browser.look("incident-missed").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}

/// A job whose schedule stands in another zone than its host's clock; on its last day much goes wrong.
fn past(now: Time) -> Past {
    // The last run started 40 minutes ago.
    let last = now - Duration::minutes(40);
    let zone = watchclock_domain::schedule::Zone::named("Europe/Berlin").unwrap();
    let mut hours: Vec<u32> =
        SLOTS.iter().map(|ago| zone.local(last - Duration::hours(i64::from(*ago))).hour()).collect();
    hours.sort_unstable();
    let hours: Vec<String> = hours.iter().map(u32::to_string).collect();
    let cron = format!("{} {} * * *", zone.local(last).minute(), hours.join(","));
    let mut pings = Vec::new();
    for (number, ago) in (1..).zip((0..4).rev().flat_map(|day| SLOTS.map(|slot| day * 24 + slot - 1))) {
        let start = last - Duration::hours(i64::from(ago)) + Duration::seconds(i64::from(number * 7 % 40));
        let took = match ago {
            // Nobody came for the slot before it.
            14 => continue,
            // Hangs, with its sibling beside it; and the last one goes on.
            5 | 0 => None,
            3 => Some(45),
            _ => Some(48 + i64::from(number * 5 % 9)),
        };
        let host = if ago == 3 { "etl-2" } else { "etl-1" };
        pings.push(ping(number, host, Signal::Start, start, 0));
        if let Some(took) = took {
            let end = start + Duration::minutes(took);
            pings.push(ping(number, host, Signal::Success, end, 40_000 + i64::from(number * 977 % 5_000)));
        }
    }
    pings.sort_by_key(|ping| ping.received_at);
    let monitor = MonitorChange {
        name: Some("warehouse-load".to_owned()),
        schedule: Some(ScheduleText::from_shorthand(&cron, Some("Europe/Berlin")).unwrap()),
        grace: Some(Duration::minutes(90)),
        max_duration: Some(Some(Duration::hours(3))),
        ..MonitorChange::default()
    };
    Past { monitor, since: now - Duration::hours(95), pings, paused: None }
}

fn ping(number: u32, host: &str, signal: Signal, at: Time, rows: i64) -> Ping {
    let rid = format!("load-{number:03}");
    let mut meta = Meta::new();
    if rows > 0 {
        meta.insert("rows_loaded".to_owned(), Value::Number(rows.into()));
    }
    Ping {
        signal,
        run_id: Some(RunId { key: rid.clone(), shown: rid }),
        received_at: at,
        happened_at: None,
        exit_code: None,
        message: None,
        meta,
        output: Output::default(),
        source: Source { host: Some(host.to_owned()), ..Source::default() },
        notes: Vec::new(),
        idempotency_key: None,
    }
}
