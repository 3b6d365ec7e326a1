//! What users of such tools were bitten by: clock changes, zones, restarts. Each scenario is named after its case in the list.

use serde_json::json;
use watchclock_domain::run::RunFlag;
use watchclock_service::monitor::MonitorFilter;
use watchclock_tests::{Job, World, world::time};

use crate::users_doors::Doors;

/// The run of this number fills the slot that came at a moment.
async fn slot_of(job: &Job, number: i64) -> Option<String> {
    job.run(number).await.slot.map(|slot| slot.format("%m-%dT%H:%MZ").to_string())
}

#[tokio::test]
async fn b01_a_time_that_spring_skips_is_one_slot_and_on_time_by_every_scheduler() {
    // after the gap, as much later as the clock was changed, and within the grace after that
    for ping in ["01:00", "01:30", "01:39"] {
        let world = World::new().await;
        world.at("2027-03-27T12:00:00Z");
        let job = world.monitor("nightly").cron("30 2 * * *").tz("Europe/Berlin").grace("10m").create().await;
        world.until(&format!("2027-03-28T{ping}:00Z")).await;
        job.end("").await;
        world.until("2027-03-28T23:00:00Z").await;
        assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 success", ""), "{ping}");
        assert_eq!(slot_of(&job, 1).await.as_deref(), Some("03-28T01:00Z"));
    }
}

#[tokio::test]
async fn b01_silence_in_the_night_of_the_clock_change_is_one_alert_that_says_so() {
    let world = World::new().await;
    world.at("2027-03-27T12:00:00Z");
    let job = world.monitor("nightly").cron("30 2 * * *").tz("Europe/Berlin").grace("10m").create().await;
    world.until("2027-03-28T01:39:59Z").await;
    assert_eq!(job.tape().await, "");
    world.until("2027-03-28T23:00:00Z").await;
    assert_eq!(job.tape().await, "#1 missed");
    let mails = world.mails().await;
    assert_eq!(mails.len(), 1);
    let told = mails[0].text();
    assert!(told.contains("02:30 was skipped: clocks went from 02:00 to 03:00"), "{told}");
}

#[tokio::test]
async fn b01_a_gap_of_half_an_hour_moves_no_hourly_slot() {
    // Lord Howe: at 15:30Z clocks go from 02:00 to 02:30
    let world = World::new().await;
    world.at("2026-10-03T13:30:00Z");
    let hourly =
        world.monitor("hourly").cron("0 * * * *").tz("Australia/Lord_Howe").grace("1m").create().await;
    let minutes =
        world.monitor("minutes").cron("* 2 * * *").tz("Australia/Lord_Howe").grace("1m").create().await;
    world.until("2026-10-03T18:30:00Z").await;
    let slots: Vec<String> = hourly
        .runs()
        .await
        .iter()
        .filter_map(|run| run.slot)
        .map(|slot| slot.format("%H:%M").to_string())
        .collect();
    assert_eq!(slots, ["13:30", "14:30", "16:00", "17:00", "18:00"][1..], "02:00 is not there that day");
    let runs = minutes.runs().await;
    assert_eq!(runs.len(), 30, "half of the hour is there");
    assert_eq!(runs[0].slot, Some(time("2026-10-03T15:30:00Z")));
}

#[tokio::test]
async fn b02_an_hourly_job_has_twenty_five_slots_on_the_day_of_the_repeated_hour() {
    let world = World::new().await;
    world.at("2026-11-01T03:30:00Z");
    let job = world.monitor("hourly").cron("0 * * * *").tz("America/New_York").grace("5m").create().await;
    // the local day of New York: 04:00Z to 05:00Z of the next day
    for hour in 4..29 {
        let moment = time("2026-11-01T00:00:00Z") + chrono::Duration::hours(hour);
        world.until(&moment.to_rfc3339()).await;
        job.end("").await;
    }
    let runs = job.runs().await;
    let slots: std::collections::BTreeSet<_> = runs.iter().filter_map(|run| run.slot).collect();
    assert_eq!((runs.len(), slots.len()), (25, 25));
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn b02_silence_in_the_second_of_two_equal_hours_is_missed() {
    let world = World::new().await;
    world.at("2026-11-01T04:30:00Z");
    let job = world.monitor("hourly").cron("0 * * * *").tz("America/New_York").grace("5m").create().await;
    for hour in ["05", "07"] {
        world.until(&format!("2026-11-01T{hour}:00:00Z")).await;
        job.end("").await;
    }
    assert_eq!(job.tape().await, "#1 success\n#2 missed\n#3 success");
    assert_eq!(slot_of(&job, 2).await.as_deref(), Some("11-01T06:00Z"));
}

#[tokio::test]
async fn b03_a_daily_job_may_run_at_the_first_of_two_equal_times_at_the_second_or_at_both() {
    for pings in [&["00:30"][..], &["01:30"], &["00:30", "01:30"]] {
        let world = World::new().await;
        world.at("2026-10-24T12:00:00Z");
        let job = world
            .monitor("nightly")
            .cron("30 2 * * *")
            .tz("Europe/Berlin")
            .grace("5m")
            .alert_unscheduled()
            .create()
            .await;
        for at in pings {
            world.until(&format!("2026-10-25T{at}:00Z")).await;
            job.end("").await;
        }
        world.until("2026-10-26T01:00:00Z").await;
        assert_eq!(job.story().await, "", "{pings:?}");
        let runs = job.runs().await;
        assert_eq!(runs.len(), pings.len());
        for run in runs {
            assert_eq!(run.slot, Some(time("2026-10-25T00:30:00Z")), "{pings:?}");
            assert_eq!(run.flags, [], "{pings:?}");
        }
    }
}

#[tokio::test]
async fn b03_a_third_run_of_the_night_is_unscheduled_and_silence_is_one_miss() {
    let world = World::new().await;
    world.at("2026-10-24T12:00:00Z");
    let silent = world.monitor("silent").cron("30 2 * * *").tz("Europe/Berlin").grace("5m").create().await;
    let busy = world.monitor("busy").cron("30 2 * * *").tz("Europe/Berlin").grace("5m").create().await;
    for at in ["00:30", "01:30", "02:30"] {
        world.until(&format!("2026-10-25T{at}:00Z")).await;
        busy.end("").await;
    }
    assert!(busy.run(3).await.has(RunFlag::Unscheduled), "{}", busy.tape().await);
    world.until("2026-10-25T12:00:00Z").await;
    assert_eq!(silent.tape().await, "#1 missed");
    let told = world.mails().await[0].text();
    assert!(told.contains("02:30 came twice: clocks were set back"), "{told}");
}

#[tokio::test]
async fn b05_old_names_of_zones_work_and_unknown_ones_are_refused_at_the_door() {
    let world = World::new().await;
    let doors = Doors::open(&world).await;
    let schedule = |zone: &str| json!({ "kind": "cron", "cron": ["30 2 * * *"], "tz": zone });
    for zone in ["Europe/Kiev", "Europe/Kyiv", "US/Eastern", "Asia/Calcutta", "europe/berlin", "EST5EDT"] {
        let reply = doors.api(&schedule(zone)).await;
        assert_eq!(reply.status, 201, "{zone}: {}", reply.line());
        assert!(doors.page("30 2 * * *", zone).await.status.is_redirection(), "{zone}");
    }
    for (zone, meant) in [("GMT+2", "Etc/GMT-2"), ("Mars/Base", "IANA"), ("Europe/Berln", "Europe/Berlin")] {
        let reply = doors.api(&schedule(zone)).await;
        assert_eq!(reply.status, 422, "{zone}");
        let error = &reply.json()["errors"][0];
        assert_eq!(error["field"], "schedule.tz", "{zone}");
        assert!(error["message"].as_str().unwrap().contains(meant), "{error}");
        let reply = doors.page("30 2 * * *", zone).await;
        assert!(reply.status.is_client_error() && reply.text().contains(meant), "{zone}");
    }
    // kept as they were written, also after a restart, and evaluated
    world.restart();
    let jobs = world.watchclock().monitors(world.project().id, &MonitorFilter::default(), 0).await.unwrap();
    let zones: Vec<&str> = jobs.iter().map(|view| view.monitor.schedule.text().tz.as_str()).collect();
    assert!(zones.contains(&"Europe/Kiev") && zones.contains(&"Europe/Kyiv"), "{zones:?}");
    world.advance("2d").await;
    assert!(jobs.iter().all(|view| view.monitor.broken.is_none()));
}

#[tokio::test]
async fn b06_a_date_that_never_comes_is_refused_through_every_door_at_once() {
    let world = World::new().await;
    let doors = Doors::open(&world).await;
    for line in ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4 *", "0 0 31 2,4,6 *"] {
        let began = std::time::Instant::now();
        let api = doors.api(&json!({ "kind": "cron", "cron": [line], "tz": "UTC" })).await;
        let shorthand = doors.api(&json!(line)).await;
        let page = doors.page(line, "UTC").await;
        // A search would take minutes; a busy machine may well take a second for three requests.
        assert!(began.elapsed() < std::time::Duration::from_secs(10), "{line}: {:?}", began.elapsed());
        assert_eq!((api.status.as_u16(), shorthand.status.as_u16()), (422, 422), "{line}");
        assert!(page.status.is_client_error(), "{line}: {}", page.status);
        for reply in [api, shorthand, page] {
            assert!(
                reply.text().contains("none of the selected months has a day"),
                "{line}: {}",
                reply.text()
            );
        }
        // a ping is never lost for it
        let query = line.replace(' ', "%20");
        let path =
            format!("/ping/{}/never-{}?create=1&schedule={query}", world.project().ping_key, line.len());
        let reply = world.post(&path, "").await;
        assert!(reply.status.is_success(), "{}", reply.line());
    }
}

#[tokio::test]
async fn b16_restarts_do_not_reset_the_clock_of_a_daily_job() {
    let world = World::new().await;
    let job = world.monitor("daily").every("1d").grace("1h").create().await;
    job.end("").await;
    world.advance("23h").await;
    world.restart();
    world.restart();
    world.until("2027-01-05T00:59:59Z").await;
    assert_eq!(job.tape().await, "#1 success");
    world.restart();
    world.advance("1s").await;
    assert_eq!(job.tape().await, "#1 success\n#2 missed");
    assert_eq!(world.subjects().await.len(), 1);
}

#[tokio::test]
async fn b18_a_monitor_that_was_never_pinged_alerts_at_its_first_deadline_and_says_why() {
    let world = World::new().await;
    let job = world.monitor("forgotten").cron("0 3 * * *").tz("Europe/Berlin").grace("10m").create().await;
    assert_eq!(job.health().await, "waiting");
    world.until("2027-01-04T02:10:00Z").await;
    assert_eq!(job.tape().await, "#1 missed");
    let mails = world.mails().await;
    assert_eq!(mails.len(), 1);
    assert!(mails[0].subject().contains("has never been pinged"), "{}", mails[0].subject());
    world.advance("7d").await;
    assert_eq!(world.mails().await.len(), 1, "one incident, however many slots");
    job.end("").await;
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn b17_what_was_due_while_nobody_watched_is_one_message_and_what_was_overdue_before_stays_told() {
    let world = World::new().await;
    let overdue = world.monitor("overdue").cron("5 0 * * *").grace("10m").create().await;
    let mut due = Vec::new();
    for minute in 0..5 {
        let job = world.monitor(&format!("job-{minute}")).cron(&format!("{minute} 1 * * *")).grace("10m");
        due.push(job.create().await);
    }
    world.until("2027-01-04T00:30:00Z").await;
    assert_eq!(world.subjects().await.len(), 1, "what is overdue has alerted");
    world.down_for("3h");
    world.tick().await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[1].contains("5 monitors were not watched for 3 h"), "{subjects:?}");
    for job in &due {
        assert_eq!(job.tape().await, "#1 unknown");
        job.end("").await;
    }
    world.advance("2h").await;
    assert_eq!(world.subjects().await.len(), 2, "nobody is alarmed by what could not be watched");
    assert_eq!((overdue.health().await, due[0].health().await), ("failing", "healthy"));
}
