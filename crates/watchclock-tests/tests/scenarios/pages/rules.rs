//! The rule editor without a script: what a rule that is being written would have said, and the numbers it is about.

use axum::http::StatusCode;
use watchclock_service::member::Role;
use watchclock_tests::{Job, Visitor, World};

use super::{check_page, says};

/// Runs that reported 100 rows, but for one with none and one that did not say.
async fn job(world: &World) -> Job {
    let job = world.monitor("import").every("1h").create().await;
    for n in 1..=8 {
        let body = match n {
            6 => "rows=0",
            7 => "mode=full",
            _ => "rows=100&db.errors=2",
        };
        job.start("").await;
        world.advance("2m").await;
        job.end_with("", body).await;
        world.advance("58m").await;
    }
    job
}

async fn check(member: &Visitor, job: &Job, when: &str, more: &[(&str, &str)]) -> String {
    let id = job.monitor.to_string();
    let fields = [&[("monitor", &*id), ("rules[0].when", when)], more].concat();
    let reply = member.post("/monitors/check?part=rule&index=0", &fields).await;
    assert_eq!(reply.status, StatusCode::OK, "{when}");
    reply.text()
}

#[tokio::test]
async fn a_rule_is_tried_on_the_runs_so_far() {
    let world = World::new().await;
    let job = job(&world).await;
    let member = world.member("member@example.org", Role::Member).await;
    let html = check(&member, &job, "rows eq 0", &[]).await;
    says(&html, &["Would have fired for 2 of the last 8 runs: 1 incident.", "rows = 100 in #8", "rows is 0"]);
    says(&html, &["fires: field missing", "quiet", "/runs/"]);
    let html = check(&member, &job, "rows eq 0", &[("rules[0].if_missing", "ignore")]).await;
    says(&html, &["Would have fired for 1 of the last 8 runs; unknown for 1."]);
    let html = check(&member, &job, "rows eq 0", &[("rules[0].for", "3")]).await;
    says(&html, &["Would have fired for none of the last 8 runs: true for 2, never for 3 in a row."]);
    let html = check(&member, &job, "rows eq 0", &[("rules[0].on", "fail")]).await;
    says(&html, &["there are no runs yet to try it on"]);
    let html = check(&member, &job, "rows eqq 0", &[]).await;
    says(&html, &["did you mean", "^^^"]);
    let html = check(&member, &job, "rowz eq 0", &[]).await;
    says(&html, &["No run has reported rowz yet: did you mean rows?"]);
    let html = check(&member, &job, "<b>\"&", &[]).await;
    assert!(!html.contains("<b>\"") && html.contains("problem"), "{html}");
    assert_eq!(check(&member, &job, "", &[]).await.trim(), "");
    let other = world.watchclock().create_project("other", "Other", None).await.unwrap();
    let stranger = world.member_of(other.id, "stranger@example.org", Role::Owner).await;
    let id = job.monitor.to_string();
    let fields = [("monitor", &*id), ("rules[0].when", "rows eq 0")];
    assert_eq!(
        stranger.post("/monitors/check?part=rule&index=0", &fields).await.status,
        StatusCode::NOT_FOUND
    );
}

#[tokio::test]
async fn the_form_lists_what_rules_can_read_and_takes_a_rule_from_its_address() {
    let world = World::new().await;
    let job = job(&world).await;
    let member = world.member("member@example.org", Role::Member).await;
    let path = format!("/monitors/{}/edit?when=db.errors%20gt%205", job.monitor);
    let reply = member.get(&path).await;
    check_page(&path, &reply);
    let html = reply.text();
    says(
        &html,
        &[
            "value=\"db.errors gt 5\"",
            "Would have fired for 2 of the last 8 runs: 1 incident",
            "db.errors is missing",
            "<option value=\"rows\">100 in #8",
        ],
    );
    says(&html, &["in 7 of the last 8 runs", "<code>duration</code>"]);
    assert!(job.view().await.monitor.rules.is_empty(), "nothing is saved by looking");
}

#[tokio::test]
async fn reported_numbers_are_drawn_with_the_lines_of_rules() {
    let world = World::new().await;
    let job = job(&world).await;
    let member = world.member("member@example.org", Role::Member).await;
    let rules = ["rows lt 50", "db.errors gt 2 * median(db.errors, 4)"]
        .map(watchclock_service::monitor::RuleChange::when);
    let change =
        watchclock_service::monitor::MonitorChange { rules: Some(rules.into()), ..Default::default() };
    job.edit(change).await;
    job.start("").await;
    job.end_with("", "rows=1&db.errors=2&word=x").await;
    let path = format!("/monitors/{}", job.monitor);
    let reply = member.get(&path).await;
    check_page(&path, &reply);
    let html = reply.text();
    says(
        &html,
        &[
            "aria-label=\"rows over the last runs: 0 to 100 in 8 runs, not reported by 1",
            "a rule was true for 1",
        ],
    );
    says(&html, &["aria-label=\"db.errors over the last runs: always 2 in 7 runs"]);
    assert_eq!(html.matches("<figure>").count(), 2, "words are not drawn");
    assert!(html.matches("<polyline class=\"limit\"").count() >= 2, "{html}");
    assert!(html.contains("is resolved by the next good run for which the rule is not true"), "{html}");
}
