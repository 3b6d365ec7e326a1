//! Pages say in words what people come for: which slot is awaited, whether an incident goes on, what extractors found.

use watchclock_domain::schedule::ScheduleText;
use watchclock_service::{
    member::Role,
    monitor::{MonitorChange, Past},
};
use watchclock_tests::{Visitor, World};

use super::{check_page, says};

async fn page(member: &Visitor, path: &str) -> String {
    let reply = member.get(path).await;
    check_page(path, &reply);
    reply.text()
}

#[tokio::test]
async fn the_list_names_the_slot_that_a_monitor_waits_for_or_has_missed() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").cron("30 3 * * *").grace("15m").create().await;
    let monitor = format!("/monitors/{}", job.monitor);
    world.until("2027-01-04T03:34:00Z").await;
    assert_eq!(job.health().await, "late");
    for path in ["/", &monitor] {
        says(&page(&member, path).await, &["expected 03:30, 4 min ago"]);
    }
    world.until("2027-01-04T04:10:00Z").await;
    assert_eq!(job.health().await, "failing");
    says(&page(&member, "/").await, &["no run started, expected 03:30, 40 min ago"]);
    // Seen from another day, it has its day; and several are counted.
    world.until("2027-01-06T02:00:00Z").await;
    says(&page(&member, "/").await, &["2 slots missed, the last expected 5 Jan 03:30, 22 h ago"]);
    job.end("").await;
    let html = page(&member, "/").await;
    assert!(!html.contains("expected"), "{html}");
}

#[tokio::test]
async fn what_was_due_while_we_were_down_is_awaited_too() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").cron("30 3 * * *").grace("15m").create().await;
    job.end("").await;
    world.until("2027-01-04T03:00:00Z").await;
    world.down_for("2h");
    world.tick().await;
    assert_eq!(job.health().await, "late");
    says(&page(&member, "/").await, &["due while Watchclock was down; a run may start until 05:15"]);
}

#[tokio::test]
async fn an_open_incident_goes_on_and_a_resolved_one_has_lasted() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").create().await;
    job.fail("").await;
    world.advance("12m").await;
    let html = page(&member, "/incidents").await;
    assert!(html.contains(">for 12 min<") && !html.contains("lasted 12"), "{html}");
    job.end("").await;
    world.advance("5m").await;
    let html = page(&member, "/incidents?open=false").await;
    assert!(html.contains(">lasted 12 min<") && !html.contains(">for "), "{html}");
}

#[tokio::test]
async fn a_monitor_shows_its_extractors_and_what_they_last_found() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let plain = world.monitor("plain").create().await;
    assert!(!page(&member, &format!("/monitors/{}", plain.monitor)).await.contains("Extractors"));
    let job = world.monitor("sync").extractor("rows", r"/(\d+) rows/").extractor("size", r"/(\d+) MB/");
    let job = job.create().await;
    let path = format!("/monitors/{}", job.monitor);
    says(&page(&member, &path).await, &["id=\"extractors\"", "No run has ended yet."]);
    job.end_with("", "1204 rows").await;
    job.end_with("", "nothing to do").await;
    world.advance("3m").await;
    // Two runs teach nothing, so that no band is drawn, and the limit is not learned.
    let html = page(&member, &path).await;
    assert!(!html.contains("The band is") && !html.contains("learned"), "{html}");
    says(
        &html,
        &[
            "24 h (until five good runs are known)",
            "No run has a duration yet. There is a limit of 24 h (until five good runs are known).",
        ],
    );
    let found = format!("last <b>1,204</b> in <a href=\"/runs/{}\">#1</a>, 3 min ago", job.run(1).await.id);
    let pattern = r"<code>/(\d+) rows/</code>";
    says(&page(&member, &path).await, &[&found, pattern, "It found nothing in the last 2 runs."]);
}

#[tokio::test]
async fn numbers_have_the_same_groups_wherever_people_read_them() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").rule("rows lt 0.5 * median(rows, 4)").create().await;
    for rows in [12_000, 12_044, 12_100, 5_001] {
        job.start("").await;
        world.advance("2m").await;
        job.end_with("", &format!("rows={rows}")).await;
    }
    let incident = job.incident().await.incident;
    let sentence = "rows is 5,001, less than 0.5 * median(rows, 4), which is 6,022";
    assert_eq!(incident.summary, sentence);
    says(&page(&member, "/").await, &[sentence]);
    let html = page(&member, &format!("/incidents/{}", incident.id)).await;
    says(&html, &["<td>5,001</td>", "<td>12,044</td>", "12,044 (median of 3)"]);
    says(&page(&member, &format!("/runs/{}", job.run(4).await.id)).await, &["<td>5,001</td>", sentence]);
    let monitor = page(&member, &format!("/monitors/{}", job.monitor)).await;
    says(&monitor, &["5,001 to 12,100 in 4 runs", sentence]);
    let mail = world.mails().await[0].text();
    says(&mail, &["rows = 5,001", "12,044 (median of 3)", "median(rows, 4) 12,044"]);
    assert!(!monitor.contains("The band is"), "four runs do not tell what is usual");
    // As it was sent, and what programs read.
    says(&monitor, &["<code>rows=5001</code>"]);
    assert!(incident.facts.contains(&("rows".to_owned(), "5001".to_owned())), "{:?}", incident.facts);
}

#[tokio::test]
async fn incidents_of_the_past_stand_in_order_of_time() {
    let world = World::new().await;
    let past = |name: &str, days: i64| Past {
        monitor: MonitorChange {
            name: Some(name.to_owned()),
            schedule: Some(ScheduleText::from_shorthand("30 3 * * *", None).unwrap()),
            ..MonitorChange::default()
        },
        since: world.now() - chrono::Duration::days(days),
        pings: Vec::new(),
        paused: None,
    };
    let pasts = vec![past("one", 1), past("three", 3), past("two", 2)];
    world.watchclock().create_with_past(world.project().id, pasts).await.unwrap();
    let member = world.member("member@example.org", Role::Member).await;
    let html = page(&member, "/incidents").await;
    let places = ["one", "two", "three"].map(|name| html.find(&format!(">{name}</a>")).unwrap());
    assert!(places.is_sorted(), "newest first: {places:?}");
}

#[tokio::test]
async fn an_incident_tells_its_moments_as_every_page_does() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let job = world.monitor("sync").cron("30 3 * * *").tz("Europe/Berlin").grace("15m").create().await;
    world.until("2027-01-04T03:10:00Z").await;
    let incident = job.incident().await.incident;
    assert!(incident.summary.ends_with("expected at 2027-01-04 03:30 +01:00"), "{}", incident.summary);
    let slot = "<time datetime=\"2027-01-04T02:30:00Z\">03:30</time> <span class=\"ago\">40 min ago</span>";
    let path = format!("/incidents/{}", incident.id);
    let snoozed = member.post(&format!("{path}/snooze"), &[("for", "1h")]).await;
    member.follow(&snoozed).await;
    let html = page(&member, &path).await;
    says(
        &html,
        &[
            &format!("<h1>has never been pinged; a run was expected at {slot}</h1>"),
            &format!("<th>expected</th><td>{slot}</td>"),
            &format!("<p>has never been pinged; a run was expected at {slot}</p>"),
            "<title>has never been pinged; a run was expected at 03:30 ·",
            "until <time datetime=\"2027-01-04T04:10:00Z\">05:10</time> <span class=\"ago\">in 1 h</span>",
        ],
    );
    assert!(!html.contains("+01:00"), "no moment is told in two ways:\n{html}");
    for path in ["/incidents".to_owned(), format!("/monitors/{}", job.monitor)] {
        let html = page(&member, &path).await;
        says(&html, &["a run was expected at 03:30"]);
        assert!(!html.contains("+01:00"), "{path}:\n{html}");
    }
}

#[tokio::test]
async fn mail_is_red_only_when_it_fails() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    let about = async || {
        let html = page(&member, "/settings/about").await;
        let row = html.split("<th>Mail</th>").nth(1).and_then(|rest| rest.split("</tr>").next());
        row.expect("mail is a part").to_owned()
    };
    says(&about().await, &["is-healthy", ">working<", "no mail was sent yet"]);
    world.add_email("night shift", &["night@example.org"]).await;
    let job = world.monitor("sync").create().await;
    job.fail("").await;
    world.advance("1m").await;
    says(&about().await, &["is-healthy", "the last mail was accepted 1 min ago"]);
    // Where one of two is refused, mails do go out.
    world.smtp.refuse("night@example.org", "550 5.1.1 nobody here");
    job.end("").await;
    world.advance("1m").await;
    says(&about().await, &["is-healthy", "the last mail was accepted 1 min ago"]);
    world.smtp.refuse("ops@example.org", "550 5.1.1 nobody there");
    job.fail("").await;
    world.advance("1m").await;
    says(&about().await, &["is-failing", ">not working<", "could not be sent, 1 min ago: ", "5.1.1 nobody"]);
}

#[tokio::test]
async fn the_api_has_a_page_among_the_docs() {
    let world = World::new().await;
    let member = world.member("member@example.org", Role::Member).await;
    says(&page(&member, "/docs").await, &["href=\"/docs/api\"", "href=\"/v1/openapi.json\""]);
    let html = page(&member, "/docs/api").await;
    says(&html, &["<h1 id=\"the-api\">The API</h1>", "href=\"/v1/openapi.json\"", "href=\"rules\""]);
    says(&html, &["<pre tabindex=\"0\">watchclock key add --project default --role write</pre>"]);
    let footer = html.split("<footer").nth(1).expect("there is a footer");
    assert!(footer.contains("<a href=\"/docs/api\">API</a>") && !footer.contains("openapi"), "{footer}");
}
