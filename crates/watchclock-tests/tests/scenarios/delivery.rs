//! From an alert to its receivers: late rather than lost, and never twice.

use std::time::Duration;

use watchclock_tests::{
    World,
    smtp::{Stage, Trouble},
    webhook::{Answer, WebhookReceiver},
};

/// B44
#[tokio::test]
async fn a_mail_server_that_is_down_gets_the_mail_later_and_once() {
    let mut world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.smtp.down().await;
    job.fail("a").await;
    world.advance("10m").await;
    let delivery = &job.incident().await.deliveries[0];
    assert_eq!(delivery.status, "retry");
    assert!((5..12).contains(&delivery.attempts.len()), "with growing pauses: {}", delivery.attempts.len());
    world.smtp.up().await;
    world.advance("1h").await;
    assert_eq!(world.subjects().await, ["[failing] sync: run #1 failed"]);
    assert!(world.mails().await[0].text().contains("2027-01-04 00:00"), "it tells when it happened");
    job.end("b").await;
    assert_eq!(world.subjects().await.len(), 2);
    assert_eq!(job.incident().await.deliveries[0].status, "sent");
}

#[tokio::test]
async fn after_a_day_without_success_a_delivery_is_given_up() {
    let mut world = World::new().await;
    let job = world.monitor("sync").create().await;
    world.smtp.down().await;
    job.fail("a").await;
    world.advance("26h").await;
    let delivery = &job.incident().await.deliveries[0];
    assert_eq!(delivery.status, "gave_up");
    assert!(delivery.attempts.len() < 60, "{}", delivery.attempts.len());
}

/// B53
#[tokio::test]
async fn two_servers_on_one_database_send_each_alert_once() {
    let world = World::new().await;
    let mut jobs = Vec::new();
    for n in 0..12 {
        jobs.push(world.monitor(&format!("job-{n}")).cron("0 3 * * *").grace("1m").create().await);
    }
    let (one, two) = (world.watchclock(), world.second_server());
    world.at("2027-01-04T03:01:00Z");
    let (evaluated, again) = tokio::join!(one.evaluate(), two.evaluate());
    evaluated.unwrap();
    again.unwrap();
    let (sent, again) = tokio::join!(one.deliver(), two.deliver());
    sent.unwrap();
    again.unwrap();
    let mut subjects = world.subjects().await;
    subjects.sort();
    subjects.dedup();
    assert_eq!((subjects.len(), world.subjects().await.len()), (12, 12));
    for job in &jobs {
        assert_eq!(job.tape().await, "#1 missed");
    }
}

#[tokio::test]
async fn two_servers_agree_on_pings_and_configuration() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().create().await;
    let other = world.second_server();
    let request = |rid: &str| watchclock_service::ping::PingRequest {
        to: watchclock_service::ping::PingTo::Id(job.monitor),
        ping: watchclock_domain::ping::Ping {
            signal: watchclock_domain::ping::Signal::Start,
            run_id: Some(watchclock_domain::ping::RunId { key: rid.to_owned(), shown: rid.to_owned() }),
            received_at: world.now(),
            happened_at: None,
            exit_code: None,
            message: None,
            meta: watchclock_domain::value::Meta::new(),
            output: watchclock_domain::ping::Output::default(),
            source: watchclock_domain::ping::Source::default(),
            notes: Vec::new(),
            idempotency_key: None,
        },
        create: None,
        is_get: false,
    };
    let starts = (0..10).map(|n| {
        let (job, other, request) = (job.clone(), other.clone(), request(&format!("there-{n}")));
        async move {
            let rid = format!("here-{n}");
            let (here, there) = tokio::join!(job.try_start(&rid), other.ping(request));
            u32::from(here.status == 200) + u32::from(there.unwrap().refused_by.is_none())
        }
    });
    let winners: u32 = futures_util::future::join_all(starts).await.into_iter().sum();
    assert_eq!(winners, 1, "{}", job.tape().await);
    job.pause().await;
    other.ping(request("after")).await.unwrap();
    assert_eq!(job.health().await, "healthy", "the other server knew that it was paused, and resumed it");
}

#[tokio::test]
async fn a_crash_between_send_and_settle_repeats_the_mail_under_the_same_id() {
    let world = World::new().await;
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    assert_eq!(world.mails().await.len(), 1);
    // The server died after it had sent, before it could write that down.
    let undone = "delete from delivery_attempts; update deliveries set status = 'queued', attempts = 0, settled_at = null,
                  lease_until = '2027-01-04T00:01:00Z'";
    world.database().execute(undone).await;
    world.restart();
    world.advance("59s").await;
    assert_eq!(world.mails().await.len(), 1, "the lease still runs");
    world.advance("1s").await;
    let mails = world.mails().await;
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].header("Message-ID"), mails[1].header("Message-ID"), "receivers can tell");
}

#[tokio::test]
async fn channels_are_isolated() {
    let world = World::new().await;
    let receiver = WebhookReceiver::start().await;
    world.add_webhook("hanging", &receiver).await;
    receiver.answer(Answer::Hang);
    let job = world.monitor("sync").create().await;
    let watchclock = world.watchclock();
    job.fail("a").await;
    let delivering = tokio::spawn(async move { watchclock.deliver().await });
    let mails = world.smtp.wait_for(1, Duration::from_secs(2)).await;
    assert_eq!(mails.len(), 1, "the mail does not wait for the webhook");
    delivering.await.unwrap().unwrap();
    let mut statuses: Vec<_> =
        job.incident().await.deliveries.iter().map(|delivery| delivery.status.clone()).collect();
    statuses.sort();
    assert_eq!(statuses, ["retry", "sent"]);
}

#[tokio::test]
async fn webhooks_are_signed_and_keep_their_id_over_retries() {
    let world = World::without_channels().await;
    let receiver = WebhookReceiver::start().await;
    let (_, secret) = world.add_webhook("hook", &receiver).await;
    receiver.answer(Answer::Status(503, "busy".to_owned()));
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    world.advance("1s").await;
    receiver.answer(Answer::Status(200, String::new()));
    world.advance("1m").await;
    job.end("b").await;
    world.advance("1s").await;
    let hooks = receiver.hooks();
    assert_eq!(hooks.len(), 3, "refused, opened, resolved");
    assert!(hooks.iter().all(|hook| hook.is_signed_with(&secret)));
    assert_eq!(hooks[0].header("webhook-id"), hooks[1].header("webhook-id"));
    assert_ne!(hooks[1].header("webhook-id"), hooks[2].header("webhook-id"));
}

#[tokio::test]
async fn a_monitor_tells_only_the_channels_it_names() {
    let world = World::new().await;
    let other = world.add_email("other", &["other@example.org"]).await;
    let job = world.monitor("sync").channels(&[other]).create().await;
    job.fail("a").await;
    let to: Vec<String> = world.mails().await.into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(to, ["other@example.org"]);
}

#[tokio::test]
async fn a_recipient_who_was_reached_gets_no_second_mail_after_a_restart() {
    let world = World::without_channels().await;
    world.add_email("both", &["quick@example.org", "slow@example.org"]).await;
    world.smtp.greylist("slow@example.org", 1);
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    world.advance("1s").await;
    world.restart();
    world.advance("1h").await;
    let to: Vec<String> = world.mails().await.into_iter().flat_map(|mail| mail.to).collect();
    assert_eq!(to, ["quick@example.org", "slow@example.org"]);
}

#[tokio::test]
async fn a_refusal_for_good_is_shown_and_not_repeated() {
    let world = World::new().await;
    world.smtp.refuse("ops@example.org", "550 5.1.1 no such user");
    let job = world.monitor("sync").create().await;
    job.fail("a").await;
    world.advance("1d").await;
    let delivery = &job.incident().await.deliveries[0];
    assert_eq!((delivery.status.as_str(), delivery.attempts.len()), ("gave_up", 1));
    assert!(delivery.attempts[0].answer.contains("no such user"), "{}", delivery.attempts[0].answer);
    world.smtp.always(Some((Stage::Greeting, Trouble::Drop)));
    job.end("b").await;
    world.advance("1d").await;
    assert_eq!(job.incident().await.deliveries.len(), 1, "whoever heard of nothing hears of no recovery");
}

/// B46
#[tokio::test]
async fn no_output_of_a_job_breaks_a_mail_or_a_webhook() {
    let world = World::new().await;
    let receiver = WebhookReceiver::start().await;
    world.add_webhook("hook", &receiver).await;
    let (long, blank) = (vec![b'x'; 20_000], vec![b'\n'; 100_000]);
    let bodies: [&[u8]; 8] = [
        "café ☕ 🦀".as_bytes(),
        b"\x00\xff\xfe nul and invalid",
        &long,
        b".\r\n.\r\nQUIT\r\n",
        b"a\rb\nc\r\nd\n\r",
        b"<script>alert(1)</script> {{ x }} ${y} %s",
        b"\r\nBcc: victim@example.org\r\n\r\nboo",
        &blank,
    ];
    for (n, body) in bodies.into_iter().enumerate() {
        let job = world.monitor(&format!("job {n}: \u{e9}\u{202e}\"<>")).create().await;
        job.ping("/fail?msg=caf%C3%A9%0D%0ABcc:%20x", body).await;
    }
    world.advance("1m").await;
    let mails = world.mails().await;
    assert_eq!((mails.len(), receiver.hooks().len()), (8, 8));
    assert!(mails.iter().all(|mail| mail.to == ["ops@example.org"] && mail.header("Bcc").is_none()));
    assert!(receiver.hooks().iter().all(|hook| hook.json().is_object()));
    let first = mails.iter().find(|mail| mail.subject().contains("job 0")).unwrap();
    assert!(first.text().contains("café ☕ 🦀"), "{}", first.text());
}

#[tokio::test]
async fn the_loops_are_woken_by_what_happens() {
    let world = World::new().await;
    let job = world.monitor("sync").max_duration("1s").create().await;
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let wait = |mut stopped: tokio::sync::watch::Receiver<bool>| async move {
        let _ = stopped.wait_for(|stop| *stop).await;
    };
    let (one, two) = (world.watchclock(), world.watchclock());
    let (first, second) = (wait(stopped.clone()), wait(stopped));
    let evaluator = tokio::spawn(async move { one.run_evaluator(first).await });
    let deliverer = tokio::spawn(async move { two.run_deliverer(second).await });
    let began = std::time::Instant::now();
    job.fail("a").await;
    world.smtp.wait_for(1, Duration::from_secs(3)).await;
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    job.start("b").await;
    world.at("2027-01-04T00:00:01Z");
    world.smtp.wait_for(2, Duration::from_secs(8)).await;
    stop.send(true).unwrap();
    evaluator.await.unwrap();
    deliverer.await.unwrap();
    assert!(job.story().await.contains("hung: run #2"), "{}", job.story().await);
}
