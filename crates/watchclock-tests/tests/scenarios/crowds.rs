//! Monitors with very many open runs: the right one is closed, and each start stays cheap.

use watchclock_domain::run::RunFlag;
use watchclock_tests::{World, job::Job};

async fn start_many(job: &Job, rids: impl Iterator<Item = String>) {
    let rids: Vec<String> = rids.collect();
    futures_util::future::join_all(rids.iter().map(|rid| job.start(rid))).await;
}

fn nameless(count: usize) -> impl Iterator<Item = String> {
    std::iter::repeat_n(String::new(), count)
}

/// Numbers of the runs that ended, in order.
async fn ended(world: &World) -> String {
    let numbers = "select string_agg(number::text, ' ' order by number) from runs where status = 'success'";
    world.database().value(numbers).await.unwrap_or_default()
}

#[tokio::test]
async fn of_few_many_and_very_many_runs_the_oldest_of_its_source_is_closed() {
    for each in [13, 50, 300] {
        let world = World::without_channels().await;
        let job = world.monitor("sync").max_duration("1d").create().await;
        let (one, two) = (job.from("web-1"), job.from("web-2"));
        start_many(&one, nameless(each)).await;
        world.advance("1s").await;
        start_many(&two, nameless(each)).await;
        world.advance("1s").await;
        start_many(&one, nameless(each)).await;
        for _ in 0..3 {
            two.end("").await;
        }
        assert_eq!(ended(&world).await, format!("{} {} {}", each + 1, each + 2, each + 3));
        // Ends that arrive together close as many.
        futures_util::future::join_all((0..10).map(|_| two.end(""))).await;
        assert_eq!(ended(&world).await.split(' ').count(), 13);
        assert!(ended(&world).await.ends_with(&format!(" {}", each + 13)), "{}", ended(&world).await);
        let other = job.from("web-3").end("").await;
        assert_eq!(other.header("watchclock-run"), "1", "whoever started none closes the oldest of all");
        assert!(
            job.from("web-1").log("", "last").await.header("watchclock-run").parse::<usize>().unwrap()
                == 3 * each
        );
        world.facts_agree().await;
    }
}

#[tokio::test]
async fn a_run_without_an_id_is_found_among_very_many_that_have_one() {
    let world = World::without_channels().await;
    let job = world.monitor("sync").max_duration("1h").create().await;
    start_many(&job, (0..150).map(|n| format!("before-{n}"))).await;
    start_many(&job, nameless(150)).await;
    start_many(&job, (0..150).map(|n| format!("after-{n}"))).await;
    job.end("").await;
    assert_eq!(ended(&world).await, "151");
    let run = world.store().runs_of_monitor(job.monitor, None, Some(152), 1).await.unwrap().remove(0);
    assert!(run.has(RunFlag::PairingAssumed), "{run:?}");
    world.advance("2h").await;
    // All are hung. The newest without an id is the likeliest to be alive.
    job.end("").await;
    assert_eq!(ended(&world).await, "151 300");
    assert_eq!(job.view().await.memory.hung, 448);
    world.facts_agree().await;
}
