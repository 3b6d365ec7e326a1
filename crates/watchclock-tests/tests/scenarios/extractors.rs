//! Numbers out of plain output, and what rules make of them.

use watchclock_domain::rule::{Condition, Extractor};
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
    let condition = Condition::parse("rows eq 0").unwrap();
    let new = [Extractor::parse("rows", r"/new (\d+)/").unwrap()];
    let mut verdicts = Vec::new();
    for extractors in [None, Some(new.as_slice())] {
        let tried =
            world.watchclock().try_rule(world.project().id, "etl", &condition, extractors).await.unwrap();
        verdicts.push(tried.iter().map(|(_, verdict)| verdict.truth.word()).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(verdicts, ["false false unknown", "false true unknown"]);
}
