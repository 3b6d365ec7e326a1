//! Which ping belongs to which run: pairing, repeats, pings out of order.

use watchclock_domain::run::{Run, RunFlag};
use watchclock_tests::{World, world::minutes};

#[tokio::test]
async fn run_ids_pair_exactly_whatever_the_order() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).create().await;
    job.start("a").await;
    world.advance("1m").await;
    job.start("b").await;
    world.advance("1m").await;
    job.end("a").await;
    world.advance("3m").await;
    job.fail("b").await;
    assert_eq!(job.tape().await, "#1 a success 2m\n#2 b failed 4m");
}

/// B20
#[tokio::test]
async fn without_run_ids_an_end_closes_the_oldest_run() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("").await;
    world.advance("5m").await;
    job.start("").await;
    let (one, two) = (job.run(1).await, job.run(2).await);
    assert_eq!((&one.overlaps, &two.overlaps), (&vec![two.id], &vec![one.id]), "each names the other");
    world.advance("1m").await;
    job.end("").await;
    world.advance("3m").await;
    job.end("").await;
    assert_eq!(job.tape().await, "#1 success 6m overlapped,pairing_assumed\n#2 success 4m overlapped");
    assert!(job.run(1).await.notes[0].contains("without a run id"), "the run says how it was paired");
    assert_eq!(
        job.story().await,
        "overlap: run #2 started while #1 was still running → active runs are back within the allowed number"
    );
}

#[tokio::test]
async fn a_job_slowed_to_twenty_minutes_on_a_quarter_hour_schedule_shows_twenty_minutes_each() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("*/15 * * * *").create().await;
    job.start("").await;
    world.advance("15m").await;
    for _ in 0..4 {
        job.start("").await;
        world.advance("5m").await;
        job.end("").await;
        world.advance("10m").await;
    }
    let durations: Vec<_> = job.runs().await.iter().filter_map(Run::duration).collect();
    assert_eq!(durations, vec![minutes(20); 4]);
}

#[tokio::test]
async fn an_end_prefers_a_run_from_the_same_source() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).create().await;
    let (one, two) = (job.from("web-1"), job.from("web-2"));
    one.start("").await;
    world.advance("1m").await;
    two.start("").await;
    world.advance("1m").await;
    two.end("").await;
    assert_eq!(job.tape().await, "#1 running\n#2 success 1m pairing_assumed");
    one.end("").await;
    assert_eq!(job.tape().await, "#1 success 2m\n#2 success 1m pairing_assumed");

    let (here, there) = (job.from("10.0.0.1"), job.from("10.0.0.2"));
    here.start("").await;
    there.start("").await;
    there.end("").await;
    assert_eq!(job.run(3).await.status.word(), "running", "addresses tell sources apart, too");
    assert_eq!(job.run(4).await.status.word(), "success");
}

#[tokio::test]
async fn an_end_without_an_id_never_closes_a_run_with_one() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("a").await;
    world.advance("1m").await;
    job.end("").await;
    assert_eq!(job.tape().await, "#1 a running\n#2 success");
    assert_eq!(job.run(2).await.started_at, None, "only its end was heard");
}

#[tokio::test]
async fn a_monitor_pinged_only_at_the_end_works() {
    let world = World::new().await;
    let job = world.monitor("backup").cron("0 3 * * *").grace("10m").create().await;
    for day in ["04", "05", "06"] {
        world.until(&format!("2027-01-{day}T03:05:00Z")).await;
        job.end("").await;
    }
    world.until("2027-01-06T12:00:00Z").await;
    assert_eq!(job.tape().await, "#1 success\n#2 success\n#3 success");
    assert_eq!(world.subjects().await, [""; 0]);
    assert_eq!(job.health().await, "healthy");
}

/// B25
#[tokio::test]
async fn repeats_change_nothing() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    for _ in 0..3 {
        let reply = job.start("a").await;
        assert_eq!(reply.line(), "200 OK");
        assert_eq!(reply.header("watchclock-run"), "1");
        world.advance("1s").await;
    }
    for _ in 0..2 {
        assert_eq!(job.end("a").await.line(), "200 OK");
        world.advance("1s").await;
    }
    job.start("a").await;
    assert_eq!(job.tape().await, "#1 a success 3s");
    assert_eq!(job.story().await, "", "no false overlap");
    assert_eq!(job.view().await.memory.active, 0);
    assert_eq!(world.subjects().await, [""; 0]);
}

/// B25
#[tokio::test]
async fn of_two_contradicting_ends_the_failure_wins_and_both_are_shown() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("a").await;
    job.end("a").await;
    job.fail("a").await;
    job.fail("a").await;
    assert_eq!(job.tape().await, "#1 a failed 0s");
    assert!(job.run(1).await.notes.iter().any(|note| note.contains("failure wins")));
    assert_eq!(world.subjects().await.len(), 1, "one alert");

    job.start("b").await;
    job.fail("b").await;
    job.end("b").await;
    assert_eq!(job.run(2).await.status.word(), "failed", "the first end stands");
    assert!(job.run(2).await.notes.iter().any(|note| note.contains("the failure stands")));
    assert_eq!(job.incident().await.incident.resolved_at, None, "nothing has succeeded since");
}

/// B25
#[tokio::test]
async fn one_id_on_two_monitors_is_two_runs() {
    let world = World::new().await;
    let (one, two) = (world.monitor("one").create().await, world.monitor("two").create().await);
    one.start("same").await;
    two.start("same").await;
    one.end("same").await;
    assert_eq!(one.tape().await, "#1 same success 0s");
    assert_eq!(two.tape().await, "#1 same running");
}

/// B24
#[tokio::test]
async fn an_end_that_overtakes_its_start_is_one_run() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("5m").create().await;
    job.end("a").await;
    world.advance("1s").await;
    assert_eq!(job.start("a").await.line(), "200 OK");
    let run = job.run(1).await;
    assert_eq!(run.duration().map(|duration| duration.num_seconds()), Some(0), "never negative");
    world.advance("1h").await;
    assert_eq!(job.tape().await, "#1 a success 0s", "the late start never becomes a hung run");
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn a_late_start_with_its_own_time_fills_in_the_duration() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.at("2027-01-04T10:10:00Z");
    job.end("a").await;
    job.ping("/start?rid=a&ts=2027-01-04T10:00:00Z", "").await;
    assert_eq!(job.tape().await, "#1 a success 10m");
}

#[tokio::test]
async fn a_start_after_the_end_never_overlaps_another_run() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.end("a").await;
    job.start("b").await;
    job.start("a").await;
    assert_eq!(job.tape().await, "#1 a success 0s\n#2 b running");
    assert_eq!(job.story().await, "");
}

#[tokio::test]
async fn log_adds_output_and_changes_no_state() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(3).create().await;
    job.start("a").await;
    job.start("").await;
    job.log("a", "one").await;
    job.log("", "for the nameless").await;
    job.log("a", "two").await;
    job.end_with("a", "three").await;
    assert_eq!(job.output(1).await, "one\ntwo\nthree");
    assert_eq!(job.output(2).await, "for the nameless");
    assert_eq!(job.tape().await, "#1 a success 0s\n#2 running");
}

#[tokio::test]
async fn a_log_that_no_run_takes_is_kept_as_a_note() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.log("", "hello").await;
    assert_eq!(job.tape().await, "");
    let notes = world.watchclock().monitor_notes(job.monitor).await.unwrap();
    assert_eq!(notes.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["hello"]);
}

#[tokio::test]
async fn exit_codes_are_shown_in_the_words_of_a_shell() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("a").await;
    job.ping("/137?rid=a", "").await;
    let run = job.run(1).await;
    assert_eq!((run.status.word(), run.exit_code), ("failed", Some(137)));
    assert_eq!(
        job.story().await,
        "failed: run #1 failed: exit code 137 (ended by SIGKILL, perhaps out of memory)"
    );
    job.ping("/0", "").await;
    assert_eq!(job.run(2).await.exit_code, Some(0));
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn numbers_count_what_the_server_heard_of() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 3 * * *").grace("1m").create().await;
    world.advance("4h").await;
    job.start("a").await;
    world.until("2027-01-05T04:00:00Z").await;
    job.end("a").await;
    job.end("").await;
    let numbers: Vec<i64> = job.runs().await.iter().map(|run| run.number).collect();
    assert_eq!(numbers, [1, 2, 3]);
    assert!(job.run(2).await.has(RunFlag::LateStart), "{}", job.tape().await);
}
