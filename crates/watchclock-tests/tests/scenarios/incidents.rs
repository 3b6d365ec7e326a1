//! What opens and resolves, and who is told of it once.

use watchclock_tests::World;

#[tokio::test]
async fn a_failure_is_told_once_and_its_recovery_in_the_same_thread() {
    let world = World::new().await;
    let job = world.monitor("nightly").create().await;
    job.start("a").await;
    world.advance("90s").await;
    job.ping("/2?rid=a&msg=disk%20full", "the last words").await;
    for _ in 0..3 {
        world.advance("1h").await;
        job.fail("").await;
    }
    job.end("b").await;
    let mails = world.mails().await;
    let subjects: Vec<String> = mails.iter().map(watchclock_tests::smtp::Mail::subject).collect();
    assert_eq!(
        subjects,
        [
            "[failing] nightly: run #1 failed: exit code 2",
            "[resolved] nightly: run #1 failed: exit code 2, lasted 3 h"
        ]
    );
    for told in ["disk full", "the last words", "1 min 30 s"] {
        assert!(mails[0].text().contains(told), "{told:?} is not in:\n{}", mails[0].text());
    }
    assert_eq!(mails[0].header("In-Reply-To"), mails[1].header("In-Reply-To"), "one thread");
    assert!(mails[0].header("In-Reply-To").is_some());
    assert_ne!(mails[0].header("Message-ID"), mails[1].header("Message-ID"));
    assert!(mails[1].text().contains("3 h"), "how long it lasted:\n{}", mails[1].text());
}

#[tokio::test]
async fn a_recovery_before_the_first_alert_cancels_both() {
    let mut world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.smtp.down().await;
    job.fail("a").await;
    world.advance("1m").await;
    job.end("b").await;
    world.smtp.up().await;
    world.advance("1d").await;
    assert_eq!(world.subjects().await, [""; 0]);
    let statuses: Vec<_> = job.incident().await.deliveries.iter().map(|d| d.status.clone()).collect();
    assert_eq!(statuses, ["cancelled"]);
}

#[tokio::test]
async fn a_recovery_while_the_alert_is_on_its_way_is_told_only_if_the_alert_arrived() {
    use watchclock_tests::smtp::{Stage, Trouble};
    for arrives in [true, false] {
        let world = World::new().await;
        let job = world.monitor("sync").create().await;
        // The server takes its time over the first mail, until we give up on it.
        if !arrives {
            world.smtp.script([Some((Stage::Data, Trouble::Stall))]);
        }
        job.fail("a").await;
        let claimed = world
            .store()
            .claim_deliveries(world.now(), world.now() + watchclock_tests::world::minutes(1), &[], 4, 10)
            .await
            .unwrap();
        assert_eq!(claimed.len(), 1, "somebody is sending it");
        job.end("b").await;
        let statuses = |view: watchclock_service::incident::IncidentView| {
            view.deliveries.iter().map(|delivery| delivery.status.clone()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(statuses(job.incident().await), "queued queued");
        assert_eq!(world.subjects().await, [""; 0], "the recovery waits for the alert");
        // That server died; its lease ends and another one tries.
        world.advance("61s").await;
        let after = statuses(job.incident().await);
        if arrives {
            assert_eq!((after.as_str(), world.subjects().await.len()), ("sent sent", 2));
        } else {
            assert_eq!((after.as_str(), world.subjects().await.len()), ("cancelled cancelled", 0));
        }
    }
}

#[tokio::test]
async fn alert_after_holds_the_alert_back_and_a_recovery_cancels_it() {
    let world = World::new().await;
    let job = world.monitor("retrying").alert_after("15m").create().await;
    job.fail("a").await;
    world.advance("10m").await;
    assert_eq!(world.subjects().await, [""; 0]);
    job.end("b").await;
    world.advance("1h").await;
    assert_eq!(world.subjects().await, [""; 0], "it helped itself");
    job.fail("c").await;
    world.advance("14m").await;
    assert_eq!(world.subjects().await, [""; 0]);
    world.advance("1m").await;
    assert_eq!(world.subjects().await.len(), 1);
    job.end("d").await;
    assert_eq!(world.subjects().await.len(), 2);
}

/// B43
#[tokio::test]
async fn restarts_send_nothing_again_and_lose_no_recovery() {
    let world = World::new().await;
    let job = world.monitor("nightly").cron("0 3 * * *").grace("10m").create().await;
    job.fail("a").await;
    world.until("2027-01-04T04:00:00Z").await;
    assert_eq!(world.subjects().await.len(), 2, "failed and missed");
    for _ in 0..3 {
        world.restart();
        world.advance("30m").await;
    }
    assert_eq!(world.subjects().await.len(), 2);
    job.end("b").await;
    world.restart();
    world.advance("1m").await;
    let resolved = world.subjects().await.iter().filter(|subject| subject.starts_with("[resolved]")).count();
    assert_eq!((resolved, world.subjects().await.len()), (2, 4));
}

#[tokio::test]
async fn an_incident_resolved_by_hand_is_told_and_opens_again_with_the_next_failure() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    let id = job.incident().await.incident.id;
    let (service, project) = (world.watchclock(), world.project().id);
    assert_eq!(world.subjects().await.len(), 1);
    service.acknowledge_incident(project, id, "ada").await.unwrap();
    service.resolve_incident(project, id, "ada").await.unwrap();
    service.resolve_incident(project, id, "bob").await.unwrap();
    assert_eq!(job.health().await, "healthy");
    job.fail("b").await;
    assert_eq!(world.subjects().await.len(), 3);
    let view = job.incident_view(id).await;
    let story: Vec<&str> = view.events.iter().map(|event| event.event.as_str()).collect();
    assert_eq!(story, ["opened", "acknowledged", "resolved"]);
}

/// B55
#[tokio::test]
async fn deleting_a_monitor_tells_whoever_heard_and_cancels_the_rest() {
    let world = World::new().await;
    let job = world.monitor("old").create().await;
    job.fail("a").await;
    assert_eq!(world.subjects().await.len(), 1);
    let quiet = world.monitor("quiet").alert_after("1h").create().await;
    quiet.fail("a").await;
    job.delete().await;
    quiet.delete().await;
    world.advance("1d").await;
    let subjects = world.subjects().await;
    assert_eq!(subjects.len(), 2, "{subjects:?}");
    assert!(subjects[1].starts_with("[resolved] old"), "{subjects:?}");
    assert_eq!(job.ping("", "").await.line(), "404 not found");
    assert_eq!(job.runs().await, []);
}

#[tokio::test]
async fn deleting_a_monitor_with_very_many_runs_is_quick() {
    let world = World::without_channels().await;
    let job = world.monitor("busy").create().await;
    let fill = format!(
        "insert into runs (id, monitor_id, number, status, first_seen_at)
         select gen_random_uuid(), '{}', n, 'success', '2027-01-01' from generate_series(1, 100000) n",
        job.monitor
    );
    world.database().execute(&fill).await;
    let began = std::time::Instant::now();
    job.delete().await;
    assert!(began.elapsed() < std::time::Duration::from_secs(1), "it took {:?}", began.elapsed());
    assert_eq!(job.runs().await, []);
    while world.store().sweep_deleted().await.unwrap() {}
    assert_eq!(world.database().value("select count(*) from runs").await.as_deref(), Some("0"));
}

#[tokio::test]
async fn a_hung_run_whose_incident_was_resolved_by_hand_is_waited_for_no_longer() {
    let world = World::new().await;
    let job = world.monitor("sync").any_duration().max_duration("5m").create().await;
    job.start("a").await;
    world.advance("6m").await;
    let (project, id) = (world.project().id, job.incidents().await[0].id);
    world.watchclock().resolve_incident(project, id, "ada").await.unwrap();
    world.facts_agree().await;
    assert_eq!(job.view().await.memory.fine_since, Some(world.now()), "it is fine from then on");
    job.start("b").await;
    world.advance("6m").await;
    job.end("a").await;
    let open = job.incidents().await.into_iter().filter(|incident| incident.resolved_at.is_none()).count();
    assert_eq!(open, 1, "the end of the first says nothing of the second");
    job.end("b").await;
    assert_eq!(world.subjects().await.len(), 4, "each is told once, and told to be over once");
    world.facts_agree().await;
}
