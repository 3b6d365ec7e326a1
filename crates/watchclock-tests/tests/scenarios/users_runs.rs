//! What users of such tools were bitten by: runs at once, stuck, doubled, out of order. Each scenario is named after its case.

use watchclock_domain::run::RunFlag;
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::World;

#[tokio::test]
async fn b20_two_runs_without_ids_are_two_runs_flagged_at_once_and_paired_by_order() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("").await;
    world.advance("5m").await;
    job.start("").await;
    assert_eq!(job.tape().await, "#1 running overlapped\n#2 running overlapped");
    assert_eq!(job.story().await, "overlap: run #2 started while #1 was still running");
    world.advance("1m").await;
    job.end("").await;
    world.advance("3m").await;
    job.end("").await;
    assert_eq!(job.tape().await, "#1 success 6m overlapped,pairing_assumed\n#2 success 4m overlapped");
    assert!(job.run(1).await.notes[0].contains("pairing assumed"), "the run says how it was paired");
}

#[tokio::test]
async fn b21_a_stuck_run_alone_is_hung_and_no_sibling_recovers_it() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).max_duration("10m").create().await;
    for n in 1..=6 {
        job.start(&n.to_string()).await;
        world.advance("2m").await;
        // runs that started before it was found hung recover nothing
        if n != 3 {
            job.end(&n.to_string()).await;
        }
        world.advance("3m").await;
        if n == 4 {
            let hung = job.run(3).await;
            assert_eq!(hung.hung_at, Some(world.now()), "to the moment");
            assert_eq!((job.health().await, world.subjects().await.len()), ("failing", 1));
        }
    }
    let tape = job.tape().await;
    assert_eq!(tape.lines().filter(|line| line.contains("hung")).collect::<Vec<_>>(), ["#3 3 hung"]);
    assert!(
        job.story().await.starts_with("hung: run #3 has not ended within 10 min"),
        "{}",
        job.story().await
    );
}

#[tokio::test]
async fn b23_a_run_that_was_lost_blocks_and_flags_nothing_after_it_is_declared_hung() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("1h").create().await;
    job.start("killed").await;
    world.restart();
    world.advance("30m").await;
    assert_eq!(job.try_start("b").await.status, 409, "it may still be at work");
    world.restart();
    world.advance("30m").await;
    assert_eq!(job.run(1).await.status.word(), "hung");
    for rid in ["c", "d", "e"] {
        assert_eq!(job.try_start(rid).await.status, 200);
        world.advance("5m").await;
        job.end(rid).await;
    }
    let flagged: Vec<_> = job.runs().await.into_iter().filter(|run| run.has(RunFlag::Overlapped)).collect();
    let flagged: Vec<_> =
        flagged.iter().filter_map(|run| run.run_id.as_ref()).map(|id| id.shown.as_str()).collect();
    assert_eq!(flagged, ["killed", "c"], "the first start after it is told that it may not be alone");
    assert!(!job.story().await.contains("overlap"), "{}", job.story().await);
}

#[tokio::test]
async fn b24_an_end_that_overtakes_its_start_is_one_run_that_never_hangs() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("5m").create().await;
    job.end("a").await;
    world.at("2027-01-04T00:00:00.200Z");
    job.start("a").await;
    world.advance("1d").await;
    assert_eq!(job.tape().await, "#1 a success 0s");
    assert_eq!((job.story().await.as_str(), job.view().await.memory.active), ("", 0));
}

#[tokio::test]
async fn b25_whatever_a_client_repeats_is_one_run_and_one_alert() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    let other = world.monitor("other").create().await;
    for _ in 0..3 {
        assert_eq!(job.start("a").await.line(), "200 OK");
        world.advance("1s").await;
    }
    other.start("a").await;
    for _ in 0..2 {
        assert_eq!(job.end("a").await.line(), "200 OK");
    }
    job.start("a").await;
    assert_eq!((job.tape().await.as_str(), job.story().await.as_str()), ("#1 a success 3s", ""));
    for _ in 0..3 {
        assert_eq!(job.fail("a").await.line(), "200 OK", "a contradicting end");
    }
    assert_eq!(job.tape().await, "#1 a failed 3s");
    assert_eq!(world.subjects().await.len(), 1, "one alert");
    assert!(
        job.run(1).await.notes.iter().any(|note| note.contains("failure wins")),
        "and it is written down"
    );
    assert_eq!(other.tape().await, "#1 a running", "an id is its monitor's own");
}

#[tokio::test]
async fn b37_a_paused_monitor_stays_paused_and_starts_with_a_deadline_in_the_future() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("10m").manual_resume().create().await;
    world.advance("4h").await;
    assert_eq!(world.subjects().await.len(), 1, "it is failing");
    for _ in 0..2 {
        job.pause().await;
    }
    job.start("a").await;
    job.fail("a").await;
    job.end("b").await;
    job.edit(MonitorChange { name: Some("renamed".to_owned()), ..MonitorChange::default() }).await;
    world.advance("3d").await;
    assert_eq!(job.health().await, "paused", "neither pings nor edits resume it");
    let told = world.subjects().await.len();
    assert!(told <= 2, "at most that the miss is over: {:?}", world.subjects().await);
    assert_eq!(
        job.runs().await.len(),
        3,
        "what ran is recorded, what did not is not missed: {}",
        job.tape().await
    );
    job.resume().await;
    let deadline = job.view().await.memory.deadline.unwrap();
    assert!(deadline > world.now(), "{deadline}");
    world.until("2027-01-08T03:09:00Z").await;
    assert_eq!(world.subjects().await.len(), told, "nothing is told of the pause");
    world.until("2027-01-08T03:11:00Z").await;
    assert_eq!(world.subjects().await.len(), told + 1, "it is watched again");
}

#[tokio::test]
async fn b38_each_run_says_on_which_host_it_ran() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    for host in ["web-1", "web-2", "web-3"] {
        job.from(host).start("").await;
        world.advance("10s").await;
    }
    let hosts: Vec<_> = job.runs().await.iter().map(|run| run.source.host.clone().unwrap()).collect();
    assert_eq!(hosts, ["web-1", "web-2", "web-3"]);
    let mail = world.mails().await[0].text();
    assert!(mail.contains("web-1"), "whoever is told knows which is still at work: {mail}");
    // an end closes the run of its own host
    job.from("web-2").end("").await;
    assert_eq!(job.run(2).await.status.word(), "success");
    // one at a time, on whatever host
    let guarded = world.monitor("guarded").refuse().create().await;
    assert_eq!(guarded.from("web-1").try_start("").await.status, 200);
    let refused = guarded.from("web-2").try_start("").await;
    assert!(refused.line().starts_with("409 ") && refused.text().ends_with("on web-1"), "{}", refused.line());
}
