//! Numbers out of plain output, and what rules make of them.

use watchclock_domain::rule::{Condition, Extractor, Rule, Tried};
use watchclock_service::{monitor::MonitorChange, rule::HISTORY};
use watchclock_tests::World;

const PROCESSED: &str = r"/Processed ([\d,]+) records/";

#[tokio::test]
async fn a_job_that_only_prints_is_judged() {
    let world = World::new().await;
    let job = world.monitor("etl").extractor("records_processed", PROCESSED).rule("records_processed eq 0");
    let job = job.create().await;
    job.end_with("a", "connecting\nProcessed 1,204 records\nbye\n").await;
    assert_eq!(job.run(1).await.meta["records_processed"].to_string(), "1204");
    job.end_with("b", "connecting\nProcessed 0 records\nbye\n").await;
    assert_eq!(job.story().await, "rule: records_processed is 0");
    assert_eq!(world.subjects().await, ["[failing] etl: records_processed is 0"]);
}

#[tokio::test]
async fn output_that_came_in_pieces_is_read_as_one_and_the_job_itself_is_believed_first() {
    let world = World::new().await;
    let job = world.monitor("etl").extractor("rows", r"/rows: (\d+)/").create().await;
    job.start("a").await;
    job.log("a", "rows: 5").await;
    job.log("a", "rows: 7").await;
    job.end_with("a", "done").await;
    assert_eq!(job.run(1).await.meta["rows"].to_string(), "7");
    job.start("b").await;
    job.log("b", "rows: 5").await;
    job.end_with("b", r#"{"rows": 9}"#).await;
    assert_eq!(job.run(2).await.meta["rows"].to_string(), "9");
    job.ping("/fail?rid=c", "rows: 3\nout of memory").await;
    assert_eq!(job.run(3).await.meta["rows"].to_string(), "3", "failed runs, too");
}

#[tokio::test]
async fn extractors_are_tried_on_past_output() {
    let world = World::new().await;
    let job = world.monitor("etl").extractor("rows", r"/old (\d+)/").create().await;
    for (rid, text) in [("a", "old 1\nnew 10"), ("b", "old 2\nnew 0"), ("c", "nothing")] {
        job.end_with(rid, text).await;
    }
    let rule = Rule::of(Condition::parse("rows eq 0").unwrap());
    let new = [Extractor::parse("rows", r"/new (\d+)/").unwrap()];
    let mut verdicts = Vec::new();
    for extractors in [None, Some(new.as_slice())] {
        let trial = world.watchclock().trial(world.project().id, "etl", extractors, (HISTORY, false)).await;
        let words = |tried: &Tried| tried.verdict.truth.word();
        let tried: Vec<_> = trial.unwrap().rule(&rule).iter().map(|(_, tried)| words(tried)).collect();
        verdicts.push(tried.join(" "));
    }
    assert_eq!(verdicts, ["false false unknown", "false true unknown"]);
}

#[tokio::test]
async fn a_new_extractor_reads_what_was_printed_before() {
    let world = World::new().await;
    let job = world.monitor("etl").rule_if_there("rows lt 0.5 * median(rows, 3)").create().await;
    for (rid, text) in
        [("a", "read 100 rows"), ("b", "read 110 rows"), ("c", "rows=7"), ("d", "read 90 rows")]
    {
        job.end_with(rid, text).await;
    }
    let extractors = |pattern: &str| MonitorChange {
        extractors: Some(vec![("rows".to_owned(), pattern.to_owned())]),
        ..MonitorChange::default()
    };
    job.edit(extractors(r"/read (\d+)/")).await;
    let rows = async |run| job.run(run).await.meta.get("rows").map(ToString::to_string).unwrap_or_default();
    let told = [rows(1).await, rows(2).await, rows(3).await, rows(4).await];
    assert_eq!(told, ["100", "110", "7", "90"], "what the job itself said stays");
    assert_eq!(job.story().await, "", "a rule never fires on the past");
    // It knows what was usual at once, on every server.
    job.end_with("e", "read 3 rows").await;
    assert_eq!(job.story().await, "rule: rows is 3, less than 0.5 * median(rows, 3), which is 45");
    // Another expression reads anew what the first one read.
    job.edit(extractors(r"/read (\d)/")).await;
    assert_eq!([rows(1).await, rows(3).await, rows(5).await], ["1", "7", "3"]);
}
