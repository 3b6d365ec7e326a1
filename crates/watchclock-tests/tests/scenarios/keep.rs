//! What a project keeps: runs by count and age, failures longer, what is open always; and that cleaning reads by an index.

use serde_json::json;
use watchclock_tests::{Job, World};

use crate::caller::Caller;

async fn numbers(job: &Job) -> Vec<i64> {
    job.runs().await.iter().map(|run| run.number).collect()
}

async fn keep(world: &World, keep: serde_json::Value) {
    let api = Caller::of(world).await;
    api.patch("/v1/projects/default", json!({ "keep": keep })).await;
}

#[tokio::test]
async fn a_project_says_what_it_keeps() {
    let world = World::new().await;
    let api = Caller::of(&world).await;
    let usual = json!({"runs": 500, "days": 90, "output_days": null});
    assert_eq!(api.get("/v1/projects").await["items"][0]["keep"], usual);
    let changed = api.patch("/v1/projects/default", json!({"keep": {"runs": 50, "output_days": 7}})).await;
    assert_eq!(changed["keep"], json!({"runs": 50, "days": 90, "output_days": 7}));
    let changed = api.patch("/v1/projects/default", json!({"keep": {"output_days": null}})).await;
    assert_eq!(changed["keep"]["output_days"], json!(null));
    let told =
        api.refused("PATCH", "/v1/projects/default", json!({"keep": {"runs": 1, "output_days": 5000}})).await;
    assert!(told.contains("keep.runs: "), "{told}");
    let other = api.call("PATCH", "/v1/projects/other", Some(json!({"name": "x"}))).await;
    assert_eq!(other.status.as_u16(), 404);
}

#[tokio::test]
async fn runs_go_by_count_and_failures_later() {
    let world = World::new().await;
    keep(&world, json!({"runs": 10})).await;
    let job = world.monitor("often").create().await;
    job.start("stuck").await;
    for number in 2..=30 {
        world.advance("1m").await;
        if number == 5 {
            job.fail("f").await
        } else {
            job.end(&format!("r{number}")).await
        };
    }
    world.clean().await;
    let kept: Vec<i64> = [1, 5].into_iter().chain(21..=30).collect();
    assert_eq!(numbers(&job).await, kept, "the active one, the failure, and the last ten");
    for number in 31..=60 {
        world.advance("1m").await;
        job.end(&format!("r{number}")).await;
    }
    world.advance("1h").await;
    world.clean().await;
    let kept: Vec<i64> = [1].into_iter().chain(51..=60).collect();
    assert_eq!(numbers(&job).await, kept, "the failure is beyond four times ten");
    job.end("next").await;
    assert_eq!(*numbers(&job).await.last().expect("runs"), 61, "numbers only grow");
}

#[tokio::test]
async fn runs_go_by_age_and_the_last_ones_stay() {
    let world = World::new().await;
    let job = world.monitor("weekly").create().await;
    for number in 1..=20 {
        if number == 3 {
            job.fail("").await
        } else {
            job.end_with("", "some output").await
        };
        world.advance("7d").await;
    }
    world.clean().await;
    let first = 21 - 12;
    let kept: Vec<i64> = [3].into_iter().chain(first..=20).collect();
    assert_eq!(numbers(&job).await, kept, "90 days are twelve weeks");
    assert_eq!(job.incidents().await.len(), 1);
    world.advance("300d").await;
    world.clean().await;
    assert_eq!(numbers(&job).await, (11..=20).collect::<Vec<_>>(), "ten stay however old they are");
    assert_eq!(job.incidents().await.len(), 0, "the incident is over since more than 360 days");
    assert_eq!(job.output(20).await, "some output");
    keep(&world, json!({"output_days": 30})).await;
    world.advance("2h").await;
    world.clean().await;
    assert_eq!(job.output(20).await, "", "output goes sooner");
}

#[tokio::test]
async fn what_is_open_is_never_removed() {
    let world = World::new().await;
    let job = world.monitor("nightly").max_duration("1h").create().await;
    job.start("hung").await;
    world.advance("1d").await;
    job.fail("bad").await;
    for _ in 0..12 {
        job.fail("").await;
    }
    world.advance("1825d").await;
    world.clean().await;
    let runs = job.runs().await;
    assert!(runs.iter().any(|run| run.number == 1 && run.status.word() == "hung"), "{}", job.tape().await);
    assert!(runs.iter().any(|run| run.number == 2), "named by the open incident: {}", job.tape().await);
    assert_eq!(job.incidents().await.iter().filter(|incident| incident.resolved_at.is_none()).count(), 2);
}

#[tokio::test]
async fn old_notes_keys_and_deliveries_go_too() {
    let world = World::new().await;
    let job = world.monitor("noisy").create().await;
    for note in 0..250 {
        job.log("", &format!("note {note}")).await;
    }
    job.fail("").await;
    assert_eq!(world.mails().await.len(), 1);
    job.end("").await;
    assert_eq!(world.mails().await.len(), 2);
    world.clean().await;
    let count = async |table: &str| {
        let count = world.database().value(&format!("select count(*) from {table}")).await;
        count.unwrap_or_default()
    };
    assert_eq!(count("monitor_notes").await, "200");
    assert_eq!(count("deliveries").await, "2");
    world.advance("361d").await;
    world.clean().await;
    for table in
        ["monitor_notes", "incidents", "incident_events", "alerts", "deliveries", "delivery_attempts"]
    {
        assert_eq!(count(table).await, "0", "{table}");
    }
}

/// A million runs: each batch finds what it removes by the index, and is quick.
#[tokio::test]
#[ignore = "takes half a minute; run it when the statements of `keep` change"]
async fn a_million_runs_are_swept_by_the_index() {
    let world = World::new().await;
    let job = world.monitor("busy").create().await;
    let (database, id, now) = (world.database(), job.monitor, world.now().to_rfc3339());
    let runs = format!(
        "insert into runs (id, monitor_id, number, status, started_at, ended_at, first_seen_at)
         select gen_random_uuid(), '{id}', n, case when n % 100 = 0 then 'failed' else 'success' end,
                '{now}', '{now}', '{now}'
         from generate_series(1, 1000000) n"
    );
    database.execute(&runs).await;
    database.execute("update monitor_memories set next_number = 1000001").await;
    database.execute("analyze runs").await;
    let explain = format!(
        "select id from runs
         where monitor_id = '{id}' and number < 999991 and status not in ('running', 'hung')
           and (number < 999501 or first_seen_at < '2026-10-01')
           and (number < 998001 or first_seen_at < '2026-01-01'
                or (status in ('success', 'skipped', 'unknown')
                    and id not in (select unnest(runs) from incidents where monitor_id = '{id}')))
           and id not in (select unnest(runs || pending) from incidents
                          where monitor_id = '{id}' and resolved_at is null)
         order by number limit 500"
    );
    let plan = database.plan(&explain).await;
    assert!(plan.contains("runs_number"), "{plan}");
    assert!(!plan.contains("Seq Scan on runs") && !plan.contains("Sort"), "{plan}");
    let store = world.store();
    let keep = watchclock_store::keep::Keep::default();
    for _ in 0..20 {
        let started = std::time::Instant::now();
        assert!(!store.sweep_monitor(job.monitor, keep, world.now()).await.expect("a batch"));
        let took = started.elapsed();
        println!("a batch took {took:?}");
        assert!(took.as_millis() < 2_000, "{took:?}");
    }
}
