//! Our own downtime: nothing that nobody watched is held against a job, and people hear of it once.

use watchclock_domain::run::{RunFlag, RunStatus};
use watchclock_tests::{World, job::Job, world::minutes};

/// A daily job at this minute after 01:00.
async fn at_one(world: &World, minute: usize) -> Job {
    world.monitor(&format!("job-{minute}")).cron(&format!("{minute} 1 * * *")).grace("10m").create().await
}

/// B17, B45
#[tokio::test]
async fn of_three_hours_without_a_server_one_message_tells_for_fifty_monitors() {
    let world = World::new().await;
    let mut jobs = Vec::new();
    for minute in 0..50 {
        jobs.push(at_one(&world, minute).await);
    }
    let quiet = world.monitor("quiet").cron("0 12 * * *").create().await;
    let active = world.monitor("active").cron("20 0 * * *").max_duration("4h").create().await;
    world.until("2027-01-04T00:20:00Z").await;
    active.start("a").await;
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    world.tick().await;
    // It ended meanwhile, and its end could not be told before.
    active.ping("/end?rid=a&ts=2027-01-04T01:05:00Z", "").await;
    assert_eq!((active.tape().await.as_str(), active.story().await.as_str()), ("#1 a success 45m", ""));
    let told = ["[not watched] Watchclock: 50 monitors were not watched for 3 h"];
    assert_eq!(world.subjects().await, told);
    let mail = world.mails().await[0].text();
    for says in [
        "2027-01-04 00:30 +00:00",
        "2027-01-04 03:30 +00:00",
        "job-0 ",
        "job-49 ",
        "1 slot, 2027-01-04 01:49",
    ] {
        assert!(mail.contains(says), "{says:?} is not in:\n{mail}");
    }
    assert!(!mail.contains("quiet") && !mail.contains("active"), "{mail}");
    for job in &jobs {
        assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 unknown", ""));
        assert_eq!(job.health().await, "late");
    }
    // Half of them try again in time, the others stay silent.
    world.advance("9m").await;
    for job in &jobs[..25] {
        job.end("").await;
    }
    world.advance("6h").await;
    assert_eq!(world.subjects().await, told, "and nothing more");
    assert_eq!(jobs[0].health().await, "healthy");
    assert_eq!(jobs[0].run(2).await.slot, jobs[0].run(1).await.slot, "it was what was due");
    assert!(!jobs[0].run(2).await.has(RunFlag::LateStart));
    assert_eq!(jobs[49].health().await, "failing", "the page does not say that it is fine");
    assert!(jobs[49].story().await.starts_with("missed: nothing was heard"), "{}", jobs[49].story().await);
    assert_eq!(quiet.runs().await, []);
    let gaps = world.watchclock().watch_gaps(world.project().id, 10).await.unwrap();
    assert_eq!((gaps.len(), gaps[0].monitors.len()), (1, 50));
}

#[tokio::test]
async fn who_stays_silent_is_told_with_the_next_slot_that_was_watched() {
    let world = World::new().await;
    let job = at_one(&world, 0).await;
    let back = at_one(&world, 1).await;
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    world.tick().await;
    world.until("2027-01-05T01:00:30Z").await;
    back.end("").await;
    assert_eq!(world.subjects().await.len(), 1);
    world.until("2027-01-05T02:00:00Z").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[1].starts_with("[failing] job-0"), "{subjects:?}");
    assert_eq!(
        back.story().await.matches("a run started").count(),
        1,
        "who was never told of hears of no recovery"
    );
    job.end("").await;
    assert_eq!(world.subjects().await.len(), 3);
}

#[tokio::test]
async fn a_run_that_was_active_meanwhile_and_ended_is_right() {
    let world = World::new().await;
    let job = world.monitor("backup").cron("0 * * * *").max_duration("1h").grace("10m").create().await;
    let stuck = world.monitor("stuck").max_duration("1h").grace("10m").create().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.start("a").await;
    stuck.start("b").await;
    world.advance("20m").await;
    world.down_for("3h");
    world.tick().await;
    assert_eq!((job.tape().await.as_str(), stuck.tape().await.as_str()), ("#1 a running", "#1 b running"));
    world.advance("5m").await;
    job.end("a").await;
    assert_eq!(job.tape().await, "#1 a success 3h25m", "its slots were covered by it");
    world.until("2027-01-04T04:29:59Z").await;
    assert_eq!(stuck.tape().await, "#1 b running");
    world.advance("1s").await;
    assert_eq!((job.story().await.as_str(), stuck.tape().await.as_str()), ("", "#1 b hung"));
    assert_eq!(
        world.subjects().await.len(),
        2,
        "the gap, and the run that is stuck: {:?}",
        world.subjects().await
    );
}

#[tokio::test]
async fn a_ping_at_the_moment_of_the_restart_knows_of_the_gap() {
    let world = World::new().await;
    let hourly = world.monitor("hourly").cron("30 * * * *").grace("5m").create().await;
    let often = world.monitor("often").every("30m").grace("5m").create().await;
    world.until("2027-01-04T00:20:00Z").await;
    hourly.start("x").await;
    hourly.end("x").await;
    often.end("a").await;
    world.down_for("3h");
    hourly.start("b").await;
    often.end("b").await;
    world.tick().await;
    let words: Vec<_> = hourly.runs().await.iter().map(|run| run.status.word()).collect();
    assert_eq!(words, ["success", "unknown", "unknown", "unknown", "running"]);
    assert_eq!(hourly.run(5).await.slot, hourly.run(4).await.slot);
    assert_eq!(often.runs().await.iter().filter(|run| run.status == RunStatus::Unknown).count(), 5);
    world.advance("34m").await;
    assert_eq!(often.story().await, "");
    world.advance("2m").await;
    assert!(often.story().await.starts_with("missed: no run started"), "it is watched again");
    assert!(world.subjects().await[0].starts_with("[not watched]"));
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn two_servers_that_start_together_tell_once_and_so_does_one_that_is_killed() {
    let world = World::new().await;
    for minute in 0..5 {
        at_one(&world, minute).await;
    }
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    let (one, two) = (world.watchclock(), world.second_server());
    let (first, second) = tokio::join!(one.evaluate(), two.evaluate());
    first.unwrap();
    second.unwrap();
    // Killed before anything was sent.
    world.restart();
    world.tick().await;
    two.deliver().await.unwrap();
    world.advance("1h").await;
    assert_eq!(world.subjects().await.len(), 1, "{:?}", world.subjects().await);
    assert_eq!(world.database().value("select count(*) from watch_gaps").await.as_deref(), Some("1"));
}

#[tokio::test]
async fn a_process_that_stood_still_beside_one_that_watched_finds_no_gap() {
    let world = World::new().await;
    let job = at_one(&world, 0).await;
    let other = world.second_server();
    other.evaluate().await.unwrap();
    world.until("2027-01-04T03:00:00Z").await;
    other.evaluate().await.unwrap();
    assert_eq!(
        world.subjects().await,
        ["[failing] job-0: has never been pinged; a run was expected at 2027-01-04 01:00 +00:00"]
    );
    assert_eq!(job.tape().await, "#1 missed");
}

#[tokio::test]
async fn where_nothing_fell_into_the_gap_there_is_no_message() {
    let world = World::new().await;
    let job = at_one(&world, 0).await;
    let paused = world.monitor("paused").cron("0 * * * *").manual_resume().create().await;
    paused.pause().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.start("a").await;
    world.until("2027-01-04T02:00:00Z").await;
    job.end("a").await;
    for _ in 0..3 {
        world.down_for("50s");
        world.tick().await;
        world.down_for("2h");
        world.tick().await;
    }
    assert_eq!(world.subjects().await, [""; 0]);
    assert_eq!((job.runs().await.len(), paused.runs().await.len()), (1, 0));
}

#[tokio::test]
async fn what_was_overdue_before_stays_told_and_is_not_told_again() {
    let world = World::new().await;
    let job = at_one(&world, 0).await;
    world.until("2027-01-04T02:00:00Z").await;
    assert_eq!(world.subjects().await.len(), 1);
    world.down_for("24h");
    world.tick().await;
    world.advance("1h").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert_eq!(job.tape().await, "#1 missed\n#2 unknown");
    job.end("").await;
    assert_eq!(world.subjects().await.len(), 3, "and its recovery is told");
}

#[tokio::test]
async fn a_slot_whose_grace_runs_at_the_restart_gets_a_fresh_one() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 3 * * *").grace("10m").create().await;
    let silent = world.monitor("silent").cron("0 3 * * *").grace("10m").create().await;
    world.until("2027-01-04T02:55:00Z").await;
    world.down_for("10m");
    world.tick().await;
    assert_eq!(job.runs().await, [], "it may still come");
    world.until("2027-01-04T03:14:00Z").await;
    job.end("").await;
    assert_eq!(job.tape().await, "#1 success");
    assert_eq!(job.run(1).await.slot, Some(watchclock_tests::world::time("2027-01-04T03:00:00Z")));
    world.until("2027-01-04T03:15:00Z").await;
    assert_eq!(silent.tape().await, "#1 unknown");
    assert_eq!(world.subjects().await.len(), 1);
}

#[tokio::test]
async fn pings_that_were_kept_back_fill_their_own_slots() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    world.tick().await;
    for hour in 1..=3 {
        job.ping(&format!("/start?rid=r{hour}&ts=2027-01-04T0{hour}:00:10Z"), "").await;
        job.ping(&format!("?rid=r{hour}&ts=2027-01-04T0{hour}:02:00Z"), "").await;
    }
    let runs = job.runs().await;
    let slots: Vec<_> = runs[3..].iter().map(|run| run.slot.unwrap().to_rfc3339()).collect();
    assert_eq!(
        slots,
        ["2027-01-04T01:00:00+00:00", "2027-01-04T02:00:00+00:00", "2027-01-04T03:00:00+00:00"]
    );
    assert!(runs[3..].iter().all(|run| run.flags.is_empty()), "{}", job.tape().await);
}

#[tokio::test]
async fn very_many_slots_of_one_gap_are_not_listed_one_by_one() {
    let world = World::without_channels().await;
    let job = world.monitor("often").cron("* * * * *").grace("1m").create().await;
    world.tick().await;
    job.end("").await;
    world.down_for("3d");
    world.tick().await;
    assert_eq!(job.runs().await.iter().filter(|run| run.status == RunStatus::Unknown).count(), 200);
    world.advance("3m").await;
    assert!(job.story().await.contains("missed"), "{}", job.story().await);
}

#[tokio::test]
async fn a_clock_that_is_set_back_makes_no_storm_and_hides_no_later_gap() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").max_duration("30m").grace("5m").create().await;
    world.until("2027-01-04T12:30:00Z").await;
    job.end("x").await;
    let before = world.subjects().await.len();
    job.start("a").await;
    world.set_clock("2027-01-04T07:00:00Z");
    for _ in 0..3 {
        world.tick().await;
    }
    job.end("a").await;
    assert_eq!(job.runs().await.last().unwrap().duration(), Some(minutes(0)));
    assert_eq!(world.subjects().await.len(), before);
    world.down_for("7h");
    world.tick().await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), before + 1, "{subjects:?}");
    assert!(subjects[before].ends_with("1 monitor was not watched for 7 h"), "{subjects:?}");
}

#[tokio::test]
async fn a_clock_that_jumps_forward_looks_like_a_gap() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T00:30:00Z").await;
    job.end("a").await;
    // No restart: the same process finds itself hours later.
    world.set_clock("2027-01-04T05:30:00Z");
    job.start("b").await;
    for _ in 0..3 {
        world.tick().await;
    }
    assert_eq!(world.subjects().await, ["[not watched] Watchclock: 1 monitor was not watched for 5 h"]);
    assert_eq!(job.runs().await.iter().filter(|run| run.status == RunStatus::Unknown).count(), 5);
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn what_was_due_in_maintenance_meanwhile_is_held_against_nobody() {
    let world = World::new().await;
    let job = at_one(&world, 0).await;
    let window =
        serde_json::json!({"name": "x", "from": "2027-01-04T01:00:00Z", "to": "2027-01-04T02:00:00Z"});
    assert_eq!(world.api("POST", "/v1/maintenance-windows", window).await.status, 201);
    world.until("2027-01-04T00:30:00Z").await;
    world.down_for("3h");
    world.advance("1h").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 unknown", ""));
    assert_eq!(world.subjects().await, [""; 0]);
}
