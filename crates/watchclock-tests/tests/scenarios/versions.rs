//! Facts that a server keeps of monitors, while another server, the evaluator or a person changes them.

use std::collections::BTreeSet;

use axum::{Router, body::Body, http::Request};
use futures_util::future::join_all;
use serde_json::json;
use tower::ServiceExt as _;
use watchclock_service::monitor::MonitorChange;
use watchclock_tests::{Job, World, world::minutes};

async fn send(server: &Router, method: &str, address: &str, key: Option<&str>) -> (u16, String) {
    let mut request = Request::builder().method(method).uri(format!("/ping/{address}"));
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    let request = request.body(Body::empty()).expect("a right request");
    let reply = server.clone().oneshot(request).await.expect("a router always answers");
    let number = reply.headers().get("watchclock-run").and_then(|number| number.to_str().ok());
    (reply.status().as_u16(), number.unwrap_or_default().to_owned())
}

/// Pings through one server; the status and the number of the run, if it tells one.
async fn ping(server: &Router, address: &str) -> (u16, String) {
    send(server, "POST", address, None).await
}

async fn numbers(job: &Job) -> Vec<i64> {
    job.runs().await.iter().map(|run| run.number).collect()
}

#[tokio::test]
async fn a_ping_waits_for_a_database_that_stumbles() {
    let world = World::without_channels().await;
    let job = world.monitor("patient").create().await;
    job.start("a").await;
    world
        .database()
        .execute(
            "create sequence stumbles;
             create function stumble() returns trigger language plpgsql as $$ begin
                 if nextval('stumbles') <= 2 then raise exception 'no' using errcode = '57P01'; end if;
                 return new;
             end $$;
             create trigger stumble before insert or update on runs for each row execute function stumble()",
        )
        .await;
    job.end("a").await;
    assert_eq!(job.run(1).await.status.word(), "success");
    world.facts_agree().await;
}

#[tokio::test]
async fn what_writes_nothing_is_answered_by_what_is_true() {
    let world = World::without_channels().await;
    let job = world.monitor("strict").post_only().create().await;
    let (other, to) = (world.second_router(), job.monitor.to_string());
    assert_eq!(ping(&other, &to).await.0, 200);
    assert_eq!(send(&other, "GET", &to, None).await.0, 405);
    job.edit(MonitorChange { post_only: Some(false), ..MonitorChange::default() }).await;
    assert_eq!(send(&other, "GET", &to, None).await.0, 200);
    job.edit(MonitorChange { post_only: Some(true), ..MonitorChange::default() }).await;
    assert_eq!(send(&other, "GET", &to, None).await.0, 405);
    assert_eq!(send(&other, "POST", &to, Some("k")).await, (200, "3".to_owned()));
    assert_eq!(send(&other, "POST", &to, Some("k")).await, (200, "3".to_owned()));
    job.delete().await;
    assert_eq!(send(&other, "GET", &to, None).await.0, 404);
    assert_eq!(send(&other, "POST", &to, Some("k")).await.0, 404);
}

#[tokio::test]
async fn a_storm_of_all_signals_through_two_servers_leaves_facts_that_agree() {
    let world = World::without_channels().await;
    let key = world.project().ping_key.clone();
    let mut jobs = Vec::new();
    for n in 0..4 {
        jobs.push(world.monitor(&format!("job-{n}")).allow(3).max_duration("5m").create().await);
    }
    let servers = [world.second_router(), world.second_router()];
    let signals = ["/start?rid=", "?rid=", "/fail?rid=", "/log?rid=", "/start", "", "/start?rid=", "/fail"];
    for round in 0_usize..12 {
        let pings = (0..96_usize).map(|n| {
            let job = &jobs[n % jobs.len()];
            let mixed = n.wrapping_mul(2_654_435_761).wrapping_add(round * 40_503) >> 3;
            let signal = signals[mixed % signals.len()];
            let rid = if signal.ends_with('=') { format!("{round}-{}", mixed % 7) } else { String::new() };
            let to =
                if mixed.is_multiple_of(3) { format!("{key}/{}", job.slug) } else { job.monitor.to_string() };
            let server = &servers[(mixed / 5) % 2];
            let once = mixed.is_multiple_of(4).then(|| format!("{round}-{}", mixed % 20));
            async move { send(server, "POST", &format!("{to}{signal}{rid}"), once.as_deref()).await }
        });
        let disturb = async {
            let service = world.watchclock();
            service.evaluate().await.expect("the evaluator ticks");
            for job in &jobs {
                for incident in job.incidents().await.iter().filter(|incident| incident.resolved_at.is_none())
                {
                    let (project, id) = (world.project().id, incident.id);
                    if round % 3 == 0 {
                        let _ = service.resolve_incident(project, id, "ada").await;
                    } else {
                        let _ = service.acknowledge_incident(project, id, "ada").await;
                    }
                }
                if round % 4 == 1 {
                    job.pause().await;
                }
                let name = Some(format!("named in {round}"));
                job.edit(MonitorChange { name, ..MonitorChange::default() }).await;
            }
        };
        let (answers, ()) = tokio::join!(join_all(pings), disturb);
        assert!(answers.iter().all(|(status, _)| *status == 200), "{answers:?}");
        world.facts_agree().await;
        world.advance(if round % 2 == 0 { "2m" } else { "4m" }).await;
        world.facts_agree().await;
    }
    for job in &jobs {
        let runs = job.runs().await;
        let numbers: Vec<i64> = runs.iter().map(|run| run.number).collect();
        assert_eq!(numbers, (1..=i64::try_from(runs.len()).unwrap()).collect::<Vec<_>>());
        let rids: Vec<&str> = runs.iter().filter_map(|run| Some(run.run_id.as_ref()?.key.as_str())).collect();
        assert_eq!(rids.iter().collect::<BTreeSet<_>>().len(), rids.len(), "each run once");
        let open: Vec<_> = job.incidents().await.into_iter().filter(|i| i.resolved_at.is_none()).collect();
        let kinds: BTreeSet<&str> = open.iter().map(|incident| incident.kind.word()).collect();
        assert_eq!(kinds.len(), open.len(), "one open incident of each kind");
    }
}

#[tokio::test]
async fn a_run_that_one_server_counts_as_hung_ends_at_the_other() {
    let world = World::without_channels().await;
    let job = world.monitor("slow").max_duration("10m").create().await;
    let (other, to) = (world.second_router(), job.monitor);
    for rid in ["a", "b"] {
        assert_eq!(ping(&other, &format!("{to}/start?rid={rid}")).await.0, 200);
        world.advance("11m").await;
        assert_eq!(job.view().await.memory.hung, 1);
        assert_eq!(ping(&other, &format!("{to}?rid={rid}")).await.0, 200);
        world.facts_agree().await;
    }
    for n in 0..8 {
        assert_eq!(ping(&other, &format!("{to}/start?rid=r{n}")).await.0, 200);
        world.set_clock(&(world.now() + minutes(11)).to_rfc3339());
        let service = world.watchclock();
        let end = format!("{to}?rid=r{n}");
        let (evaluated, ended) = tokio::join!(service.evaluate(), ping(&other, &end));
        evaluated.expect("the evaluator ticks");
        assert_eq!(ended.0, 200);
        world.facts_agree().await;
    }
    assert!(job.runs().await.iter().all(|run| run.status.word() == "success"), "{}", job.tape().await);
    assert_eq!(numbers(&job).await, (1..=10).collect::<Vec<_>>());
}

#[tokio::test]
async fn starts_of_runs_that_are_known_already_are_the_same_run_everywhere() {
    let world = World::without_channels().await;
    let job = world.monitor("known").refuse().create().await;
    let (one, two, to) = (world.second_router(), world.second_router(), job.monitor);
    let (start, end) = (|rid: &str| format!("{to}/start?rid={rid}"), |rid: &str| format!("{to}?rid={rid}"));
    assert_eq!(ping(&one, &start("a")).await, (200, "1".to_owned()));
    assert_eq!(ping(&two, &start("b")).await.0, 409);
    assert_eq!(ping(&one, &start("b")).await.0, 409, "it asks again elsewhere");
    assert_eq!(ping(&one, &end("a")).await, (200, "1".to_owned()));
    for server in [&one, &two, &one] {
        assert_eq!(ping(server, &start("a")).await, (200, "1".to_owned()), "a run that is over");
    }
    let again = ping(&two, &start("b")).await;
    assert_eq!((again.0, again.1 != "1"), (200, true), "{again:?}");
    world.facts_agree().await;
    assert_eq!(ping(&one, &start("c")).await.0, 409);
    assert_eq!(ping(&one, &end("b")).await.0, 200);
    assert_eq!(ping(&two, &end("c")).await.0, 200, "it ran all the same");
    world.facts_agree().await;
    for server in [&one, &two] {
        for rid in ["x", "y", "z"] {
            let (start, end) = (start(rid), end(rid));
            let (ended, started) = tokio::join!(ping(server, &end), ping(server, &start));
            assert_eq!((ended.0, &ended.1), (200, &started.1));
        }
    }
    world.facts_agree().await;
    assert_eq!((job.runs().await.len(), job.view().await.memory.active), (6, 0), "{}", job.tape().await);
}

#[tokio::test]
async fn crowds_of_open_runs_come_and_go() {
    let world = World::without_channels().await;
    let job = world.monitor("crowd").allow(1_000).max_duration("10m").create().await;
    let (other, to) = (world.second_router(), job.monitor);
    for n in 0..230 {
        assert_eq!(ping(&other, &format!("{to}/start?rid=r{n}")).await.0, 200);
        if [19, 20, 21, 22, 99, 100, 101].contains(&n) {
            world.facts_agree().await;
        }
    }
    world.facts_agree().await;
    for n in 40..228 {
        job.end(&format!("r{n}")).await;
    }
    world.facts_agree().await;
    assert_eq!(job.view().await.memory.active, 42);
    world.advance("11m").await;
    world.facts_agree().await;
    let memory = job.view().await.memory;
    assert_eq!((memory.active, memory.hung), (0, 42));
    ping(&other, &format!("{to}/start?rid=after")).await;
    // Those that nobody looks at any more, and then the others.
    for n in (0..40).chain([229, 228]) {
        assert_eq!(ping(&other, &format!("{to}?rid=r{n}")).await, (200, (n + 1).to_string()));
        world.facts_agree().await;
    }
    let memory = job.view().await.memory;
    assert_eq!((memory.active, memory.hung), (1, 0));
    let listed = "select open_runs::text || ' ' || open_from from monitor_memories";
    assert_eq!(world.database().value(listed).await.as_deref(), Some("{231} 231"));
}

#[tokio::test]
async fn what_people_do_to_incidents_at_one_server_stays_when_the_other_is_pinged() {
    let world = World::without_channels().await;
    let job = world.monitor("failing").create().await;
    let (other, to) = (world.second_router(), job.monitor);
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    let (service, project) = (world.watchclock(), world.project().id);
    let id = job.incidents().await[0].id;
    service.acknowledge_incident(project, id, "ada").await.expect("it is open");
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    let incident = &job.incidents().await[0];
    assert_eq!((incident.acknowledged_by.as_deref(), incident.run_count), (Some("ada"), 2));
    service.resolve_incident(project, id, "ada").await.expect("it is open");
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    let incidents = job.incidents().await;
    assert_eq!((incidents.len(), incidents[0].run_count), (2, 2));
    world.facts_agree().await;
}

#[tokio::test]
async fn windows_days_off_and_snoozes_of_one_server_count_for_the_next_ping_at_the_other() {
    let world = World::without_channels().await;
    let job = world.monitor("daily").cron("0 3 * * *").create().await;
    let (other, to) = (world.second_router(), job.monitor);
    world.until("2027-01-04T03:00:00Z").await;
    assert_eq!(ping(&other, &to.to_string()).await.0, 200);
    let next = || async { job.view().await.memory.next_slot.map(|slot| slot.to_rfc3339()) };
    assert_eq!(next().await.as_deref(), Some("2027-01-05T03:00:00+00:00"));
    let days = json!({"name": "off", "dates": ["2027-01-05"], "project_wide": true});
    assert_eq!(world.api("POST", "/v1/calendars", days).await.status, 201);
    assert_eq!(ping(&other, &to.to_string()).await.0, 200);
    assert_eq!(next().await.as_deref(), Some("2027-01-06T03:00:00+00:00"));

    let window = json!({"name": "upgrade", "from": world.now().to_rfc3339(), "to": "2027-01-04T05:00:00Z"});
    let made = world.api("POST", "/v1/maintenance-windows", window).await;
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    assert_eq!(job.story().await, "", "under maintenance");
    let gone = world.api("DELETE", made.header("location"), json!(null)).await;
    assert!(gone.status.is_success(), "{}", gone.text());
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    let incident = &job.incidents().await[0];

    let path = format!("/v1/incidents/{}/snooze", incident.id);
    let snoozed = world.api("POST", &path, json!({"for": "2h"})).await;
    assert!(snoozed.status.is_success(), "{}", snoozed.text());
    assert_eq!(ping(&other, &format!("{to}/fail")).await.0, 200);
    let incident = &job.incidents().await[0];
    assert_eq!((incident.snoozed_until, incident.run_count), (Some(world.now() + minutes(120)), 2));
    world.facts_agree().await;
}

#[tokio::test]
async fn one_ping_that_cannot_be_stored_costs_no_other_and_leaves_no_trace() {
    let world = World::without_channels().await;
    let job = world.monitor("picky").allow(100).create().await;
    let (other, to) = (world.second_router(), job.monitor);
    let refuse = "alter table runs add constraint picky check (rid is distinct from 'bad')";
    world.database().execute(refuse).await;
    for round in 0..3 {
        let rids = ["a", "bad", "b", "c"].map(|rid| match rid {
            "bad" => rid.to_owned(),
            _ => format!("{rid}{round}"),
        });
        let pings = rids.iter().map(|rid| {
            let start = format!("{to}/start?rid={rid}");
            let other = &other;
            async move { ping(other, &start).await.0 }
        });
        assert_eq!(join_all(pings).await, [200, 503, 200, 200]);
        world.facts_agree().await;
    }
    assert_eq!(numbers(&job).await, (1..=9).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_migration_finds_the_open_runs_of_each_monitor() {
    let world = World::without_channels().await;
    for (name, runs) in [("none", 0), ("one", 1), ("twenty", 20), ("crowd", 21)] {
        let job = world.monitor(name).allow(100).max_duration("10m").create().await;
        job.start("done").await;
        job.end("done").await;
        for n in 0..runs {
            job.start(&n.to_string()).await;
            if n == 9 {
                world.advance("11m").await;
            }
        }
    }
    world.facts_agree().await;
    let filled =
        "select string_agg(concat_ws(' ', hung, coalesce(open_runs::text, 'many'), least(open_from, 2)), ','
                                    order by next_number) from monitor_memories";
    let written = world.database().value(filled).await;
    world
        .database()
        .execute(
            "alter table monitor_memories drop column version, drop column hung, drop column open_runs,
                                          drop column open_from;
             create index runs_open on runs (monitor_id, status, number) where status in ('running', 'hung')",
        )
        .await;
    world.database().execute(include_str!("../../../../migrations/0008_versions.sql")).await;
    world.facts_agree().await;
    let migrated = world.database().value(filled).await.unwrap();
    // Below the first run of one that has none open there is nothing either.
    assert_eq!(migrated.replace("0 {} 1", "0 {} 2"), written.unwrap());
    assert!(migrated.ends_with("10 many 2"), "{migrated}");
}
