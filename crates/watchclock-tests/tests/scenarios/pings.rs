//! Pings at the door: repeats under a key, methods, and many at once.

use axum::{body::Body, http::Request};
use futures_util::future::join_all;
use watchclock_tests::{Job, Reply, World};

async fn keyed(job: &Job, method: &str, path: &str, key: &str) -> Reply {
    let request: Request<Body> = job
        .request(method, path)
        .header("Idempotency-Key", key)
        .body(Body::empty())
        .expect("a right request");
    job.send(request).await
}

#[tokio::test]
async fn the_same_idempotency_key_is_the_same_ping_for_a_day() {
    let world = World::new().await;
    let (job, other) = (world.monitor("one").create().await, world.monitor("two").create().await);
    for _ in 0..3 {
        assert_eq!(keyed(&job, "POST", "/start", "k1").await.line(), "200 OK");
        world.advance("1m").await;
    }
    assert_eq!(job.tape().await, "#1 running");
    keyed(&other, "POST", "/start", "k1").await;
    assert_eq!(other.tape().await, "#1 running", "keys belong to their monitor");
    world.advance("25h").await;
    keyed(&job, "POST", "", "k1").await;
    assert_eq!(job.runs().await.len(), 1, "after a day it is another ping: {}", job.tape().await);
    assert_eq!(job.run(1).await.status.word(), "success");
}

#[tokio::test]
async fn repeats_within_one_batch_have_one_effect() {
    let world = World::new().await;
    let job = world.monitor("one").create().await;
    let answers = join_all((0..30).map(|_| keyed(&job, "POST", "/fail", "k"))).await;
    assert!(answers.iter().all(|reply| reply.status == 200));
    assert_eq!(job.tape().await, "#1 failed");
    assert_eq!(world.subjects().await.len(), 1);
}

#[tokio::test]
async fn a_repeated_refusal_is_refused_again_also_when_the_lease_is_over() {
    let world = World::new().await;
    let job = world.monitor("one").refuse().create().await;
    job.start("a").await;
    assert_eq!(keyed(&job, "POST", "/start", "k").await.status, 409);
    job.end("a").await;
    assert_eq!(keyed(&job, "POST", "/start", "k").await.status, 409, "the same answer");
    assert_eq!(job.tape().await, "#1 a success 0s\n#2 skipped");
}

/// B30
#[tokio::test]
async fn a_monitor_may_close_its_address_to_link_previews() {
    let world = World::new().await;
    let job = world.monitor("guarded").post_only().create().await;
    for method in ["GET", "HEAD"] {
        let reply = job.send(job.request(method, "/fail").body(Body::empty()).unwrap()).await;
        assert_eq!((reply.status.as_u16(), reply.header("allow")), (405, "POST, PUT"));
    }
    assert_eq!(job.tape().await, "");
    job.end("a").await;
    job.send(job.request("PUT", "?rid=b").body(Body::empty()).unwrap()).await;
    assert_eq!(job.runs().await.len(), 2);
}

#[tokio::test]
async fn the_answer_as_json_names_the_run() {
    let world = World::new().await;
    let job = world.monitor("one").create().await;
    job.start("A-1").await;
    let answer = world.post(&format!("/v1/ping/{}/start?rid=B", job.monitor), "").await.json();
    assert_eq!((&answer["run"]["number"], &answer["run"]["rid"]), (&2.into(), &"B".into()));
    assert_eq!(answer["run"]["overlaps"][0], job.run(1).await.id.to_string());
    assert_eq!(answer["monitor"]["slug"], "one");
}

#[tokio::test]
async fn three_hundred_pings_at_once_to_one_monitor_are_all_there() {
    let world = World::without_channels().await;
    let job = world.monitor("busy").allow(1000).create().await;
    let starts = join_all((0..300).map(|n| {
        let job = job.clone();
        async move { job.start(&format!("r{n}")).await }
    }))
    .await;
    let mut numbers: Vec<i64> =
        starts.iter().map(|reply| reply.header("watchclock-run").parse().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=300).collect::<Vec<_>>(), "each has its own number");
    join_all((0..300).map(|n| {
        let job = job.clone();
        async move { job.end_with(&format!("r{n}"), &format!("n={n}")).await }
    }))
    .await;
    let runs = job.runs().await;
    assert_eq!(runs.iter().filter(|run| run.status.word() == "success").count(), 300);
    for run in &runs {
        let shown = &run.run_id.as_ref().unwrap().shown;
        assert_eq!(format!("r{}", run.meta["n"]), *shown);
    }
    assert_eq!(job.view().await.memory.active, 0);
}

#[tokio::test]
async fn three_hundred_pings_at_once_to_many_monitors_are_all_there() {
    let world = World::new().await;
    let mut jobs = Vec::new();
    for n in 0..60 {
        jobs.push(world.monitor(&format!("job-{n}")).create().await);
    }
    let pings = jobs.iter().flat_map(|job| {
        (0..5).map(move |n| async move {
            let rid = n.to_string();
            if n == 0 { job.fail(&rid).await } else { job.end(&rid).await }
        })
    });
    join_all(pings).await;
    for job in &jobs {
        let runs = job.runs().await;
        assert_eq!((runs.len(), job.incidents().await.len()), (5, 1));
        assert_eq!(runs.iter().filter(|run| run.status.word() == "failed").count(), 1);
    }
}

#[tokio::test]
async fn a_ping_that_cannot_be_stored_is_answered_so_and_stops_no_other() {
    let world = World::new().await;
    let (bad, good) = (world.monitor("bad").create().await, world.monitor("good").create().await);
    let trap = format!(
        "create function refuse() returns trigger language plpgsql as
             $$ begin if new.monitor_id = '{}' then raise exception 'no'; end if; return new; end $$;
         create trigger refuse before insert on runs for each row execute function refuse();",
        bad.monitor
    );
    world.database().execute(&trap).await;
    let (refused, taken) = tokio::join!(bad.ping("", ""), good.ping("", ""));
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, "5"));
    assert_eq!(taken.line(), "200 OK");
    assert_eq!(good.tape().await, "#1 success");
}
