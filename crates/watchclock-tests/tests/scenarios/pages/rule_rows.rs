//! The rows of extractors and rules in the form without a script: tried, added, removed, offered, brought from elsewhere.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::{Job, Visitor, World};

use super::{check_page, says};

/// A job that only prints.
async fn job(world: &World) -> Job {
    let job = world.monitor("import").every("1h").any_duration().create().await;
    for n in 1..=6 {
        job.ping("", format!("connecting <db>\nProcessed {} records\ndone", 1_200 + n)).await;
        world.advance("1h").await;
    }
    job
}

async fn member(world: &World) -> Visitor {
    world.member("member@example.org", Role::Member).await
}

/// What a form of this monitor needs to be saved.
fn base(job: &Job) -> Vec<(&'static str, String)> {
    vec![
        ("monitor", job.monitor.to_string()),
        ("name", "import".to_owned()),
        ("slug", "import".to_owned()),
        ("schedule.kind", "every".to_owned()),
        ("schedule.every", "1h".to_owned()),
        ("channels_all", "yes".to_owned()),
    ]
}

async fn send(
    member: &Visitor,
    path: &str,
    base: &[(&str, String)],
    more: &[(&str, &str)],
) -> (StatusCode, String) {
    let mut fields: Vec<(&str, &str)> = base.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fields.extend(more);
    let reply = member.post(path, &fields).await;
    (reply.status, reply.text())
}

const NAME: &str = "extractors[0].name";
const PATTERN: &str = "extractors[0].pattern";

#[tokio::test]
async fn an_extractor_is_tried_on_past_output_before_it_is_saved() {
    let world = World::new().await;
    let (job, member) = (job(&world).await, member(&world).await);
    let base = base(&job);
    let check = async |pattern: &str| {
        let fields = [(NAME, "duration"), (PATTERN, pattern)];
        send(&member, "/monitors/check?part=extractor&index=0", &base, &fields).await.1
    };
    let html = check(r"/Processed (\d+) rec/").await;
    says(&html, &["Finds a value in 6 of the last 6 runs; the latest is 1,206, in #6.", "meta.duration"]);
    says(&html, &["Processed <mark>1206</mark> records", "#6"]);
    says(
        &check(r"/nowhere (\d+)/").await,
        &["Finds nothing in the output of the last 6 runs.", "last line: done"],
    );
    says(&check(r"/(db>)/").await, &["connecting &#60;<mark>db&#62;</mark>"]);
    says(&check(r"/a(b/").await, &["unclosed group", "<pre>/a(b/\n  ^</pre>"]);
    assert_eq!(check("").await.trim(), "", "whoever still writes is not told of what is missing");

    // The rule below is tried with the extractor that stands in the form.
    let fields = [(NAME, "records"), (PATTERN, r"/Processed (\d+)/"), ("rules[0].when", "records lt 1203")];
    let (_, html) = send(&member, "/monitors/check?part=rule&index=0", &base, &fields).await;
    says(&html, &["Would have fired for 2 of the last 6 runs: 1 incident.", "records = 1,206 in #6"]);
    assert!(!html.contains("No run has reported"), "{html}");
    let (_, html) = send(&member, "/monitors/check?part=suggestions", &base, &fields[..2]).await;
    says(&html, &["records has never been 0 in 6 good runs", "name=\"add\" value=\"records eq 0\""]);
}

#[tokio::test]
async fn rows_are_saved_and_their_problems_stand_beside_them() {
    let world = World::new().await;
    let (job, member) = (job(&world).await, member(&world).await);
    let (base, path) = (base(&job), format!("/monitors/{}/edit", job.monitor));
    let reply = member.get(&path).await;
    check_page(&path, &reply);
    says(&reply.text(), &["What run #6 printed", "Processed 1206 records", "name=\"extractors[0].pattern\""]);
    let wrong = [
        (NAME, "rows"),
        (PATTERN, "/a(/"),
        ("extractors[1].name", ""),
        ("extractors[1].pattern", "/b/"),
        ("rules[0].when", "rows eq 0"),
        ("rules[0].for", "many"),
    ];
    let (status, html) = send(&member, &path, &base, &wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{html}");
    says(
        &html,
        &["3 fields need a look", "unclosed group", "the extractor needs a name", "not a whole number"],
    );
    says(&html, &["aria-invalid=\"true\" aria-describedby=\"rule-0-for-problem\""]);
    assert!(job.view().await.monitor.extractors.is_empty());

    let right =
        [(NAME, "rows"), (PATTERN, r"/Processed (\d+)/"), ("rules[0].when", "rows lt 0.5 * median(rows, 4)")];
    let (status, html) = send(&member, &path, &base, &right).await;
    assert_eq!(status, StatusCode::SEE_OTHER, "{html}");
    job.ping("", "Processed 3 records").await;
    assert_eq!(job.story().await, "rule: rows is 3, less than 0.5 * median(rows, 4), which is 602.25");
    let html = member.get(&path).await.text();
    says(&html, &["value=\"rows\"", "value=\"/Processed (\\d+)/\""]);
    let (status, _) = send(&member, &path, &base, &[(NAME, ""), (PATTERN, "")]).await;
    assert_eq!((status, job.view().await.monitor.extractors.len()), (StatusCode::SEE_OTHER, 0));
}

#[tokio::test]
async fn buttons_change_rows_and_save_nothing() {
    let world = World::new().await;
    let (job, member) = (job(&world).await, member(&world).await);
    let (base, path) = (base(&job), format!("/monitors/{}/edit", job.monitor));
    let rows = [("name", "typed"), ("rules[0].when", "a eq 1"), ("rules[1].when", "b eq 2"), (NAME, "x")];
    let press = async |button: (&str, &str)| {
        let (status, html) = send(&member, &path, &base[..1], &[&rows[..], &[button]].concat()).await;
        assert_eq!(status, StatusCode::OK, "{html}");
        says(&html, &["name=\"name\" value=\"typed\""]);
        html
    };
    let html = press(("drop", "rules[0]")).await;
    assert!(!html.contains("value=\"a eq 1\"") && html.contains("name=\"rules[0].when\" value=\"b eq 2\""));
    assert!(!press(("drop", "extractors[0]")).await.contains("value=\"x\""));
    says(&press(("add", "c gt \"5\"")).await, &["name=\"rules[2].when\" value=\"c gt &#34;5&#34;\""]);
    says(&press(("more_extractors", "yes")).await, &["extractors[4].name"]);
    for odd in ["", "rules", "rules[x]", "rules[99999999999999999999]", "monitor[0]"] {
        let fields = [&rows[..], &[("drop", odd), ("check", "yes")]].concat();
        let (status, _) = send(&member, &path, &base, &fields).await;
        assert!([200, 422].contains(&status.as_u16()), "{odd}");
    }
    assert_eq!(job.view().await.monitor.name, "import");
}

#[tokio::test]
async fn rules_of_other_services_are_shown_and_added() {
    let world = World::new().await;
    let (job, member) = (job(&world).await, member(&world).await);
    let (base, path) = (base(&job), format!("/monitors/{}/edit", job.monitor));
    let theirs = "rows eq 0\r\nmetric.duration < 5 min\r\nmetric.rows ~ 5\r\nrows eq 0";
    let pasted = [("import.text", theirs), ("rules[0].when", "errors gt 0")];
    for (part, button) in [("/monitors/check?part=import", None), (&*path, Some(("import", "show")))] {
        let fields: Vec<_> = pasted.iter().copied().chain(button).collect();
        let (status, html) = send(&member, part, &base, &fields).await;
        assert_eq!(status, StatusCode::OK, "{part}");
        says(&html, &["<code>duration ge 5m</code>", "Cronitor", "expected an operator", "there already"]);
        says(&html, &["Add these 2 rules", "each is turned round"]);
    }
    let (_, html) = send(&member, &path, &base, &[&pasted[..], &[("import", "add")]].concat()).await;
    says(
        &html,
        &["value=\"errors gt 0\"", "name=\"rules[1].when\" value=\"rows eq 0\"", "value=\"duration ge 5m\""],
    );
    assert!(html.contains("metric.rows ~ 5</textarea>"), "what is wrong stays to be mended:\n{html}");
    assert!(job.view().await.monitor.rules.is_empty(), "nothing is saved yet");
    let (_, html) = send(
        &member,
        "/monitors/check?part=import",
        &base,
        &[("import.text", "rows eq 0"), ("import.from", "cronitor")],
    )
    .await;
    says(&html, &["begins with `metric.`"]);
}

#[tokio::test]
async fn several_rules_come_by_address() {
    let world = World::new().await;
    let (job, member) = (job(&world).await, member(&world).await);
    let path =
        format!("/monitors/{}/edit?when=a%20eq%201&when=&when=b%20eq%202&when=a%20eq%201", job.monitor);
    let html = member.get(&path).await.text();
    says(&html, &["name=\"rules[0].when\" value=\"a eq 1\"", "name=\"rules[1].when\" value=\"b eq 2\""]);
    says(&html, &["name=\"rules[2].when\" value=\"\""]);
}
