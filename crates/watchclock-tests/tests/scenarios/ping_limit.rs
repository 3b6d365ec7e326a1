//! A limit of pings a minute: what is turned away, what counts, and that several servers agree. B35 is in `users_pings`.

use axum::{Router, body::Body, http::Request};
use futures_util::future::join_all;
use tower::ServiceExt as _;
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::{Reply, World};

fn limited(ping_limit: Option<u32>) -> MonitorChange {
    MonitorChange { ping_limit: Some(ping_limit), ..MonitorChange::default() }
}

async fn send(server: &Router, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).expect("a right request");
    Reply::of(server.clone().oneshot(request).await.expect("a router always answers")).await
}

/// How many of so many pings, sent at once to these servers in turn, are taken and turned away.
async fn burst(servers: &[Router], path: &str, count: usize) -> (usize, usize) {
    let pings = (0..count).map(|n| send(&servers[n % servers.len()], "POST", path, &[]));
    let replies = join_all(pings).await;
    let answered = |status: u16| replies.iter().filter(|reply| reply.status.as_u16() == status).count();
    let (taken, turned_away) = (answered(200), answered(429));
    assert_eq!(taken + turned_away, count, "{replies:?}");
    (taken, turned_away)
}

#[tokio::test]
async fn every_signal_of_every_address_is_turned_away_and_changes_nothing_but_the_count() {
    let world = World::new().await;
    let job = world.monitor("tight").every("1h").ping_limit(1).create().await;
    job.start("a").await;
    world.set_clock("2027-01-04T00:00:30Z");
    job.pause().await;
    let before = (job.view().await, job.tape().await);
    let (id, key, server) = (job.monitor, world.project().ping_key.clone(), world.router());
    let mut count = 0;
    for to in [format!("/ping/{id}"), format!("/ping/{key}/tight"), format!("/v1/ping/{id}")] {
        for signal in ["", "/start", "/end", "/fail", "/log", "/7", "/start?rid=a", "?rid=a"] {
            for method in ["POST", "GET", "HEAD", "PUT"] {
                let reply = send(&server, method, &format!("{to}{signal}"), &[]).await;
                let what = format!("{method} {to}{signal}");
                assert_eq!((reply.status.as_u16(), reply.header("retry-after")), (429, "30"), "{what}");
                assert_eq!(reply.header("cache-control"), "no-store", "{what}");
                assert_eq!(reply.header("access-control-allow-origin"), "*", "{what}");
                count += 1;
            }
        }
    }
    let plain = send(&server, "POST", &format!("/ping/{id}"), &[]).await;
    let says =
        "too many pings: this monitor takes 1 a minute; this one was not recorded, send it again in 30 s";
    assert_eq!(plain.text(), says);
    let asked = [("accept", "application/json")];
    let json = send(&server, "POST", &format!("/ping/{key}/tight/fail"), &asked).await;
    assert_eq!(json.json(), serde_json::json!({ "refused": says, "ping_limit": 1 }));
    assert_eq!((json.status.as_u16(), json.header("retry-after")), (429, "30"));

    let (view, tape) = (job.view().await, job.tape().await);
    assert_eq!(tape, before.1);
    assert!(view.monitor.paused, "what is turned away resumes nothing");
    let (was, is) = (&before.0.memory, &view.memory);
    assert_eq!((is.pings_refused, is.pings_refused_at), (count + 2, Some(world.now())));
    assert_eq!(
        (is.last_ping_at, is.next_number, is.deadline),
        (was.last_ping_at, was.next_number, was.deadline)
    );
    assert_eq!((job.story().await, world.mails().await.len()), (String::new(), 0));
    world.facts_agree().await;

    world.set_clock("2027-01-04T00:01:00Z");
    assert_eq!(job.end("a").await.line(), "200 OK");
    assert!(!job.view().await.monitor.paused);
}

#[tokio::test]
async fn repeats_that_are_answered_from_the_store_cost_nothing_and_refused_starts_count() {
    let world = World::without_channels().await;
    let job = world.monitor("keyed").refuse().ping_limit(4).create().await;
    let (server, to) = (world.router(), format!("/ping/{}/start", job.monitor));
    let (server, to) = (&server, &to);
    let once = |key: &'static str| async move { send(server, "POST", to, &[("idempotency-key", key)]).await };
    assert_eq!(once("a").await.status, 200);
    for _ in 0..10 {
        assert_eq!(once("a").await.status, 200);
    }
    assert_eq!(
        join_all((0..5).map(|_| once("b"))).await.iter().filter(|reply| reply.status == 409).count(),
        5
    );
    assert_eq!([once("c").await.status, once("d").await.status], [409, 409]);
    let away = once("e").await;
    assert_eq!((away.status.as_u16(), away.header("retry-after")), (429, "15"));
    assert_eq!([once("a").await.status, once("d").await.status], [200, 409], "as answered before");
    assert_eq!(job.view().await.memory.pings_refused, 1);
    world.advance("15s").await;
    assert_eq!(once("e").await.status, 409, "what was turned away was not answered yet");
    assert_eq!(once("f").await.status, 429);
    world.facts_agree().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_together_take_as_many_as_the_limit_says() {
    let world = World::without_channels().await;
    let job = world.monitor("shared").ping_limit(20).create().await;
    let other = world.monitor("other").create().await;
    let servers = [world.second_router(), world.second_router()];
    let (by_id, by_slug) =
        (format!("/ping/{}", job.monitor), format!("/ping/{}/shared", world.project().ping_key));
    let free = format!("/ping/{}", other.monitor);
    let (one, two, beside) = tokio::join!(
        burst(&servers, &by_id, 120),
        burst(&servers, &by_slug, 80),
        burst(&servers, &free, 100)
    );
    assert_eq!((one.0 + two.0, one.1 + two.1), (20, 180));
    assert_eq!(beside, (100, 0), "another monitor has nothing to do with it");
    assert_eq!(job.view().await.memory.pings_refused, 180);
    world.facts_agree().await;

    let (mut taken, mut turned_away) = (20, 180);
    for round in 1..=6 {
        world.advance("10s").await;
        let (one, two) = tokio::join!(burst(&servers, &by_slug, 3), burst(&servers, &by_id, 4));
        assert_eq!(one.0 + two.0, if round % 3 == 0 { 4 } else { 3 }, "every three seconds one: {round}");
        taken += one.0 + two.0;
        turned_away += one.1 + two.1;
    }
    assert_eq!((taken, job.runs().await.len()), (40, 40));
    assert_eq!(usize::try_from(job.view().await.memory.pings_refused), Ok(turned_away));
    world.facts_agree().await;
}

#[tokio::test]
async fn another_limit_starts_anew_at_every_server_and_the_count_stays() {
    let world = World::without_channels().await;
    let job = world.monitor("edited").ping_limit(2).create().await;
    let (servers, to) = ([world.router(), world.second_router()], format!("/ping/{}", job.monitor));
    assert_eq!(burst(&servers, &to, 5).await, (2, 3));
    for (limit, taken) in [(Some(3), 3), (None, 8), (Some(3), 3), (Some(1), 1), (Some(6_000), 8)] {
        job.edit(limited(limit)).await;
        let refused = job.view().await.memory.pings_refused;
        assert_eq!(burst(&servers, &to, 8).await, (taken, 8 - taken), "{limit:?}");
        let away = i64::try_from(8 - taken).unwrap();
        assert_eq!(job.view().await.memory.pings_refused, refused + away, "{limit:?}");
        world.facts_agree().await;
    }
    job.edit(limited(Some(2))).await;
    assert_eq!(burst(&servers, &to, 2).await, (2, 0));
    let named = MonitorChange { name: Some("renamed".to_owned()), ..limited(Some(2)) };
    job.edit(named).await;
    assert_eq!(burst(&servers, &to, 2).await, (0, 2), "the limit is as it was");
    world.restart();
    assert_eq!(job.ping("", "").await.status, 429, "what a server wrote outlives it");
}

#[tokio::test]
async fn pings_that_come_a_little_out_of_order_are_taken_all_the_same() {
    let world = World::without_channels().await;
    for (limit, first, second) in
        [(2, "00:00:00.005", "00:00:00"), (3, "00:00:10", "00:00:00"), (20, "00:00:01", "00:00:00.999999")]
    {
        let job = world.monitor(&format!("of {limit}")).ping_limit(limit).create().await;
        let (servers, to) = ([world.router(), world.second_router()], format!("/ping/{}", job.monitor));
        let all = usize::try_from(limit).unwrap();
        world.set_clock(&format!("2027-01-04T{first}Z"));
        assert_eq!(burst(&servers[..1], &to, 1).await, (1, 0));
        world.set_clock(&format!("2027-01-04T{second}Z"));
        assert_eq!(burst(&servers, &to, all).await, (all - 1, 1), "limit {limit}: as many, and no more");
        world.set_clock(&format!("2027-01-04T{first}Z"));
        assert_eq!(burst(&servers, &to, 3).await, (0, 3), "limit {limit}");
    }
}

#[tokio::test]
async fn a_clock_that_is_set_back_shuts_nobody_out_for_longer_than_a_minute() {
    let world = World::without_channels().await;
    let job = world.monitor("back").ping_limit(3).create().await;
    let (servers, to) = ([world.router(), world.second_router()], format!("/ping/{}", job.monitor));
    assert_eq!(burst(&servers, &to, 4).await, (3, 1));
    world.set_clock("2027-01-03T20:00:00Z");
    let reply = job.ping("", "").await;
    assert_eq!((reply.status.as_u16(), reply.header("retry-after")), (429, "60"));
    world.set_clock("2027-01-03T20:00:59Z");
    assert_eq!(burst(&servers, &to, 2).await, (0, 2));
    world.set_clock("2027-01-03T20:01:00Z");
    assert_eq!(burst(&servers, &to, 2).await, (1, 1));
    world.set_clock("2027-01-03T20:02:00Z");
    assert_eq!(burst(&servers, &to, 4).await, (3, 1));
}

#[tokio::test]
async fn without_a_limit_a_thousand_pings_are_taken() {
    let world = World::without_channels().await;
    let job = world.monitor("free").create().await;
    let servers = [world.router(), world.second_router()];
    let to = format!("/ping/{}", job.monitor);
    for _ in 0..5 {
        assert_eq!(burst(&servers, &to, 200).await, (200, 0));
    }
    assert_eq!(job.view().await.memory.next_number, 1_001);
    let made = format!("/ping/{}/made?create=1", world.project().ping_key);
    assert_eq!(world.post(&made, "").await.line(), "201 Created");
    assert_eq!(burst(&servers, &made, 100).await, (100, 0), "one that is made by a ping has no limit");
    let pace =
        "select count(*)::text from monitor_memories where paced_until is not null or pings_refused > 0";
    assert_eq!(world.database().value(pace).await.as_deref(), Some("0"));
    world.facts_agree().await;
}
