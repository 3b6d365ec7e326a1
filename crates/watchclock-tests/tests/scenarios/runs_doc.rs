//! Lives through the first table of `docs/runs.md`.

use watchclock_tests::World;

const DOC: &str = include_str!("../../../../docs/runs.md");

/// What stands between backquotes.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

#[tokio::test]
async fn what_the_job_sends_is_kept_as_the_table_says() {
    let world = World::new().await;
    let lines = DOC.lines().skip_while(|line| *line != "| the job sends | what is kept |").skip(2);
    let rows: Vec<&str> = lines.take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 5, "{rows:?}");
    for (number, row) in rows.into_iter().enumerate() {
        let [sent, kept] =
            row.trim_matches('|').split('|').map(quoted).collect::<Vec<_>>().try_into().unwrap();
        let job = world.monitor(&format!("job-{number}")).create().await;
        for ping in sent {
            let (at, signal) = ping.split_once(' ').unwrap();
            world.until(&format!("2027-01-{:02}T{at}:00Z", 5 + number)).await;
            assert_eq!(job.ping(&format!("/{signal}"), "").await.line(), "200 OK", "{ping}");
        }
        assert_eq!(job.tape().await.lines().collect::<Vec<_>>(), kept, "{row}");
    }
}
