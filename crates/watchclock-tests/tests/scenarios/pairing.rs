//! Pings whose run is not plain: sent again, under an old id, or for runs that are hung.

use watchclock_domain::run::RunFlag;
use watchclock_tests::World;

#[tokio::test]
async fn of_several_hung_runs_an_end_closes_that_of_its_source_and_says_that_it_was_assumed() {
    let world = World::new().await;
    let job = world.monitor("sync").allow(5).max_duration("10m").create().await;
    let (one, two) = (job.from("web-1"), job.from("web-2"));
    one.start("").await;
    two.start("").await;
    world.advance("1h").await;
    one.end("").await;
    assert_eq!(job.tape().await, "#1 success 1h pairing_assumed,hung_until\n#2 hung");
    assert!(job.run(1).await.notes[0].contains("the newest hung run from the same source of 2"));
    one.end("").await;
    assert_eq!(
        job.tape().await,
        "#1 success 1h pairing_assumed,hung_until\n#2 success 1h hung_until",
        "the only one"
    );
}

/// B25
#[tokio::test]
async fn a_start_that_may_be_the_one_before_it_sent_again_is_an_overlap_with_a_hint() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.start("").await;
    world.advance("2s").await;
    job.start("").await;
    let hint =
        "it came 2 s after the start of run #1 from the same source: perhaps it is that start, sent again";
    assert!(job.run(2).await.notes[0].starts_with(hint), "{:?}", job.run(2).await.notes);
    assert!(world.mails().await[0].text().contains("sent again"), "{}", world.mails().await[0].text());
    job.from("10.0.0.2").start("").await;
    job.start("named").await;
    world.advance("1m").await;
    job.start("").await;
    for number in [3, 4, 5] {
        assert_eq!(job.run(number).await.notes, [""; 0], "another source, a run id, and much later");
    }
}

#[tokio::test]
async fn a_job_that_gives_one_id_to_all_its_runs_hears_why_they_are_not_recorded() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("5m").create().await;
    for day in 4..8 {
        world.until(&format!("2027-01-0{day}T03:00:00Z")).await;
        for _ in 0..2 {
            job.start("nightly").await;
        }
        world.advance("1m").await;
        job.end("nightly").await;
    }
    let notes = job.run(1).await.notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with(
            "a run id names one run: a start that came with this one later, at 2027-01-05 03:00"
        )
    );
}

#[tokio::test]
async fn logs_of_runs_that_are_over_are_kept_with_them_and_change_nothing() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("10m").create().await;
    job.start("over").await;
    job.end("over").await;
    job.start("hung").await;
    assert_eq!(job.try_start("skipped").await.status, 409);
    world.advance("1h").await;
    let before = (job.tape().await, job.story().await);
    for rid in ["over", "hung", "skipped"] {
        job.log(rid, "late words").await;
    }
    assert_eq!((job.tape().await, job.story().await), before);
    for number in 1..=3 {
        assert_eq!(job.output(number).await, "late words");
    }
    // One that no run has is a note of the monitor, and no run.
    job.log("unheard-of", "who").await;
    assert_eq!(world.watchclock().monitor_notes(job.monitor).await.unwrap().len(), 1);
    job.start("unheard-of").await;
    assert_eq!(job.output(4).await, "");
    assert!(!job.run(4).await.has(RunFlag::PairingAssumed));
}
