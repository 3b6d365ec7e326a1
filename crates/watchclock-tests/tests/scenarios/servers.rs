//! Several servers on one database, and people with psql: whatever a server keeps to itself, pings see what is true.

use axum::{Router, body::Body, http::Request};
use futures_util::future::join_all;
use tower::ServiceExt as _;
use watchclock_domain::monitor::{Overlap, OverlapPolicy};
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::{World, world::minutes};
use watchclock_web::WebSettings;

/// A server of its own on the world's database.
fn server(world: &World) -> Router {
    watchclock_web::app(world.second_server(), WebSettings::default())
}

/// Pings through one server; the status and the number of the run, if it tells one.
async fn ping(server: &Router, address: &str) -> (u16, String) {
    let request = Request::post(format!("/ping/{address}")).body(Body::empty()).expect("a right request");
    let reply = server.clone().oneshot(request).await.expect("a router always answers");
    let number = reply.headers().get("watchclock-run").and_then(|number| number.to_str().ok());
    (reply.status().as_u16(), number.unwrap_or_default().to_owned())
}

#[tokio::test]
async fn two_servers_take_the_pings_of_one_monitor_in_turn() {
    let world = World::without_channels().await;
    let job = world.monitor("shared").allow(2).create().await;
    let (one, two) = (server(&world), server(&world));
    for round in 0..6 {
        let (starter, ender) = if round % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let number = (round + 1).to_string();
        let (start, end) =
            (format!("{}/start?rid=r{round}", job.monitor), format!("{}?rid=r{round}", job.monitor));
        assert_eq!(ping(starter, &start).await, (200, number.clone()));
        assert_eq!(ping(ender, &start).await, (200, number.clone()), "a repeat elsewhere is the same run");
        world.advance("1m").await;
        assert_eq!(ping(ender, &end).await, (200, number.clone()));
        assert_eq!(ping(starter, &end).await, (200, number));
    }
    let runs = job.runs().await;
    assert_eq!(runs.len(), 6, "{}", job.tape().await);
    assert!(runs.iter().all(|run| run.status.word() == "success" && run.duration().is_some()));
    let memory = job.view().await.memory;
    assert_eq!((memory.active, memory.good_streak, memory.good_durations), (0, 6, vec![60_000; 6]));
}

#[tokio::test]
async fn many_pings_through_two_servers_and_both_addresses_are_each_one_run() {
    let world = World::without_channels().await;
    let key = world.project().ping_key.clone();
    let mut jobs = Vec::new();
    for n in 0..5 {
        jobs.push(world.monitor(&format!("job-{n}")).allow(1_000).create().await);
    }
    let servers = [server(&world), server(&world)];
    for signal in ["/start", ""] {
        let pings = (0..300).map(|n: usize| {
            let job = &jobs[n % jobs.len()];
            let by_id = job.monitor.to_string();
            let to = if n.is_multiple_of(3) { format!("{key}/{}", job.slug) } else { by_id };
            let server = &servers[n % servers.len()];
            async move { ping(server, &format!("{to}{signal}?rid=r{n}")).await }
        });
        let answers = join_all(pings).await;
        assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
    }
    for job in &jobs {
        let runs = job.runs().await;
        let numbers: Vec<i64> = runs.iter().map(|run| run.number).collect();
        assert_eq!(numbers, (1..=60).collect::<Vec<_>>(), "each run once");
        assert!(runs.iter().all(|run| run.status.word() == "success" && run.started_at.is_some()));
        assert_eq!(job.view().await.memory.active, 0);
    }
}

#[tokio::test]
async fn an_edit_through_one_server_counts_for_the_next_ping_at_the_other() {
    let world = World::without_channels().await;
    let job = world.monitor("guarded").create().await;
    let other = server(&world);
    let to = job.monitor;
    assert_eq!(ping(&other, &format!("{to}/start?rid=a")).await.0, 200);
    let overlap = Some(Overlap { policy: OverlapPolicy::Refuse, allowed: 1 });
    job.edit(MonitorChange { overlap, ..MonitorChange::default() }).await;
    assert_eq!(ping(&other, &format!("{to}/start?rid=b")).await.0, 409);
    job.pause().await;
    assert_eq!(ping(&other, &format!("{to}?rid=a")).await.0, 200);
    assert!(!job.view().await.monitor.paused, "a ping resumes, whoever paused");
    job.delete().await;
    assert_eq!(ping(&other, &format!("{to}/start?rid=c")).await.0, 404);
}

#[tokio::test]
async fn what_is_changed_by_hand_counts_for_the_next_ping_when_the_version_is_raised() {
    let world = World::without_channels().await;
    let job = world.monitor("touched").create().await;
    job.start("a").await;
    let to = job.monitor;
    world
        .database()
        .execute(&format!(
            "update runs set status = 'failed', ended_at = started_at, limit_at = null where monitor_id = '{to}';
             update monitor_memories set active = 0, next_number = 41, version = version + 1 where monitor_id = '{to}'"
        ))
        .await;
    assert_eq!(job.start("b").await.header("watchclock-run"), "41");
    assert!(job.incidents().await.is_empty(), "run a is over, so b overlaps nothing");
    job.end("a").await;
    assert_eq!(job.run(1).await.status.word(), "failed", "the first end stands");
    job.fail("b").await;
    assert_eq!(job.incidents().await.len(), 1);
    let raise = format!("update monitor_memories set version = version + 1 where monitor_id = '{to}'");
    world.database().execute(&format!("delete from incidents where monitor_id = '{to}'; {raise}")).await;
    job.fail("c").await;
    assert_eq!(job.incidents().await.len(), 1, "a new one, since the old one is gone");
}

#[tokio::test]
async fn a_deadline_that_moved_away_a_little_is_met_to_the_second() {
    let world = World::without_channels().await;
    let job = world.monitor("often").every("1h").grace("5m").create().await;
    let mut last = world.now();
    for n in 0..20 {
        last = world.now();
        job.start(&n.to_string()).await;
        job.end(&n.to_string()).await;
        world.advance("10s").await;
    }
    world.advance("66m").await;
    let incidents = job.incidents().await;
    assert_eq!(incidents.iter().map(|incident| incident.kind.word()).collect::<Vec<_>>(), ["missed"]);
    assert_eq!(incidents[0].opened_at, last + minutes(65));
}
