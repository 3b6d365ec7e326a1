//! What users of such tools were bitten by: how expressions are read. Each scenario is named after its case in the list.

use serde_json::json;
use watchclock_domain::run::RunFlag;
use watchclock_tests::{World, world::time};

use crate::users_doors::Doors;

/// Days of the next slots, as the preview of the API tells them.
async fn days(doors: &Doors<'_>, line: &str, after: &str, count: u32) -> String {
    let slots = doors.preview(&json!({ "kind": "cron", "cron": [line], "tz": "UTC" }), after, count).await;
    slots.iter().map(|slot| slot[5..10].to_owned()).collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn b08_day_of_month_and_weekday_are_joined_as_crond_does() {
    let world = World::without_channels().await;
    let doors = Doors::open(&world).await;
    for (line, expected) in [
        ("0 9 1 * 1", "10-01 10-05 10-12"),
        ("0 9 1-31 * 1", "09-30 10-01 10-02"),
        ("0 9 */2 * 1", "10-05 10-19 11-09"),
        ("0 0 1-7 * */7", "10-04 11-01 12-06"),
        ("0 9 * * 1", "10-05 10-12 10-19"),
        ("0 9 1 * *", "10-01 11-01 12-01"),
    ] {
        assert_eq!(days(&doors, line, "2026-09-30T00:00:00Z", 3).await, expected, "{line}");
    }
}

#[tokio::test]
async fn b09_weekdays_count_from_sunday_as_zero_and_seven() {
    let world = World::without_channels().await;
    let doors = Doors::open(&world).await;
    // 2027-01-04 is a Monday
    for (weekday, expected) in [
        ("0", "01-10"),
        ("7", "01-10"),
        ("SUN", "01-10"),
        ("sun", "01-10"),
        ("1", "01-04"),
        ("1-5", "01-04 01-05 01-06 01-07 01-08"),
        ("MON-FRI", "01-04 01-05 01-06 01-07 01-08"),
        ("5-7", "01-08 01-09 01-10"),
        ("0-6", "01-04 01-05 01-06 01-07 01-08 01-09 01-10"),
        ("*/2", "01-05 01-07 01-09 01-10"),
        ("6#3", "01-16"),
        ("7#2", "01-10"),
        ("5L", "01-29"),
        ("MON#1,5", "01-04 01-08"),
    ] {
        let count = u32::try_from(expected.split(' ').count()).unwrap();
        let line = format!("0 7 * * {weekday}");
        assert_eq!(days(&doors, &line, "2027-01-04T00:00:00Z", count).await, expected, "{line}");
    }
}

#[tokio::test]
async fn b10_a_step_that_does_not_divide_the_hour_ends_with_a_short_gap() {
    let world = World::new().await;
    let job = world.monitor("sevenths").cron("*/7 * * * *").grace("1m").create().await;
    for minute in (0..=120).filter(|minute| minute % 60 % 7 == 0).skip(1) {
        world.until(&(time("2027-01-04T00:00:00Z") + chrono::Duration::minutes(minute)).to_rfc3339()).await;
        job.end("").await;
    }
    assert_eq!(job.story().await, "");
    assert!(job.runs().await.iter().all(|run| run.slot.is_some() && !run.has(RunFlag::Unscheduled)));

    let doors = Doors::open(&world).await;
    for (line, expected) in [
        ("10/15 * * * *", ["00:10", "00:25", "00:40", "00:55", "01:10"]),
        ("0 9-17/2 * * *", ["09:00", "11:00", "13:00", "15:00", "17:00"]),
        ("5-59/20 * * * *", ["00:05", "00:25", "00:45", "01:05", "01:25"]),
        ("0 15 */1 * *", ["15:00", "15:00", "15:00", "15:00", "15:00"]),
    ] {
        let slots = doors.preview(&json!(line), "2027-01-04T00:00:00Z", 5).await;
        let times: Vec<&str> = slots.iter().map(|slot| &slot[11..16]).collect();
        assert_eq!(times, expected, "{line}");
    }
}

#[tokio::test]
async fn b11_what_is_no_cron_is_refused_with_the_reason_and_never_read_in_another_way() {
    let world = World::without_channels().await;
    let doors = Doors::open(&world).await;
    let long = "1,".repeat(5_000);
    for (line, reason) in [
        ("0 15 */1 * * *", "drop the first field"),
        ("0 0 12 * * ? 2027", "seconds and years"),
        ("* * * *", "five fields"),
        ("", "give a"),
        ("H * * * *", "Jenkins"),
        ("@reboot", "none"),
        ("@weekyl", "did you mean @weekly"),
        ("0 3 * * * # nightly", "comments do not belong"),
        ("0 3 * * * /usr/bin/backup", "leave the command out"),
        ("0 3 * *\u{34F} *", "invisible character (U+034F)"),
        ("0 3 * * 1–5", "did you mean"),
        ("*/0 * * * *", "at least 1"),
        ("60 * * * *", "out of range"),
        ("٣ * * * *", "did you mean"),
        (long.as_str(), "at most 500 characters"),
    ] {
        let reply = doors.api(&json!({ "kind": "cron", "cron": [line], "tz": "UTC" })).await;
        assert_eq!(reply.status, 422, "{line:.40}");
        let error = &reply.json()["errors"][0];
        assert!(error["field"].as_str().unwrap().starts_with("schedule.cron"), "{error}");
        assert!(error["message"].as_str().unwrap().contains(reason), "{line:.40}: {error}");
    }
    for line in ["@daily", "@hourly", "0\t3  * * *", "CRON_TZ=Europe/Riga 0 3 * * *", "TZ=UTC @weekly"] {
        let reply = doors.api(&json!({ "kind": "cron", "cron": [line], "tz": "UTC" })).await;
        assert_eq!(reply.status, 201, "{line}: {}", reply.line());
    }
    // what Go's cron calls @every is an interval
    assert_eq!(doors.api(&json!("@every 5m")).await.status, 201);
}

#[tokio::test]
async fn b12_a_run_a_little_early_counts_for_its_slot_and_none_is_missed() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 1 * * *").grace("10m").create().await;
    for day in ["04", "05", "06"] {
        world.until(&format!("2027-01-{day}T00:59:30Z")).await;
        job.start(day).await;
        world.advance("1m").await;
        job.end(day).await;
        let slot = job.runs().await.last().unwrap().slot;
        assert_eq!(slot, Some(time(&format!("2027-01-{day}T01:00:00Z"))));
    }
    assert_eq!(job.story().await, "");
    // too early is for no slot, and the slot is still waited for
    world.until("2027-01-07T00:30:00Z").await;
    job.end("").await;
    assert!(job.run(4).await.has(RunFlag::Unscheduled));
    world.until("2027-01-07T01:10:00Z").await;
    assert!(job.story().await.starts_with("missed: "));
}

#[tokio::test]
async fn b12_the_order_is_that_of_the_server_and_not_of_a_clock_that_is_wrong() {
    let world = World::new().await;
    let job = world.monitor("skewed").max_duration("1h").create().await;
    job.ping("/start?rid=a&ts=2027-01-04T00:02:00Z", "").await;
    world.advance("1m").await;
    job.ping("?rid=a&ts=2027-01-04T00:01:00Z", "").await;
    let run = job.run(1).await;
    assert_eq!(run.duration().map(|duration| duration.num_seconds()), Some(60), "as the server saw it");
    // far off is not believed at all, and said so
    job.ping("/start?rid=b&ts=1970-01-01T00:00:00Z", "").await;
    let run = job.run(2).await;
    assert_eq!(run.started_at, Some(world.now()));
    assert!(!run.notes.is_empty());
}

#[tokio::test]
async fn spooled_pings_fill_the_slots_of_their_own_time() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("10m").alert_unscheduled().create().await;
    // the job ran on the 4th and the 5th, and nothing could be reached until the 6th
    world.until("2027-01-06T03:00:00Z").await;
    job.start("6").await;
    for day in ["4", "5"] {
        job.ping(&format!("/start?rid={day}&ts=2027-01-0{day}T03:00:02Z"), "").await;
        job.ping(&format!("?rid={day}&ts=2027-01-0{day}T03:05:00Z"), "").await;
    }
    job.end("6").await;
    for run in job.runs().await.iter().filter(|run| run.started_at.is_some()) {
        let day = &run.run_id.as_ref().unwrap().shown;
        assert_eq!(run.slot, Some(time(&format!("2027-01-0{day}T03:00:00Z"))), "{}", job.tape().await);
        assert!(!run.has(RunFlag::Unscheduled) && !run.has(RunFlag::LateStart), "{}", job.tape().await);
    }
}

#[tokio::test]
async fn spooled_runs_that_passed_their_limit_long_ago_alarm_nobody_if_their_ends_follow() {
    let world = World::new().await;
    let job = world.monitor("hourly").max_duration("30m").create().await;
    world.until("2027-01-04T05:10:00Z").await;
    for hour in ["02", "03", "04"] {
        job.ping(&format!("/start?rid={hour}&ts=2027-01-04T{hour}:00:00Z"), "").await;
        world.tick().await;
        job.ping(&format!("?rid={hour}&ts=2027-01-04T{hour}:20:00Z"), "").await;
    }
    assert_eq!(job.tape().await, "#1 02 success 20m\n#2 03 success 20m\n#3 04 success 20m");
    assert_eq!(job.story().await, "");
    // one whose end never came is hung all the same
    job.ping("/start?rid=lost&ts=2027-01-04T03:30:00Z", "").await;
    world.advance("1m").await;
    assert_eq!(job.run(4).await.status.word(), "hung");
}
