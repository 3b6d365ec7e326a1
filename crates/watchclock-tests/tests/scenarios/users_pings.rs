//! What users of such tools were bitten by: methods, bodies, names, load on the way in. Each scenario is named after its case.

use axum::body::Body;
use watchclock_tests::World;

#[tokio::test]
async fn b29_every_method_and_spelling_of_an_address_is_the_same_ping() {
    let world = World::without_channels().await;
    let job = world.monitor("any").create().await;
    for (at, method) in ["GET", "HEAD", "POST", "PUT"].into_iter().enumerate() {
        let reply = job.send(job.request(method, "").body(Body::empty()).unwrap()).await;
        assert_eq!((reply.status.as_u16(), reply.header("cache-control")), (200, "no-store"), "{method}");
        assert_eq!(job.runs().await.len(), at + 1, "{method}");
    }
    let options = job.send(job.request("OPTIONS", "").body(Body::empty()).unwrap()).await;
    assert_eq!((options.status.as_u16(), options.header("allow")), (204, "GET, HEAD, POST, PUT, OPTIONS"));
    let delete = job.send(job.request("DELETE", "").body(Body::empty()).unwrap()).await;
    assert_eq!(delete.status.as_u16(), 405);
    assert_eq!(job.runs().await.len(), 4, "and neither is a ping");
    let id = job.monitor.to_string();
    for path in [
        format!("/ping/{id}/"),
        format!("/ping/{}", id.to_uppercase()),
        format!("/ping/{}", id.replace('-', "")),
        // some clients put the signal behind the question mark
        format!("/ping/{id}?create=1/start"),
    ] {
        assert_eq!(world.post(&path, "").await.line(), "200 OK", "{path}");
    }
    assert_eq!(job.run(8).await.status.word(), "running", "{}", job.tape().await);
}

#[tokio::test]
async fn b30_what_fetches_a_link_changes_nothing_where_only_posts_are_taken() {
    let world = World::new().await;
    let job = world.monitor("guarded").post_only().create().await;
    for path in ["/fail", "/start", ""] {
        for method in ["GET", "HEAD"] {
            let reply = job.send(job.request(method, path).body(Body::empty()).unwrap()).await;
            assert_eq!(reply.status.as_u16(), 405, "{method} {path}");
        }
    }
    assert_eq!((job.tape().await, job.story().await), (String::new(), String::new()));
    assert_eq!(job.fail("").await.line(), "200 OK");
    // no mail holds an address that a preview could ping
    let mail = world.mails().await[0].text();
    assert!(!mail.contains("/ping/"), "{mail}");
}

#[tokio::test]
async fn b31_every_body_is_recorded_and_what_cannot_be_read_is_noted() {
    let world = World::without_channels().await;
    let job = world.monitor("any").create().await;
    let utf16: Vec<u8> = "rows=3".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bodies: Vec<(&str, Vec<u8>)> = vec![
        ("invalid UTF-8", b"caf\xE9 \xFF\xFE".to_vec()),
        ("NUL", b"a\0b".to_vec()),
        ("an escaped NUL", br#"{"a":"x\u0000y"}"#.to_vec()),
        ("half a surrogate", br#"{"a":"\ud800"}"#.to_vec()),
        ("UTF-16", utf16),
        ("2.6 MB", vec![b'x'; 2_600_000]),
        ("é cut in the middle", ("é".repeat(60_000) + "x").into_bytes()),
        ("broken JSON", br#"{"rows": 1,"#.to_vec()),
        ("nested without end", "[".repeat(10_000).into_bytes()),
        ("a key twice", br#"{"a":1,"a":2}"#.to_vec()),
        ("gzip that is none", b"\x1f\x8b\x08nothing".to_vec()),
        ("nothing", Vec::new()),
    ];
    for (at, (what, body)) in bodies.iter().enumerate() {
        let request = job.request("POST", "").header("content-type", "application/json");
        let reply = job.send(request.body(Body::from(body.clone())).unwrap()).await;
        assert_eq!(reply.line(), "200 OK", "{what}");
        assert_eq!(job.runs().await.len(), at + 1, "{what}");
    }
    let cut = job.output(7).await;
    assert!(cut.len() < 100_010 && cut.ends_with("éx"), "the last part is kept, as text");
    let run = job.run(6).await;
    assert_eq!(run.output_size, 2_600_000, "what was cut is counted");
}

#[tokio::test]
async fn b32_slugs_are_unique_in_their_project_and_ids_always_work() {
    let world = World::without_channels().await;
    let first = world.monitor("Nightly Sync").create().await;
    assert_eq!(first.slug, "nightly-sync");
    let key = world.project().ping_key.clone();
    for spelling in ["nightly-sync", "NIGHTLY-SYNC"] {
        assert_eq!(world.post(&format!("/ping/{key}/{spelling}"), "").await.line(), "200 OK", "{spelling}");
    }
    let change = |slug: &str| watchclock_service::monitor::MonitorChange {
        slug: Some(slug.to_owned()),
        name: Some(slug.to_owned()),
        ..Default::default()
    };
    let make = |slug: &str| {
        let (service, project, change) = (world.watchclock(), world.project().id, change(slug));
        async move { service.create_monitor(project, change).await }
    };
    let taken = make("nightly-sync").await.unwrap_err().to_string();
    assert!(taken.contains("nightly-sync"), "{taken}");
    for slug in ["a/b", "%2e%2e", "x y", "😀", &"x".repeat(300)] {
        assert!(make(slug).await.is_err(), "{slug}");
        let answer = world
            .post(
                &format!("/ping/{key}/{}?create=1", slug.replace(' ', "%20").replace('😀', "%F0%9F%98%80")),
                "",
            )
            .await;
        assert!(answer.status.is_client_error(), "{slug}: {}", answer.line());
    }
    first.edit(change("renamed")).await;
    assert_eq!(world.post(&format!("/ping/{key}/renamed"), "").await.line(), "200 OK");
    assert_eq!(first.end("").await.line(), "200 OK", "the address with the id outlives every name");
}

#[tokio::test]
async fn b34_what_cannot_be_stored_is_answered_so_at_once_and_never_with_ok() {
    let world = World::without_channels().await;
    let job = world.monitor("any").create().await;
    world.database().execute("alter table runs rename to runs_gone").await;
    let reply = job.ping("", "").await;
    assert_eq!((reply.status.as_u16(), reply.header("retry-after")), (503, "5"));
    world.database().execute("alter table runs_gone rename to runs").await;
    assert_eq!(job.ping("", "").await.line(), "200 OK");
    assert_eq!(job.runs().await.len(), 1);
}

#[tokio::test]
async fn b35_no_ping_is_dropped_in_silence_however_many_there_are() {
    let world = World::without_channels().await;
    let job = world.monitor("busy").create().await;
    for n in 0..60 {
        assert_eq!(job.end(&n.to_string()).await.line(), "200 OK");
        world.advance("1s").await;
    }
    assert_eq!(job.runs().await.len(), 60, "twenty a minute and three times that");
}

#[tokio::test]
async fn b35_pings_past_a_limit_are_turned_away_aloud_and_counted() {
    let world = World::without_channels().await;
    let job = world.monitor("busy").ping_limit(6).create().await;
    let (mut taken, mut turned_away, mut last) = (0, 0, None);
    for _ in 0..20 {
        let reply = job.ping("", "").await;
        match reply.status.as_u16() {
            200 => taken += 1,
            429 => {
                turned_away += 1;
                last = Some(world.now());
                let wait = reply.header("retry-after");
                assert!(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"].contains(&wait), "{wait}");
                let says = format!(
                    "429 too many pings: this monitor takes 6 a minute; this one was not recorded, send it again in {wait} s"
                );
                assert_eq!(reply.line(), says);
            }
            other => panic!("{other}"),
        }
        world.advance("3s").await;
    }
    assert_eq!((taken, turned_away), (11, 9), "six at once and one every ten seconds");
    assert_eq!(job.runs().await.len(), taken, "none is lost in silence");
    let memory = job.view().await.memory;
    assert_eq!((memory.pings_refused, memory.pings_refused_at), (9, last));
    world.facts_agree().await;

    let path = format!("/v1/monitors/{}", job.monitor);
    let shown = world.api("GET", &path, serde_json::json!(null)).await.json();
    assert_eq!((&shown["ping_limit"], &shown["pings_refused"]), (&6.into(), &9.into()));
    assert_eq!(shown["pings_refused_at"], "2027-01-04T00:00:57Z");
    let member = world.member("member@example.org", watchclock_service::member::Role::Member).await;
    let page = format!("/monitors/{}", job.monitor);
    let html = member.get(&page).await.text();
    assert!(html.contains("9 pings were turned away, the last <time"), "{html}");
    assert!(html.contains(": the limit is 6 a minute.") && html.contains("/edit#f-ping_limit\""), "{html}");

    let off = world.api("PATCH", &path, serde_json::json!({ "ping_limit": null })).await;
    assert_eq!(off.status, 200, "{}", off.text());
    for _ in 0..20 {
        assert_eq!(job.end("").await.line(), "200 OK");
    }
    assert_eq!(job.runs().await.len(), taken + 20);
    assert_eq!(job.view().await.memory.pings_refused, 9);
    let html = member.get(&page).await.text();
    assert!(html.contains("9 pings were turned away") && html.contains("there was a limit then"), "{html}");
    world.facts_agree().await;
}

#[tokio::test]
async fn b35_an_alert_of_what_is_missing_tells_that_its_ping_was_turned_away() {
    let world = World::new().await;
    let job = world.monitor("busy").cron("0 * * * *").tz("Europe/Berlin").ping_limit(1).create().await;
    world.until("2027-01-04T00:59:50Z").await;
    assert_eq!(job.ping("/log", "soon").await.status, 200);
    world.until("2027-01-04T01:00:00Z").await;
    assert_eq!(job.ping("/start", "").await.status, 429);
    world.advance("10m").await;
    let texts: Vec<String> = world.mails().await.iter().map(watchclock_tests::smtp::Mail::text).collect();
    let says = "\nExpected     a start at 2027-01-04 02:00 +01:00, at most 5 min later\n\
                Turned away  1 ping at 2027-01-04 02:00 +01:00, since the limit is 1 a minute\n\
                Schedule     every hour, Europe/Berlin\n";
    assert!(texts.iter().any(|text| text.contains(says)), "{texts:?}");
    assert_eq!(texts.len(), 1);
}
