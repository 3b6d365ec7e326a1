//! Judging the result: rules over what runs report.

use watchclock_service::monitor::{MonitorChange, RuleChange};
use watchclock_tests::World;

#[tokio::test]
async fn a_rule_fires_once_and_resolves_with_the_first_good_result() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("records_processed eq 0").create().await;
    job.end_with("a", "records_processed=1204").await;
    for rid in ["b", "c", "d"] {
        job.start(rid).await;
        world.advance("2m").await;
        job.end_with(rid, "records_processed=0").await;
        world.advance("1d").await;
    }
    assert_eq!(job.run(2).await.status.word(), "success", "the job did succeed");
    assert_eq!(job.tape().await.lines().last().unwrap(), "#4 d success 2m rule_broken");
    let incident = job.incident().await.incident;
    assert_eq!((incident.kind.word(), incident.run_count), ("rule", 3), "one incident for three nights");
    assert_eq!(world.subjects().await, ["[failing] sync: records_processed is 0"]);
    assert!(world.mails().await[0].text().contains("records_processed eq 0"));
    job.end_with("e", r#"{"records_processed": 1310}"#).await;
    assert_eq!(job.health().await, "healthy");
    assert_eq!(world.subjects().await.len(), 2);
}

#[tokio::test]
async fn a_field_that_goes_missing_is_told_where_earlier_runs_had_it() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows lt 100").create().await;
    job.end("a").await;
    assert_eq!(job.story().await, "", "no run has ever had it");
    job.end_with("b", "rows=500").await;
    job.end("c").await;
    assert_eq!(job.story().await, "rule: rows is missing, earlier runs reported it");
    job.end_with("d", "rows=500").await;
    assert_eq!(job.health().await, "healthy");

    let lenient = world.monitor("lenient").rule_if_there("rows lt 100").create().await;
    lenient.end_with("a", "rows=500").await;
    lenient.end("b").await;
    assert_eq!(lenient.story().await, "");
}

#[tokio::test]
async fn a_rule_for_several_runs_waits_for_so_many_in_a_row() {
    let world = World::new().await;
    let job = world.monitor("sync").rule_for("rows eq 0", 3).create().await;
    for rows in [0, 0, 5, 0, 0] {
        job.end_with("", &format!("rows={rows}")).await;
    }
    assert_eq!(job.story().await, "");
    job.end_with("", "rows=0").await;
    assert_eq!(job.story().await, "rule: rows is 0");
}

#[tokio::test]
async fn removing_a_rule_resolves_its_incident_and_editing_never_fires_on_the_past() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows eq 0").create().await;
    job.end_with("a", "rows=0").await;
    let rules = vec![RuleChange::when("rows lt 1000")];
    job.edit(MonitorChange { rules: Some(rules), ..MonitorChange::default() }).await;
    assert_eq!(job.story().await, "rule: rows is 0 → the rule was removed");
    assert_eq!(job.health().await, "healthy");
    assert_eq!(world.subjects().await, [""; 0], "what was not told yet is not told at all");
}

#[tokio::test]
async fn a_failed_run_sends_one_alert_unless_a_rule_is_about_failures() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows eq 0").create().await;
    job.ping("/fail", "rows=0").await;
    assert_eq!(job.story().await, "failed: run #1 failed");

    let other = world.monitor("other").rule_of_any_end("rows eq 0").create().await;
    other.ping("/fail", "rows=0").await;
    assert_eq!(other.incidents().await.len(), 2, "asked for");
}

#[tokio::test]
async fn rules_read_all_output_of_a_run() {
    let world = World::new().await;
    let job = world.monitor("etl").rule("output contains \"Traceback\"").create().await;
    job.start("a").await;
    job.log("a", "Traceback (most recent call last):").await;
    job.log("a", "  File \"etl.py\", line 3").await;
    job.end_with("a", "done").await;
    assert!(job.run(1).await.flags.iter().any(|flag| flag.word() == "rule_broken"), "{}", job.tape().await);
    job.start("b").await;
    job.log("b", "fine").await;
    job.end_with("b", "done").await;
    assert_eq!(job.health().await, "healthy");
}

#[tokio::test]
async fn rules_compare_with_the_runs_before() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows lt 0.5 * median(rows, 5)").create().await;
    for rows in [100, 110, 90, 105, 95] {
        job.end_with("", &format!("rows={rows}")).await;
        world.advance("1h").await;
    }
    job.end_with("", "rows=51").await;
    assert_eq!(job.story().await, "");
    job.end_with("", "rows=20").await;
    assert_eq!(job.incidents().await.len(), 1);
}

#[tokio::test]
async fn runs_that_end_together_are_each_others_history() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("count(failed, 1h) ge 3").rule_of_any_end("count(failed, 1h) ge 3");
    let job = job.create().await;
    let ends = (0..3).map(|n| {
        let job = job.clone();
        async move { job.fail(&format!("r{n}")).await }
    });
    futures_util::future::join_all(ends).await;
    assert!(job.story().await.contains("rule: "), "{}", job.story().await);
}

#[tokio::test]
async fn a_window_of_history_is_counted_back_from_the_end_of_the_run() {
    let world = World::new().await;
    let job = world.monitor("sync").rule_of_any_end("count(failed, 1h) ge 2").create().await;
    world.at("2027-01-04T10:00:00Z");
    job.fail("a").await;
    world.at("2027-01-04T12:00:00Z");
    job.ping("/fail?rid=b&ts=2027-01-04T10:30:00Z", "").await;
    assert!(job.story().await.contains("rule: "), "b ended half an hour after a:\n{}", job.story().await);
}

#[tokio::test]
async fn numbers_stay_exact() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("id ne 9007199254740993").create().await;
    job.end_with("", r#"{"id": 9007199254740993}"#).await;
    assert_eq!(job.story().await, "");
    job.end_with("", r#"{"id": 9007199254740992}"#).await;
    assert_eq!(job.incidents().await.len(), 1);
}

#[tokio::test]
async fn trying_a_rule_judges_runs_that_ended_and_no_other() {
    let world = World::new().await;
    let job = world.monitor("sync").cron("0 3 * * *").grace("5m").create().await;
    world.advance("1d").await;
    for rows in [0, 7] {
        job.end_with("", &format!("rows={rows}")).await;
    }
    job.start("running").await;
    let condition = watchclock_domain::rule::Condition::parse("rows eq 0").unwrap();
    let trial = world.watchclock().trial(world.project().id, "sync", None, (300, false)).await.unwrap();
    let verdicts: Vec<_> = trial
        .rule(&watchclock_domain::rule::Rule::of(condition))
        .into_iter()
        .map(|(past, tried)| (past.run.number, tried.verdict.truth.word()))
        .collect();
    assert_eq!(verdicts, [(2, "true"), (3, "false")]);
}

#[tokio::test]
async fn an_incident_keeps_value_rule_and_usual_and_the_alert_tells_them() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("records_processed eq 0").create().await;
    for records in [1_200, 1_204, 1_210] {
        job.end_with("", &format!("records_processed={records}")).await;
    }
    job.end_with("", "records_processed=0").await;
    let facts = job.incident().await.incident.facts;
    let facts: Vec<String> = facts.iter().map(|(name, fact)| format!("{name} = {fact}")).collect();
    assert_eq!(
        facts,
        ["rule = records_processed eq 0", "records_processed = 0", "usual = 1,204 (median of 3)"]
    );
    let mail = world.mails().await[0].text();
    assert!(mail.contains("1,204 (median of 3)") && mail.contains("records_processed eq 0"), "{mail}");
}

#[tokio::test]
async fn a_rule_has_its_own_channels_and_its_own_severity() {
    let world = World::new().await;
    let data = world.add_email("data", &["data@example.org"]).await;
    let ops = world.watchclock().channels(world.project().id).await.unwrap();
    let ops = ops.iter().find(|channel| channel.id != data).unwrap().id;
    let job = world.monitor("sync").channels(&[ops]).rule_to("rows eq 0", &[data]).rule("errors gt 0");
    let job = job.create().await;
    for body in ["rows=0", "rows=5", "rows=5&errors=1"] {
        job.end_with("", body).await;
        world.mails().await;
    }
    let told: Vec<String> =
        world.mails().await.iter().map(|mail| format!("{} {}", mail.to.join(","), mail.subject())).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("data@example.org ") && told[1].starts_with("data@example.org "), "{told:?}");
    assert!(told[2].starts_with("ops@example.org "), "{told:?}");
}

#[tokio::test]
async fn several_servers_share_a_past() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("rows lt 0.5 * median(rows, 5)").create().await;
    for rows in [100, 110, 90, 105, 95] {
        job.end_with("", &format!("rows={rows}")).await;
        // Another server, whose memory is empty, takes the next ping.
        world.restart();
    }
    job.end_with("", "rows=20").await;
    assert_eq!(job.incidents().await.len(), 1);
}

#[tokio::test]
async fn a_field_that_nobody_sent_is_a_warning() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("recrods eq 0").create().await;
    assert!(job.view().await.warnings().is_empty(), "nothing ran yet");
    job.end_with("", "records=5").await;
    let warnings = job.view().await.warnings();
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].field, "rules[0].when");
    assert_eq!(warnings[0].message, "no run has reported `recrods` so far; did you mean `records`?");
}

#[tokio::test]
async fn rules_are_suggested_that_would_have_been_quiet() {
    let world = World::new().await;
    let job = world.monitor("sync").rule("errors gt 0").create().await;
    for rows in [100, 110, 90, 105, 95] {
        job.end_with("", &format!("rows={rows}&errors=0&state=done")).await;
    }
    let suggested = world.watchclock().suggest_rules(world.project().id, "sync").await.unwrap();
    let texts: Vec<&str> = suggested.iter().map(|suggestion| suggestion.when.as_str()).collect();
    assert_eq!(
        texts,
        ["rows eq 0", "rows lt 0.5 * median(rows, 14)", "rows missing", "state ne \"done\"", "state missing"]
    );
    assert_eq!(suggested[0].why, "rows has never been 0 in 5 good runs");
}
