//! The policy `refuse` on two servers: of very many starts one wins, and a dead winner blocks nobody for ever.

use axum::{body::Body, extract::ConnectInfo, http::Request};
use tower::ServiceExt as _;
use watchclock_tests::{Reply, World, job::Job};

/// A start at a server of its own choice.
async fn start(router: axum::Router, job: Job, rid: String) -> Reply {
    let uri = format!("/ping/{}/start?rid={rid}&host={rid}", job.monitor);
    let mut request = Request::post(uri).body(Body::empty()).unwrap();
    request.extensions_mut().insert(ConnectInfo(std::net::SocketAddr::from(([127, 0, 0, 1], 40_000))));
    Reply::of(router.oneshot(request).await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_starts_at_two_servers_one_wins() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("30m").create().await;
    let (one, two) = (world.router(), world.second_router());
    let starts = (0..200).map(|n| {
        let router = if n % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(start(router, job.clone(), format!("r{n}")))
    });
    let replies: Vec<Reply> =
        futures_util::future::join_all(starts).await.into_iter().map(Result::unwrap).collect();
    let won: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 200).collect();
    assert_eq!(won.len(), 1);
    let token: i64 = won[0].header("watchclock-run").parse().unwrap();
    let winner = job.run(token).await;
    let rid = winner.run_id.as_ref().unwrap().shown.clone();
    let refused = format!("409 refused: run #{token} is active since 2027-01-04T00:00:00Z on {rid}");
    let lost: Vec<&Reply> = replies.iter().filter(|reply| reply.status == 409).collect();
    assert_eq!(lost.len(), 199);
    for reply in lost {
        assert_eq!((reply.line(), reply.header("retry-after")), (refused.clone(), "1800"));
    }
    assert_eq!(job.runs().await.iter().filter(|run| run.status.word() == "skipped").count(), 199);

    // The winner was killed. Its lease, the limit, ends; it is hung and blocks nobody.
    world.advance("29m").await;
    assert_eq!(start(two.clone(), job.clone(), "early".to_owned()).await.status, 409);
    world.advance("1m").await;
    assert_eq!(job.run(token).await.status.word(), "hung");
    let next = start(two, job.clone(), "next".to_owned()).await;
    assert_eq!(next.line(), "200 OK");
    assert!(next.header("watchclock-run").parse::<i64>().unwrap() > token);
    assert_eq!(start(one, job.clone(), "again".to_owned()).await.status, 409, "the new winner holds it");
}

#[tokio::test]
async fn a_lease_that_ends_is_seen_by_the_start_itself() {
    let world = World::new().await;
    let job = world.monitor("sync").refuse().max_duration("30m").create().await;
    job.start("a").await;
    // The evaluator has not looked yet.
    world.at("2027-01-04T00:30:00Z");
    assert_eq!(job.try_start("b").await.line(), "200 OK");
    assert_eq!(job.tape().await, "#1 a hung overlapped\n#2 b running overlapped");
}
