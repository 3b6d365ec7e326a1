//! Runs that are active at once: flagged, allowed or refused.

use watchclock_domain::run::{MAX_OVERLAPS_NAMED, RunFlag};
use watchclock_tests::World;

#[tokio::test]
async fn an_overlap_is_told_once_and_resolved() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.from("web-1").start("a").await;
    world.advance("5m").await;
    job.from("web-2").start("b").await;
    world.advance("1m").await;
    job.start("c").await;
    assert_eq!(world.subjects().await.len(), 1, "more of the same adds to the incident");
    let mail = world.mails().await[0].text();
    for told in ["run #2 started while #1 was still running", "web-1", "2027-01-04 00:00"] {
        assert!(mail.contains(told), "{told:?} is not in:\n{mail}");
    }
    job.end("a").await;
    assert_eq!(job.health().await, "failing", "two are active still");
    job.end("b").await;
    assert_eq!(job.health().await, "healthy");
    job.end("c").await;
    assert_eq!(
        job.tape().await,
        "#1 a success 6m overlapped\n#2 b success 1m overlapped\n#3 c success 0s overlapped"
    );
    assert_eq!(world.subjects().await.len(), 2, "one alert, one recovery");
    assert_eq!(job.run(3).await.overlap_count, 2);
}

#[tokio::test]
async fn allowed_runs_are_flagged_only_past_the_allowed_number() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(2).create().await;
    job.start("a").await;
    job.start("b").await;
    assert_eq!((job.story().await.as_str(), job.run(2).await.has(RunFlag::Overlapped)), ("", false));
    job.start("c").await;
    assert_eq!(job.story().await, "overlap: run #3 started while 2 others were still running, the oldest #1");
    job.end("a").await;
    assert_eq!(job.health().await, "healthy", "two are allowed");
}

#[tokio::test]
async fn refuse_names_the_active_run_and_its_lease_ends() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("30m").create().await;
    let winner = job.from("web-1").start("a").await;
    assert_eq!(winner.header("watchclock-run"), "1", "the number is the fencing token");
    world.advance("10m").await;
    let refused = job.from("web-2").try_start("b").await;
    assert_eq!(refused.line(), "409 refused: run #1 is active since 2027-01-04T00:00:00Z on web-1");
    assert_eq!(refused.header("retry-after"), "1200");
    assert_eq!(job.tape().await, "#1 a running\n#2 b skipped");
    assert_eq!(world.subjects().await, [""; 0], "a refused start is no incident");

    world.advance("21m").await;
    let next = job.try_start("b").await;
    assert_eq!(next.line(), "200 OK", "a crashed job does not block for ever");
    let token: i64 = next.header("watchclock-run").parse().unwrap();
    assert!(token > 2, "a fencing token grows, also for a run that was refused before: {token}");
}

#[tokio::test]
async fn fencing_numbers_grow_with_every_winner() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().create().await;
    let mut tokens = Vec::new();
    job.start("a").await;
    assert_eq!(job.try_start("b").await.status, 409);
    job.end("a").await;
    for rid in ["c", "b", "d"] {
        let reply = job.try_start(rid).await;
        tokens.push(reply.header("watchclock-run").parse::<i64>().unwrap());
        job.end(rid).await;
    }
    assert!(tokens.is_sorted() && tokens[0] != tokens[1], "{tokens:?}");
}

#[tokio::test]
async fn of_many_starts_at_once_one_wins() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().create().await;
    let starts = (0..40).map(|n| {
        let job = job.clone();
        async move { job.try_start(&format!("r{n}")).await.status.as_u16() }
    });
    let answers = futures_util::future::join_all(starts).await;
    assert_eq!(answers.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(answers.iter().filter(|status| **status == 409).count(), 39);
}

#[tokio::test]
async fn a_refused_start_fills_its_slot() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().cron("0 * * * *").grace("5m").create().await;
    world.until("2027-01-04T01:00:00Z").await;
    job.start("a").await;
    world.until("2027-01-04T02:00:00Z").await;
    assert_eq!(job.try_start("b").await.status, 409);
    job.end("a").await;
    world.until("2027-01-04T02:50:00Z").await;
    assert_eq!(job.tape().await, "#1 a success 1h\n#2 b skipped");
    assert_eq!(job.story().await, "");
    world.advance("1m").await;
    assert_eq!(job.try_start("b").await.status, 200);
    assert!(!job.runs().await.iter().any(|run| run.has(RunFlag::Unscheduled)), "{}", job.tape().await);
}

/// B23
#[tokio::test]
async fn a_hung_run_overlaps_the_first_start_after_it_and_no_other() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    job.start("crashed").await;
    world.advance("15m").await;
    world.restart();
    for rid in ["b", "c"] {
        job.start(rid).await;
        world.advance("1m").await;
        job.end(rid).await;
        world.advance("10m").await;
    }
    assert_eq!(job.tape().await, "#1 crashed hung overlapped\n#2 b success 1m overlapped\n#3 c success 1m");
    assert!(!job.story().await.contains("overlap:"), "a hung run is no overlap incident");
}

#[tokio::test]
async fn an_overlap_resolves_when_the_older_run_is_found_hung() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("10m").create().await;
    job.start("a").await;
    world.advance("5m").await;
    job.start("b").await;
    world.advance("5m").await;
    assert_eq!(
        job.story().await,
        "overlap: run #2 started while #1 was still running → the run that was still active is counted as hung\n\
         hung: run #1 has not ended within 10 min"
    );
}

#[tokio::test]
async fn very_many_runs_without_an_end_name_twenty_and_still_hang_all() {
    let world = World::without_channels().await;
    let job = world.monitor("sync").max_duration("1h").create().await;
    let starts = (0..450).map(|_| job.start(""));
    futures_util::future::join_all(starts).await;
    let run = job.run(450).await;
    assert_eq!((run.overlaps.len(), run.overlap_count), (MAX_OVERLAPS_NAMED, 449));
    world.advance("10m").await;
    job.end("").await;
    assert_eq!(job.run(1).await.status.word(), "success", "the oldest, however many there are");
    world.advance("1h").await;
    let hung = job.runs().await.iter().filter(|run| run.status.word() == "hung").count();
    assert_eq!(hung, 449, "each is watched on its own");
    assert_eq!(job.view().await.memory.active, 0);
}

/// Pings that were kept back and arrive in another order: what is known when a start arrives decides, and no clock of a job.
#[tokio::test]
async fn a_start_that_arrives_before_an_older_end_is_an_overlap_whatever_their_times_say() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.until("2027-01-04T03:00:00Z").await;
    job.ping("/start?rid=a&ts=2027-01-04T01:00:00Z", "").await;
    job.ping("/start?rid=b&ts=2027-01-04T02:00:00Z", "").await;
    job.ping("/end?rid=a&ts=2027-01-04T01:10:00Z", "").await;
    job.ping("/end?rid=b&ts=2027-01-04T02:10:00Z", "").await;
    assert_eq!(job.tape().await, "#1 a success 10m overlapped\n#2 b success 10m overlapped");
    assert_eq!(job.incidents().await.iter().filter(|incident| incident.resolved_at.is_none()).count(), 0);
    // In their order, they are what they were.
    let other = world.monitor("other").create().await;
    for path in ["/start?rid=a&ts=2027-01-04T01:00:00Z", "/end?rid=a&ts=2027-01-04T01:10:00Z"] {
        other.ping(path, "").await;
    }
    for path in ["/start?rid=b&ts=2027-01-04T02:00:00Z", "/end?rid=b&ts=2027-01-04T02:10:00Z"] {
        other.ping(path, "").await;
    }
    assert_eq!(other.tape().await, "#1 a success 10m\n#2 b success 10m");
}
