//! Odd texts, broken rows, nothing at all.

use axum::http::StatusCode;
use watchclock_domain::monitor::ChannelChoice;
use watchclock_service::{member::Role, monitor::MonitorChange};
use watchclock_tests::{World, visitor::escaped};

use super::{check_page, values};

/// Texts that have broken pages somewhere.
const ODD: [&str; 7] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'; drop table monitors; --",
    "{{ 7*7 }} {% raw %} ${x} &amp;lt;",
    "🦀☕ ﷽ Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯",
    "\u{202e}gnp.exe\u{2066} שלום مرحبا",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

#[tokio::test]
async fn odd_texts_stay_texts() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    for (n, odd) in ODD.into_iter().enumerate() {
        let slug = format!("odd-{n}");
        let fields = [
            ("name", odd),
            ("slug", &*slug),
            ("schedule.kind", "none"),
            ("grace", "5m"),
            ("channels_all", "yes"),
            ("overlap.policy", "alert"),
            ("description", odd),
            ("runbook", odd),
            ("rules[0].when", "rows eq 0"),
            ("rules[0].name", odd),
        ];
        let made = member.post("/monitors", &fields).await;
        assert_eq!(made.status, StatusCode::SEE_OTHER, "{odd}");
        let channel = [("kind", "email"), ("name", odd), ("to", "x@example.org"), ("enabled", "yes")];
        assert_eq!(member.post("/channels", &channel).await.status, StatusCode::SEE_OTHER, "{odd}");
        let job = world.job(&slug).await;
        let text = escaped(odd);
        job.ping(&format!("/start?rid={text}&host={text}&env={text}"), "").await;
        job.ping(&format!("/fail?rid={text}&msg={text}&meta.{text}={text}&meta.rows=0"), odd).await;
        job.ping("/log", odd).await;
    }
    world.advance("1s").await;
    let mut paths = vec!["/".to_owned(), "/incidents".to_owned(), "/channels".to_owned()];
    for n in 0..ODD.len() {
        let job = world.job(&format!("odd-{n}")).await;
        for end in ["", "/edit", "/delete"] {
            paths.push(format!("/monitors/{}{end}", job.monitor));
        }
        paths.push(format!("/runs/{}", job.run(1).await.id));
        paths.extend(job.incidents().await.iter().map(|incident| format!("/incidents/{}", incident.id)));
    }
    paths.extend(ODD.map(|odd| format!("/?q={}&tag={}", escaped(odd), escaped(odd))));
    for path in paths {
        let reply = member.get(&path).await;
        assert_eq!(reply.status, StatusCode::OK, "{path}");
        check_page(&path, &reply);
        let html = reply.text();
        for raw in ["<script>alert", "<img", "onerror=alert(1)>"] {
            assert!(!html.contains(raw), "{path} holds {raw}");
        }
        assert!(values(&html, "href=\"").all(|href| !href.contains("javascript:")), "{path}");
    }
    let output = member.get(&format!("/runs/{}/output", world.job("odd-0").await.run(1).await.id)).await;
    assert!(output.header("content-type").starts_with("text/plain"), "no browser runs it");
    assert!(output.text().contains("<script>"));
    let long = "n".repeat(200);
    let refused = member.post("/monitors", &[("name", &*long), ("schedule.kind", "none")]).await;
    assert!(refused.text().contains(&format!("value=\"{long}\"")), "it can be shortened");
}

#[tokio::test]
async fn a_stored_configuration_that_is_broken_is_shown_and_stops_nothing_else() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let mut jobs = Vec::new();
    for name in ["kind", "cron", "zone", "rule", "overlap", "thresholds", "fine"] {
        jobs.push(world.monitor(name).cron("0 3 * * *").grace("1m").rule("rows eq 0").create().await);
    }
    world.database().forget_checks("monitors").await;
    for (sql, slug) in [
        ("update monitors set schedule_kind = 'lunar'", "kind"),
        ("update monitors set schedule_lines = '{61 * * * *}'", "cron"),
        ("update monitors set time_zone = 'Mars/Base'", "zone"),
        ("update monitors set overlap_policy = '?', overlap_allowed = -3", "overlap"),
        (
            "update monitors set thresholds = '{\"failed\": \"many\"}', grace_seconds = 9223372036854775807",
            "thresholds",
        ),
    ] {
        world.database().execute(&format!("{sql}, version = version + 1 where slug = '{slug}'")).await;
    }
    let rule = "update rules set condition = 'rows eqq 0' where monitor_id = (select id from monitors where slug = 'rule')";
    world.database().execute(rule).await;
    world.database().execute("update monitors set version = version + 1 where slug = 'rule'").await;
    world.restart();
    world.until("2027-01-04T04:00:00Z").await;
    let fine = jobs.pop().unwrap();
    assert_eq!(fine.tape().await, "#1 missed", "the others are watched");
    let list = member.get("/").await;
    check_page("/", &list);
    assert!(list.text().contains("its configuration cannot be read"), "{}", list.text());
    for job in &jobs {
        for end in ["", "/edit", "/delete"] {
            let path = format!("/monitors/{}{end}", job.monitor);
            let reply = member.get(&path).await;
            assert_eq!(reply.status, StatusCode::OK, "{path} ({})", job.slug);
            check_page(&path, &reply);
            let says = reply.text().contains("stored configuration cannot be read");
            let broken = ["kind", "cron", "zone", "rule"].contains(&&*job.slug) && end != "/delete";
            assert!(says || !broken, "{path} ({}) does not say so", job.slug);
        }
        assert_eq!(job.end("x").await.status, StatusCode::OK, "pings are taken: {}", job.slug);
    }
}

#[tokio::test]
async fn pages_without_anything_say_what_to_do_next() {
    let world = World::without_channels().await;
    let member = world.member("member@example.org", Role::Owner).await;
    for (path, says, leads) in [
        ("/", "No monitors yet", "/monitors/new"),
        ("/incidents", "no incident is open", "/incidents?open=false"),
        ("/incidents?open=false", "no incident yet", "/"),
        ("/channels", "No channel yet", "/channels/new?kind=email"),
        ("/settings/keys", "No keys yet", "/settings/keys"),
    ] {
        let reply = member.get(path).await;
        check_page(path, &reply);
        let html = reply.text();
        assert!(html.contains(says), "{path} does not say {says}:\n{html}");
        assert!(html.contains(&format!("\"{leads}\"")), "{path} does not lead to {leads}:\n{html}");
    }
    let viewer = world.member("viewer@example.org", Role::Viewer).await;
    assert!(
        !viewer.get("/").await.text().contains("/monitors/new"),
        "who may only look is offered nothing else"
    );
    let job = world.monitor("quiet").cron("0 3 * * *").create().await;
    let html = member.get(&format!("/monitors/{}", job.monitor)).await.text();
    for says in ["How to ping", "Nobody: this monitor has no channel", "No rules"] {
        assert!(html.contains(says), "{says}");
    }
    job.end("").await;
    let html = member.get(&format!("/runs/{}", job.run(1).await.id)).await.text();
    assert!(html.contains("No metadata.") && html.contains("no output"), "{html}");
    assert!(member.get("/?q=nothing-like-it").await.text().contains("No monitor matches"));
}

#[tokio::test]
async fn a_monitor_that_tells_nobody_is_not_told_everybody_by_its_form() {
    let world = World::without_channels().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("quiet").create().await;
    let edit = format!("/monitors/{}/edit", job.monitor);
    assert!(member.get(&edit).await.text().contains("name=\"channels_all\" value=\"yes\" checked"));
    job.edit(MonitorChange { channels: Some(ChannelChoice::Some(Vec::new())), ..MonitorChange::default() })
        .await;
    assert!(member.get(&edit).await.text().contains("name=\"channels_all\" value=\"yes\">"));
}
